/*
 * Rows hold what is nested in them; the heaviest are shown. As text the stack is in percent of the
 * row's cycles, elsewhere in cycles.
 */
#include "engine/commands/simulate/core_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"
#include "formats/commands/startup_fold.h"

struct part { /* of a stack */
    unsigned reason;
    const char *name, *title, *key;
};

/* In the order in which they are shown, the levels of the machine behind FIRST of them. */
static const struct part reasons[] = {
    {FT_REASON_BASE, "base", "base", "base"},
    {FT_REASON_EXECUTION, "execution", "exec", "execution"},
    {FT_REASON_BRANCH, "branches", "br", "branches"},
    {FT_REASON_FRONT_END, "front end", "front", "front_end"},
    {FT_REASON_STORES, "stores", "store", "stores"},
    {FT_REASON_TLB, "TLB", "TLB", "tlb"},
};
#define REASONS (sizeof reasons / sizeof *reasons)
#define FIRST   3

struct table_of_rows {
    const struct ft_core_report *report;
    const struct ft_machine *machine;
    uint32_t *list; /* scopes to show */
    size_t count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
    struct part parts[REASONS + FT_CORE_SOURCES_MAX];
    size_t part_count;
};

static const struct ft_core_row *row_of(const struct table_of_rows *rows, uint32_t scope)
{
    return &rows->report->result->rows[scope];
}

/* A cache's name, or memory. */
static const char *source_name(const struct ft_machine *machine, uint32_t source)
{
    return source < machine->cache_count ? machine->levels[source].name : "memory";
}

static void list_parts(struct table_of_rows *rows)
{
    const uint32_t sources = rows->report->result->model.source_count;
    for (size_t r = 0; r < FIRST; r++)
        rows->parts[rows->part_count++] = reasons[r];
    for (uint32_t s = 0; s < sources; s++) {
        const char *name = source_name(rows->machine, s);
        rows->parts[rows->part_count++] = (struct part){FT_REASON_SOURCES + s, name, name, name};
    }
    for (size_t r = FIRST; r < REASONS; r++)
        rows->parts[rows->part_count++] = reasons[r];
}

static double per_instruction(const struct ft_core_row *row)
{
    return row->instructions > 0 ? row->cycles / row->instructions : 0;
}

/* ---- JSON ---- */

static json_t *stack_json(const struct table_of_rows *rows, const struct ft_core_row *row)
{
    json_t *stack = json_object(), *levels = json_array();
    for (size_t r = 0; r < REASONS; r++)
        stack = ft_json_merge(stack, json_pack("{s:o}", reasons[r].key,
                                               ft_json_number(row->stack[reasons[r].reason])));
    for (uint32_t s = 0; s < rows->report->result->model.source_count; s++)
        ft_json_append(&levels,
                       json_pack("{s:o, s:o}", "name", ft_json_text(source_name(rows->machine, s)),
                                 "cycles", ft_json_number(row->stack[FT_REASON_SOURCES + s])));
    return ft_json_merge(stack, json_pack("{s:o}", "levels", levels));
}

static json_t *row_json(const struct table_of_rows *rows, const struct ft_core_row *row)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "instructions",
                     (json_int_t)row->instructions, "sampled_instructions",
                     (json_int_t)row->sampled, "cycles", ft_json_number(row->cycles),
                     "cycles_error", ft_json_number(row->error), "cycles_per_instruction",
                     ft_json_number(per_instruction(row)), "stack", stack_json(rows, row));
}

