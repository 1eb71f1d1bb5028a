/*
 * One loop may go through the points of a grid, such as the rows of a matrix: those at the ends of
 * a line do other things than those within, which are a run as long as the line. Where runs are
 * short they are taken apart for a cycle (engine/skeleton/cycles.h), as those are that loops over
 * vectors leave. What tells one from the other is how many iterations recur: these depend on the
 * size in a grid, and on the elements of a vector otherwise.
 */
#ifndef FT_FIT_SKELETONS_COMMON_RUNS_H
#define FT_FIT_SKELETONS_COMMON_RUNS_H

#include "fit/skeletons/loop_contexts.h"
#include "formats/skeleton/nest.h"

/* Adds the loops whose runs are to be kept at all sizes: of those in which iterations with runs
 * among them recur at two sizes or more, no number of these at all such sizes. nests: [size], with
 * the ids of the largest. */
int ft_common_runs_add(struct ft_loop_contexts *loops, const struct ft_nest *nests,
                       size_t size_count, struct ft_diag *diag);

#endif
