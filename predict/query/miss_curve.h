/*
 * The misses of a program in several caches as curves over its size, sampled so closely that no
 * change above the resolution is missed: two adjacent samples are neighbouring sizes or have miss
 * ratios that agree in all caches (Zhong et al. 2007, section 4: the surface's cuts).
 *
 * Fully associative, or in sets (predict/metrics/set_chances.h). A sample holds real numbers: for
 * each cache the misses and, of them, the first touches (cold). Not thread safe; the model must
 * outlive the curve. Needs gsl_set_error_handler_off() once before if sets are asked for.
 */
#ifndef FT_PREDICT_QUERY_MISS_CURVE_H
#define FT_PREDICT_QUERY_MISS_CURVE_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"
#include "predict/metrics/set_chances.h"
#include "predict/query/size_line.h"

struct ft_miss_curve {
    struct ft_size_line line;
    const struct ft_machine *caches; /* whose levels are asked about */
    bool in_sets;                    /* else fully associative */
    bool reuse;                      /* ratios without first touches, of accesses without them */
    double resolution;               /* relative, of ratios */
    const double
        *capacity_scales;      /* [level]: as of ft_metrics (predict/metrics/metrics.h), or NULL */
    const double *miss_scales; /* [scope]: the same */
    struct ft_forecast forecast; /* scratch */
    struct ft_set_chances
        *chances; /* [level]: at the last sample's point, where in sets; scratch */
    double *rows; /* [count * width]: samples by growing size */
    size_t count, capacity, width;
};

/* What stands in a sample. */
enum { FT_SAMPLE_SIZE, FT_SAMPLE_ACCESSES, FT_SAMPLE_MISSES };

static inline const double *ft_miss_sample(const struct ft_miss_curve *curve, size_t index)
{
    return curve->rows + index * curve->width;
}

/* Every block size of the caches must be in the model. */
void ft_miss_curve_init(struct ft_miss_curve *curve, const struct ft_size_line *line,
                        const struct ft_machine *caches, double resolution);
void ft_miss_curve_fini(struct ft_miss_curve *curve);

/* Adds what a group does at the point of the last sample to another one, [width] numbers. Fails
 * only where memory runs out. */
int ft_miss_curve_add_group(struct ft_miss_curve *curve, size_t group, const struct ft_point *at,
                            double *sample, struct ft_diag *diag);
/* A sample at n: all groups. */
int ft_miss_curve_at(struct ft_miss_curve *curve, double n, double *ret_sample,
                     struct ft_diag *diag);
/* The same at any point; FT_SAMPLE_SIZE stays 0. */
int ft_miss_curve_at_point(struct ft_miss_curve *curve, const struct ft_point *at,
                           double *ret_sample, struct ft_diag *diag);
/* Samples the whole line again; rows are valid until the next call. */
int ft_miss_curve_sample(struct ft_miss_curve *curve, struct ft_diag *diag);

/* The miss ratio of a cache, as `reuse` says. */
double ft_miss_ratio(const struct ft_miss_curve *curve, const double *sample, size_t cache);
/* Without first touches or with them, whatever the curve says. */
double ft_miss_ratio_of(const double *sample, size_t cache, bool reuse);

/* Where a property changes between two sizes: narrows low and high to neighbours that differ in it;
 * at low it must be `at_low`, at high not. */
typedef bool ft_sample_property(const struct ft_miss_curve *curve, const double *sample,
                                const void *context);
int ft_miss_curve_narrow(struct ft_miss_curve *curve, ft_sample_property *property,
                         const void *context, bool at_low, double *low, double *high,
                         struct ft_diag *diag);

#endif