static int print_json(const struct table_of_rows *rows, struct ft_diag *diag)
{
    const struct ft_core_report *report = rows->report;
    const struct ft_core_of_trace *result = report->result;
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    json_t *loops = json_array();
    for (size_t i = 0; i < rows->count; i++)
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&result->scopes, rows->list[i]),
                                             row_json(rows, row_of(rows, rows->list[i]))));
    json_t *document = json_pack(
        "{s:o, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "program",
        ft_json_text(metadata->program), "machine", ft_json_text(rows->machine->name), "parameters",
        ft_parameters_json(metadata), "trace", ft_trace_content_hash(report->trace), "thread",
        (json_int_t)report->task->thread, "windows", (json_int_t)result->window_count,
        "window_instructions",
        (json_int_t)(result->is_sampled ? report->task->window_instructions : result->instructions),
        "simulated_instructions", (json_int_t)result->simulated, "branches",
        (json_int_t)result->counts.branches, "mispredicted_branches",
        (json_int_t)result->counts.mispredicted, "unknown_instructions",
        (json_int_t)result->counts.unknown, "dropped_accesses", (json_int_t)result->counts.dropped,
        "unknown_form", ft_json_text(result->unknown_form[0] ? result->unknown_form : NULL),
        "total", row_json(rows, row_of(rows, 0)), "loops", loops);
    return ft_json_write(document, stdout, diag);
}

/* ---- tables ---- */

static void add_columns(struct ft_table *table, const struct table_of_rows *rows, bool csv)
{
    ft_scope_columns(table, csv);
    if (csv) {
        ft_table_column(table, "instructions", "instructions", true);
        ft_table_column(table, "sampled", "sampled_instructions", true);
    }
    ft_table_column(table, "cycles", "cycles", true);
    if (csv || rows->report->result->is_sampled)
        ft_table_column(table, "+-", "cycles_error", true);
    ft_table_column(table, "CPI", "cycles_per_instruction", true);
    for (size_t p = 0; p < rows->part_count; p++)
        ft_table_column(table, rows->parts[p].title, rows->parts[p].key, true);
}

static void add_part(struct ft_table *table, bool csv, const struct ft_core_row *row,
                     unsigned reason)
{
    if (csv)
        ft_table_count(table, row->stack[reason]);
    else
        ft_table_format(table, "%.0f",
                        row->cycles > 0 ? 100 * row->stack[reason] / row->cycles : 0);
}

static void add_error(struct ft_table *table, bool csv, const struct ft_core_row *row)
{
    if (isnan(row->error))
        ft_table_empty(table);
    else if (csv)
        ft_table_count(table, row->error);
    else
        ft_table_percent(table, row->cycles > 0 ? row->error / row->cycles : 0);
}

static void add_figures(struct ft_table *table, const struct table_of_rows *rows, bool csv,
                        const struct ft_core_row *row)
{
    if (csv) {
        ft_table_count(table, row->instructions);
        ft_table_count(table, row->sampled);
    }
    ft_table_count(table, row->cycles);
    if (csv || rows->report->result->is_sampled)
        add_error(table, csv, row);
    ft_table_format(table, "%.*f", csv ? 6 : 2, per_instruction(row));
    for (size_t p = 0; p < rows->part_count; p++)
        add_part(table, csv, row, rows->parts[p].reason);
}

static void add_row(struct ft_table *table, const struct table_of_rows *rows, bool csv,
                    uint32_t scope)
{
    ft_scope_cells(table, csv, &rows->report->result->scopes, scope);
    add_figures(table, rows, csv, row_of(rows, scope));
}

/* The error of a sum is not known. */
static void add_startup_row(struct ft_table *table, const struct table_of_rows *rows)
{
    struct ft_core_row sum = {.error = NAN};
    for (size_t i = 0; i < rows->startup.count; i++) {
        const struct ft_core_row *row = row_of(rows, rows->startup.routines[i]);
        sum.instructions += row->instructions;
        sum.sampled += row->sampled;
        sum.cycles += row->cycles;
        for (size_t r = 0; r < FT_CORE_REASONS; r++)
            sum.stack[r] += row->stack[r];
    }
    ft_startup_fold_cells(table, &rows->startup);
    add_figures(table, rows, false, &sum);
}

