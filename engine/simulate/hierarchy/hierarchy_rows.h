/*
 * The figures of a hierarchy as rows: how often a reference ran, as an access or as a fetch, then
 * for each level what it was asked for, what it missed, what was written back of its stores, and
 * why it missed, where that was counted. Rows of scopes are sums over their references.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_ROWS_H
#define FT_ENGINE_SIMULATE_HIERARCHY_HIERARCHY_ROWS_H

#include "engine/simulate/hierarchy/hierarchy_run.h"
#include "formats/scopes/scopes.h"

/* Columns of a row; FT_HIERARCHY_FIGURES for each level from FT_HIERARCHY_LEVELS on. */
enum { FT_HIERARCHY_BOTH, FT_HIERARCHY_ACCESSES, FT_HIERARCHY_FETCHES, FT_HIERARCHY_LEVELS };
enum ft_hierarchy_figure {
    FT_HIERARCHY_ASKED,
    FT_HIERARCHY_MISSES,
    FT_HIERARCHY_WRITTEN,
    FT_HIERARCHY_CAUSES, /* a column for each enum ft_miss_cause */
    FT_HIERARCHY_FIGURES = FT_HIERARCHY_CAUSES + FT_MISS_CAUSES
};
/* "accesses", "misses", "write_backs", "cold_misses", "capacity_misses", "conflict_misses" */
extern const char *const ft_hierarchy_figure_names[FT_HIERARCHY_FIGURES];

static inline size_t ft_hierarchy_column(size_t level, enum ft_hierarchy_figure figure)
{
    return FT_HIERARCHY_LEVELS + FT_HIERARCHY_FIGURES * level + figure;
}
static inline size_t ft_hierarchy_width(size_t level_count)
{
    return FT_HIERARCHY_LEVELS + FT_HIERARCHY_FIGURES * level_count;
}

/* What happens at a level besides: of the run's first hierarchy, over all cores. */
enum ft_hierarchy_event {
    FT_HIERARCHY_EVICTIONS,
    FT_HIERARCHY_INVALIDATIONS,
    FT_HIERARCHY_PREFETCHES,
    FT_HIERARCHY_USEFUL_PREFETCHES,
    FT_HIERARCHY_EVENTS
};
/* "evictions", "invalidations", "prefetches", "useful_prefetches" */
extern const char *const ft_hierarchy_event_names[FT_HIERARCHY_EVENTS];
double ft_hierarchy_events(const struct ft_hierarchy_run *run, size_t level,
                           enum ft_hierarchy_event event);

/* Of a reference in the run's first hierarchy. */
void ft_hierarchy_fill_row(const struct ft_hierarchy_run *run, size_t reference, double *ret_row);
/* ret_rows: [scope * width + column], exclusive; scopes are those of the run's references. */
int ft_hierarchy_rows_of(const struct ft_hierarchy_run *run, const struct ft_scopes *scopes,
                         double **ret_rows, struct ft_diag *diag);

#endif
