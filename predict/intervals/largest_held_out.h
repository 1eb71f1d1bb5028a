/*
 * The errors of a task's numbers (spread_task.h) with the largest training size held out; of
 * several parameters, the largest value of the first, with all its traces. The model and the
 * replica without that size are compared there, in caches that are as large relative to the data as
 * the machine's are at the size in question, and in some around them: in a single cache both may
 * agree by chance.
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
