/*
 * The surface of miss ratios over size and capacity, cut at one size: histograms of the whole
 * program for all block sizes, and what they say of capacities. Capacities on the surface are
 * powers of two from FT_CAPACITY_MIN on. Not thread safe; the model must outlive a cut.
 */
#ifndef FT_PREDICT_QUERY_SURFACE_H
#define FT_PREDICT_QUERY_SURFACE_H

#include "predict/query/size_line.h"
#include "predict/query/whole_histogram.h"

#define FT_CAPACITY_MIN 1024.0 /* bytes */

struct ft_surface_cut {
    struct ft_size_line line;
    double n;
    struct ft_whole_histogram *wholes; /* [size_count of the model] */
};

int ft_surface_cut_init(struct ft_surface_cut *cut, const struct ft_size_line *line,
                        struct ft_diag *diag);
int ft_surface_cut_at(struct ft_surface_cut *cut, double n, struct ft_diag *diag);
void ft_surface_cut_fini(struct ft_surface_cut *cut);

/* Misses per access in a fully associative cache; reuse: both without first touches. */
double ft_surface_ratio(const struct ft_surface_cut *cut, size_t block_size, double bytes,
                        bool reuse);
/* The smallest cache that misses at most that share; false if first touches alone are more. */
bool ft_surface_min_cache(const struct ft_surface_cut *cut, size_t block_size, double miss_ratio,
                          bool reuse, double *ret_bytes);

/* The index-th capacity; how many there are up to the first that holds all data at n. */
double ft_surface_capacity(size_t index);
size_t ft_surface_capacities(const struct ft_model *model, double n);

#endif
