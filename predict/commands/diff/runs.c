/*
 *  values   of --at and --train
 *  folder   for the files of all steps
 *  steps    capture, replay, fit of a side; the comparison
 */
#include "predict/commands/diff/runs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/parse.h"
#include "formats/base/remove_tree.h"
#include "formats/base/temporary_path.h"
#include "formats/cli/commands.h"
#include "formats/cli/shell_word.h"
#include "formats/model/model.h"
#include "formats/trace/trace.h"
#include "predict/commands/diff/option_sides.h"
#include "predict/machine_blocks.h"
#include "predict/plan/child_run.h"
#include "predict/plan/command_words.h"
#include "predict/study/words.h"

#define LIMIT_SECONDS 1e6 /* of a step: 11 days */
#define SIZES_MAX     64U
#define BLOCKS_MAX    65U /* of the machines: all powers of two */
#define NAME_BYTES    64U
#define PATH_BYTES    (PATH_MAX + NAME_MAX + 2)

/* ---- values ---- */

struct values {
    char names[FT_PARAMETERS_MAX][NAME_BYTES];
    struct ft_word_value items[FT_PARAMETERS_MAX];
    size_t count;
};

/* "N=100,M=5" of --at; NULL: none. */
static int read_values(const char *text, struct values *ret_values, struct ft_diag *diag)
{
    ret_values->count = 0;
    for (const char *at = text; at && *at;) {
        const char *start = at;
        size_t length;
        double value;
        if (ret_values->count == FT_PARAMETERS_MAX || !ft_read_assignment(&at, &length, &value) ||
            length >= NAME_BYTES)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--at %s: must be NAME=VALUE, or several with commas", text);
        char *name = ret_values->names[ret_values->count];
        snprintf(name, NAME_BYTES, "%.*s", (int)length, start);
        ret_values->items[ret_values->count++] = (struct ft_word_value){name, value};
    }
    return FT_OK;
}

struct sizes {
    char name[NAME_BYTES];
    double items[SIZES_MAX];
    size_t count; /* 0: no --train */
};

/* "N=24,32,40" */
static int read_sizes(const char *text, struct sizes *ret_sizes, struct ft_diag *diag)
{
    size_t length;
    const char *at = text ? ft_split_assignment(text, &length) : NULL;
    *ret_sizes = (struct sizes){.count = 0};
    if (!text)
        return FT_OK;
    while (at && length < NAME_BYTES && ret_sizes->count < SIZES_MAX &&
           ft_read_double(&at, &ret_sizes->items[ret_sizes->count])) {
        ret_sizes->count++;
        if (*at != ',')
            break;
        at++;
    }
    if (!at || *at || length >= NAME_BYTES)
        return ft_fail(diag, FT_ERROR_USAGE, "--train %s: must be NAME=SIZE,SIZE...", text);
    snprintf(ret_sizes->name, NAME_BYTES, "%.*s", (int)length, text);
    return FT_OK;
}

/* ---- the folder ---- */

struct runs {
    const struct ft_arguments *arguments;
    char folder[PATH_MAX];
    bool is_kept;
    int errors_fd; /* of a file in memory: a full disk has no room for what the steps say */
    struct ft_held_signals signals;
    struct sizes sizes;
    char block_list[256];
};

static int make_folder(struct runs *runs, struct ft_diag *diag)
{
    const char *kept = ft_option_last(runs->arguments, "keep");
    runs->is_kept = kept != NULL;
    if (!kept) {
        FT_TRY(ft_temporary_path(runs->folder, sizeof runs->folder, "diff", diag));
        if (mkdtemp(runs->folder))
            return FT_OK;
        kept = runs->folder;
    } else if (strlen(kept) < sizeof runs->folder) {
        struct stat there;
        snprintf(runs->folder, sizeof runs->folder, "%s", kept);
        if (mkdir(kept, 0777) == 0 ||
            (errno == EEXIST && stat(kept, &there) == 0 && S_ISDIR(there.st_mode)))
            return FT_OK;
    }
    int status = ft_fail(diag, FT_ERROR_IO, "%s: cannot create a folder for the traces: %s", kept,
                         strerror(errno));
    runs->folder[0] = 0;
    return status;
}

