/* Sums over references, and rows of places or of data behind one interface. */
#include "engine/commands/simulate/hierarchy_report.h"

#include <stdlib.h>

static bool is_fetch(const struct ft_hierarchy_report *report, size_t reference)
{
    return report->traced->kinds[reference] == FT_FETCH;
}

struct ft_hierarchy_total ft_hierarchy_level_total(const struct ft_hierarchy_report *report,
                                                   size_t level)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    struct ft_hierarchy_total total = {0};
    for (size_t j = 0; j < report->traced->reference_count; j++) {
        uint8_t kind = report->traced->kinds[j];
        uint64_t misses = counted->misses[j];
        total.asked += counted->accesses[j];
        *(kind == FT_LOAD    ? &total.load_misses
          : kind == FT_FETCH ? &total.fetch_misses
                             : &total.store_misses) += misses;
    }
    return total;
}

uint64_t ft_hierarchy_count(const struct ft_hierarchy_report *report, bool fetches)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < report->traced->reference_count; j++)
        sum += is_fetch(report, j) == fetches ? report->traced->accesses[j] : 0;
    return sum;
}

int ft_hierarchy_report_sum(struct ft_hierarchy_report *report, enum ft_location_kind kind,
                            size_t limit, struct ft_diag *diag)
{
    size_t references = report->traced->reference_count;
    size_t width = FT_HIERARCHY_LEVELS + 3 * report->level_count;
    double *figures = calloc(references * width + 1, sizeof *figures);
    if (!figures)
        return ft_fail_memory(diag, "a report");
    for (size_t j = 0; j < references; j++) {
        double *row = figures + j * width;
        row[FT_HIERARCHY_BOTH] = (double)report->traced->accesses[j];
        row[is_fetch(report, j) ? FT_HIERARCHY_FETCHES : FT_HIERARCHY_ACCESSES] =
            row[FT_HIERARCHY_BOTH];
        for (size_t i = 0; i < report->level_count; i++) {
            const struct ft_hierarchy_level *level = ft_hierarchy_level(report->hierarchy, i);
            row[ft_hierarchy_asked_column(i)] = (double)level->accesses[j];
            row[ft_hierarchy_misses_column(i)] = (double)level->misses[j];
            row[ft_hierarchy_written_column(i)] = (double)level->write_backs[j];
        }
    }
    const struct ft_hierarchy_trace *traced = report->traced;
    int status = traced->data ? ft_data_rows_init(&report->data, traced->trace, traced->data,
                                                  figures, width, limit, diag)
                              : ft_locations_init(&report->places, kind, &traced->scopes, figures,
                                                  width, limit, diag);
    free(figures);
    return status;
}

void ft_hierarchy_report_fini(struct ft_hierarchy_report *report)
{
    ft_locations_fini(&report->places);
    ft_data_rows_fini(&report->data);
}

/* ---- rows ---- */

size_t ft_hierarchy_row_count(const struct ft_hierarchy_report *report)
{
    return report->traced->data ? report->data.count : report->places.count;
}

static uint32_t number_of(const struct ft_hierarchy_report *report, size_t index)
{
    return report->traced->data ? report->data.list[index] : report->places.list[index];
}

const double *ft_hierarchy_row(const struct ft_hierarchy_report *report, size_t index)
{
    size_t number = number_of(report, index);
    return report->traced->data ? report->data.rows + number * report->data.width
                                : report->places.rows + number * report->places.width;
}

void ft_hierarchy_row_columns(struct ft_table *table, bool csv,
                              const struct ft_hierarchy_report *report)
{
    if (report->traced->data)
        ft_data_columns(table, csv);
    else
        ft_location_columns(table, csv, report->places.kind);
}

void ft_hierarchy_row_cells(struct ft_table *table, bool csv,
                            const struct ft_hierarchy_report *report, size_t index)
{
    if (report->traced->data)
        ft_data_cells(table, csv, &report->data, number_of(report, index));
    else
        ft_location_cells(table, csv, &report->places, number_of(report, index));
}

json_t *ft_hierarchy_row_json(const struct ft_hierarchy_report *report, size_t index)
{
    return report->traced->data ? ft_data_json(&report->data, number_of(report, index))
                                : ft_location_json(&report->places, number_of(report, index));
}

const char *ft_hierarchy_rows_name(const struct ft_hierarchy_report *report)
{
    return report->traced->data ? "data" : ft_location_kind_names[report->places.kind];
}
