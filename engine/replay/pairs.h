/*
 * Who touched a block last: for each block of one size the reference of its last touch, and for
 * each pair of references (source, sink) between which blocks are reused a row of counts. The
 * kernels count touches by rows where plain replay counts them by references (kernel.h): the front
 * here, longer distances and cold touches in the stack's tally, whose references are these rows.
 *
 * ft_pairs_reserve makes room before a batch, so that kernels neither allocate nor fail.
 */
#ifndef FT_ENGINE_REPLAY_PAIRS_H
#define FT_ENGINE_REPLAY_PAIRS_H

#include "engine/replay/kernel.h"

struct ft_pair_place {
    uint32_t source; /* reference + 1; 0: a first touch */
    uint32_t sink;   /* reference */
    uint32_t row;    /* 0: the place is free */
};

struct ft_pairs {
    struct ft_zero_array owners;  /* uint32_t [block]: the reference of its last touch + 1, or 0 */
    struct ft_zero_array counts;  /* uint64_t [row * FT_FRONT_BLOCKS + distance]; row 0 unused */
    struct ft_pair_place *places; /* open addressing, linear probing */
    uint64_t place_count;         /* a power of two, more than half of them free */
    uint32_t row_count;
};

/* Room for the touches of a batch, each of which may be of a pair that is new. */
int ft_pairs_reserve(struct ft_pairs *pairs, struct ft_stack *stack, size_t touch_count,
                     struct ft_diag *diag);
/* Memory in use, at most, beside the stack's. */
uint64_t ft_pairs_bytes(const struct ft_pairs *pairs, const struct ft_stack *stack);
/* The pairs of a stack, in order, with their histograms. */
int ft_pairs_finish(const struct ft_pairs *pairs, const struct ft_stack *stack,
                    struct ft_reuse_pairs *ret_pairs, struct ft_diag *diag);
void ft_pairs_fini(struct ft_pairs *pairs);

static inline uint64_t ft_pair_hash(uint32_t source, uint32_t sink)
{
    uint64_t key = ((uint64_t)source << 32 | sink) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

/* The row of a pair, a new one where it has none yet. */
static inline uint32_t ft_pairs_row(struct ft_pairs *pairs, uint32_t source, uint32_t sink)
{
    for (uint64_t i = ft_pair_hash(source, sink);; i++) {
        struct ft_pair_place *place = &pairs->places[i & (pairs->place_count - 1)];
        if (__builtin_expect(place->source == source && place->sink == sink && place->row, 1))
            return place->row;
        if (place->row == 0) {
            *place = (struct ft_pair_place){source, sink, ++pairs->row_count};
            return place->row;
        }
    }
}

#endif
