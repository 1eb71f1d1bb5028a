#include "predict/commands/archive/repeat.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/sums.h"
#include "formats/base/hdf5_output.h"
#include "formats/commands/trace_operand.h"
#include "predict/plan/child_run.h"

#define GRACE_SECONDS 10.0 /* for a command to remove what it has not finished */
#define EXIT_LIMIT    4    /* of diff --fail-if: its output is there */

/* Whether the name of a folder may end with it. */
static bool ends_name(unsigned char c)
{
    return c >= 0x80 || isalnum(c) || strchr("._-+~)]}", c);
}

/* Whether a word has an absolute path, alone or behind an option, or one that leads out of the
 * folder. */
static bool leaves_folder(const char *word)
{
    for (const char *at = word; (at = strchr(at, '/')); at++) {
        const bool begins =
            at == word || (at == word + 2 && word[0] == '-') || !ends_name((unsigned char)at[-1]);
        if (begins)
            return true;
    }
    for (const char *at = word; (at = strstr(at, "..")); at += 2)
        if ((at == word || strchr("/=,@:", at[-1])) && (at[2] == 0 || at[2] == '/'))
            return true;
    return false;
}

int ft_archive_command_check(const struct ft_archive_command *command, const char *path,
                             struct ft_diag *diag)
{
    const char *wrong =
        command->output && !ft_archive_name_is_safe(command->output) ? command->output : NULL;
    for (size_t i = 1; i < command->words.count && !wrong; i++)
        if (leaves_folder(command->words.items[i]))
            wrong = command->words.items[i];
    return wrong ? ft_fail(diag, FT_ERROR_DATA,
                           "%s: its command 'foretrace %s' names a file outside of the archive, "
                           "%.300s: it is not run",
                           path, command->words.items[0], wrong)
                 : FT_OK;
}

int ft_archive_make_folders(const char *folder, const char *name, struct ft_diag *diag)
{
    char *path = NULL;
    int status = FT_OK;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return ft_fail_memory(diag, folder);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            status = ft_output_fail(path, errno, diag);
        *slash = '/';
    }
    free(path);
    return status;
}

void ft_archive_command_show(const struct ft_archive_command *command, size_t number)
{
    printf("[%zu] ", number);
    ft_archive_command_print(command, stdout);
    putchar('\n');
    ft_stdout_flush();
}

json_t *ft_archive_command_json(const struct ft_archive_command *command)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    ft_archive_command_print(command, stream);
    json_t *json = fclose(stream) == 0 ? ft_json_text(text) : NULL;
    free(text);
    return json;
}

/* errors_fd: of a file in memory, as a full disk has no room for what the command says. */
static int run(const struct ft_archive_command *command, const char *folder, int errors_fd,
               const struct ft_held_signals *signals, struct ft_diag *diag)
{
    struct ft_child_run run = {0};
    char errors[32], said[400] = "";
    snprintf(errors, sizeof errors, "/proc/self/fd/%d", errors_fd);
    const struct ft_child_terms terms = {.folder = folder,
                                         .errors_path = errors,
                                         .output_path = command->output,
                                         .limit_seconds = INFINITY,
                                         .signals = signals,
                                         .grace_seconds = GRACE_SECONDS};
    FT_TRY(ft_child_run(command->words.items, &terms, &run, diag));
    if (run.exit_code == 0 || run.exit_code == EXIT_LIMIT)
        return FT_OK;
    ft_child_last_line(errors, said, sizeof said);
    return ft_fail(diag, FT_ERROR_FAILURE, "'foretrace %s' ended with %d%s%s",
                   command->words.items[0], run.exit_code, said[0] ? ": " : "", said);
}

int ft_archive_command_run(const struct ft_archive_command *command, const char *folder,
                           const struct ft_held_signals *signals, struct ft_diag *diag)
{
    for (size_t i = 0; i < command->outputs.count; i++)
        FT_TRY(ft_archive_make_folders(folder, command->outputs.items[i], diag));
    const int errors_fd = memfd_create("errors", MFD_CLOEXEC);
    if (errors_fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "a file in memory: %s", strerror(errno));
    const int status = run(command, folder, errors_fd, signals, diag);
    (void)close(errors_fd);
    return status;
}
