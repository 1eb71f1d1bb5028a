/*
 * Fitting a bandwidth function (bandwidth_function.h) to measured points: genes from 0 to 1 stand
 * for its parameters in their ranges, and the fitness of genes is the sum of the absolute relative
 * errors over all points (Tikir et al., SC 2007, section 4). Points of equal hit rates are
 * evaluated once. A training is a constant: any number of threads may use it.
 */
#ifndef FT_MACHINES_BANDWIDTH_TRAINING_H
#define FT_MACHINES_BANDWIDTH_TRAINING_H

#include "formats/base/status.h"
#include "machines/bandwidth/bandwidth_points.h"

struct ft_training {
    uint32_t level_count;
    uint8_t penalty; /* enum ft_penalty */
    size_t gene_count;
    double low[FT_BANDWIDTH_PARAMETERS_MAX], high[FT_BANDWIDTH_PARAMETERS_MAX];
    double *hit_rates; /* [tuple * (level_count - 1) + cache] */
    size_t *first;     /* [tuple]: its points are measured[first[tuple] .. first[tuple + 1]) */
    double *measured;  /* GB/s */
    size_t tuple_count, point_count;
};

/* Of points whose hit rates of level_count - 1 caches are known. FT_ERROR_DATA: too few, or all of
 * the same hit rates. */
int ft_training_init(const struct ft_bandwidth_points *points, uint32_t level_count,
                     enum ft_penalty penalty, struct ft_training *ret_training,
                     struct ft_diag *diag);
void ft_training_fini(struct ft_training *training);

/* genes: [gene_count]. */
void ft_training_function(const struct ft_training *training, const double *genes,
                          struct ft_bandwidth_function *ret_function);
double ft_training_fitness(const struct ft_training *training, const double *genes);
/* (modelled - measured) / measured of point i in ret_residuals[i * step]. */
void ft_training_residuals(const struct ft_training *training, const double *genes,
                           double *ret_residuals, size_t step);

/* The mean absolute relative error below which no function of hit rates comes, because points of
 * equal hit rates have different bandwidths. */
double ft_training_error_min(const struct ft_training *training);

/* The mean of the absolute relative errors of points, and its standard deviation. */
struct ft_bandwidth_error {
    double mean, deviation;
    size_t points;
};
/* Of the points at a stride, or UINT64_MAX: of all. */
struct ft_bandwidth_error ft_bandwidth_error_of(const struct ft_bandwidth_function *function,
                                                const struct ft_bandwidth_points *points,
                                                uint64_t stride_bytes);

#endif
