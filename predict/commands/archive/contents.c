/*
 * Lists that grow: files, told apart by device and number, and commands. Whether a command can be
 * repeated is what its name and its machines say. As text a command is a line for a shell, split
 * again as a shell does; redirections are no words of it.
 */
#include "predict/commands/archive/contents.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/archive/sums.h"
#include "formats/base/array.h"
#include "formats/base/file_name.h"
#include "formats/cli/shell_word.h"
#include "machines/machine_folder.h"
#include "predict/plan/command_words.h"

void ft_archive_command_fini(struct ft_archive_command *command)
{
    ft_words_fini(&command->words);
    ft_words_fini(&command->inputs);
    ft_words_fini(&command->outputs);
    free(command->output);
    free(command->ended);
}

void ft_archive_contents_fini(struct ft_archive_contents *contents)
{
    for (size_t i = 0; i < contents->member_count; i++) {
        free(contents->members[i].name);
        free(contents->members[i].source);
        free(contents->members[i].what);
    }
    for (size_t i = 0; i < contents->command_count; i++)
        ft_archive_command_fini(&contents->commands[i]);
    free(contents->members);
    free(contents->commands);
    free(contents->title);
    *contents = (struct ft_archive_contents){0};
}

/* ---- files ---- */

char *ft_archive_name_of(const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return strdup(ft_archive_name_is_safe(path) ? path : ft_file_name(path));
}

const struct ft_archive_member *ft_archive_find_member(const struct ft_archive_contents *contents,
                                                       const char *name)
{
    for (size_t i = 0; i < contents->member_count; i++)
        if (strcmp(contents->members[i].name, name) == 0)
            return &contents->members[i];
    return NULL;
}

static bool is_same_file(const char *left, const char *right)
{
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

const struct ft_archive_member *ft_archive_find_source(const struct ft_archive_contents *contents,
                                                       const char *source)
{
    for (size_t i = 0; i < contents->member_count; i++)
        if (is_same_file(contents->members[i].source, source))
            return &contents->members[i];
    return NULL;
}

static bool is_reserved(const char *name)
{
    return strcmp(name, FT_ARCHIVE_README) == 0 || strcmp(name, FT_ARCHIVE_METADATA) == 0 ||
           strcmp(name, FT_ARCHIVE_VERSIONS) == 0 || strcmp(name, FT_ARCHIVE_SUMS) == 0;
}

int ft_archive_add_file(struct ft_archive_contents *contents, const char *name, const char *source,
                        const char *what, struct ft_diag *diag)
{
    const struct ft_archive_member *there = ft_archive_find_member(contents, name);
    if (there && is_same_file(there->source, source))
        return FT_OK;
    if (there || is_reserved(name))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: another file of the archive is called %s; give it another name", source,
                       name);
    if (!ft_archive_name_is_safe(name))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: a file in an archive cannot have that name; rename it", source);
    if (!FT_RESERVE(contents->members, contents->member_capacity, contents->member_count + 1))
        return ft_fail_memory(diag, "the files of an archive");
    struct ft_archive_member *member = &contents->members[contents->member_count++];
    *member = (struct ft_archive_member){
        .name = strdup(name), .source = strdup(source), .what = strdup(what)};
    return member->name && member->source && member->what
               ? FT_OK
               : ft_fail_memory(diag, "the files of an archive");
}

void ft_archive_keep(struct ft_archive_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->member_count; i++)
        if (strcmp(contents->members[i].name, name) == 0)
            contents->members[i].is_kept = true;
}

/* ---- commands ---- */

char *ft_archive_time_text(time_t time)
{
    char text[32];
    struct tm utc;
    gmtime_r(&time, &utc);
    return strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) ? strdup(text) : NULL;
}

int ft_archive_add_command(struct ft_archive_contents *contents, struct ft_archive_command *command,
                           struct ft_diag *diag)
{
    const struct ft_archive_member *first =
        command->outputs.count ? ft_archive_find_member(contents, command->outputs.items[0]) : NULL;
    struct stat there;
    if (!command->ended && first && stat(first->source, &there) == 0)
        command->ended = ft_archive_time_text(there.st_mtim.tv_sec);
    if (command->words.failed || command->inputs.failed || command->outputs.failed ||
        !FT_RESERVE(contents->commands, contents->command_capacity, contents->command_count + 1)) {
        ft_archive_command_fini(command);
        return ft_fail_memory(diag, "the commands of an archive");
    }
    contents->commands[contents->command_count++] = *command;
    return FT_OK;
}

/* The argument of --machine at an index of words; NULL: there is none. */
static const char *machine_at(const struct ft_words *words, size_t index)
{
    const char *word = words->items[index];
    if (!word)
        return NULL;
    if (strncmp(word, "--machine=", 10) == 0)
        return word + 10;
    if (strcmp(word, "--machine") == 0 || strcmp(word, "-m") == 0)
        return words->items[index + 1]; /* NULL behind the last */
    return strncmp(word, "-m", 2) == 0 ? word + 2 : NULL;
}

