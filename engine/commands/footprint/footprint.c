/*
 * `foretrace footprint`: what a program touches, in all, by routine and loop, over time and in
 * windows of time. People see all of it, CSV is one of the tables, JSON has everything.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/commands/footprint/report.h"
#include "engine/footprint/trace_footprint.h"
#include "formats/base/block_sizes.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"

#define DEFAULT_SIZES     "64,4K"
#define INTERVALS_DEFAULT 32
#define INTERVALS_MAX     4096
#define LOOPS_FOR_PEOPLE  20

struct question {
    struct ft_block_sizes block_sizes;
    uint64_t intervals, loops;
    bool json, csv, all;
    size_t table; /* of CSV */
    bool has_machine;
    struct ft_machine machine;
};

static int read_options(const struct ft_arguments *arguments, struct question *question,
                        struct ft_diag *diag)
{
    const char *sizes = ft_option_last(arguments, "blocks"), *by = ft_option_last(arguments, "by");
    question->json = ft_option_count(arguments, "json") > 0;
    question->csv = ft_option_count(arguments, "csv") > 0;
    question->all = ft_option_count(arguments, "all") > 0;
    const char *table;
    while ((table = ft_footprint_table_at(question->table)) && by && strcmp(by, table) != 0)
        question->table++;
    if (!table)
        return ft_fail(diag, FT_ERROR_USAGE, "--by %s: must be loops, time or windows", by);
    FT_TRY(ft_block_sizes_parse(sizes ? sizes : DEFAULT_SIZES, &question->block_sizes, diag));
    FT_TRY(ft_option_u64(arguments, "intervals", INTERVALS_DEFAULT, 1, INTERVALS_MAX,
                         &question->intervals, diag));
    FT_TRY(ft_option_u64(arguments, "loops",
                         question->json || question->csv ? UINT64_MAX : LOOPS_FOR_PEOPLE, 1,
                         UINT64_MAX, &question->loops, diag));
    const char *machine = ft_option_last(arguments, "machine");
    if (machine)
        FT_TRY(ft_machine_load(machine, &question->machine, diag));
    question->has_machine = machine != NULL;
    return FT_OK;
}

static int choose_loops(struct ft_footprint_report *report, const struct question *question,
                        struct ft_diag *diag)
{
    const size_t count = report->scopes.scope_count;
    report->accesses = calloc(count + 1, sizeof *report->accesses);
    double *weights = calloc(count + 1, sizeof *weights);
    int status = report->accesses && weights ? FT_OK : ft_fail_memory(diag, "a report");
    if (!status) {
        for (size_t i = 0; i < count; i++)
            report->accesses[i] = (double)report->footprint.scope_accesses[i];
        ft_scopes_add_nested(&report->scopes, report->accesses, 1);
        memcpy(weights, report->accesses, count * sizeof *weights);
    }
    if (!status && !question->json && !question->csv && !question->all)
        status = ft_startup_fold_init(&report->startup, &report->scopes, weights, diag);
    if (!status)
        status = ft_scopes_select(&report->scopes, weights, (size_t)question->loops, &report->list,
                                  &report->count, diag);
    free(weights);
    return status;
}

/* In the intervals that the footprint has. */
static int count_misses(struct ft_trace *trace, const struct question *question,
                        struct ft_footprint_report *report, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_progress_line progress;
    if (!question->has_machine || footprint->interval_count == 0)
        return FT_OK;
    ft_progress_line_init(&progress, "simulate");
    int status =
        ft_trace_interval_misses(trace, &question->machine, footprint->intervals[0].accesses,
                                 footprint->interval_count, &progress.base, &report->misses, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        report->machine = &question->machine;
    return status;
}

static int report_trace(struct ft_trace *trace, const struct question *question,
                        struct ft_footprint_report *report, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "footprint");
    int status = ft_trace_footprint(trace, question->block_sizes.bytes, question->block_sizes.count,
                                    question->intervals, &progress.base, &report->scopes,
                                    &report->footprint, diag);
    ft_progress_line_fini(&progress);
    if (!status)
        status = count_misses(trace, question, report, diag);
    if (!status)
        status = choose_loops(report, question, diag);
    if (!status)
        status = question->json  ? ft_footprint_json(report, stdout, diag)
                 : question->csv ? ft_footprint_csv(report, question->table, stdout, diag)
                                 : ft_footprint_text(report, stdout, diag);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct question question = {0};
    struct ft_footprint_report report = {0};
    struct ft_trace *trace = NULL;
    struct ft_diag diag = {0};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one trace");
    int status = read_options(arguments, &question, &diag);
    if (!status)
        status = ft_trace_open_operand(arguments, &trace, &diag);
    if (!status) {
        report.trace = trace;
        status = report_trace(trace, &question, &report, &diag);
        free(report.accesses);
        free(report.list);
        ft_startup_fold_fini(&report.startup);
        ft_footprint_fini(&report.footprint);
        ft_interval_misses_fini(&report.misses);
        ft_scopes_fini(&report.scopes);
        ft_trace_close(trace);
    }
    if (question.has_machine)
        ft_machine_fini(&question.machine);
    if (!status)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option footprint_options[] = {
    {"blocks", 'b', "SIZES", "block sizes, powers of two (default " DEFAULT_SIZES ")"},
    {"intervals", 0, "COUNT", "intervals of equal length over time (default: 32)"},
    {"machine", 'm', "MACHINE", "also misses over time and by phase; " FT_MACHINE_HELP},
    {"loops", 0, "COUNT", "show the COUNT routines and loops with the most accesses (default: 20)"},
    FT_STARTUP_OPTION,
    {"json", 0, NULL, "as JSON (docs/json.md), all loops unless --loops is given",
     .excludes = "csv"},
    {"csv", 0, NULL, "one of the tables as CSV, all loops unless --loops is given"},
    {"by", 0, "TABLE", "with --csv: loops (default), time or windows", .needs = "csv"},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_footprint_command = {
    .name = "footprint",
    .synopsis = "footprint [options] TRACE",
    .summary = "the memory that a program touches, by loop, over time and in windows of time",
    .details =
        "Counts exactly how many distinct blocks (lines, pages) are touched, by all threads\n"
        "together: in all, which is the data size; by each routine and loop; in each of some\n"
        "intervals of the run, which are grouped into phases of like code; and on average in\n"
        "windows of 1, 2, 4, 8 ... accesses, the working-set curve. With --machine also what\n"
        "each interval and phase misses in its caches and TLBs, exactly, each level by itself.\n"
        "\n"
        "  foretrace footprint run.h5\n"
        "  foretrace footprint -m amd-zen5 run.h5\n"
        "  foretrace footprint -b 64,4K,2M --intervals 100 --csv --by time run.h5\n",
    .options = footprint_options,
    .option_count = sizeof footprint_options / sizeof *footprint_options,
    .run = run,
};
