/*
 * How likely a touch misses in the sets of a cache, by its distance, as the training sizes' sampled
 * distances within sets say (formats/histograms/set_distances.h; docs/predict.md, "Sets as
 * sampled"). Without samples it is the binomial count of predict/metrics/misses.h.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_SET_CHANCES_H
#define FT_PREDICT_METRICS_SET_CHANCES_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"

#define FT_SET_STEPS 128U /* of distances, as ft_set_distance_step counts them */

/* Of one training size. */
struct ft_set_sample {
    double blocks;   /* its footprint */
    double set_bits; /* log2 of the sets that are as many, relative to the footprint, as the cache's
                        are at the point */
    double shares[FT_SET_BITS_MAX + 1][FT_SET_STEPS]; /* of touches that miss, by set bits and step;
                                                         NAN where none were sampled */
};

struct ft_set_chances {
    double sets, ways;
    struct ft_set_sample *samples; /* [sample_count], of the smallest training size first */
    size_t sample_count;
};

/* Which of what the training sizes say. */
enum ft_set_chance {
    FT_SET_CHANCE_MEAN,
    FT_SET_CHANCE_LOW,
    FT_SET_CHANCE_HIGH,
};

/* Of a level whose sets are `scale` times as many, at the point. To be given to
 * ft_set_chances_fini, after a failure too. */
int ft_set_chances_init(struct ft_set_chances *chances, const struct ft_model *model,
                        const struct ft_level *level, double scale, const struct ft_point *at,
                        struct ft_diag *diag);
void ft_set_chances_fini(struct ft_set_chances *chances);

/* Of all levels of a machine, in its order; scales: of each, NULL: as they are. To be given to
 * ft_level_chances_free. */
int ft_level_chances(const struct ft_model *model, const struct ft_machine *machine,
                     const double *scales, const struct ft_point *at,
                     struct ft_set_chances **ret_chances, struct ft_diag *diag);
/* NULL is allowed. */
void ft_level_chances_free(struct ft_set_chances *chances, size_t level_count);

static inline bool ft_set_chances_are_sampled(const struct ft_set_chances *chances)
{
    return chances->sample_count > 0;
}

/* Between 0 and 1. */
double ft_set_chance(const struct ft_set_chances *chances, double distance_blocks,
                     enum ft_set_chance which);

#endif