/* ---- steps ---- */

/* Shows a command and runs it. ret_code: of a command whose output is shown; of others it must be
 * 0. */
static int run_step(const struct runs *runs, const struct ft_words *words, bool is_shown,
                    int *ret_code, struct ft_diag *diag)
{
    char errors[32], line[512] = "";
    struct ft_child_run run = {0};
    if (words->failed)
        return ft_fail_memory(diag, "a command");
    snprintf(errors, sizeof errors, "/proc/self/fd/%d", runs->errors_fd);
    if (!ft_option_count(runs->arguments, "quiet")) {
        fputs("foretrace", stderr);
        for (size_t i = 0; i < words->count; i++) {
            fputc(' ', stderr);
            ft_print_shell_word(words->items[i], stderr);
        }
        fputc('\n', stderr);
    }
    const struct ft_child_terms terms = {.errors_path = is_shown ? NULL : errors,
                                         .limit_seconds = LIMIT_SECONDS,
                                         .signals = &runs->signals,
                                         .shows_output = is_shown};
    FT_TRY(ft_child_run(words->items, &terms, &run, diag));
    if (is_shown)
        *ret_code = run.exit_code;
    if (is_shown || run.exit_code == 0)
        return FT_OK;
    ft_child_last_line(errors, line, sizeof line);
    return ft_fail(diag, FT_ERROR_FAILURE, "'foretrace %s' ended with %d%s%s", words->items[0],
                   run.exit_code, line[0] ? ": " : "", line);
}

/* NAME.h5, or NAME.2.h5 of a further process; not what else --keep has kept. */
static bool is_trace_of(const char *file, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(file, name, length) != 0)
        return false;
    file += length;
    const size_t digits = *file == '.' ? strspn(file + 1, "0123456789") : 0;
    return strcmp(digits > 0 ? file + 1 + digits : file, ".h5") == 0;
}

