/*
 * Which groups a model knows poorly at a size, and which further training size would help most,
 * from its replicas (docs/fit.md, "How sure a model is"). Misses are summed over fully associative
 * caches of 0, 1, 2, 4 ... blocks (tail_curve.h).
 */
#ifndef FT_FIT_COMMANDS_ADVICE_H
#define FT_FIT_COMMANDS_ADVICE_H

#include <stdio.h>

#include "formats/model/model.h"

#define FT_ADVICE_SIZES_MAX 12U

struct ft_advice_group {
    size_t group, block_size;
    double misses;    /* of the group, at the target */
    double deviation; /* of that: one standard deviation, by the jackknife */
    double share;     /* of all deviations */
};

struct ft_advice_size {
    double n;
    double accesses; /* there, relative to those at the largest training size */
    double left;     /* of all deviations, if this size were trained with as well */
};

struct ft_advice {
    double target;
    double reach;  /* target / largest training size */
    double misses; /* of the program */
    double deviation;
    struct ft_advice_group *groups; /* the greatest deviation first; none of 0 */
    size_t group_count;
    struct ft_advice_size sizes[FT_ADVICE_SIZES_MAX]; /* ascending */
    size_t size_count;
    size_t best; /* of them; size_count where none helps */
};

/* FT_ERROR_USAGE where the model has fewer than two replicas. */
int ft_advise(const struct ft_model *model, double target, struct ft_advice *ret_advice,
              struct ft_diag *diag);
void ft_advice_fini(struct ft_advice *advice);
int ft_advice_print(const struct ft_advice *advice, const struct ft_model *model, size_t group_max,
                    FILE *stream, struct ft_diag *diag);

#endif
