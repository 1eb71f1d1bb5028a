/*
 * What a model says at a point about every scope on a machine: rows of figures, one row a scope,
 * the first FT_FIGURE_COUNT columns below, then for each level of the machine its misses, fully
 * associative and set-associative. Real numbers: they are forecasts. Thread safe on one model.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_FIGURES_H
#define FT_PREDICT_FIGURES_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"

enum ft_figure {
    FT_FIGURE_ACCESSES,
    FT_FIGURE_INSTRUCTIONS,
    FT_FIGURE_FLOPS,
    FT_FIGURE_SCHEDULE_CYCLES, /* lower bound; of a scope with nested ones: the sum of theirs */
    FT_FIGURE_MEMORY_CYCLES,   /* from set-associative misses */
    FT_FIGURE_CYCLES,          /* the sum of both */
    FT_FIGURE_COUNT
};

/* The columns of the misses in a level. */
static inline size_t ft_full_column(size_t level)
{
    return FT_FIGURE_COUNT + 2 * level;
}
static inline size_t ft_set_column(size_t level)
{
    return FT_FIGURE_COUNT + 2 * level + 1;
}
/* Columns of a row. */
static inline size_t ft_figures_width(const struct ft_machine *machine)
{
    return FT_FIGURE_COUNT + 2 * machine->level_count;
}

struct ft_figures {
    const struct ft_model *model; /* with the machine's block sizes */
    const struct ft_machine *machine;
    struct ft_point at;
    bool dirty_memory;
    const double *capacity_scales; /* [level]: the capacity, as if it were so many times larger;
                                      NULL: as it is */
    const double *miss_scales;     /* [scope]: what its groups miss, as a factor; NULL: as it is */
};

/* What scopes do themselves: rows[scope * width + column], all zero before. */
int ft_figures_own(const struct ft_figures *figures, double *rows, struct ft_diag *diag);
/* Adds to each scope the loops inside it (not the routines that it calls). */
void ft_figures_nest(const struct ft_figures *figures, double *rows);

#endif
