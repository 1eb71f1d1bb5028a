/*
 * In order: limits, windows, counts; all of them.
 */
#include "trace-capture/commands/capture_options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "trace-capture/commands/modules_folder.h"
#include "trace-capture/processes/output_names.h"

#define ESTIMATE_TIME "10" /* seconds, where --max-time does not say how many */

static int parse_limits(const struct ft_arguments *arguments, struct ft_limits *ret_limits,
                        struct ft_diag *diag)
{
    struct ft_limits limits = {.size_text = ft_option_last(arguments, "max-size"),
                               .time_text = ft_option_last(arguments, "max-time")};
    if (!limits.time_text && ft_option_count(arguments, "estimate") > 0)
        limits.time_text = ESTIMATE_TIME;
    if (limits.size_text &&
        (ft_parse_bytes(limits.size_text, &limits.size_bytes, NULL) < 0 || limits.size_bytes == 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--max-size %s: expected a size such as 500M or 2G",
                       limits.size_text);
    if (limits.time_text && ft_parse_seconds(limits.time_text, &limits.time_seconds, NULL) < 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--max-time %s: expected a time such as 90, 90s, 1.5m or 2h",
                       limits.time_text);
    *ret_limits = limits;
    return FT_OK;
}

#define INSTRUCTIONS_MAX (UINT64_C(1) << 60)

/* 0 where the option was not given. */
static int parse_instructions(const struct ft_arguments *arguments, const char *option,
                              uint64_t *ret_instructions, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, option);
    *ret_instructions = 0;
    if (!text)
        return FT_OK;
    uint64_t number;
    if (!ft_parse_count(text, &number) || number == 0 || number > INSTRUCTIONS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--%s %s: expected a number of instructions such as 5000, 20K or 3M", option,
                       text);
    *ret_instructions = number;
    return FT_OK;
}

static int check_windows(const struct ft_window_options *windows, const char *every_text,
                         struct ft_diag *diag)
{
    const size_t until_count = windows->name_count - windows->from_count;
    if (windows->markers && windows->name_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--markers cannot be combined with --from and --until");
    if (windows->every && (windows->markers || windows->name_count))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every cannot be combined with --from, --until and --markers");
    if (windows->every && (!windows->length || windows->every <= windows->length))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every %s: --for must say how many of them each window records",
                       every_text);
    for (size_t i = 0; i < windows->from_count; i++)
        for (size_t j = 0; j < until_count; j++) {
            const char *from = windows->names[i], *until = windows->names[windows->from_count + j];
            assert(from && until);
            if (strcmp(from, until) == 0)
                return ft_fail(diag, FT_ERROR_USAGE,
                               "--from %s --until %s: the same function cannot open and close a "
                               "window; --from alone records each call of it",
                               from, until);
        }
    return FT_OK;
}

static int parse_windows(const struct ft_arguments *arguments,
                         struct ft_window_options *ret_windows, struct ft_diag *diag)
{
    struct ft_window_options windows = {.markers = ft_option_count(arguments, "markers") > 0,
                                        .from_count = ft_option_count(arguments, "from")};
    int status = FT_OK;
    windows.name_count = windows.from_count + ft_option_count(arguments, "until");
    windows.names = calloc(windows.name_count + 1, sizeof *windows.names);
    if (!windows.names)
        return ft_fail_memory(diag, "the options");
    for (size_t i = 0; i < windows.name_count; i++)
        windows.names[i] = i < windows.from_count
                               ? ft_option_at(arguments, "from", i)
                               : ft_option_at(arguments, "until", i - windows.from_count);
    FT_TRY_TO(fail, status, parse_instructions(arguments, "skip", &windows.skip, diag));
    FT_TRY_TO(fail, status, parse_instructions(arguments, "for", &windows.length, diag));
    FT_TRY_TO(fail, status, parse_instructions(arguments, "every", &windows.every, diag));
    FT_TRY_TO(fail, status, check_windows(&windows, ft_option_last(arguments, "every"), diag));
    windows.any =
        windows.markers || windows.name_count || windows.skip || windows.length || windows.every;
    *ret_windows = windows;
    return FT_OK;
fail:
    ft_window_options_fini(&windows);
    return status;
}

/* Runs of a model are to be synthesised at other sizes, which needs to know where arrays are. */
static bool logs_allocations(const struct ft_arguments *arguments)
{
    const bool is_of_model = ft_option_count(arguments, "define") > 0 &&
                             ft_option_count(arguments, "counts") == 0 &&
                             ft_option_count(arguments, "no-allocations") == 0;
    return is_of_model || ft_option_count(arguments, "allocations") > 0;
}

static enum ft_watch_mpi watched_mpi(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "mpi-calls") > 0 ? FT_WATCH_MPI_EVERYWHERE
           : ft_option_count(arguments, "no-mpi-calls") > 0 || ft_option_count(arguments, "counts")
               ? FT_WATCH_NO_MPI
               : FT_WATCH_MPI_LIBRARIES;
}

/* Counting is for whole runs, and logs no calls. */
static int check_counts(const struct ft_capture_options *options, struct ft_diag *diag)
{
    if (options->only_counts && options->windows.any)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--counts counts the whole run: leave out the options of windows");
    if (options->only_counts && (options->watch.allocations || options->watch.mpi))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--counts logs no calls: leave out --allocations and --mpi-calls");
    return FT_OK;
}

/* NULL: none, or out of memory, which only means that there is none. */
static char *modules_folder(const struct ft_arguments *arguments)
{
    const char *given = ft_option_last(arguments, "module-cache");
    if (ft_option_count(arguments, "no-module-cache") > 0)
        return NULL;
    return given ? strdup(given) : ft_modules_folder();
}

int ft_capture_options_parse(const struct ft_arguments *arguments,
                             struct ft_capture_options *ret_options, struct ft_diag *diag)
{
    struct ft_capture_options options = {
        .watch = {.allocations = logs_allocations(arguments), .mpi = watched_mpi(arguments)},
        .only_counts = ft_option_count(arguments, "counts") > 0,
        .is_estimate = ft_option_count(arguments, "estimate") > 0,
        .follow = ft_option_count(arguments, "no-follow") == 0,
        .keep_aslr = ft_option_count(arguments, "aslr") > 0,
        .keep_sources = ft_option_count(arguments, "source") > 0,
        .is_private = ft_option_count(arguments, "private") > 0,
        .replaces = ft_option_count(arguments, "force") > 0};
    FT_TRY(ft_output_pattern(ft_option_last(arguments, "output"), &options.output_pattern, diag));
    FT_TRY(parse_limits(arguments, &options.limits, diag));
    FT_TRY(parse_windows(arguments, &options.windows, diag));
    int status = check_counts(&options, diag);
    if (status < 0) {
        ft_window_options_fini(&options.windows);
        return status;
    }
    options.modules_folder = modules_folder(arguments);
    *ret_options = options;
    return FT_OK;
}
