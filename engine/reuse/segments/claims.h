/*
 * Who replays which pieces of a log: each thread begins where it finds the most left, and goes on
 * from piece to piece until it meets one that another has begun at, so that there are no more
 * segments than threads, and a few more where one is faster than another.
 *
 * Where segments have a length (--segment) each piece is one. Thread safe.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_CLAIMS_H
#define FT_ENGINE_REUSE_SEGMENTS_CLAIMS_H

#include "engine/reuse/segments/pieces.h"

/* The piece that another segment begins with, the round's first one before all others: what lies
 * before it is joined, and nothing can be joined without it. False where nothing is left that is
 * worth it, or as many segments were begun in this round as memory has room for. */
bool ft_segment_claim_start(struct ft_segment_work *work, size_t *ret_index);
/* Whether the segment that begins with `first` goes on behind piece `last`: then the piece after it
 * is its as well. */
bool ft_segment_claim_next(struct ft_segment_work *work, size_t first, size_t last);
/* The segment has ended behind piece `last`, without another question. */
void ft_segment_claim_end(struct ft_segment_work *work, size_t last);

#endif
