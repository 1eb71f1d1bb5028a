/*
 * What an interrupted replay kept something of: whose log it is, and how it was replayed.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_PIECE_KEY_H
#define FT_ENGINE_REUSE_CHECKPOINT_PIECE_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct ft_piece_key {
    uint32_t trace, plan; /* numbers in the command, of the stack in the trace */
    uint32_t first_size;  /* of the pass, among all block sizes */
    uint32_t size_count;
    uint32_t region_shift;
    uint32_t is_alone; /* memory allows one segment at a time */
};

/* Whether all but is_alone agrees. */
static inline bool ft_piece_keys_agree(const struct ft_piece_key *a, const struct ft_piece_key *b)
{
    return a->trace == b->trace && a->plan == b->plan && a->first_size == b->first_size &&
           a->size_count == b->size_count && a->region_shift == b->region_shift;
}

/* Whether it is of a pass over these sizes of a trace. */
static inline bool ft_piece_key_is_of(const struct ft_piece_key *key, uint32_t trace,
                                      uint32_t first_size, uint32_t size_count)
{
    return key->trace == trace && key->first_size == first_size && key->size_count == size_count;
}

#endif