/* CSV has the program as its first row. */
static int print_rows(const struct table_of_rows *rows, bool csv, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_columns(table, rows, csv);
    if (csv)
        add_row(table, rows, csv, 0);
    for (size_t i = 0; i < rows->count; i++)
        add_row(table, rows, csv, rows->list[i]);
    if (rows->startup.count > 0)
        add_startup_row(table, rows);
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- text ---- */

static void print_sampling(const struct ft_core_report *report)
{
    char text[2][FT_NUMBER_TEXT];
    const struct ft_core_of_trace *result = report->result;
    printf("%s instructions", ft_text_count(text[0], (double)result->instructions));
    if (ft_trace_thread_count(report->trace) > 1)
        printf(" of thread %" PRIu32 ", alone", report->task->thread);
    if (result->is_sampled)
        printf(", in %" PRIu32 " windows of %" PRIu64 ": %s simulated\n", result->window_count,
               report->task->window_instructions,
               ft_text_count(text[1], (double)result->simulated));
    else
        printf(", all simulated\n");
}

static void print_notes(const struct ft_core_report *report)
{
    char text[2][FT_NUMBER_TEXT];
    const struct ft_walk_counts *counts = &report->result->counts;
    printf("branches: %s measured, %s mispredicted\n",
           ft_text_count(text[0], (double)counts->branches),
           ft_text_share(text[1], counts->branches > 0
                                      ? (double)counts->mispredicted / (double)counts->branches
                                      : 0));
    if (counts->unknown > 0)
        printf("instructions that the core file lacks, taken for additions: %s measured,\n"
               "  the first %s\n",
               ft_text_count(text[0], (double)counts->unknown), report->result->unknown_form);
}

static void print_stack(const struct table_of_rows *rows)
{
    const struct ft_core_row *total = row_of(rows, 0);
    const double cycles = total->cycles > 0 ? total->cycles : 1;
    printf("\nWhere the cycles go:\n\n");
    for (size_t p = 0; p < rows->part_count; p++)
        printf("  %-12.40s %6.1f %%\n", rows->parts[p].name,
               100 * total->stack[rows->parts[p].reason] / cycles);
}

static int print_text(const struct table_of_rows *rows, struct ft_diag *diag)
{
    char text[FT_RANGE_TEXT], seconds[FT_NUMBER_TEXT];
    const struct ft_core_report *report = rows->report;
    const struct ft_core_row *total = row_of(rows, 0);
    ft_program_print(ft_trace_metadata(report->trace), stdout);
    printf(" on the core of %s:\n%s\n", rows->machine->name, rows->machine->description);
    print_sampling(report);
    if (report->result->is_sampled && !isnan(total->error))
        ft_text_range(text, total->cycles, total->cycles - total->error,
                      total->cycles + total->error, ft_text_count);
    else
        ft_text_count(text, total->cycles);
    printf("%s cycles, %.2f per instruction, %s at %.3g GHz\n", text, per_instruction(total),
           ft_text_seconds(seconds, total->cycles / (rows->machine->clock_ghz * 1e9)),
           rows->machine->clock_ghz);
    if (report->result->is_sampled && isnan(total->error))
        printf("the error is unknown: fewer than %d windows\n", FT_CORE_WINDOWS_MIN);
    print_notes(report);
    print_stack(rows);
    printf("\nBy routine and loop, with the loops nested in them; the stack in percent:\n"
           "\n");
    return print_rows(rows, false, diag);
}

int ft_core_report(const struct ft_core_report *report, struct ft_diag *diag)
{
    const struct ft_core_of_trace *result = report->result;
    struct table_of_rows rows = {.report = report, .machine = report->options->machines};
    list_parts(&rows);
    double *weights = calloc(result->scopes.scope_count + 1, sizeof *weights);
    int status = weights ? FT_OK : ft_fail_memory(diag, "a report");
    for (size_t s = 0; status == FT_OK && s < result->scopes.scope_count; s++)
        weights[s] = result->rows[s].cycles;
    if (status == FT_OK)
        status = ft_startup_fold_select(&rows.startup, report->options->folds_startup,
                                        &result->scopes, weights, report->options->loop_limit,
                                        &rows.list, &rows.count, diag);
    if (status == FT_OK)
        status = report->options->form == FT_REPORT_JSON  ? print_json(&rows, diag)
                 : report->options->form == FT_REPORT_CSV ? print_rows(&rows, true, diag)
                                                          : print_text(&rows, diag);
    ft_startup_fold_fini(&rows.startup);
    free(weights);
    free(rows.list);
    return status;
}
