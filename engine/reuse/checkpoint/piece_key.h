/*
 * Identifies what a checkpoint holds a piece of: which log, and how it was replayed.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_PIECE_KEY_H
#define FT_ENGINE_REUSE_CHECKPOINT_PIECE_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct ft_piece_key {
    uint32_t trace, layout; /* index of the trace in the command, of the stack in its layouts */
    uint32_t first_size;    /* of the pass, among all block sizes */
    uint32_t size_count;
    uint32_t region_shift;
    uint32_t is_alone; /* memory allows one segment at a time */
};

/* Whether all members but is_alone are equal. */
static inline bool ft_piece_keys_agree(const struct ft_piece_key *a, const struct ft_piece_key *b)
{
    return a->trace == b->trace && a->layout == b->layout && a->first_size == b->first_size &&
           a->size_count == b->size_count && a->region_shift == b->region_shift;
}

/* Whether it belongs to a pass over these sizes of a trace. */
static inline bool ft_piece_key_is_of(const struct ft_piece_key *key, uint32_t trace,
                                      uint32_t first_size, uint32_t size_count)
{
    return key->trace == trace && key->first_size == first_size && key->size_count == size_count;
}

#endif
