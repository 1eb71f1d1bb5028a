/*
 * `foretrace footprint`: what a program touches, in all, by routine and loop, over time and in
 * windows of time. People see all of it, CSV is one of the tables, JSON has everything.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands.h"
#include "engine/footprint/trace_footprint.h"
#include "engine/replay/block_sizes.h"
#include "engine/simulate/report_head.h"
#include "formats/scope_report.h"
#include "formats/trace_operand.h"

#define DEFAULT_SIZES     "64,4K"
#define INTERVALS_DEFAULT 32
#define INTERVALS_MAX     4096
#define LOOPS_FOR_PEOPLE  20
#define BAR_CHARACTERS    40

struct report {
    const struct ft_arguments *arguments;
    const struct ft_trace *trace;
    struct ft_scopes scopes;
    struct ft_footprint footprint;
    double *accesses; /* [scope], with what is nested in it */
    uint32_t *list;   /* scopes to show */
    size_t count;
};

/* The largest window of the curve is of 2^log2 accesses, no more than there are. */
static unsigned window_count(const struct ft_footprint *footprint)
{
    return footprint->accesses ? 64U - (unsigned)__builtin_clzll(footprint->accesses) : 0;
}

static double window_mean(const struct ft_footprint *footprint, size_t size, unsigned log2_accesses)
{
    return ft_gaps_window_mean(&footprint->gaps[size], footprint->distinct_blocks[size],
                               footprint->accesses, log2_accesses);
}

/* Columns of one figure for each block size: "64 B" for people, "new_blocks_64" in CSV. */
static void size_columns(struct ft_table *table, const struct ft_footprint *footprint,
                         const char *title, const char *key)
{
    for (size_t s = 0; s < footprint->size_count; s++) {
        char bytes[FT_NUMBER_TEXT], heading[2 * FT_NUMBER_TEXT], name[2 * FT_NUMBER_TEXT];
        ft_text_bytes(bytes, (double)footprint->block_bytes[s]);
        snprintf(heading, sizeof heading, "%s%s", title, bytes);
        snprintf(name, sizeof name, "%s_%" PRIu64, key, footprint->block_bytes[s]);
        ft_table_column(table, heading, name, true);
    }
}

static int finish_table(struct ft_table *table, bool csv, struct ft_diag *diag)
{
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- tables ---- */

static int print_sizes(const struct report *report, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "blocks of", "block_bytes", true);
    ft_table_column(table, "distinct blocks", "distinct_blocks", true);
    ft_table_column(table, "data size", "data_bytes", true);
    for (size_t s = 0; s < footprint->size_count; s++) {
        double blocks = (double)footprint->distinct_blocks[s];
        ft_table_bytes(table, (double)footprint->block_bytes[s]);
        ft_table_count(table, blocks);
        ft_table_bytes(table, blocks * (double)footprint->block_bytes[s]);
    }
    return finish_table(table, false, diag);
}

static int print_loops(const struct report *report, bool csv, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, csv);
    ft_table_column(table, "accesses", "accesses", true);
    size_columns(table, footprint, "blocks of ", "distinct_blocks");
    for (size_t i = 0; i < report->count; i++) {
        uint32_t scope = report->list[i];
        ft_scope_cells(table, csv, &report->scopes, scope);
        ft_table_count(table, report->accesses[scope]);
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_count(table,
                           (double)footprint->scope_blocks[scope * footprint->size_count + s]);
    }
    return finish_table(table, csv, diag);
}

static int print_windows(const struct report *report, bool csv, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "accesses", "window_accesses", true);
    size_columns(table, footprint, "blocks of ", "mean_blocks");
    for (unsigned k = 0; k < window_count(footprint); k++) {
        ft_table_count(table, (double)(UINT64_C(1) << k));
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_count(table, window_mean(footprint, s, k));
    }
    return finish_table(table, csv, diag);
}

/* What an interval touches of the smallest size, new blocks as +, beside the largest one. */
static void bar_cell(struct ft_table *table, const struct ft_footprint *footprint, size_t interval,
                     uint64_t largest)
{
    char bar[BAR_CHARACTERS + 1];
    uint64_t blocks = footprint->interval_blocks[interval * footprint->size_count];
    uint64_t fresh = footprint->interval_new[interval * footprint->size_count];
    size_t length = (size_t)((double)blocks / (double)largest * BAR_CHARACTERS + 0.5);
    size_t plus = (size_t)((double)fresh / (double)largest * BAR_CHARACTERS + 0.5);
    memset(bar, '#', length);
    memset(bar, '+', plus < length ? plus : length);
    bar[length] = 0;
    ft_table_text(table, bar);
}

