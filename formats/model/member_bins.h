/*
 * The bins of a member of a modelled histogram, packed: a function has few of its basis's terms,
 * and a model of a large program has millions of functions, most of them its replicas'.
 */
#ifndef FT_FORMATS_MODEL_MEMBER_BINS_H
#define FT_FORMATS_MODEL_MEMBER_BINS_H

#include "formats/base/status.h"
#include "formats/model/basis.h"

/* A bin of a modelled histogram, given by its tail: a miss count is then one fitted function. */
struct ft_model_bin {
    struct ft_function tail;            /* touches in this bin and all farther ones, not cold */
    struct ft_function distance_blocks; /* mean distance of this bin */
};

/* One allocation, which free releases; NULL: no bins. */
struct ft_member_bins;

/* Copies bins, by ascending distance. NULL where memory runs out. */
struct ft_member_bins *ft_member_bins_of(const struct ft_model_bin *bins, size_t count);
size_t ft_member_bins_count(const struct ft_member_bins *bins);
struct ft_model_bin ft_member_bin(const struct ft_member_bins *bins, size_t bin);

/* The same to the bit as ft_function_at of a bin's functions. */
double ft_member_tail_at(const struct ft_member_bins *bins, size_t bin, const struct ft_point *at);
double ft_member_distance_at(const struct ft_member_bins *bins, size_t bin,
                             const struct ft_point *at);

#endif
