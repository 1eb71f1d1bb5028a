/*
 * Where a thread's log is cut into stretches: at its chunks, and inside of those that are long
 * (loops need few bytes); then the part of the chunk before the cut is read again, which costs
 * little beside the replay. Parts that are kept from an earlier replay stay as they are.
 */
#ifndef FT_ENGINE_REPLAY_LOG_CUTS_H
#define FT_ENGINE_REPLAY_LOG_CUTS_H

#include "engine/replay/kept_pieces.h"

struct ft_log_part {
    struct ft_log_place from, to;
    size_t kept; /* which of the kept pieces it is, or FT_NOT_KEPT */
};
#define FT_NOT_KEPT SIZE_MAX

/* Accesses, fetches or both in a thread's log. */
uint64_t ft_log_accesses(const struct ft_trace *trace, uint32_t thread, unsigned content);

static inline bool ft_same_place(struct ft_log_place a, struct ft_log_place b)
{
    return a.chunk == b.chunk && a.accesses == b.accesses;
}

/* The place of the multiple of `length` accesses that is next to `accesses`. */
struct ft_log_place ft_log_place_near(const struct ft_trace *trace, uint32_t thread,
                                      unsigned content, uint64_t accesses, uint64_t length);

/* The parts of a log between two places in order, at least one, to be freed: those kept (in order,
 * and none of them lies elsewhere), the rest in parts of about `length` accesses. FT_ERROR_DATA
 * where what is kept does not lie side by side in the log. */
int ft_log_cut(const struct ft_trace *trace, uint32_t thread, unsigned content,
               struct ft_log_place from, struct ft_log_place to, uint64_t length,
               const struct ft_kept_piece *kept, size_t kept_count, struct ft_log_part **ret_parts,
               size_t *ret_count, struct ft_diag *diag);

#endif
