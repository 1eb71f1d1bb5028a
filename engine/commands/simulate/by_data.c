/*
 * The misses of each level by itself, by the data that was touched: the caches are simulated on a
 * source whose references are pairs of a reference and an object (engine/data/data_runs.h).
 */
#include "engine/commands/simulate/modes.h"

#include <stdlib.h>

#include "engine/commands/report/data_report.h"
#include "engine/simulate/simulate.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/report_head.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/level_report.h"
#include "machines/commands/report_options.h"

struct report {
    const struct ft_machine *machine;
    struct ft_trace *trace;
    struct ft_data_runs *runs;
    struct ft_run_source *source; /* while it is simulated */
    struct ft_data_rows rows;     /* accesses, then two figures a level, as in level_report.h */
    double *total;                /* likewise */
};

static json_t *levels_json(const struct report *report, const double *row)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->machine->level_count; i++)
        ft_json_append(&levels, ft_json_merge(ft_level_json(&report->machine->levels[i]),
                                              json_pack("{s:I, s:I}", "simulated_fully_associative",
                                                        (json_int_t)row[1 + 2 * i],
                                                        "simulated_set_associative",
                                                        (json_int_t)row[2 + 2 * i])));
    return levels;
}

static json_t *figures_json(const struct report *report, const double *row)
{
    return json_pack("{s:I, s:o}", "accesses", (json_int_t)row[0], "levels",
                     levels_json(report, row));
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_data_rows *rows = &report->rows;
    json_t *data = json_array();
    for (size_t i = 0; i < rows->count; i++)
        ft_json_append(
            &data, ft_json_merge(ft_data_json(rows, rows->list[i]),
                                 figures_json(report, rows->rows + rows->list[i] * rows->width)));
    return ft_json_write(json_pack("{s:o, s:o, s:o, s:s, s:I, s:b, s:o, s:o}", "program",
                                   ft_json_text(metadata->program), "machine",
                                   ft_json_text(report->machine->name), "parameters",
                                   ft_parameters_json(metadata), "trace",
                                   ft_trace_content_hash(report->trace), "threads",
                                   (json_int_t)ft_trace_thread_count(report->trace),
                                   "allocation_calls", (int)ft_data_runs_has_calls(report->runs),
                                   "total", figures_json(report, report->total), "data", data),
                         stdout, diag);
}

static int print_table(const struct report *report, bool csv, struct ft_diag *diag)
{
    const struct ft_data_rows *rows = &report->rows;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_data_columns(table, csv);
    ft_table_column(table, "accesses", "accesses", true);
    ft_level_columns(table, csv, report->machine, "simulated");
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = rows->rows + rows->list[i] * rows->width;
        ft_data_cells(table, csv, rows, rows->list[i]);
        ft_table_count(table, row[0]);
        ft_level_cells(table, csv, report->machine, row + 1);
    }
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    ft_program_head_print(
        ft_trace_metadata(report->trace), stdout,
        ", simulated on %s: %s\nexact LRU; every level sees all %s accesses, of %zu objects\n",
        report->machine->name, report->machine->description, ft_text_count(text, report->total[0]),
        report->rows.touched_count);
    ft_data_print_gaps(&report->rows, ft_data_runs_has_calls(report->runs), stdout);
    putchar('\n');
    int status =
        ft_level_table_print(report->machine, report->total + 1, report->total[0], stdout, diag);
    putchar('\n');
    return status ? status : print_table(report, false, diag);
}

/* Figures by pair become rows by object. */
static int sum_up(struct report *report, const struct ft_simulation *simulation, size_t limit,
                  struct ft_diag *diag)
{
    size_t width = 1 + 2 * report->machine->level_count, pairs = simulation->reference_count;
    double *figures = calloc(pairs * width + 1, sizeof *figures);
    report->total = calloc(width, sizeof *report->total);
    int status =
        figures && report->total ? FT_OK : ft_fail_memory(diag, "the misses of a program's data");
    for (size_t p = 0; status == FT_OK && p < pairs; p++) {
        double *row = figures + p * width;
        row[0] = (double)simulation->accesses[p];
        for (size_t i = 0; i < report->machine->level_count; i++) {
            row[1 + 2 * i] = (double)simulation->fully_associative_misses[i * pairs + p];
            row[2 + 2 * i] = (double)simulation->set_associative_misses[i * pairs + p];
        }
        for (size_t j = 0; j < width; j++)
            report->total[j] += row[j];
    }
    if (status == FT_OK)
        status = ft_data_rows_init(&report->rows, report->trace, report->runs, figures, width,
                                   limit, diag);
    free(figures);
    return status;
}

static void close_source(struct report *report)
{
    if (report->source)
        report->source->destroy(report->source);
    report->source = NULL;
}

static int open_source(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct report *report = context;
    close_source(report);
    FT_TRY(ft_data_runs_source(report->runs, &report->source, diag));
    *ret_source = report->source;
    return FT_OK;
}

static int simulate(struct report *report, struct ft_simulation *simulation, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_simulate(report->machine, ft_trace_thread_count(report->trace), open_source,
                             report, &progress.base, simulation, diag);
    ft_progress_line_fini(&progress);
    close_source(report);
    return status;
}

static int report_on(struct report *report, const struct ft_report_options *options,
                     unsigned callers, struct ft_diag *diag)
{
    struct ft_simulation simulation = {0};
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_data_runs_create(report->trace, callers, FT_RUN_ACCESSES, NULL, &progress.base,
                                     &report->runs, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        status = simulate(report, &simulation, diag);
    if (status == FT_OK)
        status = sum_up(report, &simulation, (size_t)options->loop_limit, diag);
    if (status == FT_OK)
        status = options->form == FT_REPORT_JSON  ? print_json(report, diag)
                 : options->form == FT_REPORT_CSV ? print_table(report, true, diag)
                                                  : print_text(report, diag);
    ft_simulation_fini(&simulation);
    ft_data_rows_fini(&report->rows);
    ft_data_runs_destroy(report->runs);
    free(report->total);
    return status;
}

int ft_simulate_by_data(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct report report = {0};
    uint64_t callers;
    int status = ft_option_u64(arguments, "callers", FT_DATA_CALLERS, 1, FT_DATA_CALLERS_MAX,
                               &callers, diag);
    if (status == FT_OK)
        status = ft_report_options_read(arguments, &options, diag);
    if (status)
        return status;
    status = ft_trace_open_operand(arguments, &report.trace, diag);
    if (status == FT_OK) {
        report.machine = options.machines;
        status = report_on(&report, &options, (unsigned)callers, diag);
        ft_trace_close(report.trace);
    }
    ft_report_options_fini(&options);
    return status;
}