/* Where a program starts others, the trace with most accesses takes the name. */
static int choose_trace(const struct runs *runs, const char *name, char path[PATH_BYTES],
                        struct ft_diag *diag)
{
    uint64_t accesses_max = 0;
    DIR *folder = opendir(runs->folder);
    struct dirent *entry;
    int status =
        folder ? FT_OK : ft_fail(diag, FT_ERROR_IO, "%s: %s", runs->folder, strerror(errno));
    snprintf(path, PATH_BYTES, "%s/%s.h5", runs->folder, name);
    while (status == FT_OK && (entry = readdir(folder))) {
        const struct ft_trace_options options = {.allow_incomplete = false};
        struct ft_trace *trace;
        char other[PATH_BYTES];
        if (!is_trace_of(entry->d_name, name))
            continue;
        snprintf(other, sizeof other, "%s/%s", runs->folder, entry->d_name);
        status = ft_trace_open(other, &options, &trace, diag);
        if (status != FT_OK)
            break;
        if (ft_trace_metadata(trace)->accesses > accesses_max) {
            accesses_max = ft_trace_metadata(trace)->accesses;
            snprintf(path, PATH_BYTES, "%s", other);
        }
        ft_trace_close(trace);
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

/* A command with all values, to NAME.h5. */
static int capture(const struct runs *runs, char *const *command, const struct values *values,
                   const char *name, char path[PATH_BYTES], struct ft_diag *diag)
{
    struct ft_words words = {0};
    char **filled = ft_command_words_fill(command, values->items, values->count);
    if (!filled)
        return ft_fail_memory(diag, "a command");
    ft_words_add(&words, "capture");
    for (size_t i = 0; i < values->count; i++) {
        ft_words_add(&words, "-D");
        ft_words_add(&words, "%s=%.15g", values->items[i].name, values->items[i].value);
    }
    ft_words_add(&words, "-o");
    ft_words_add(&words, "%s/%s.h5", runs->folder, name);
    ft_words_add(&words, "--");
    ft_words_add_all(&words, filled);
    int status = run_step(runs, &words, false, NULL, diag);
    ft_words_fini(&words);
    ft_command_words_free(filled);
    return status == FT_OK ? choose_trace(runs, name, path, diag) : status;
}

/* The traces of all sizes, their histograms, a model. */
static int train(const struct runs *runs, char *const *command, const char *name,
                 char path[PATH_BYTES], struct ft_diag *diag)
{
    struct ft_words replay = {0}, fit = {0};
    int status = FT_OK;
    ft_words_add(&replay, "replay");
    ft_words_add(&replay, "-b");
    ft_words_add(&replay, "%s", runs->block_list);
    ft_words_add(&replay, "-o");
    ft_words_add(&replay, "%s/%s.hist", runs->folder, name);
    for (size_t i = 0; i < runs->sizes.count && status == FT_OK; i++) {
        const struct values values = {.items = {{runs->sizes.name, runs->sizes.items[i]}},
                                      .count = 1};
        char trace[NAME_BYTES], trace_path[PATH_BYTES];
        snprintf(trace, sizeof trace, "%s-%.15g", name, runs->sizes.items[i]);
        for (char *point = trace; (point = strchr(point, '.'));)
            *point = '_'; /* .h5 would be the fifth process of A-16 */
        status = capture(runs, command, &values, trace, trace_path, diag);
        ft_words_add(&replay, "%s", trace_path);
    }
    snprintf(path, PATH_BYTES, "%s/%s.model", runs->folder, name);
    ft_words_add(&fit, "fit");
    ft_words_add(&fit, "-o");
    ft_words_add(&fit, "%s", path);
    ft_words_add(&fit, "%s/%s.hist", runs->folder, name);
    if (status == FT_OK)
        status = run_step(runs, &replay, false, NULL, diag);
    if (status == FT_OK)
        status = run_step(runs, &fit, false, NULL, diag);
    ft_words_fini(&replay);
    ft_words_fini(&fit);
    return status;
}

static int check_names(char *const *command, const char *text, const struct values *values,
                       const struct sizes *sizes, struct ft_diag *diag)
{
    const char *missing = NULL;
    for (size_t i = 0; i < values->count; i++)
        if (!ft_command_words_have(command, values->items[i].name))
            missing = values->items[i].name;
    if (sizes->count > 0 && !ft_command_words_have(command, sizes->name))
        missing = sizes->name;
    return missing ? ft_fail(diag, FT_ERROR_USAGE,
                             "%s: has no {%s}: write it in place of %s's value, as in './matmul "
                             "{%s}'",
                             text, missing, missing, missing)
                   : FT_OK;
}

/* A trace or a model of one command. */
static int make_side(const struct runs *runs, unsigned side, char path[PATH_BYTES],
                     struct ft_diag *diag)
{
    const char *text = ft_operands(runs->arguments)[side], *name = side ? "B" : "A";
    struct values values;
    char **command;
    FT_TRY(read_values(ft_option_of_side(runs->arguments, "at", side), &values, diag));
    FT_TRY(ft_command_words_split(text, &command, diag));
    int status = check_names(command, text, &values, &runs->sizes, diag);
    if (status == FT_OK)
        status = runs->sizes.count > 0 ? train(runs, command, name, path, diag)
                                       : capture(runs, command, &values, name, path, diag);
    ft_command_words_free(command);
    return status;
}

/* The block sizes of both machines, as replay takes them. */
static int list_blocks(struct runs *runs, const struct ft_diff_source sources[2],
                       struct ft_diag *diag)
{
    uint64_t sizes[BLOCKS_MAX];
    size_t count = 0;
    for (unsigned side = 0; side < 2 && sources[side].has_machine; side++)
        FT_TRY(ft_block_list_add_machine(sizes, &count, BLOCKS_MAX, &sources[side].machine, diag));
    ft_block_list_text(runs->block_list, sizeof runs->block_list, sizes, count);
    return FT_OK;
}

/* The options of the comparison, which are passed on. */
static void add_options(const struct runs *runs, struct ft_words *words)
{
    static const char *const with_argument[] = {"machine", "sort",    "in",    "loops",  "fail-if",
                                                "output",  "sources", "label", "made-by"};
    static const char *const flags[] = {"json",  "csv",       "wide",     "quiet",
                                        "force", "unmatched", "no-source"};
    for (size_t i = 0; i < sizeof with_argument / sizeof *with_argument; i++)
        for (size_t k = 0; k < ft_option_count(runs->arguments, with_argument[i]); k++) {
            ft_words_add(words, "--%s", with_argument[i]);
            ft_words_add(words, "%s", ft_option_at(runs->arguments, with_argument[i], k));
        }
    for (size_t k = 0; runs->sizes.count > 0 && k < ft_option_count(runs->arguments, "at"); k++) {
        ft_words_add(words, "--at");
        ft_words_add(words, "%s", ft_option_at(runs->arguments, "at", k));
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (ft_option_count(runs->arguments, flags[i]))
            ft_words_add(words, "--%s", flags[i]);
}

/* Where these are not given: what the sides are called, as files of a temporary folder are soon
 * gone, and the command of the page, as it was typed. */
static int add_names(const struct runs *runs, struct ft_words *words, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = runs->arguments;
    const bool is_named = ft_option_count(arguments, "label") || runs->is_kept;
    for (unsigned side = 0; side < 2 && !is_named; side++) {
        ft_words_add(words, "--label");
        ft_words_add(words, "%s", ft_operands(arguments)[side]);
    }
    if (!ft_option_count(arguments, "output") || ft_option_count(arguments, "made-by"))
        return FT_OK;
    char *command = ft_command_text(&ft_diff_command, arguments);
    if (!command)
        return ft_fail_memory(diag, "a command");
    ft_words_add(words, "--made-by");
    ft_words_add(words, "%s", command);
    free(command);
    return FT_OK;
}

static int run_all(const struct runs *runs, int *ret_code, struct ft_diag *diag)
{
    char paths[2][PATH_BYTES];
    struct ft_words words = {0};
    for (unsigned side = 0; side < 2; side++)
        FT_TRY(make_side(runs, side, paths[side], diag));
    ft_words_add(&words, "diff");
    add_options(runs, &words);
    int status = add_names(runs, &words, diag);
    for (unsigned side = 0; side < 2; side++)
        ft_words_add(&words, "%s", paths[side]);
    if (status == FT_OK)
        status = run_step(runs, &words, true, ret_code, diag);
    ft_words_fini(&words);
    return status;
}

int ft_diff_runs(const struct ft_arguments *arguments, const struct ft_diff_source sources[2],
                 int *ret_code, struct ft_diag *diag)
{
    struct runs runs = {.arguments = arguments};
    FT_TRY(read_sizes(ft_option_last(arguments, "train"), &runs.sizes, diag));
    FT_TRY(list_blocks(&runs, sources, diag));
    runs.errors_fd = memfd_create("errors", MFD_CLOEXEC);
    if (runs.errors_fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "a file in memory: %s", strerror(errno));
    int status = ft_held_signals_init(&runs.signals, diag);
    if (status == FT_OK)
        status = make_folder(&runs, diag);
    if (status == FT_OK)
        status = run_all(&runs, ret_code, diag);
    if (runs.folder[0] && !runs.is_kept)
        ft_remove_tree(runs.folder);
    (void)close(runs.errors_fd);
    ft_held_signals_fini(&runs.signals);
    return status;
}
