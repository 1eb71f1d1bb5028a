/*
 * 1. The archive is checked, and its metadata are read.
 * 2. Files that no command makes are put into the folder: links to those of a folder, copies of
 *    those in a tar file.
 * 3. Each command is run there, and its files are compared.
 */
#include "predict/commands/archive/rerun.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/archive_check.h"
#include "formats/archive/archive_input.h"
#include "formats/base/hdf5_output.h"
#include "formats/cli/json.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "predict/commands/archive/crate.h"
#include "predict/commands/archive/repeat.h"

#define BUFFER_BYTES ((size_t)1 << 18)

struct rerun {
    const char *path, *folder;
    const struct ft_held_signals *signals;
    struct ft_archive_check check;
    struct ft_archive_contents contents;
    char *version; /* of foretrace that made the archive */
    size_t same, different;
    char *first_different; /* name of a file */
    json_t *commands;      /* NULL: as text */
};

/* ---- the archive ---- */

static int check(struct rerun *rerun, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "verify");
    int status =
        ft_archive_check(rerun->path, rerun->signals->fd, &progress.base, &rerun->check, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK || rerun->check.fault_count == 0)
        return status;
    return ft_fail(diag, FT_ERROR_DATA, "%s: %.300s %s; 'foretrace verify' shows all that differs",
                   rerun->path, rerun->check.faults[0].name,
                   ft_archive_fault_text(rerun->check.faults[0].kind));
}

/* All commands that will be run must stay in the folder, and make files of the archive. */
static int check_commands(const struct rerun *rerun, struct ft_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < rerun->contents.command_count; i++) {
        const struct ft_archive_command *command = &rerun->contents.commands[i];
        if (!ft_archive_command_repeats(command))
            continue;
        count++;
        FT_TRY(ft_archive_command_check(command, rerun->path, diag));
        for (size_t j = 0; j < command->outputs.count; j++)
            if (!ft_archive_sums_find(&rerun->check.sums, command->outputs.items[j]))
                return ft_fail(diag, FT_ERROR_DATA, "%s: has no %.300s, which its commands make",
                               rerun->path, command->outputs.items[j]);
    }
    return count > 0
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE,
                         "%s: none of its files is made of others by a known command", rerun->path);
}

static int read_commands(struct rerun *rerun, struct ft_diag *diag)
{
    char *text;
    FT_TRY(ft_archive_read_text(rerun->path, FT_ARCHIVE_METADATA, rerun->signals->fd, &text, diag));
    const int status = ft_crate_read(text, rerun->path, &rerun->contents, &rerun->version, diag);
    free(text);
    return status == FT_OK ? check_commands(rerun, diag) : status;
}

/* ---- files ---- */

static int link_file(const struct rerun *rerun, const char *name, const char *path,
                     struct ft_diag *diag)
{
    char *source = NULL, absolute[PATH_MAX];
    if (asprintf(&source, "%s/%s", rerun->path, name) < 0)
        return ft_fail_memory(diag, rerun->path);
    const bool is_linked = realpath(source, absolute) && symlink(absolute, path) == 0;
    const int error = errno;
    free(source);
    return is_linked ? FT_OK : ft_output_fail(path, error, diag);
}

static int copy_contents(struct ft_archive_input *input, FILE *file, const char *path,
                         struct ft_diag *diag)
{
    char *buffer = malloc(BUFFER_BYTES);
    size_t got = 1;
    int status = buffer ? FT_OK : ft_fail_memory(diag, path);
    while (status == FT_OK && got > 0) {
        status = ft_archive_input_read(input, buffer, BUFFER_BYTES, &got, diag);
        if (status == FT_OK && fwrite(buffer, 1, got, file) < got)
            status = ft_output_fail(path, errno, diag);
    }
    free(buffer);
    return status;
}

static int copy_file(struct ft_archive_input *input, const char *path, struct ft_diag *diag)
{
    FILE *file = fopen(path, "wxe");
    if (!file)
        return ft_output_fail(path, errno, diag);
    const int status = copy_contents(input, file, path, diag);
    return fclose(file) != 0 && status == FT_OK ? ft_output_fail(path, errno, diag) : status;
}

static int put_file(const struct rerun *rerun, struct ft_archive_input *input, const char *name,
                    bool is_folder, struct ft_diag *diag)
{
    char *path = NULL;
    FT_TRY(ft_archive_make_folders(rerun->folder, name, diag));
    if (asprintf(&path, "%s/%s", rerun->folder, name) < 0)
        return ft_fail_memory(diag, rerun->folder);
    const int status =
        is_folder ? link_file(rerun, name, path, diag) : copy_file(input, path, diag);
    free(path);
    return status;
}

