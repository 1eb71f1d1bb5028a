/*
 * A loop that runs again and again: behind the last iteration of a run the window takes in what
 * follows and the next run, while chains of the iterations before it still go on (docs/predict.md,
 * "Time"). Pure.
 */
#ifndef FT_PREDICT_TIME_LOOP_RUNS_H
#define FT_PREDICT_TIME_LOOP_RUNS_H

#include "engine/schedule/path_schedules.h"

struct ft_loop_runs {
    const struct ft_body_code *iteration;      /* a path around the loop, from where runs begin */
    const struct ft_body_code *between;        /* from the end of a run to the begin of the next */
    uint32_t iteration_length, between_length; /* instructions */
    double iterations;                         /* of a run */
    double mispredictions;                     /* of a run */
};

/* schedule: of the path as if a run never ended. ret_cycles: of an iteration, no more than there.
 */
int ft_loop_runs_cycles(struct ft_path_schedules *schedules, const struct ft_loop_runs *runs,
                        const struct ft_schedule *schedule, double *ret_cycles,
                        struct ft_diag *diag);

#endif
