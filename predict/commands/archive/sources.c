/*
 * Models and histograms that such a command reads name the files of their scopes; each that can be
 * read, and that they do not keep themselves, becomes a member. Then "--sources" follows the
 * command's name.
 */
#include "predict/commands/archive/sources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/cli/output_file.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/trace/private_parts.h"
#include "predict/commands/source_file.h"

struct adding {
    struct ft_archive_contents *contents;
    struct ft_archive_command *command;
    bool is_private;
    size_t count; /* files that the command shows and its inputs do not have themselves */
    size_t kept;  /* that they have, of all commands */
};

/* ---- files ---- */

/* "sources/home/me/a.c"; false: the archive can have none by that name. */
static bool name_of(const struct adding *adding, const char *path, char *name, size_t bytes)
{
    char in_model[PATH_MAX];
    const size_t folder = strlen(FT_ARCHIVE_SOURCES "/");
    if (strlen(path) >= sizeof in_model)
        return false;
    strcpy(in_model, path);
    if (adding->is_private)
        ft_path_make_private(in_model);
    strcpy(name, FT_ARCHIVE_SOURCES "/");
    return ft_source_name(in_model, name + folder, bytes - folder);
}

/* A page of lines that have changed since is not made again. */
static void warn_if_newer(const struct adding *adding, const char *path)
{
    const struct ft_archive_member *shown =
        ft_archive_find_member(adding->contents, adding->command->outputs.items[0]);
    struct stat source, result;
    if (!adding->is_private && shown && stat(path, &source) == 0 &&
        stat(shown->source, &result) == 0 && source.st_mtim.tv_sec > result.st_mtim.tv_sec)
        ft_print_wrapped(stderr, 2,
                         "foretrace archive: warning: %s has changed since %s was made, which "
                         "rerun may make otherwise\n",
                         path, shown->name);
}

static int add_file(struct adding *adding, const char *path, struct ft_diag *diag)
{
    char name[PATH_MAX];
    const struct ft_source_place place = {0};
    FILE *file = ft_source_open(&place, path);
    if (!file || !name_of(adding, path, name, sizeof name)) {
        if (file)
            (void)fclose(file); /* it was not even read */
        return FT_OK;
    }
    (void)fclose(file);
    adding->count++;
    if (ft_words_have(&adding->command->inputs, name))
        return FT_OK;
    warn_if_newer(adding, path);
    FT_TRY(ft_archive_add_file(adding->contents, name, path, "a source file of the program", diag));
    ft_archive_keep(adding->contents, name);
    ft_words_add(&adding->command->inputs, "%s", name);
    return FT_OK;
}

static int add_files_of(struct adding *adding, const struct ft_scopes *scopes, struct ft_diag *diag)
{
    const char *last = ""; /* scopes of a file mostly follow each other */
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const char *path = scopes->scopes[i].file;
        if (ft_source_files_find(&scopes->sources, path))
            adding->kept++;
        else if (strcmp(path, last) != 0)
            FT_TRY(add_file(adding, path, diag));
        last = path;
    }
    return FT_OK;
}

static int add_files_of_models(struct adding *adding, const char *path, struct ft_diag *diag)
{
    struct ft_model_file models;
    FT_TRY(ft_model_file_read(path, &models, diag));
    int status = FT_OK;
    for (size_t i = 0; i < models.count && status == FT_OK; i++)
        status = add_files_of(adding, &models.models[i].scopes, diag);
    ft_model_file_fini(&models);
    return status;
}

static int add_files_of_histograms(struct adding *adding, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    int status = FT_OK;
    for (size_t i = 0; i < file.count && status == FT_OK; i++)
        status = add_files_of(adding, &file.entries[i].scopes, diag);
    ft_histogram_file_fini(&file);
    return status;
}

static int count_files_of_trace(struct adding *adding, const char *path, struct ft_diag *diag)
{
    struct ft_trace *trace;
    FT_TRY(ft_trace_open_named(path, false, &trace, diag));
    adding->kept += ft_trace_sources(trace)->count;
    ft_trace_close(trace);
    return FT_OK;
}

static int add_files(struct adding *adding, struct ft_diag *diag)
{
    const size_t count = adding->command->inputs.count;
    for (size_t i = 0; i < count; i++) {
        const struct ft_archive_member *member =
            ft_archive_find_member(adding->contents, adding->command->inputs.items[i]);
        const enum ft_file_kind kind = member ? ft_file_kind_of(member->source) : FT_FILE_NONE;
        if (kind == FT_FILE_MODEL)
            FT_TRY(add_files_of_models(adding, member->source, diag));
        else if (kind == FT_FILE_HISTOGRAMS)
            FT_TRY(add_files_of_histograms(adding, member->source, diag));
        else if (kind == FT_FILE_TRACE)
            FT_TRY(count_files_of_trace(adding, member->source, diag));
    }
    return FT_OK;
}

/* ---- commands ---- */

/* "-o page.html", "--output=page.html" and such. */
static bool has_output(const struct ft_words *words)
{
    for (size_t i = 1; i < words->count; i++)
        if (strncmp(words->items[i], "-o", 2) == 0 ||
            strncmp(words->items[i], "--output", strlen("--output")) == 0)
            return true;
    return false;
}

static bool shows_source(const struct ft_archive_command *command)
{
    const struct ft_words *words = &command->words;
    const char *name = words->items[0];
    if (!ft_archive_command_repeats(command) || ft_words_have(words, "--sources") ||
        ft_words_have(words, "--no-source"))
        return false;
    return strcmp(name, "report") == 0 || (strcmp(name, "diff") == 0 && has_output(words)) ||
           (strcmp(name, "predict") == 0 && ft_words_have(words, "--annotate"));
}

static int take_from_archive(struct ft_archive_command *command, struct ft_diag *diag)
{
    struct ft_words words = {0};
    ft_words_add(&words, "%s", command->words.items[0]);
    ft_words_add(&words, "--sources");
    ft_words_add(&words, FT_ARCHIVE_SOURCES);
    ft_words_add_all(&words, command->words.items + 1);
    ft_words_fini(&command->words);
    command->words = words;
    return words.failed || command->inputs.failed ? ft_fail_memory(diag, "a command") : FT_OK;
}

int ft_archive_add_sources(struct ft_archive_contents *contents, bool is_private,
                           struct ft_diag *diag)
{
    struct adding adding = {.contents = contents, .is_private = is_private};
    size_t commands = 0, files = 0;
    for (size_t i = 0; i < contents->command_count; i++) {
        adding.command = &contents->commands[i];
        adding.count = 0;
        if (!shows_source(adding.command))
            continue;
        commands++;
        FT_TRY(add_files(&adding, diag));
        files += adding.count;
        if (adding.count > 0)
            FT_TRY(take_from_archive(adding.command, diag));
    }
    if (commands == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--source: no command of the archive shows source lines, as 'report', "
                       "'diff -o' and 'predict --annotate' do");
    return files + adding.kept > 0
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE,
                         "--source: no source file is at hand that models or histograms of "
                         "the archive's reports name");
}
