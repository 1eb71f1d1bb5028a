/*
 * A copy of a model with all reuse distances as long, or as short, as its replicas allow. Misses
 * jump where a distance passes a capacity: replicas on one side of it say nothing about the other,
 * but their distances show how near it is.
 */
#ifndef FT_PREDICT_INTERVALS_DISTANCE_SPREAD_H
#define FT_PREDICT_INTERVALS_DISTANCE_SPREAD_H

#include "formats/model/model.h"

/* At the point `at` alone. Owns its groups, members and bins; the rest is the model's, which must
 * outlive it. */
struct ft_distance_spread {
    struct ft_model model;
    struct ft_model_histogram *histograms; /* [group * size_count + block size] */
    struct ft_model_member *members;       /* one each */
};

/* Distances are so many standard errors (the jackknife's, of their logarithms) longer, or below 0
 * shorter. The model has two replicas or more. */
int ft_distance_spread(const struct ft_model *model, const struct ft_point *at, double errors,
                       struct ft_distance_spread *ret_spread, struct ft_diag *diag);

void ft_distance_spread_fini(struct ft_distance_spread *spread);

#endif
