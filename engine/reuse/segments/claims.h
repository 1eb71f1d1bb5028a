/*
 * Decides which thread replays which pieces of a log: each thread starts where the most work is
 * left, and continues from piece to piece until it meets one that another thread started with. So
 * there are about as many segments as threads, and a few more if some are faster.
 *
 * With a fixed segment length (--segment) each piece is a segment. Thread safe.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_CLAIMS_H
#define FT_ENGINE_REUSE_SEGMENTS_CLAIMS_H

#include "engine/reuse/segments/pieces.h"

/* Claims the first piece of another segment. The round's first piece goes first, since nothing can
 * be joined without it. False if no worthwhile work is left, or if memory has no room for another
 * segment in this round. */
bool ft_segment_claim_start(struct ft_segment_work *work, size_t *ret_index);
/* Whether the segment that starts with `first` continues after piece `last`; if so, it has claimed
 * the next piece. */
bool ft_segment_claim_next(struct ft_segment_work *work, size_t first, size_t last);
/* Ends a segment after piece `last`, without asking for more. */
void ft_segment_claim_end(struct ft_segment_work *work, size_t last);

#endif
