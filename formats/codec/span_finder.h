/*
 * Finds where the items of loops repeat earlier ones: a matrix is multiplied by again, a list is
 * walked again. The search is that of an LZ77 matcher over the raw bytes of the chunk's items, the
 * history. One finder belongs to one encoder.
 */
#ifndef FT_FORMATS_CODEC_SPAN_FINDER_H
#define FT_FORMATS_CODEC_SPAN_FINDER_H

#include "formats/base/bytes.h"

struct ft_span_finder {
    struct ft_bytes history; /* with room to read past its end */
    uint32_t *positions;     /* in the history, by the hash of the bytes before them */
    size_t distance;         /* of the repetition found last; 0: none yet */
};

bool ft_span_finder_init(struct ft_span_finder *finder);
void ft_span_finder_fini(struct ft_span_finder *finder);
/* Forgets everything: the start of a chunk. */
void ft_span_finder_reset(struct ft_span_finder *finder);
/* Appends bytes to the history; false when out of memory. */
bool ft_span_finder_append(struct ft_span_finder *finder, const uint8_t *bytes, size_t count);
/* How many bytes of the history from `at` on, up to `end`, equal those `distance` before. */
size_t ft_span_finder_repeats(const struct ft_span_finder *finder, size_t at, size_t end,
                              size_t distance);
/* The first item in [at, limit) that starts a repetition worth coding, whose distance it sets;
 * `limit` if there is none. The record's items end at `end`, all have item_bytes. */
size_t ft_span_finder_find(struct ft_span_finder *finder, size_t at, size_t limit, size_t end,
                           size_t item_bytes);

#endif
