/*
 * The tables of a footprint: all of them as text, one of them as CSV.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/commands/footprint/metrics.h"
#include "engine/commands/footprint/report.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"

#define BAR_CHARACTERS 40

/* Columns of one figure for each block size: "64 B" as text, "new_blocks_64" in CSV. */
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

/* Columns of the misses in each level: per access as text, "l1d_misses" in CSV. */
static void level_columns(struct ft_table *table, const struct ft_footprint_report *report,
                          bool csv)
{
    for (size_t i = 0; report->machine && i < report->machine->level_count; i++) {
        const struct ft_level *level = &report->machine->levels[i];
        if (csv)
            ft_level_column(table, level, "misses");
        else
            ft_table_column(table, level->name, level->name, true);
    }
}

static void misses_cell(struct ft_table *table, bool csv, uint64_t misses, uint64_t accesses)
{
    if (csv)
        ft_table_count(table, (double)misses);
    else
        ft_table_share(table, (double)misses / (double)accesses);
}

static int finish_table(struct ft_table *table, FILE *stream, bool csv, struct ft_diag *diag)
{
    int status = ft_table_write(table, stream, csv, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- tables ---- */

static int print_sizes(const struct ft_footprint_report *report, FILE *stream, struct ft_diag *diag)
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
    return finish_table(table, stream, false, diag);
}

static int print_loops(const struct ft_footprint_report *report, FILE *stream, bool csv,
                       struct ft_diag *diag)
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
    if (report->startup.count) {
        ft_startup_fold_cells(table, &report->startup);
        ft_table_count(table, ft_startup_fold_sum(&report->startup, report->accesses, 1));
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_empty(table); /* they may touch the same blocks */
    }
    return finish_table(table, stream, csv, diag);
}

static int print_windows(const struct ft_footprint_report *report, FILE *stream, bool csv,
                         struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "accesses", "window_accesses", true);
    size_columns(table, footprint, "blocks of ", "mean_blocks");
    for (unsigned k = 0; k < ft_footprint_windows(footprint); k++) {
        ft_table_count(table, (double)(UINT64_C(1) << k));
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_count(table, ft_footprint_window_mean(footprint, s, k));
    }
    return finish_table(table, stream, csv, diag);
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

static int print_time(const struct ft_footprint_report *report, FILE *stream, bool csv,
                      struct ft_diag *diag)
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
    level_columns(table, report, csv);
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
        for (size_t k = 0; k < report->misses.level_count; k++)
            misses_cell(table, csv,
                        report->misses.set_associative[i * report->misses.level_count + k],
                        footprint->intervals[i].accesses);
        for (size_t s = 0; s < sizes; s++)
            ft_table_count(table, (double)footprint->interval_blocks[i * sizes + s]);
        for (size_t s = 0; s < sizes; s++)
            ft_table_count(table, (double)footprint->interval_new[i * sizes + s]);
        if (!csv)
            bar_cell(table, footprint, i, largest);
        first += footprint->intervals[i].accesses;
    }
    return finish_table(table, stream, csv, diag);
}

/* ---- phases ---- */

/* "multiply", or "loop at matmul.c:20 in multiply". */
static void location_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope)
{
    const uint32_t routine = ft_scope_routine(scopes, scope);
    if (routine == scope)
        ft_table_text(table, scopes->scopes[scope].name);
    else
        ft_table_format(table, "%s in %s", scopes->scopes[scope].name,
                        scopes->scopes[routine].name);
}

static int print_phases(const struct ft_footprint_report *report, FILE *stream,
                        struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "phase", "phase", true);
    ft_table_column(table, "intervals", "intervals", true);
    ft_table_column(table, "accesses", "accesses", true);
    level_columns(table, report, false);
    size_columns(table, footprint, "mean of ", "mean_blocks");
    ft_table_column(table, "share", "share", true);
    ft_table_column(table, "of its first interval in", "most_in", false);
    for (size_t p = 0; p < footprint->phases.count; p++) {
        const struct ft_phase *phase = &footprint->phases.phases[p];
        double share;
        uint32_t scope = ft_phase_scope(&report->scopes, phase, &share);
        ft_table_format(table, "%zu", p + 1);
        ft_table_count(table, (double)phase->interval_count);
        ft_table_count(table, (double)phase->accesses);
        for (size_t k = 0; k < report->misses.level_count; k++)
            misses_cell(table, false, ft_phase_misses(footprint, &report->misses, p, k),
                        phase->accesses);
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_table_count(table, ft_footprint_phase_blocks(footprint, p, s));
        ft_table_share(table, share);
        location_cell(table, &report->scopes, scope);
    }
    return finish_table(table, stream, false, diag);
}

static int print_over_time(const struct ft_footprint_report *report, FILE *stream,
                           struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    char text[FT_NUMBER_TEXT];
    const uint64_t length = footprint->interval_count ? footprint->intervals[0].accesses : 0;
    ft_print_wrapped(
        stream, 0,
        "\nOver time, in intervals of %s accesses: distinct blocks (#), new ones of them (+)%s%s:"
        "\n\n",
        ft_text_count(text, (double)length),
        report->machine ? "; misses per access in the levels of " : "",
        report->machine ? report->machine->name : "");
    FT_TRY(print_time(report, stream, false, diag));
    ft_print_wrapped(stream, 0,
                     "\nPhases, with the mean of the distinct blocks in their intervals%s:\n\n",
                     report->machine ? " and misses per access" : "");
    return print_phases(report, stream, diag);
}

int ft_footprint_text(const struct ft_footprint_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_footprint *footprint = &report->footprint;
    char text[2][FT_NUMBER_TEXT];
    ft_program_head_print(ft_trace_metadata(report->trace), stream,
                          ": the footprint of %s accesses, found in %s of memory\n\n",
                          ft_text_count(text[0], (double)footprint->accesses),
                          ft_text_bytes(text[1], (double)footprint->memory_bytes));
    int status = print_sizes(report, stream, diag);
    if (status)
        return status;
    fprintf(stream, "\nDistinct blocks by routine and loop, with the loops nested in them:\n\n");
    status = print_loops(report, stream, false, diag);
    if (status)
        return status;
    fprintf(stream,
            "\nWorking set: the mean of distinct blocks in all windows of so many accesses:\n\n");
    status = print_windows(report, stream, false, diag);
    if (status)
        return status;
    return print_over_time(report, stream, diag);
}

static const struct {
    const char *name;
    int (*print)(const struct ft_footprint_report *report, FILE *stream, bool csv,
                 struct ft_diag *diag);
} tables[] = {{"loops", print_loops}, {"time", print_time}, {"windows", print_windows}};
#define TABLE_COUNT (sizeof tables / sizeof *tables)

const char *ft_footprint_table_at(size_t index)
{
    return index < TABLE_COUNT ? tables[index].name : NULL;
}

int ft_footprint_csv(const struct ft_footprint_report *report, size_t table, FILE *stream,
                     struct ft_diag *diag)
{
    return tables[table].print(report, stream, true, diag);
}