static int put_files(const struct rerun *rerun, struct ft_diag *diag)
{
    struct stat there;
    struct ft_archive_input *input;
    struct ft_archive_entry entry;
    const bool is_folder = stat(rerun->path, &there) == 0 && S_ISDIR(there.st_mode);
    FT_TRY(ft_archive_input_open(rerun->path, rerun->signals->fd, &input, diag));
    int status = ft_archive_input_next(input, &entry, diag);
    while (status == FT_OK && entry.name) {
        if (ft_archive_sums_find(&rerun->check.sums, entry.name) &&
            !ft_archive_is_made(&rerun->contents, entry.name))
            status = put_file(rerun, input, entry.name, is_folder, diag);
        if (status == FT_OK)
            status = ft_archive_input_next(input, &entry, diag);
    }
    ft_archive_input_close(input);
    return status;
}

/* ---- commands ---- */

/* files: of the command, for JSON. */
static int compare(struct rerun *rerun, const char *name, json_t **files, struct ft_diag *diag)
{
    const struct ft_archive_sum *archived = ft_archive_sums_find(&rerun->check.sums, name);
    uint8_t sha256[FT_SHA256_BYTES];
    char *path = NULL;
    if (asprintf(&path, "%s/%s", rerun->folder, name) < 0)
        return ft_fail_memory(diag, rerun->folder);
    const int status = ft_sha256_of_file(path, sha256, diag);
    free(path);
    if (status != FT_OK)
        return status;
    const bool is_same = memcmp(sha256, archived->sha256, sizeof sha256) == 0;
    if (rerun->commands)
        ft_json_append(files, json_pack("{s:o, s:b}", "path", ft_json_text(name), "same", is_same));
    else
        printf("    %s: %s\n", name, is_same ? "the same bytes" : "differs");
    rerun->same += is_same;
    rerun->different += !is_same;
    if (!is_same && !rerun->first_different && !(rerun->first_different = strdup(name)))
        return ft_fail_memory(diag, name);
    return FT_OK;
}

static int run_command(struct rerun *rerun, size_t number, struct ft_diag *diag)
{
    const struct ft_archive_command *command = &rerun->contents.commands[number];
    json_t *files = json_array();
    if (!rerun->commands)
        ft_archive_command_show(command, number + 1);
    int status = ft_archive_command_run(command, rerun->folder, rerun->signals, diag);
    for (size_t j = 0; j < command->outputs.count && status == FT_OK; j++)
        status = compare(rerun, command->outputs.items[j], &files, diag);
    if (rerun->commands)
        ft_json_append(&rerun->commands,
                       json_pack("{s:I, s:o, s:o}", "number", (json_int_t)number + 1, "command",
                                 ft_archive_command_json(command), "files", files));
    else
        json_decref(files);
    return status;
}

static int run_commands(struct rerun *rerun, struct ft_diag *diag)
{
    for (size_t i = 0; i < rerun->contents.command_count; i++)
        if (ft_archive_command_repeats(&rerun->contents.commands[i]))
            FT_TRY(run_command(rerun, i, diag));
    return FT_OK;
}

static int print_json(struct rerun *rerun, struct ft_diag *diag)
{
    json_t *commands = rerun->commands;
    rerun->commands = NULL;
    return ft_json_write(json_pack("{s:o, s:o, s:s, s:o, s:I, s:I}", "archive",
                                   ft_json_text(rerun->path), "made_by_version",
                                   ft_json_text(rerun->version), "version", FT_VERSION, "commands",
                                   commands, "same", (json_int_t)rerun->same, "different",
                                   (json_int_t)rerun->different),
                         stdout, diag);
}

static int conclude(struct rerun *rerun, struct ft_diag *diag)
{
    const bool as_json = rerun->commands != NULL;
    if (as_json)
        FT_TRY(print_json(rerun, diag));
    const bool is_same_version = strcmp(rerun->version, FT_VERSION) == 0;
    if (rerun->different == 0) {
        if (!as_json)
            ft_print_wrapped(stdout, 2, "%s: %zu file%s made again, all with the same bytes\n",
                             rerun->path, rerun->same, rerun->same == 1 ? "" : "s");
        return FT_OK;
    }
    return ft_fail(diag, FT_ERROR_FAILURE, "%s: %zu of %zu files differ, the first is %.300s%s%s%s",
                   rerun->path, rerun->different, rerun->same + rerun->different,
                   rerun->first_different, is_same_version ? "" : "; they were made by foretrace ",
                   is_same_version ? "" : rerun->version,
                   is_same_version ? "" : ", this is " FT_VERSION);
}

int ft_archive_rerun(const char *path, const char *folder, bool as_json,
                     const struct ft_held_signals *signals, struct ft_diag *diag)
{
    struct rerun rerun = {.path = path, .folder = folder, .signals = signals};
    if (as_json && !(rerun.commands = json_array()))
        return ft_fail_memory(diag, path);
    int status = check(&rerun, diag);
    if (status == FT_OK)
        status = read_commands(&rerun, diag);
    if (status == FT_OK)
        status = put_files(&rerun, diag);
    if (status == FT_OK)
        status = run_commands(&rerun, diag);
    if (status == FT_OK)
        status = conclude(&rerun, diag);
    ft_archive_check_fini(&rerun.check);
    ft_archive_contents_fini(&rerun.contents);
    free(rerun.version);
    free(rerun.first_different);
    json_decref(rerun.commands);
    return status;
}