/* One machine, "NAME,EDITS"; a file, or one in a line, has none in the list. */
static int add_machine(struct ft_archive_contents *contents, const char *machine,
                       struct ft_words *inputs, struct ft_diag *diag)
{
    char path[FT_MACHINE_PATH], name[128], what[192], in_archive[160];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(machine, ","), machine);
    if (strpbrk(name, "/=") || !ft_archive_name_is_safe(name))
        return FT_OK;
    ft_machine_path(name, path);
    if (access(path, R_OK) != 0)
        return FT_OK;
    snprintf(what, sizeof what, "the machine %s, as it was installed", name);
    snprintf(in_archive, sizeof in_archive, "machines/%s.yaml", name);
    ft_words_add(inputs, "%s", in_archive);
    return ft_archive_add_file(contents, in_archive, path, what, diag);
}

int ft_archive_add_machines(struct ft_archive_contents *contents,
                            struct ft_archive_command *command, struct ft_diag *diag)
{
    for (size_t i = 1; i < command->words.count && i < command->program_at; i++) {
        const char *machine = machine_at(&command->words, i);
        if (machine)
            FT_TRY(add_machine(contents, machine, &command->inputs, diag));
    }
    return FT_OK;
}

/* Commands that read files alone and write what they are told to. */
static bool is_repeatable(const char *name)
{
    static const char *const names[] = {
        "bandwidth", "diff",     "dump",      "explain",    "export", "fit",
        "footprint", "info",     "model",     "predict",    "query",  "replay",
        "report",    "simulate", "structure", "synthesise", "verify"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* This host as a machine is another one elsewhere. */
static bool needs_host(const struct ft_words *words)
{
    for (size_t i = 1; i < words->count; i++) {
        const char *machine = machine_at(words, i);
        if (machine && strncmp(machine, "host", 4) == 0 && (machine[4] == 0 || machine[4] == ','))
            return true;
    }
    return false;
}

bool ft_archive_command_repeats(const struct ft_archive_command *command)
{
    return command->words.count > 0 && command->outputs.count > 0 &&
           command->program_at == SIZE_MAX && is_repeatable(command->words.items[0]) &&
           !needs_host(&command->words);
}

size_t ft_archive_maker_of(const struct ft_archive_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->command_count; i++)
        if (ft_words_have(&contents->commands[i].outputs, name))
            return i + 1;
    return 0;
}

bool ft_archive_is_made(const struct ft_archive_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->command_count; i++)
        if (ft_words_have(&contents->commands[i].outputs, name) &&
            ft_archive_command_repeats(&contents->commands[i]))
            return true;
    return false;
}

void ft_archive_command_print(const struct ft_archive_command *command, FILE *stream)
{
    fputs("foretrace", stream);
    for (size_t i = 0; i < command->words.count; i++) {
        fputc(' ', stream);
        ft_print_shell_word(command->words.items[i], stream);
    }
    if (command->is_noisy)
        fputs(" </dev/null", stream);
    if (command->output) {
        fputs(" >", stream);
        ft_print_shell_word(command->output, stream);
    }
    if (command->is_noisy)
        fputs(" 2>&1", stream);
}

int ft_archive_command_parse(const char *text, struct ft_archive_command *ret_command,
                             struct ft_diag *diag)
{
    struct ft_archive_command command = {.program_at = SIZE_MAX};
    char **words;
    bool failed = false;
    FT_TRY(ft_command_words_split(text, &words, diag));
    for (size_t i = strcmp(words[0], "foretrace") == 0; words[i]; i++) {
        if (strcmp(words[i], "</dev/null") == 0 || strcmp(words[i], "2>&1") == 0) {
            command.is_noisy = true;
        } else if (words[i][0] == '>') {
            const char *name = words[i][1] || !words[i + 1] ? words[i] + 1 : words[++i];
            free(command.output);
            command.output = strdup(name);
            failed |= !command.output;
        } else {
            ft_words_add(&command.words, "%s", words[i]);
            if (command.program_at == SIZE_MAX && strcmp(words[i], "--") == 0)
                command.program_at = command.words.count;
        }
    }
    ft_command_words_free(words);
    int status = failed || command.words.failed ? ft_fail_memory(diag, "a command") : FT_OK;
    if (status == FT_OK && command.words.count == 0)
        status = ft_fail(diag, FT_ERROR_USAGE, "'%.200s': is no command of foretrace", text);
    if (status == FT_OK)
        *ret_command = command;
    else
        ft_archive_command_fini(&command);
    return status;
}
