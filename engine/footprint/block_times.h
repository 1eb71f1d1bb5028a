/*
 * When each block of one size was last touched. Blocks are numbered in groups of 512 neighbours, in
 * the order in which groups are first touched, so memory grows with what is touched (4 KiB per
 * group) wherever the addresses are. Time 0: never touched. One thread at a time.
 */
#ifndef FT_ENGINE_FOOTPRINT_BLOCK_TIMES_H
#define FT_ENGINE_FOOTPRINT_BLOCK_TIMES_H

#include "formats/base/dense_ids.h"
#include "formats/base/hash_table.h"
#include "formats/base/zero_array.h"

#define FT_GROUP_BITS    9U
#define FT_GROUP_BLOCKS  (1U << FT_GROUP_BITS)
#define FT_RECENT_GROUPS 1024U

struct ft_block_times {
    struct ft_dense_ids groups; /* by block >> FT_GROUP_BITS */
    struct ft_zero_array times; /* uint64_t [number] */
    struct {
        uint64_t group; /* UINT64_MAX: none */
        uint32_t number;
    } recent[FT_RECENT_GROUPS]; /* direct-mapped cache */
};

void ft_block_times_init(struct ft_block_times *times);
void ft_block_times_fini(struct ft_block_times *times);
uint64_t ft_block_times_bytes(const struct ft_block_times *times);

/* A group that is not in `recent`. */
int ft_block_times_add_group(struct ft_block_times *times, uint64_t group, struct ft_diag *diag);

/* The number of a block: that of its group, and its index within the group. */
static inline int ft_block_times_find(struct ft_block_times *times, uint64_t block,
                                      uint64_t *ret_number, struct ft_diag *diag)
{
    uint64_t group = block >> FT_GROUP_BITS;
    size_t slot = ft_hash_mix(group) % FT_RECENT_GROUPS;
    if (__builtin_expect(times->recent[slot].group != group, 0)) {
        int status = ft_block_times_add_group(times, group, diag);
        if (status)
            return status;
    }
    *ret_number =
        (uint64_t)times->recent[slot].number << FT_GROUP_BITS | (block & (FT_GROUP_BLOCKS - 1));
    return 0;
}

static inline uint64_t *ft_block_times_at(const struct ft_block_times *times, uint64_t number)
{
    return (uint64_t *)times->times.items + number;
}

/* One past the highest block number. */
static inline uint64_t ft_block_times_end(const struct ft_block_times *times)
{
    return (uint64_t)times->groups.count << FT_GROUP_BITS;
}

#endif
