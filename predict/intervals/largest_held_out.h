/*
 * How far off the figures of a task (spread_task.h) are where the largest training size is forecast
 * from the others: the largest value of the first of several parameters, with all its traces. The
 * model and the replica without it are compared there, in caches that are to the data what the
 * machine's are to the data at the size asked for, and in some around them: of one alone both may
 * say the same by chance.
 */
#ifndef FT_PREDICT_INTERVALS_LARGEST_HELD_OUT_H
#define FT_PREDICT_INTERVALS_LARGEST_HELD_OUT_H

#include "predict/intervals/spread_task.h"

struct ft_held_out {
    double *squares; /* [figure]: mean square, over these caches, of the logarithm of the error;
                        NULL where all replicas have the largest size */
    double reach;    /* of the forecast, as a multiple of that to the largest size; at least 1 */
};

int ft_held_out_compute(const struct ft_spread_task *task, struct ft_held_out *ret_held_out,
                        struct ft_diag *diag);
void ft_held_out_fini(struct ft_held_out *held_out);

#endif
