/*
 * The scope tree as text: a row for each routine and loop.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/commands/structure/report.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

/* Which columns there are besides those that always are. */
struct wanted {
    bool trips, inlined;
};

static struct wanted add_columns(struct ft_table *table, const struct ft_structure_report *report,
                                 bool trips)
{
    ft_scope_columns(table, false);
    ft_table_column(table, "entered", "entries", true);
    ft_table_column(table, "iterations", "turns", true);
    ft_table_column(table, "min", "least", true);
    ft_table_column(table, "mean", "mean", true);
    ft_table_column(table, "max", "most", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "accesses", "accesses", true);
    if (trips)
        ft_table_column(table, "entries by iterations", "trips", false);
    return (struct wanted){trips, ft_scope_inlined_column(table, &report->structure.scopes,
                                                          report->list, report->count)};
}

/* "64-127: 96, 1: 3": entries by how many iterations they made. */
static bool trips_cell(struct ft_table *table, const struct ft_trips *trips)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return false;
    const char *between = "";
    for (unsigned bin = 0; bin < FT_TRIP_BINS; bin++) {
        if (trips->bins[bin] == 0)
            continue;
        uint64_t min = ft_trip_bin_min(bin), max = ft_trip_bin_max(bin);
        fprintf(stream, "%s%" PRIu64, between, min);
        if (max > min)
            fprintf(stream, "-%" PRIu64, max);
        fprintf(stream, ": %" PRIu64, trips->bins[bin]);
        between = ", ";
    }
    bool complete = fclose(stream) == 0;
    if (complete)
        ft_table_text(table, text);
    free(text);
    return complete;
}

static void loop_cells(struct ft_table *table, const struct ft_scope_work *work, bool only_counts)
{
    const struct ft_trips *trips = &work->trips;
    ft_table_count(table, (double)trips->entries);
    ft_table_count(table, (double)trips->iterations);
    if (trips->entries == 0) {
        for (int i = 0; i < 3; i++)
            ft_table_empty(table);
        return;
    }
    if (only_counts)
        ft_table_empty(table);
    else
        ft_table_count(table, (double)trips->min);
    ft_table_count(table, (double)trips->iterations / (double)trips->entries);
    if (only_counts)
        ft_table_empty(table);
    else
        ft_table_count(table, (double)trips->max);
}

static void routine_cells(struct ft_table *table, const struct ft_scope *routine)
{
    ft_table_count(table, (double)routine->entry_count);
    for (int i = 0; i < 4; i++)
        ft_table_empty(table);
}

static bool add_row(const struct ft_structure_report *report, uint32_t index, struct wanted wanted,
                    struct ft_table *table)
{
    const struct ft_scopes *scopes = &report->structure.scopes;
    const struct ft_scope_work *work = &report->work[index];
    const bool is_loop = scopes->scopes[index].kind == FT_SCOPE_LOOP;
    ft_scope_cells(table, false, scopes, index);
    if (is_loop)
        loop_cells(table, work, report->only_counts);
    else
        routine_cells(table, &scopes->scopes[index]);
    ft_table_count(table, (double)work->instructions);
    if (report->only_counts)
        ft_table_empty(table);
    else
        ft_table_count(table, (double)work->accesses);
    if (wanted.trips && !is_loop)
        ft_table_text(table, "");
    else if (wanted.trips && !trips_cell(table, &work->trips))
        return false;
    if (wanted.inlined)
        ft_scope_inlined_cell(table, scopes, index);
    return true;
}

static void add_startup_row(const struct ft_structure_report *report, struct wanted wanted,
                            struct ft_table *table)
{
    uint64_t instructions = 0, accesses = 0;
    for (size_t i = 0; i < report->startup.count; i++) {
        instructions += report->work[report->startup.routines[i]].instructions;
        accesses += report->work[report->startup.routines[i]].accesses;
    }
    ft_startup_fold_cells(table, &report->startup);
    for (int i = 0; i < 5; i++)
        ft_table_empty(table);
    ft_table_count(table, (double)instructions);
    if (report->only_counts)
        ft_table_empty(table);
    else
        ft_table_count(table, (double)accesses);
    if (wanted.trips)
        ft_table_text(table, "");
    if (wanted.inlined)
        ft_table_text(table, "");
}

void ft_structure_print_head(const struct ft_structure_report *report, FILE *stream)
{
    const struct ft_structure *structure = &report->structure;
    char text[2][FT_NUMBER_TEXT];
    size_t loops = 0;
    for (size_t i = 0; i < structure->scopes.scope_count; i++)
        loops += structure->scopes.scopes[i].kind == FT_SCOPE_LOOP;
    ft_program_head_print(
        ft_trace_metadata(report->trace), stream, ": %s instructions, %s accesses\n",
        ft_text_count(text[0], (double)report->work[0].instructions),
        report->only_counts ? "unknown" : ft_text_count(text[1], (double)report->work[0].accesses));
    ft_print_wrapped(stream, 0,
                     "%zu units of code executed: %zu instructions in %zu blocks of %zu routines, "
                     "%zu loops in the machine code, %zu in the source\n\n",
                     report->unit_count, structure->graph.instruction_count,
                     structure->graph.block_count, structure->routines.count,
                     structure->loops.count, loops);
}

int ft_structure_text(const struct ft_structure_report *report, bool trips, FILE *stream,
                      struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_structure_print_head(report, stream);
    const struct wanted wanted = add_columns(table, report, trips);
    bool complete = true;
    for (size_t i = 0; complete && i < report->count; i++)
        complete = add_row(report, report->list[i], wanted, table);
    if (complete && report->startup.count)
        add_startup_row(report, wanted, table);
    int status =
        complete ? ft_table_write(table, stream, false, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    return status;
}
