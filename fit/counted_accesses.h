/*
 * Accesses of groups at all counted sizes. A reference makes the same number of accesses whenever
 * its block runs, but for string instructions and masked lanes: where that holds at all training
 * sizes, executions at the others tell its accesses there.
 */
#ifndef FT_FIT_COUNTED_ACCESSES_H
#define FT_FIT_COUNTED_ACCESSES_H

#include "fit/counted_sizes.h"

struct ft_counted_accesses {
    double *counts; /* [group][column of the counted sizes] */
    bool *known;    /* [group]: at all of them, not at the training sizes alone */
};

/* Of the groups of `match`, over the training sizes. There must be runs without addresses. */
int ft_counted_accesses_gather(const struct ft_counted_sizes *sizes, const struct ft_match *match,
                               struct ft_counted_accesses *ret_accesses, struct ft_diag *diag);
void ft_counted_accesses_fini(struct ft_counted_accesses *accesses);

#endif
