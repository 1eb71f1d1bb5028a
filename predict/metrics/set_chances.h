/*
 * How likely a touch misses in the sets of a cache, by its distance: as sampled distances within
 * sets say (formats/histograms/set_distances.h; docs/predict.md, "Sets as sampled"), those of the
 * training sizes of a model or those of one trace; without samples as if blocks fell into sets at
 * random (miss_probability.h).
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_SET_CHANCES_H
#define FT_PREDICT_METRICS_SET_CHANCES_H

#include "fit/evaluate/evaluate.h"
#include "formats/histograms/entry.h"
#include "machines/machine.h"
#include "predict/intervals/set_occupancy.h"

/* Of one training size. */
struct ft_set_sample {
    double blocks;   /* its footprint */
    double set_bits; /* log2 of the sets that are as many, relative to the footprint, as the cache's
                        are at the point */
    double shares[FT_SET_BITS_MAX + 1][FT_SET_STEPS]; /* of touches that miss, by set bits and step;
                                                         NAN where none were sampled */
};

struct ft_set_chances {
    double blocks, sets, ways;
    double set_bits;               /* log2 of the sets */
    struct ft_set_sample *samples; /* [sample_count], by ascending footprint */
    size_t sample_count;
};

/* Of a cache of that many blocks, a multiple of ways, into whose sets they fall at random, as if it
 * were `scale` times as large: in its sets, or in its ways if there is one set. Owns nothing. */
struct ft_set_chances ft_random_chances(uint64_t blocks, uint64_t ways, double scale);

/* Of a level, likewise `scale` times as large, at a point of a model; or as the sets were in the
 * trace of histograms. To be given to ft_set_chances_fini, after a failure too. */
int ft_set_chances_init(struct ft_set_chances *chances, const struct ft_model *model,
                        const struct ft_level *level, double scale, const struct ft_point *at,
                        struct ft_diag *diag);
/* Another number of sets, of as many ways each, and data of that many blocks: of a point of the
 * model, which may be another one. Needs more than one set, before and now. */
void ft_set_chances_move(struct ft_set_chances *chances, double sets, double footprint_blocks);
int ft_set_chances_of_trace(struct ft_set_chances *chances, const struct ft_histograms *entry,
                            const struct ft_level *level, struct ft_diag *diag);
void ft_set_chances_fini(struct ft_set_chances *chances);

/* Of all levels of a machine, in its order; scales: of each, NULL: as they are. To be given to
 * ft_level_chances_free. */
int ft_level_chances(const struct ft_model *model, const struct ft_machine *machine,
                     const double *scales, const struct ft_point *at,
                     struct ft_set_chances **ret_chances, struct ft_diag *diag);
/* NULL is allowed. */
void ft_level_chances_free(struct ft_set_chances *chances, size_t level_count);

/* Between 0 and 1. At best and at worst: as of the large training sizes the one says at which sets
 * conflict least or most; without samples they do not differ. */
double ft_set_chance(const struct ft_set_chances *chances, double distance_blocks,
                     enum ft_set_spread spread);

#endif
