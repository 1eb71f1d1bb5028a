/*
 * Finds where the items of loops repeat what stood in the log before: a matrix that is multiplied
 * by again, a list that is walked again.
 *
 * The history has the raw bytes of all items of iterations of a chunk. One finder belongs to one
 * encoder.
 */
#ifndef FT_FORMATS_CODEC_SPAN_FINDER_H
#define FT_FORMATS_CODEC_SPAN_FINDER_H

#include "formats/base/bytes.h"

struct ft_span_finder {
    struct ft_bytes history; /* with room to read behind its end */
    uint32_t *places;        /* in the history, by the hash of what stands before them */
    size_t distance;         /* of the repetition that was found last; 0: none yet */
};

bool ft_span_finder_init(struct ft_span_finder *finder);
void ft_span_finder_fini(struct ft_span_finder *finder);
/* Forgets everything: the start of a chunk. */
void ft_span_finder_reset(struct ft_span_finder *finder);
/* Puts bytes behind the history; false without memory. */
bool ft_span_finder_append(struct ft_span_finder *finder, const uint8_t *bytes, size_t count);
/* How many bytes of [at, end) of the history are those `distance` before. */
size_t ft_span_finder_repeats(const struct ft_span_finder *finder, size_t at, size_t end,
                              size_t distance);
/* The first item in [at, limit) from which on it pays to repeat, whose distance it sets; `limit`
 * where there is none. The record's items end at `end`, all have item_bytes. */
size_t ft_span_finder_find(struct ft_span_finder *finder, size_t at, size_t limit, size_t end,
                           size_t item_bytes);

#endif
