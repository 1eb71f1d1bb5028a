/*
 * How the accesses of a model's groups move: how far apart they are in each of the loops around, at
 * each training size, in bytes, FT_STRIDE_MIXED where it is no number, FT_STRIDE_NONE where there
 * is no such loop; where they begin; and whether loads wait for others. Shared by a model and its
 * replicas.
 */
#ifndef FT_FORMATS_MODEL_GROUP_STRIDES_H
#define FT_FORMATS_MODEL_GROUP_STRIDES_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

#include "formats/base/status.h"
#include "formats/histograms/entry.h"
#include "formats/scopes/load_class.h"

#define FT_STRIDE_LOOPS_MAX 4U /* around a group: strides of outer ones are not kept */

struct ft_group_strides {
    int64_t *bytes; /* [group][loop, the innermost first][training size]; NULL: nothing is known */
    size_t group_count, training_count;
    uint64_t *bases;       /* [stream][training size]: the lowest address */
    uint32_t *streams;     /* [stream]: the group that it is a reference of, ascending */
    size_t stream_count;   /* 0: nothing is known */
    uint8_t *load_classes; /* [group]: enum ft_load_class of the heaviest reference; NULL: not
                              known */
};

/* All of them FT_STRIDE_NONE. */
int ft_group_strides_init(struct ft_group_strides *strides, size_t group_count,
                          size_t training_count, struct ft_diag *diag);
void ft_group_strides_fini(struct ft_group_strides *strides);

/* Of a loop around a group, at each training size; NULL where nothing is known of it. */
static inline int64_t *ft_group_stride(const struct ft_group_strides *strides, size_t group,
                                       size_t loop)
{
    return strides->bytes && group < strides->group_count
               ? strides->bytes + (group * FT_STRIDE_LOOPS_MAX + loop) * strides->training_count
               : NULL;
}

/* The first stream of a group, and how many it has. */
size_t ft_group_streams(const struct ft_group_strides *strides, size_t group, size_t *ret_count);

/* Forgets groups; the others close up. kept: [group]. */
void ft_group_strides_keep(struct ft_group_strides *strides, const bool *kept);

/* The datasets `strides`, `streams`, `bases` and `load_classes` of a model, absent if nothing is
 * known. */
int ft_group_strides_write(hid_t model, const struct ft_group_strides *strides,
                           struct ft_diag *diag);
int ft_group_strides_read(hid_t model, struct ft_group_strides *ret_strides, size_t group_count,
                          size_t training_count, struct ft_diag *diag);

#endif
