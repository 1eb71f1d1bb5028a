/*
 * What a run costs at any size, from trials at small ones. Accesses, records of the log and
 * footprints are functions of the size, fitted as those of a model are; bytes and CPU time are sums
 * of a start, an amount per record and an amount per access (least squares of relative errors,
 * nothing below 0).
 *
 * Needs gsl_set_error_handler_off() once before. Plain values; ft_run_cost_at is thread safe.
 */
#ifndef FT_PREDICT_PLAN_RUN_COST_H
#define FT_PREDICT_PLAN_RUN_COST_H

#include "formats/model/basis.h"
#include "predict/plan/trials.h"

#define FT_SHARES 3U /* of a cost: the start, a record, an access */

struct ft_run_costs {
    struct ft_basis basis;
    struct ft_function accesses, records;
    struct ft_function blocks[FT_TRIAL_BLOCKS_MAX]; /* distinct ones of each block size */
    uint64_t block_bytes[FT_TRIAL_BLOCKS_MAX];      /* ascending */
    size_t size_count;
    double trace_bytes[FT_SHARES];
    double capture_seconds[FT_SHARES], replay_seconds[FT_SHARES], check_seconds[FT_SHARES];
    double residual; /* the largest relative error of the accesses at the trials that they are
                        fitted to */
};

struct ft_run_cost {
    double accesses, trace_bytes, capture_seconds, replay_seconds;
    double check_seconds; /* of the simulation that `predict --check` compares with */
};

/* block_bytes: those that the trials were replayed with. At least three trials. */
int ft_run_costs_fit(const struct ft_trials *trials, const char *parameter,
                     const uint64_t *block_bytes, size_t size_count, struct ft_run_costs *ret_costs,
                     struct ft_diag *diag);

struct ft_run_cost ft_run_cost_at(const struct ft_run_costs *costs, double n);
void ft_run_cost_add(struct ft_run_cost *sum, const struct ft_run_cost *cost);
/* Bytes in the distinct blocks of the smallest size that come with the size: not there at 0. */
double ft_run_growing_bytes(const struct ft_run_costs *costs, double n);

#endif