static uint64_t largest_interval(const struct ft_footprint *footprint)
{
    uint64_t largest = 1;
    for (size_t i = 0; i < footprint->interval_count; i++)
        if (footprint->interval_blocks[i * footprint->size_count] > largest)
            largest = footprint->interval_blocks[i * footprint->size_count];
    return largest;
}

static int print_time(const struct report *report, bool csv, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    const size_t sizes = footprint->size_count;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "from access", "first_access", true);
    if (csv)
        ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "phase", "phase", true);
    size_columns(table, footprint, "blocks of ", "distinct_blocks");
    size_columns(table, footprint, "new of ", "new_blocks");
    if (!csv)
        ft_table_column(table, "", "", false);
    uint64_t first = 0, largest = largest_interval(footprint);
    for (size_t i = 0; i < footprint->interval_count; i++) {
        ft_table_count(table, (double)first);
        if (csv)
            ft_table_count(table, (double)footprint->intervals[i].accesses);
        ft_table_format(table, "%u", footprint->intervals[i].phase + 1);
        for (size_t s = 0; s < sizes; s++)
            ft_table_count(table, (double)footprint->interval_blocks[i * sizes + s]);
        for (size_t s = 0; s < sizes; s++)
            ft_table_count(table, (double)footprint->interval_new[i * sizes + s]);
        if (!csv)
            bar_cell(table, footprint, i, largest);
        first += footprint->intervals[i].accesses;
    }
    return finish_table(table, csv, diag);
}

/* ---- phases ---- */

/* The scope that makes most accesses of a phase's first interval, and their share. */
static uint32_t scope_of_phase(const struct report *report, const struct ft_phase *phase,
                               double *ret_share)
{
    uint32_t best = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < phase->entry_count; i++) {
        uint32_t scope = report->scopes.blocks[phase->entries[i].block].scope;
        uint64_t accesses = 0;
        for (size_t j = 0; j < phase->entry_count; j++)
            if (report->scopes.blocks[phase->entries[j].block].scope == scope)
                accesses += phase->entries[j].accesses;
        if (accesses > most) {
            most = accesses;
            best = scope;
        }
    }
    *ret_share = (double)most / (double)phase->entry_accesses;
    return best;
}

/* "multiply", or "loop at matmul.c:20 in multiply". */
static void place_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope)
{
    uint32_t routine = scope;
    while (scopes->scopes[routine].kind == FT_SCOPE_LOOP)
        routine = scopes->scopes[routine].parent;
    if (routine == scope)
        ft_table_text(table, scopes->scopes[scope].name);
    else
        ft_table_format(table, "%s in %s", scopes->scopes[scope].name,
                        scopes->scopes[routine].name);
}

static double phase_blocks(const struct ft_footprint *footprint, size_t phase, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < footprint->interval_count; i++)
        if (footprint->intervals[i].phase == phase)
            sum += (double)footprint->interval_blocks[i * footprint->size_count + size];
    return sum / (double)footprint->phases.phases[phase].interval_count;
}

static int print_phases(const struct report *report, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "phase", "phase", true);
    ft_table_column(table, "intervals", "intervals", true);
    ft_table_column(table, "accesses", "accesses", true);
    size_columns(table, footprint, "mean of ", "mean_blocks");
    ft_table_column(table, "share", "share", true);
    ft_table_column(table, "of its first interval in", "most_in", false);
    for (size_t p = 0; p < footprint->phases.count; p++) {
        const struct ft_phase *phase = &footprint->phases.phases[p];
        double share;
        uint32_t scope = scope_of_phase(report, phase, &share);
        ft_table_format(table, "%zu", p + 1);
        ft_table_count(table, (double)phase->interval_count);
        ft_table_count(table, (double)phase->accesses);
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_count(table, phase_blocks(footprint, p, s));
        ft_table_share(table, share);
        place_cell(table, &report->scopes, scope);
    }
    return finish_table(table, false, diag);
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    char text[3][FT_NUMBER_TEXT];
    uint64_t length = footprint->interval_count ? footprint->intervals[0].accesses : 0;
    ft_program_print(ft_trace_metadata(report->trace), stdout);
    printf(": the footprint of %s accesses, found in %s of memory\n\n",
           ft_text_count(text[0], (double)footprint->accesses),
           ft_text_bytes(text[1], (double)footprint->memory_bytes));
    int status = print_sizes(report, diag);
    if (status)
        return status;
    printf("\nDistinct blocks by routine and loop, with the loops nested in them:\n\n");
    status = print_loops(report, false, diag);
    if (status)
        return status;
    printf("\nWorking set: the mean of distinct blocks in all windows of so many accesses:\n\n");
    status = print_windows(report, false, diag);
    if (status)
        return status;
    printf(
        "\nOver time, in intervals of %s accesses: distinct blocks (#), new ones of them (+):\n\n",
        ft_text_count(text[2], (double)length));
    status = print_time(report, false, diag);
    if (status)
        return status;
    printf("\nPhases, with the mean of the distinct blocks in their intervals:\n\n");
    return print_phases(report, diag);
}

