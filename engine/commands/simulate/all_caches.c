/* One pass, exact or from samples, over the accesses of all threads. */
#include "engine/commands/simulate/modes.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/commands/simulate/all_caches_report.h"
#include "engine/simulate/all-caches/sampled_occupancy.h"
#include "engine/simulate/simulate_trace.h"
#include "engine/streams/all_threads.h"
#include "formats/base/parse.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"

#define WAYS_MAX (UINT64_C(1) << 32)

static int fail_ways(const char *text, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--ways %s: must be at most %d increasing integers from 1, such as 1,2,4,12",
                   text, FT_ALL_CACHES_WAYS_MAX);
}

static int parse_ways(const char *text, struct ft_all_caches_report *report, struct ft_diag *diag)
{
    const char *place = text;
    for (;;) {
        uint64_t ways;
        const bool is_number = ft_read_u64(&place, &ways);
        uint64_t before = report->ways_count ? report->ways[report->ways_count - 1] : 0;
        if (!is_number || ways <= before || ways > WAYS_MAX ||
            report->ways_count == FT_ALL_CACHES_WAYS_MAX)
            return fail_ways(text, diag);
        report->ways[report->ways_count++] = ways;
        if (!*place)
            return FT_OK;
        if (*place++ != ',')
            return fail_ways(text, diag);
    }
}

struct question {
    uint64_t line_bytes, sets;
    uint64_t samples; /* 0: exactly */
    uint64_t seed;
};

static int simulate(struct ft_trace *trace, const struct question *question,
                    struct ft_all_caches *ret_caches, struct ft_diag *diag)
{
    unsigned set_bits = (unsigned)__builtin_ctzll(question->sets);
    struct ft_run_source *source;
    struct ft_progress_line progress;
    int status = ft_all_threads_runs(trace, FT_RUN_ACCESSES, NULL, &source, diag);
    if (status != FT_OK)
        return status;
    ft_progress_line_init(&progress, "simulate");
    if (question->samples)
        status = ft_sampled_occupancy(question->line_bytes, set_bits, question->samples,
                                      question->seed, source, &progress.base, ret_caches, diag);
    else
        status = ft_all_caches_simulate(question->line_bytes, set_bits, source, &progress.base,
                                        ret_caches, diag);
    ft_progress_line_fini(&progress);
    source->destroy(source);
    return status;
}

static int read_options(const struct ft_arguments *arguments, struct ft_all_caches_report *report,
                        struct question *question, struct ft_diag *diag)
{
    const char *line = ft_option_last(arguments, "line"), *sets = ft_option_last(arguments, "sets");
    const char *ways = ft_option_last(arguments, "ways");
    if (ft_option_count(arguments, "seed") && !ft_option_count(arguments, "sample"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--seed goes with --sample here: the misses of all "
                       "caches are exact without");
    int status = ft_parse_bytes(line ? line : "64", &question->line_bytes, diag);
    if (status == FT_OK)
        status = ft_parse_bytes(sets ? sets : "1M", &question->sets, diag);
    if (status == FT_OK &&
        (question->line_bytes < 2 || question->line_bytes > FT_ALL_CACHES_LINE_MAX ||
         (question->line_bytes & (question->line_bytes - 1)) != 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--line %s: must be a power of two from 2 to 2M",
                       line);
    if (status == FT_OK &&
        (question->sets == 0 || question->sets >> FT_ALL_CACHES_SET_BITS_MAX > 1 ||
         (question->sets & (question->sets - 1)) != 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--sets %s: must be a power of two from 1 to 16M",
                       sets);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "sample", 0, 1, FT_SAMPLES_MAX, &question->samples, diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &question->seed, diag);
    report->sampled = question->samples > 0;
    return status == FT_OK ? parse_ways(ways ? ways : "1,2,4,8,16", report, diag) : status;
}

int ft_simulate_all_caches(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_all_caches_report report = {0};
    struct ft_trace *trace;
    struct question question = {0};
    int status = read_options(arguments, &report, &question, diag);
    if (status == FT_OK)
        status = ft_trace_open_operand(arguments, &trace, diag);
    if (status != FT_OK)
        return status;
    report.trace = trace;
    status = simulate(trace, &question, &report.caches, diag);
    if (status == FT_OK)
        status = ft_all_caches_report_rows(&report, diag);
    if (status == FT_OK)
        status =
            ft_option_count(arguments, "json")  ? ft_all_caches_print_json(&report, stdout, diag)
            : ft_option_count(arguments, "csv") ? ft_all_caches_print_csv(&report, stdout, diag)
                                                : ft_all_caches_print_text(&report, stdout, diag);
    ft_all_caches_report_fini(&report);
    ft_trace_close(trace);
    return status;
}
