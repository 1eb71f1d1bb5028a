/*
 * Which numbers get intervals, and how they are computed from a model. Rows of `width` columns;
 * column 0 of a row is the accesses that its other columns are about. `predict` and `query` each
 * describe their numbers this way, and spread.h finds the intervals for both.
 */
#ifndef FT_PREDICT_INTERVALS_SPREAD_TASK_H
#define FT_PREDICT_INTERVALS_SPREAD_TASK_H

#include <math.h>

#include "formats/model/query_point.h"
#include "machines/machine.h"
#include "predict/intervals/set_occupancy.h"

/* The smallest share of a capacity by which a working set may as well fit or not. */
#define FT_CAPACITY_SPREAD 0.05

/* What a column is: how narrow its interval may be. */
enum ft_spread_kind {
    FT_SPREAD_COUNT,    /* accesses, executions: exact where all agree */
    FT_SPREAD_TIME,     /* 2 % */
    FT_SPREAD_MISSES,   /* blocks: 2 %, and one */
    FT_SPREAD_RATIO,    /* of misses to the accesses: as these */
    FT_SPREAD_CAPACITY, /* bytes of a cache: 2 %; NAN: none is large enough */
};

/* A model, or a perturbation of it, at a point. */
struct ft_spread_view {
    const struct ft_model *model;
    struct ft_point at;
    const double *capacity_scales; /* [level of the machine]: the capacity, as if it were so many
                                      times larger; NULL: as it is */
    const double *miss_scales;     /* [scope]: what groups of it miss, as factors; or NULL */
    enum ft_set_spread set_spread; /* how blocks fall into sets */
};

/* Adds a view's numbers to rows that are all zero. */
typedef int ft_spread_compute(const struct ft_spread_view *view, const void *context, double *rows,
                              struct ft_diag *diag);

struct ft_spread_task {
    const struct ft_model *model;
    const struct ft_machine *machine;  /* whose block sizes the model has */
    const struct ft_query_point *size; /* which replicas may put at another value */
    size_t row_count, width;
    const enum ft_spread_kind *kinds; /* [width] */
    const size_t *levels; /* [width]: of the machine, whose misses a column is about or has most
                             to do with; of counts anything */
    ft_spread_compute *compute;
    const void *context;
};

/* The model's own view. */
static inline struct ft_spread_view ft_spread_view_of(const struct ft_spread_task *task)
{
    return (struct ft_spread_view){.model = task->model,
                                   .at = ft_point_at(&task->model->basis, &task->size->value)};
}

/* The resolution of a number in the row: one block, of so many accesses, or one of what it
 * counts. */
static inline double ft_spread_unit(enum ft_spread_kind kind, const double *row)
{
    return kind == FT_SPREAD_RATIO ? 1 / fmax(row[0], 1) : 1;
}

#endif
