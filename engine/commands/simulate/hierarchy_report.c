/* Sums over references, and rows of places or of data behind one interface. */
#include "engine/commands/simulate/hierarchy_report.h"

#include <stdlib.h>
#include <string.h>

static bool is_fetch(const struct ft_hierarchy_report *report, size_t reference)
{
    return report->run->kinds[reference] == FT_FETCH;
}

struct ft_hierarchy_total ft_hierarchy_level_total(const struct ft_hierarchy_report *report,
                                                   size_t level)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    struct ft_hierarchy_total total = {0};
    for (size_t j = 0; j < report->run->reference_count; j++) {
        uint8_t kind = report->run->kinds[j];
        uint64_t misses = counted->misses[j];
        total.asked += counted->accesses[j];
        *(kind == FT_LOAD    ? &total.load_misses
          : kind == FT_FETCH ? &total.fetch_misses
                             : &total.store_misses) += misses;
        for (size_t cause = 0; counted->causes && cause < FT_MISS_CAUSES; cause++)
            total.causes[cause] += counted->causes[j * FT_MISS_CAUSES + cause];
    }
    return total;
}

uint64_t ft_hierarchy_count(const struct ft_hierarchy_report *report, bool fetches)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < report->run->reference_count; j++)
        sum += is_fetch(report, j) == fetches ? report->run->accesses[j] : 0;
    return sum;
}

bool ft_hierarchy_has_fetches(const struct ft_hierarchy_report *report)
{
    return report->machine->instruction_level_count > 0;
}

bool ft_hierarchy_has_causes(const struct ft_hierarchy_report *report)
{
    return report->level_count && ft_hierarchy_level(report->hierarchy, 0)->causes;
}

static int sum_rows(struct ft_hierarchy_report *report, enum ft_location_kind kind,
                    const struct ft_report_options *options, struct ft_diag *diag)
{
    const size_t width = ft_hierarchy_width(report->level_count);
    /* of a synthesis there may be fewer references than scopes have */
    const size_t rows =
        report->data ? report->run->reference_count : report->scopes->reference_count;
    double *figures = calloc(rows * width + 1, sizeof *figures);
    if (!figures)
        return ft_fail_memory(diag, "a report");
    for (size_t j = 0; j < rows && j < report->run->reference_count; j++)
        ft_hierarchy_fill_row(report->run, j, figures + j * width);
    int status = report->data
                     ? ft_data_rows_init(&report->rows, report->trace, report->data, figures, width,
                                         options->loop_limit, diag)
                     : ft_locations_init(&report->places, kind, report->scopes, figures, width,
                                         options->loop_limit, options->folds_startup, diag);
    free(figures);
    return status;
}

int ft_hierarchy_report(struct ft_hierarchy_report *report, const struct ft_report_options *options,
                        enum ft_location_kind kind, struct ft_diag *diag)
{
    report->hierarchy = report->run->hierarchies[0];
    report->level_count = ft_hierarchy_level_count(report->hierarchy);
    int status = sum_rows(report, kind, options, diag);
    if (status == FT_OK)
        status = options->form == FT_REPORT_JSON  ? ft_hierarchy_print_json(report, stdout, diag)
                 : options->form == FT_REPORT_CSV ? ft_hierarchy_print_csv(report, stdout, diag)
                                                  : ft_hierarchy_print_text(report, stdout, diag);
    json_decref(report->members);
    report->members = NULL;
    ft_locations_fini(&report->places);
    ft_data_rows_fini(&report->rows);
    return status;
}

int ft_hierarchy_options_read(const struct ft_arguments *arguments,
                              struct ft_hierarchy_options *ret_options, struct ft_diag *diag)
{
    struct ft_hierarchy_options options = {.kind = FT_LOCATION_LOOPS};
    const char *by = ft_option_last(arguments, "by");
    options.by_data = by && strcmp(by, "data") == 0;
    if (!options.by_data)
        FT_TRY(ft_location_kind_read(arguments, &options.kind, diag));
    options.causes = ft_option_count(arguments, "causes") > 0;
    FT_TRY(ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &options.seed, diag));
    *ret_options = options;
    return FT_OK;
}

/* ---- rows ---- */

size_t ft_hierarchy_row_count(const struct ft_hierarchy_report *report)
{
    return report->data ? report->rows.count : report->places.count;
}

static uint32_t number_of(const struct ft_hierarchy_report *report, size_t index)
{
    return report->data ? report->rows.list[index] : report->places.list[index];
}

const double *ft_hierarchy_row(const struct ft_hierarchy_report *report, size_t index)
{
    size_t number = number_of(report, index);
    return report->data ? report->rows.rows + number * report->rows.width
                        : report->places.rows + number * report->places.width;
}

void ft_hierarchy_row_columns(struct ft_table *table, bool csv,
                              const struct ft_hierarchy_report *report)
{
    if (report->data)
        ft_data_columns(table, csv);
    else
        ft_location_columns(table, csv, report->places.kind);
}

void ft_hierarchy_row_cells(struct ft_table *table, bool csv,
                            const struct ft_hierarchy_report *report, size_t index)
{
    if (report->data)
        ft_data_cells(table, csv, &report->rows, number_of(report, index));
    else
        ft_location_cells(table, csv, &report->places, number_of(report, index));
}

json_t *ft_hierarchy_row_json(const struct ft_hierarchy_report *report, size_t index)
{
    return report->data ? ft_data_json(&report->rows, number_of(report, index))
                        : ft_location_json(&report->places, number_of(report, index));
}

const char *ft_hierarchy_rows_name(const struct ft_hierarchy_report *report)
{
    return report->data ? "data" : ft_location_kind_names[report->places.kind];
}
