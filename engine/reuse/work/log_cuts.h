/*
 * Where a thread's log is cut into segments: between chunks, and inside long ones (loops need few
 * bytes); the part of a chunk before the cut is then read twice, which costs little compared with
 * the replay. Parts kept from an earlier replay stay as they are.
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

static inline bool ft_same_position(struct ft_log_place a, struct ft_log_place b)
{
    return a.chunk == b.chunk && a.accesses == b.accesses;
}

/* Estimated cost of replaying a log, in arbitrary units: an access in irregular code takes many
 * times as long as one in a loop, and many times the bytes. A position in the log is the work
 * before it. */
uint64_t ft_log_work(const struct ft_trace *trace, uint32_t thread, unsigned content);
/* The work between two positions. */
struct ft_work_range {
    uint64_t first, end;
};
/* The part of a range within [first, first + count), relative to first. */
struct ft_work_range ft_work_inside(struct ft_work_range range, uint64_t first, uint64_t count);
/* work * share / of, rounded down, without overflow. */
uint64_t ft_work_share(uint64_t work, uint64_t share, uint64_t of);
/* Work of all threads, for accesses only. */
uint64_t ft_trace_work(const struct ft_trace *trace);
/* Estimated number of accesses of a log between two positions. */
uint64_t ft_log_accesses_between(const struct ft_trace *trace, uint32_t thread, unsigned content,
                                 uint64_t first, uint64_t end);
/* The multiple of `length` accesses that is nearest to a position; the end for positions from
 * ft_log_work on. */
struct ft_log_place ft_log_position_near(const struct ft_trace *trace, uint32_t thread,
                                         unsigned content, uint64_t position, uint64_t length);

/* The parts of a log between two positions, in order, at least one; the caller frees them: those
 * kept (in order, and within the range), and parts of about `length` accesses between them.
 * FT_ERROR_DATA if kept pieces overlap. */
int ft_log_cut(const struct ft_trace *trace, uint32_t thread, unsigned content,
               struct ft_log_place from, struct ft_log_place to, uint64_t length,
               const struct ft_checkpoint_piece *kept, size_t kept_count,
               struct ft_log_part **ret_parts, size_t *ret_count, struct ft_diag *diag);

#endif
