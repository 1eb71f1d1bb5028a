/*
 * Where a thread's log is cut into segments: at its chunks, and inside of those that are long
 * (loops need few bytes); then the part of the chunk before the cut is read again, which costs
 * little beside the replay. Parts that are kept from an earlier replay stay as they are.
 */
#ifndef FT_ENGINE_REUSE_WORK_LOG_CUTS_H
#define FT_ENGINE_REUSE_WORK_LOG_CUTS_H

#include "engine/reuse/checkpoint/pieces.h"

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

/* How long the replay of a log takes, about, in a unit of its own: irregular code takes many times
 * as long for an access as a loop does, and many times the bytes. A position in the log is the work
 * before it. */
uint64_t ft_log_work(const struct ft_trace *trace, uint32_t thread, unsigned content);
/* What lies between two positions. */
struct ft_work_range {
    uint64_t first, end;
};
/* The part of a range that lies in `count` units from `first`, counted from there. */
struct ft_work_range ft_work_inside(struct ft_work_range range, uint64_t first, uint64_t count);
/* work * share / of, rounded down, without overflow. */
uint64_t ft_work_share(uint64_t work, uint64_t share, uint64_t of);
/* Of all threads, accesses alone. */
uint64_t ft_trace_work(const struct ft_trace *trace);
/* What lies between two positions, as accesses of a log, about. */
uint64_t ft_log_accesses_between(const struct ft_trace *trace, uint32_t thread, unsigned content,
                                 uint64_t first, uint64_t end);
/* The multiple of `length` accesses that is next to a position; from ft_log_work on the end. */
struct ft_log_place ft_log_place_near(const struct ft_trace *trace, uint32_t thread,
                                      unsigned content, uint64_t position, uint64_t length);

/* The parts of a log between two places in order, at least one, to be freed: those kept (in order,
 * and none of them lies elsewhere), the rest in parts of about `length` accesses. FT_ERROR_DATA
 * where what is kept does not lie side by side in the log. */
int ft_log_cut(const struct ft_trace *trace, uint32_t thread, unsigned content,
               struct ft_log_place from, struct ft_log_place to, uint64_t length,
               const struct ft_checkpoint_piece *kept, size_t kept_count,
               struct ft_log_part **ret_parts, size_t *ret_count, struct ft_diag *diag);

#endif
