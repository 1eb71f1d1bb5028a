/*
 * Intervals of figures that a model forecasts at a point (interval.h): whatever can be reckoned
 * from a model is reckoned from every replica of it, and otherwise: for capacities smaller and
 * larger, and from each method of the ensemble alone. One place for all that is forecast:
 * `predict` and `query` say what a figure is and how it is reckoned.
 *
 * Figures are numbers in rows of `width` columns; column 0 of a row is the accesses that its
 * others are of. Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_SPREAD_H
#define FT_PREDICT_INTERVALS_SPREAD_H

#include "formats/model/asked_size.h"
#include "machines/machine.h"
#include "predict/intervals/interval.h"

/* The least share of a capacity by which a working set may as well fit or not. */
#define FT_CAPACITY_SPREAD 0.05

/* What a column is: how narrow its interval may be. */
enum ft_spread_kind {
    FT_SPREAD_COUNT,    /* accesses, executions: exact where all agree */
    FT_SPREAD_TIME,     /* 2 % */
    FT_SPREAD_MISSES,   /* blocks: 2 %, and one */
    FT_SPREAD_RATIO,    /* of misses to the accesses: as these */
    FT_SPREAD_CAPACITY, /* bytes of a cache: 2 %; NAN: none is large enough */
};

/* A model, or a variant of it, at a point. */
struct ft_spread_view {
    const struct ft_model *model;
    struct ft_point at;
    const double *capacity_scales; /* [level of the machine]: the capacity, as if it were so many
                                      times larger; NULL: as it is */
    const double *miss_scales;     /* [scope]: what groups of it miss, as factors; or NULL */
};

/* Adds a view's figures to rows that are all zero. */
typedef int ft_spread_reckon(const struct ft_spread_view *view, const void *context, double *rows,
                             struct ft_diag *diag);

struct ft_spread_task {
    const struct ft_model *model;
    const struct ft_machine *machine; /* whose block sizes the model has */
    const struct ft_asked_size *size; /* which replicas may see elsewhere */
    size_t row_count, width;
    const enum ft_spread_kind *kinds; /* [width] */
    ft_spread_reckon *reckon;
    const void *context;
};

/* The model's own view. */
struct ft_spread_view ft_spread_view_of(const struct ft_spread_task *task);

/* What a figure of the row cannot be finer than: one block, of so many accesses, or one of what it
 * counts. */
double ft_spread_unit(enum ft_spread_kind kind, const double *row);

/* rows: of the model itself. An interval each, of which the ends are NAN where the model has no
 * replicas. */
int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_interval *ret_intervals, struct ft_diag *diag);

#endif
