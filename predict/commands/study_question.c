#include "predict/commands/study_question.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/parse.h"
#include "machines/machine.h"
#include "predict/commands/plan_target.h"
#include "predict/machine_blocks.h"
#include "predict/plan/command_words.h"

#define BUDGET_SECONDS 120 /* that of plan */
#define BLOCKS_MAX     16U
#define NAME_BYTES     64

/* Options that are those of `plan`, with an argument. */
static const char *const plan_options[] = {"count",     "element", "tile",    "available",
                                           "trial-cpu", "budget",  "max-size"};

/* ---- the size's name ---- */

/* "N" of the first {N} in a word, from `*at` on, which is advanced behind it; false: none. */
static bool next_name(const char **at, char name[NAME_BYTES])
{
    for (const char *start = strchr(*at, '{'); start; start = strchr(start + 1, '{')) {
        size_t length = 0;
        while (isalnum((unsigned char)start[1 + length]) || start[1 + length] == '_')
            length++;
        if (length == 0 || length >= NAME_BYTES || start[1 + length] != '}' ||
            isdigit((unsigned char)start[1]))
            continue;
        snprintf(name, NAME_BYTES, "%.*s", (int)length, start + 1);
        *at = start + 2 + length;
        return true;
    }
    return false;
}

/* The only name in the program's words. */
static int find_name(char *const *words, char ret_name[NAME_BYTES], struct ft_diag *diag)
{
    char name[NAME_BYTES];
    ret_name[0] = 0;
    for (size_t i = 0; words[i]; i++)
        for (const char *at = words[i]; next_name(&at, name);) {
            if (ret_name[0] && strcmp(name, ret_name) != 0)
                return ft_fail(diag, FT_ERROR_USAGE,
                               "which is the size, {%s} or {%s}? Name it with --at %s=SIZE, and "
                               "write a number for the other one",
                               ret_name, name, ret_name);
            strcpy(ret_name, name);
        }
    return ret_name[0] ? FT_OK
                       : ft_fail(diag, FT_ERROR_USAGE,
                                 "the command has no {N}: write it where the program takes its "
                                 "size, as in 'foretrace study -- %s {N}'",
                                 words[0]);
}

static int read_target(const struct ft_arguments *arguments, struct ft_study *study,
                       struct ft_diag *diag)
{
    const char *at = ft_option_last(arguments, "at");
    char *const *words = ft_operands(arguments);
    struct ft_plan_target target = {.size = 0};
    if (at) {
        FT_TRY(ft_plan_target_read(at, &target, diag));
        if (!ft_command_words_have(words, target.name))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "the command has no {%s}: write it where the program takes its size, as "
                           "in 'foretrace study --at %s -- %s {%s}'",
                           target.name, at, words[0], target.name);
    } else {
        FT_TRY(find_name(words, target.name, diag));
    }
    study->target = target.size;
    study->parameter = strdup(target.name);
    return study->parameter ? FT_OK : ft_fail_memory(diag, "a name");
}

/* ---- machines ---- */

static int add_blocks(const char *machine_name, uint64_t sizes[BLOCKS_MAX], size_t *count,
                      struct ft_diag *diag)
{
    struct ft_machine machine;
    FT_TRY(ft_machine_load(machine_name, &machine, diag));
    const int status = ft_block_list_add_machine(sizes, count, BLOCKS_MAX, &machine, diag);
    ft_machine_fini(&machine);
    return status;
}

/* The host as it was found, where that is done already. */
static int add_host_blocks(const struct ft_study *study, uint64_t sizes[BLOCKS_MAX], size_t *count,
                           struct ft_diag *diag)
{
    char *path = NULL;
    if (asprintf(&path, "%s/" FT_STUDY_HOST, study->folder) < 0)
        return ft_fail_memory(diag, study->folder);
    int status = add_blocks(access(path, R_OK) == 0 ? path : "host", sizes, count, diag);
    if (status != FT_OK && study->machines.count > 0) {
        char message[512];
        snprintf(message, sizeof message, "%.500s", diag ? diag->message : "");
        status = ft_fail(diag, status, "%s. With --no-host this host is left out", message);
    }
    free(path);
    return status;
}