/* ---- JSON ---- */

/* A list of one figure for each block size. */
static json_t *counts_json(const uint64_t *counts, size_t count)
{
    json_t *list = json_array();
    for (size_t s = 0; s < count; s++)
        ft_json_append(&list, json_integer((json_int_t)counts[s]));
    return list;
}

static json_t *loops_json(const struct report *report)
{
    const size_t sizes = report->footprint.size_count;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++) {
        uint32_t scope = report->list[i];
        json_t *figures = json_pack(
            "{s:I, s:o}", "accesses", (json_int_t)report->accesses[scope], "distinct_blocks",
            counts_json(report->footprint.scope_blocks + scope * sizes, sizes));
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&report->scopes, scope), figures));
    }
    return loops;
}

static json_t *windows_json(const struct report *report)
{
    const struct ft_footprint *footprint = &report->footprint;
    json_t *windows = json_array();
    for (unsigned k = 0; k < window_count(footprint); k++) {
        json_t *means = json_array();
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_json_append(&means, ft_json_number(window_mean(footprint, s, k)));
        ft_json_append(&windows, json_pack("{s:I, s:o}", "accesses", (json_int_t)1 << k,
                                           "mean_blocks", means));
    }
    return windows;
}

static json_t *intervals_json(const struct ft_footprint *footprint)
{
    const size_t sizes = footprint->size_count;
    json_t *intervals = json_array();
    uint64_t first = 0;
    for (size_t i = 0; i < footprint->interval_count; i++) {
        ft_json_append(&intervals,
                       json_pack("{s:I, s:I, s:I, s:o, s:o}", "first_access", (json_int_t)first,
                                 "accesses", (json_int_t)footprint->intervals[i].accesses, "phase",
                                 (json_int_t)footprint->intervals[i].phase + 1, "distinct_blocks",
                                 counts_json(footprint->interval_blocks + i * sizes, sizes),
                                 "new_blocks",
                                 counts_json(footprint->interval_new + i * sizes, sizes)));
        first += footprint->intervals[i].accesses;
    }
    return intervals;
}

static json_t *phases_json(const struct report *report)
{
    const struct ft_footprint *footprint = &report->footprint;
    json_t *phases = json_array();
    for (size_t p = 0; p < footprint->phases.count; p++) {
        const struct ft_phase *phase = &footprint->phases.phases[p];
        double share;
        uint32_t scope = scope_of_phase(report, phase, &share);
        json_t *means = json_array();
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_json_append(&means, ft_json_number(phase_blocks(footprint, p, s)));
        ft_json_append(&phases,
                       json_pack("{s:I, s:I, s:I, s:I, s:o, s:f, s:o}", "phase", (json_int_t)p + 1,
                                 "first_interval", (json_int_t)phase->first_interval + 1,
                                 "intervals", (json_int_t)phase->interval_count, "accesses",
                                 (json_int_t)phase->accesses, "mean_blocks", means, "share", share,
                                 "most_in", ft_scope_json(&report->scopes, scope)));
    }
    return phases;
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_footprint *footprint = &report->footprint;
    const size_t sizes = footprint->size_count;
    return ft_json_write(json_pack("{s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "program",
                                   ft_json_text(metadata->program), "parameters",
                                   ft_parameters_json(metadata), "trace",
                                   ft_trace_content_hash(report->trace), "accesses",
                                   (json_int_t)footprint->accesses, "block_bytes",
                                   counts_json(footprint->block_bytes, sizes), "distinct_blocks",
                                   counts_json(footprint->distinct_blocks, sizes), "loops",
                                   loops_json(report), "windows", windows_json(report), "intervals",
                                   intervals_json(footprint), "phases", phases_json(report)),
                         stdout, diag);
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*print)(const struct report *report, bool csv, struct ft_diag *diag);
} tables[] = {{"loops", print_loops}, {"time", print_time}, {"windows", print_windows}};
#define TABLE_COUNT (sizeof tables / sizeof *tables)

struct question {
    uint64_t block_bytes[FT_REPLAY_SIZES_MAX];
    size_t size_count;
    uint64_t intervals, loops;
    bool json, csv;
    size_t table; /* of CSV */
};

