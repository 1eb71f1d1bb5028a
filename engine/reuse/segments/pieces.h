/*
 * The log of one stack, or a part of it, in pieces: pieces kept from an interrupted replay, and
 * segments of what lies between them. Each is replayed, or taken as kept, and then joined to those
 * before it or kept for later. Internal to thread_segments.h; until it is joined, a piece belongs
 * to its task, except for the members that claims.h manages.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_PIECES_H
#define FT_ENGINE_REUSE_SEGMENTS_PIECES_H

#include <stdatomic.h>

#include "engine/reuse/segments/stack_log.h"
#include "engine/reuse/stacks/segment.h"

struct ft_segment_piece {
    struct ft_log_place from, to;
    bool is_kept;     /* from an earlier run */
    bool is_taken;    /* it is kept, or in a segment (claims.h) */
    bool is_inside;   /* of a segment that another piece starts and holds */
    bool goes_on;     /* its segment takes the next piece too, unless another does so first */
    bool has_segment; /* not joined yet */
    bool is_done;     /* up to `to`, which a stop may have moved */
    struct ft_thread_reader reader; /* its strides and counts move to sum */
    struct ft_segment segment;
    uint64_t memory_noted; /* of a segment that waits */
    enum ft_replay_retry retry;
    int status;
    struct ft_diag diag;
};

struct ft_segment_work {
    const struct ft_stack_log *log;
    struct ft_segment_piece *pieces;
    size_t count;
    size_t window;                 /* most segments in memory at a time */
    size_t round_begin, round_end; /* pieces that are replayed before they are joined */
    size_t begun;                  /* segments of the round */
    bool is_serial;
    bool segments_go_on;          /* from piece to piece */
    struct ft_log_place from, to; /* the whole log, or a part */
    struct ft_thread_reader *sum; /* of what was joined */
    struct ft_replay *whole;      /* what was joined */
    struct ft_log_place joined_to;
    atomic_size_t failed; /* the first piece that failed, or count */
    struct ft_helper_time helper_time;
};

static inline bool ft_is_log_start(struct ft_log_place position)
{
    return position.chunk == 0 && position.accesses == 0;
}

/* References of the stack that have histograms. */
static inline uint32_t ft_segment_work_references(const struct ft_segment_work *work)
{
    return work->log->references ? work->log->reference_count : work->sum->base.reference_count;
}

/* Sets from, to and joined_to: all that is to be replayed. */
void ft_segment_pieces_range(struct ft_segment_work *work);
/* Makes the pieces: those kept, and segments between them. Needs the references of work->sum. */
int ft_segment_pieces_make(struct ft_segment_work *work, struct ft_diag *diag);
/* Accounts for the memory of a piece that waits to be joined. */
void ft_segment_piece_waits(struct ft_segment_work *work, struct ft_segment_piece *piece);
/* Keeps what was joined, which empties work->whole, and the pieces after it that are not
 * contiguous. */
int ft_segment_pieces_keep(struct ft_segment_work *work, struct ft_diag *diag);
void ft_segment_pieces_fini(struct ft_segment_work *work);

#endif
