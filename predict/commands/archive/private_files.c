/*
 * 1. Words of programs in commands, and names of what is left out.
 * 2. Files that no command makes: traces and texts.
 * 3. Commands, in their order.
 * 4. Texts are searched for the home folder, and for the names of host and user.
 */
#include "predict/commands/archive/private_files.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/stop.h"
#include "formats/cli/output_file.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/trace/private_parts.h"
#include "formats/trace/repair.h"
#include "predict/commands/archive/repeat.h"

#define TEXT_BYTES_MAX ((off_t)64 << 20)

/* ---- texts ---- */

/* NULL, with diag untouched: it is no text. */
static int read_text(const char *path, char **ret_text, struct ft_diag *diag)
{
    FILE *file = fopen(path, "re");
    struct stat there;
    *ret_text = NULL;
    if (!file || fstat(fileno(file), &there) != 0) {
        if (file)
            (void)fclose(file);
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    char *text = there.st_size < TEXT_BYTES_MAX ? calloc(1, (size_t)there.st_size + 1) : NULL;
    const size_t bytes = text ? fread(text, 1, (size_t)there.st_size, file) : 0;
    (void)fclose(file); /* it was only read */
    if (text && !memchr(text, 0, bytes))
        *ret_text = text;
    else
        free(text);
    return FT_OK;
}

static int copy_text(const struct ft_archive_member *member, const char *path, struct ft_diag *diag)
{
    struct ft_text_output output;
    char *text;
    FT_TRY(read_text(member->source, &text, diag));
    if (!text)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: cannot be made private: it is neither a trace nor a text, and no "
                       "command of the archive makes it; archive what it was made of, too, or "
                       "leave it out",
                       member->source);
    if (!member->is_kept)
        ft_text_make_private(text);
    int status = ft_text_output_create(path, &output, diag);
    if (status == FT_OK) {
        fputs(text, output.stream);
        status = ft_text_output_finish(&output, FT_OK, diag);
    }
    free(text);
    return status;
}

/* ---- files ---- */

static char *path_in(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static int make_file(const struct ft_archive_member *member, const char *folder, bool with_sources,
                     struct ft_diag *diag)
{
    const enum ft_file_kind kind = ft_file_kind_of(member->source);
    FT_TRY(ft_archive_make_folders(folder, member->name, diag));
    char *path = path_in(folder, member->name);
    if (!path)
        return ft_fail_memory(diag, folder);
    int status = kind == FT_FILE_TRACE
                     ? ft_trace_copy_private(member->source, path, with_sources, diag)
                     : copy_text(member, path, diag);
    free(path);
    return status;
}

static int make_files(const struct ft_archive_contents *contents, const char *folder,
                      const struct ft_held_signals *signals, bool with_sources,
                      struct ft_diag *diag)
{
    for (size_t i = 0; i < contents->member_count; i++) {
        if (ft_archive_is_made(contents, contents->members[i].name))
            continue;
        FT_TRY(ft_archive_check_stop(signals->fd, diag));
        FT_TRY(make_file(&contents->members[i], folder, with_sources, diag));
    }
    return FT_OK;
}

static int use_files(struct ft_archive_contents *contents, const char *folder, struct ft_diag *diag)
{
    for (size_t i = 0; i < contents->member_count; i++) {
        struct ft_archive_member *member = &contents->members[i];
        char *path = path_in(folder, member->name);
        if (!path)
            return ft_fail_memory(diag, folder);
        free(member->source);
        member->source = path;
        if (access(path, F_OK) != 0)
            return ft_fail(diag, FT_ERROR_FAILURE, "%s: was not made by its command", member->name);
    }
    return FT_OK;
}

/* ---- what is left out ---- */

static void drop_member(struct ft_archive_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->member_count; i++) {
        struct ft_archive_member *member = &contents->members[i];
        if (strcmp(member->name, name) != 0)
            continue;
        free(member->name);
        free(member->source);
        free(member->what);
        memmove(member, member + 1, (--contents->member_count - i) * sizeof *member);
        return;
    }
}

/* What the program printed; paths among its words. */
static void clean_command(struct ft_archive_contents *contents, struct ft_archive_command *command)
{
    for (size_t i = command->program_at; i < command->words.count; i++)
        ft_text_make_private(command->words.items[i]);
    if (!command->is_noisy || !command->output)
        return;
    drop_member(contents, command->output);
    size_t kept = 0;
    for (size_t i = 0; i < command->outputs.count; i++)
        if (strcmp(command->outputs.items[i], command->output) == 0)
            free(command->outputs.items[i]);
        else
            command->outputs.items[kept++] = command->outputs.items[i];
    command->outputs.count = kept;
    free(command->output);
    command->output = NULL;
}

/* ---- what is still there ---- */

/* Whether a text has the word, with nothing that would make it a part of another. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; length > 0 && (at = strstr(at, word)); at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* Results are made of what is private already; copied texts are somebody's own. */
static int search(const struct ft_archive_member *member, bool is_made, struct ft_diag *diag)
{
    const struct passwd *user = getpwuid(geteuid());
    const char *home = getenv("HOME");
    char host[256] = "", *text;
    FT_TRY(read_text(member->source, &text, diag));
    if (!text)
        return FT_OK;
    (void)gethostname(host, sizeof host - 1);
    home = home && strlen(home) > 1 ? home : user ? user->pw_dir : "";
    const bool has_home = strlen(home) > 1 && has_word(text, home);
    const char *found = is_made                                 ? NULL
                        : has_word(text, host)                  ? host
                        : user && has_word(text, user->pw_name) ? user->pw_name
                                                                : NULL;
    if (found)
        ft_print_wrapped(stderr, 2,
                         "foretrace archive: warning: %s has the word '%s', the name of the %s\n",
                         member->name, found, found == host ? "host" : "user");
    free(text);
    return has_home ? ft_fail(diag, FT_ERROR_USAGE, "%s: names the home folder; leave it out",
                              member->name)
                    : FT_OK;
}

static int repeat(const struct ft_archive_contents *contents, const char *folder,
                  const struct ft_held_signals *signals, bool is_shown, struct ft_diag *diag)
{
    for (size_t i = 0; i < contents->command_count; i++) {
        if (!ft_archive_command_repeats(&contents->commands[i]))
            continue;
        if (is_shown)
            ft_archive_command_show(&contents->commands[i], i + 1);
        FT_TRY(ft_archive_command_run(&contents->commands[i], folder, signals, diag));
    }
    return FT_OK;
}

int ft_archive_make_private(struct ft_archive_contents *contents, const char *folder,
                            const struct ft_held_signals *signals,
                            const struct ft_private_terms *terms, struct ft_diag *diag)
{
    for (size_t i = 0; i < contents->command_count; i++)
        clean_command(contents, &contents->commands[i]);
    FT_TRY(make_files(contents, folder, signals, terms->with_sources, diag));
    FT_TRY(repeat(contents, folder, signals, terms->shows_commands, diag));
    FT_TRY(use_files(contents, folder, diag));
    for (size_t i = 0; i < contents->member_count; i++)
        FT_TRY(search(&contents->members[i],
                      ft_archive_is_made(contents, contents->members[i].name), diag));
    return FT_OK;
}
