/*
 * Pairs of a reference and an object that it touches, numbered in the order of first appearance.
 */
#ifndef FT_ENGINE_DATA_PAIR_TABLE_H
#define FT_ENGINE_DATA_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/hash_table.h"
#include "formats/base/status.h"

enum ft_stride_kind { FT_PAIR_STRIDE_NONE, FT_PAIR_STRIDE_ONE, FT_PAIR_STRIDE_SEVERAL };

struct ft_data_pair {
    uint32_t reference, object;
    uint64_t accesses;
    int64_t stride;      /* of all runs of more than one iteration; valid with FT_PAIR_STRIDE_ONE */
    uint8_t stride_kind; /* enum ft_stride_kind */
};

struct ft_pair_table {
    struct ft_data_pair *pairs;
    size_t count, capacity;
    struct ft_hash_table numbers; /* of pairs */
};

void ft_pair_table_fini(struct ft_pair_table *table);
/* Finds a pair or adds it. */
int ft_pair_table_find(struct ft_pair_table *table, uint32_t reference, uint32_t object,
                       uint32_t *ret_pair, struct ft_diag *diag);

#endif
