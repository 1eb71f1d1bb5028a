#include "engine/simulate/hierarchy/hierarchy_rows.h"

#include <stdlib.h>

const char *const ft_hierarchy_figure_names[FT_HIERARCHY_FIGURES] = {
    "accesses", "misses", "write_backs", "cold_misses", "capacity_misses", "conflict_misses"};

const char *const ft_hierarchy_event_names[FT_HIERARCHY_EVENTS] = {
    "evictions", "invalidations", "prefetches", "useful_prefetches"};

double ft_hierarchy_events(const struct ft_hierarchy_run *run, size_t level,
                           enum ft_hierarchy_event event)
{
    const struct ft_level_traffic *traffic =
        &ft_hierarchy_level(run->hierarchies[0], level)->traffic;
    const uint64_t counts[FT_HIERARCHY_EVENTS] = {
        [FT_HIERARCHY_EVICTIONS] = traffic->evictions,
        [FT_HIERARCHY_INVALIDATIONS] = traffic->invalidations,
        [FT_HIERARCHY_PREFETCHES] = traffic->prefetches,
        [FT_HIERARCHY_USEFUL_PREFETCHES] = traffic->useful_prefetches};
    return (double)counts[event];
}

void ft_hierarchy_fill_row(const struct ft_hierarchy_run *run, size_t reference, double *ret_row)
{
    const struct ft_hierarchy *hierarchy = run->hierarchies[0];
    const bool is_fetch = run->kinds[reference] == FT_FETCH;
    const double count = (double)run->accesses[reference];
    ret_row[FT_HIERARCHY_BOTH] = count;
    ret_row[FT_HIERARCHY_ACCESSES] = is_fetch ? 0 : count;
    ret_row[FT_HIERARCHY_FETCHES] = is_fetch ? count : 0;
    for (size_t i = 0; i < ft_hierarchy_level_count(hierarchy); i++) {
        const struct ft_hierarchy_level *level = ft_hierarchy_level(hierarchy, i);
        double *figures = ret_row + ft_hierarchy_column(i, 0);
        figures[FT_HIERARCHY_ASKED] = (double)level->accesses[reference];
        figures[FT_HIERARCHY_MISSES] = (double)level->misses[reference];
        figures[FT_HIERARCHY_WRITTEN] = (double)level->write_backs[reference];
        for (size_t cause = 0; cause < FT_MISS_CAUSES; cause++)
            figures[FT_HIERARCHY_CAUSES + cause] =
                level->causes ? (double)level->causes[reference * FT_MISS_CAUSES + cause] : 0;
    }
}

int ft_hierarchy_rows_of(const struct ft_hierarchy_run *run, const struct ft_scopes *scopes,
                         double **ret_rows, struct ft_diag *diag)
{
    const size_t width = ft_hierarchy_width(ft_hierarchy_level_count(run->hierarchies[0]));
    double *rows = calloc(scopes->scope_count * width + 1, sizeof *rows);
    double *row = calloc(width, sizeof *row);
    for (size_t r = 0; rows && row && r < run->reference_count; r++) {
        double *sum = rows + scopes->references[r].scope * width;
        ft_hierarchy_fill_row(run, r, row);
        for (size_t column = 0; column < width; column++)
            sum[column] += row[column];
    }
    if (!rows || !row) {
        free(rows);
        free(row);
        return ft_fail_memory(diag, "a simulation");
    }
    free(row);
    *ret_rows = rows;
    return FT_OK;
}