static int read_options(const struct ft_arguments *arguments, struct question *question,
                        struct ft_diag *diag)
{
    const char *sizes = ft_option_last(arguments, "blocks"), *by = ft_option_last(arguments, "by");
    question->json = ft_option_count(arguments, "json") > 0;
    question->csv = ft_option_count(arguments, "csv") > 0;
    if (question->json && question->csv)
        return ft_fail(diag, FT_ERROR_USAGE, "--json and --csv exclude each other: give one");
    if (by && !question->csv)
        return ft_fail(diag, FT_ERROR_USAGE, "--by says which table --csv prints: give both");
    while (by && question->table < TABLE_COUNT && strcmp(by, tables[question->table].name) != 0)
        question->table++;
    if (question->table == TABLE_COUNT)
        return ft_fail(diag, FT_ERROR_USAGE, "--by %s: loops, time or windows are there", by);
    int status = ft_block_sizes_parse(sizes ? sizes : DEFAULT_SIZES, question->block_bytes,
                                      &question->size_count, diag);
    if (!status)
        status = ft_option_u64(arguments, "intervals", INTERVALS_DEFAULT, 1, INTERVALS_MAX,
                               &question->intervals, diag);
    if (!status)
        status = ft_option_u64(arguments, "loops",
                               question->json || question->csv ? UINT64_MAX : LOOPS_FOR_PEOPLE, 1,
                               UINT64_MAX, &question->loops, diag);
    return status;
}

static int choose_loops(struct report *report, size_t limit, struct ft_diag *diag)
{
    report->accesses = calloc(report->scopes.scope_count + 1, sizeof *report->accesses);
    if (!report->accesses)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < report->scopes.scope_count; i++)
        report->accesses[i] = (double)report->footprint.scope_accesses[i];
    ft_scopes_add_nested(&report->scopes, report->accesses, 1);
    return ft_scopes_select(&report->scopes, report->accesses, limit, &report->list, &report->count,
                            diag);
}

static int report_trace(struct ft_trace *trace, const struct question *question,
                        struct report *report, struct ft_diag *diag)
{
    struct ft_progress progress;
    ft_progress_init(&progress, "footprint");
    int status =
        ft_trace_footprint(trace, question->block_bytes, question->size_count, question->intervals,
                           &progress, &report->scopes, &report->footprint, diag);
    ft_progress_fini(&progress);
    if (!status)
        status = choose_loops(report, question->loops, diag);
    if (!status)
        status = question->json  ? print_json(report, diag)
                 : question->csv ? tables[question->table].print(report, true, diag)
                                 : print_text(report, diag);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct question question = {0};
    struct report report = {.arguments = arguments};
    struct ft_trace *trace = NULL;
    struct ft_diag diag = {0};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "one trace is needed");
    int status = read_options(arguments, &question, &diag);
    if (!status)
        status = ft_trace_open_operand(arguments, &trace, &diag);
    if (!status) {
        report.trace = trace;
        status = report_trace(trace, &question, &report, &diag);
        free(report.accesses);
        free(report.list);
        ft_footprint_fini(&report.footprint);
        ft_scopes_fini(&report.scopes);
        ft_trace_close(trace);
    }
    if (!status)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option footprint_options[] = {
    {"blocks", 'b', "SIZES", "block sizes, powers of two (default " DEFAULT_SIZES ")"},
    {"intervals", 0, "COUNT", "intervals over time, of equal length (32)"},
    {"loops", 0, "COUNT", "show the COUNT routines and loops with most accesses (20)"},
    {"json", 0, NULL, "as JSON (docs/json.md), all loops unless --loops is given"},
    {"csv", 0, NULL, "one of the tables as CSV, all loops unless --loops is given"},
    {"by", 0, "TABLE", "with --csv: loops (default), time or windows"},
    FT_PARTIAL_OPTION,
};

const struct ft_command ft_footprint_command = {
    .name = "footprint",
    .synopsis = "footprint [options] TRACE",
    .summary = "the memory that a program touches, by loop, over time and in windows of time",
    .details =
        "Counts exactly how many distinct blocks (lines, pages) are touched, by all threads\n"
        "together: in all, which is the data size; by each routine and loop; in each of some\n"
        "intervals of the run, which are grouped into phases of like code; and on average in\n"
        "windows of 1, 2, 4, 8 ... accesses, the working-set curve.\n"
        "\n"
        "  foretrace footprint run.h5\n"
        "  foretrace footprint -b 64,4K,2M --intervals 100 --csv --by time run.h5\n",
    .options = footprint_options,
    .option_count = sizeof footprint_options / sizeof *footprint_options,
    .run = run,
};
