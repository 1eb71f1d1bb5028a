/*
 * The rows of a task at the training sizes, in caches that are as large relative to the data there
 * as the machine's are to the data at the target. Accesses are those that were counted, and misses
 * are scaled with them.
 */
#ifndef FT_PREDICT_INTERVALS_SCALED_ROWS_H
#define FT_PREDICT_INTERVALS_SCALED_ROWS_H

#include "predict/intervals/row_laws.h"
#include "predict/intervals/spread_task.h"

/* The data that grow, in blocks of a level. */
struct ft_scaled_level {
    double at_sizes[FT_TRAINING_MAX], at_target;
    double error; /* logarithm of a factor that at_target is off by at most, at 95 % */
    size_t first; /* size from which on a cache scaled with them is still one */
};

struct ft_scaled_rows {
    const struct ft_spread_task *task;
    size_t size_count; /* 0: the model has none */
    double sizes[FT_TRAINING_MAX];
    struct ft_scaled_level *levels; /* [level of the machine] */
    double *rows;                   /* [(cache * size_count + size) * numbers + number] */
    double *exact; /* [size * numbers + number], then [number] at the target: exact_parts.h */
};

/* Of models over one parameter that were fitted to FT_LAW_SIZES_MIN sizes or more, for a target
 * beyond these; size_count is 0 for others. */
int ft_scaled_rows_init(struct ft_scaled_rows *rows, const struct ft_spread_task *task,
                        struct ft_law_workspace *workspace, struct ft_diag *diag);
void ft_scaled_rows_fini(struct ft_scaled_rows *rows);

/* Of all numbers, in a cache of row_laws.h. */
static inline const double *ft_scaled_rows_at(const struct ft_scaled_rows *rows, size_t cache,
                                              size_t size)
{
    const size_t numbers = rows->task->row_count * rows->task->width;
    return rows->rows + (cache * rows->size_count + size) * numbers;
}

static inline const double *ft_scaled_rows_exact(const struct ft_scaled_rows *rows, size_t size)
{
    return rows->exact + size * rows->task->row_count * rows->task->width;
}

#endif
