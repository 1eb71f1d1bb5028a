/* Sums over references; which of them are fetches the scopes say. */
#include "engine/simulate/hierarchy_report.h"

#include <stdlib.h>

static bool is_fetch(const struct ft_hierarchy_report *report, size_t reference)
{
    return report->traced->scopes.references[reference].kind == FT_FETCH;
}

struct ft_hierarchy_total ft_hierarchy_level_total(const struct ft_hierarchy_report *report,
                                                   size_t level)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    struct ft_hierarchy_total total = {0};
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++) {
        uint8_t kind = report->traced->scopes.references[j].kind;
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
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++)
        sum += is_fetch(report, j) == fetches ? report->traced->accesses[j] : 0;
    return sum;
}

int ft_hierarchy_report_places(struct ft_hierarchy_report *report, enum ft_place_kind kind,
                               size_t limit, struct ft_diag *diag)
{
    size_t references = report->traced->scopes.reference_count;
    size_t width = FT_HIERARCHY_LEVELS + 2 * report->level_count;
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
        }
    }
    int status =
        ft_places_init(&report->places, kind, &report->traced->scopes, figures, width, limit, diag);
    free(figures);
    return status;
}