static int read_machines(const struct ft_arguments *arguments, struct ft_study *study,
                         struct ft_diag *diag)
{
    uint64_t sizes[BLOCKS_MAX];
    size_t count = 0;
    char list[256];
    study->with_host = !ft_option_count(arguments, "no-host");
    for (size_t i = 0; i < ft_option_count(arguments, "machine"); i++)
        if (!study->with_host || strcmp(ft_option_at(arguments, "machine", i), "host") != 0)
            ft_words_add(&study->machines, "%s", ft_option_at(arguments, "machine", i));
    if (!study->with_host && study->machines.count == 0)
        return ft_fail(diag, FT_ERROR_USAGE, "--no-host: give another machine, with --machine");
    if (study->with_host)
        FT_TRY(add_host_blocks(study, sizes, &count, diag));
    for (size_t i = 0; i < study->machines.count; i++)
        FT_TRY(add_blocks(study->machines.items[i], sizes, &count, diag));
    ft_block_list_text(list, sizeof list, sizes, count);
    study->block_list = strdup(list);
    return study->block_list ? FT_OK : ft_fail_memory(diag, "block sizes");
}

/* ---- the rest ---- */

static int read_plan_options(const struct ft_arguments *arguments, struct ft_study *study,
                             struct ft_diag *diag)
{
    const char *budget = ft_option_last(arguments, "budget");
    struct ft_diag inner = {0};
    for (size_t i = 0; i < sizeof plan_options / sizeof *plan_options; i++) {
        const char *value = ft_option_last(arguments, plan_options[i]);
        if (!value)
            continue;
        ft_words_add(&study->plan_options, "--%s", plan_options[i]);
        ft_words_add(&study->plan_options, "%s", value);
    }
    if (ft_option_count(arguments, "halving"))
        ft_words_add(&study->plan_options, "--halving");
    for (size_t i = 0; i < ft_option_count(arguments, "define"); i++) {
        const char *define = ft_option_at(arguments, "define", i);
        ft_words_add(&study->plan_options, "-D");
        ft_words_add(&study->plan_options, "%s", define);
        ft_words_add(&study->defines, "%s", define);
    }
    study->budget_seconds = BUDGET_SECONDS;
    return budget && ft_parse_seconds(budget, &study->budget_seconds, &inner) != FT_OK
               ? ft_fail(diag, FT_ERROR_USAGE, "--budget %s", inner.message)
               : FT_OK;
}

/* Without slashes at its end: paths in it are written as FOLDER/FILE. */
static char *folder_name(const struct ft_arguments *arguments)
{
    const char *given = ft_option_last(arguments, "output");
    char *folder = given ? strdup(given) : ft_study_default_folder(ft_operands(arguments));
    for (size_t length = folder ? strlen(folder) : 0; length > 1 && folder[length - 1] == '/';)
        folder[--length] = 0;
    return folder;
}

static int read_all(const struct ft_arguments *arguments, struct ft_study *study,
                    struct ft_diag *diag)
{
    study->folder = folder_name(arguments);
    study->cwd = getcwd(NULL, 0);
    if (!study->folder)
        return ft_fail_memory(diag, "a study");
    if (!study->cwd)
        return ft_fail(diag, FT_ERROR_IO, "the current folder: %s", strerror(errno));
    FT_TRY(read_target(arguments, study, diag));
    ft_words_add_all(&study->program, ft_operands(arguments));
    study->keep_sources = ft_option_count(arguments, "source") > 0;
    FT_TRY(read_plan_options(arguments, study, diag));
    FT_TRY(read_machines(arguments, study, diag));
    return study->program.failed || study->machines.failed || study->defines.failed ||
                   study->plan_options.failed
               ? ft_fail_memory(diag, "a study")
               : FT_OK;
}

int ft_study_question_read(const struct ft_arguments *arguments, struct ft_study *ret_study,
                           struct ft_diag *diag)
{
    struct ft_study study = {.folder = NULL};
    const int status = read_all(arguments, &study, diag);
    if (status == FT_OK)
        *ret_study = study;
    else
        ft_study_fini(&study);
    return status;
}

bool ft_study_has_listed_sizes(const struct ft_study *study)
{
    for (size_t i = 0; i < study->plan_options.count; i++)
        if (strcmp(study->plan_options.items[i], "--available") == 0 ||
            strcmp(study->plan_options.items[i], "--halving") == 0)
            return true;
    return false;
}
