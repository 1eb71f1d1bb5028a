/*
 * Kept pieces stay as they are, wherever they lie, and segments end where one starts: so a replay
 * can resume with a different number of threads. What is kept at the end is what was joined, as one
 * piece, and what could not be joined, as pieces of their own.
 */
#include "engine/reuse/segments/pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/reuse/work/log_cuts.h"
#include "formats/trace/trace_reader.h"

#define PIECE_ACCESSES_MIN (UINT64_C(1) << 22) /* unless asked for */
#define PIECES_A_CORE      16U
#define PIECES_MAX         1024U
#define PART_ACCESSES_MIN  (UINT64_C(1) << 21) /* parts are multiples of that */

/* ---- where to cut ---- */

/* One end of a part. */
static struct ft_log_place position_near(const struct ft_segment_work *work, uint64_t position)
{
    const struct ft_stack_log *log = work->log;
    uint64_t length = log->pass->segment_accesses;
    return ft_log_position_near(log->trace, log->thread, log->content, position,
                                length ? length : PART_ACCESSES_MIN);
}

void ft_segment_pieces_range(struct ft_segment_work *work)
{
    const struct ft_stack_log *log = work->log;
    work->from = (struct ft_log_place){0};
    work->to = (struct ft_log_place){ft_trace_log_count(log->trace, log->thread), 0};
    if (log->is_part) {
        work->from = position_near(work, log->part.first);
        work->to = position_near(work, log->part.end);
    }
    work->joined_to = work->from;
}

/* Pieces of one length, as asked for, or enough of them to share. */
static uint64_t piece_length(const struct ft_segment_work *work)
{
    const struct ft_stack_log *log = work->log;
    const struct ft_replay_pass *pass = log->pass;
    const uint64_t all = ft_log_accesses(log->trace, log->thread, log->content);
    uint64_t accesses = log->is_part
                            ? ft_log_accesses_between(log->trace, log->thread, log->content,
                                                      log->part.first, log->part.end)
                            : all;
    uint64_t count = pass->segment_accesses ? accesses / pass->segment_accesses
                                            : (uint64_t)PIECES_A_CORE * pass->segments_at_once;
    if (pass->segment_accesses == 0 && count > accesses / PIECE_ACCESSES_MIN)
        count = accesses / PIECE_ACCESSES_MIN;
    if (count > PIECES_MAX)
        count = PIECES_MAX;
    return count > 1 && !work->is_serial ? (accesses + count - 1) / count : all + 1;
}

void ft_segment_piece_waits(struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    const size_t units = ft_trace_unit_count(work->log->trace) + 1;
    const struct ft_execution_counts *counts = &piece->reader.counts;
    ft_memory_note(work->log->budget, &piece->memory_noted,
                   ft_segment_bytes(&piece->segment) +
                       work->sum->base.reference_count * sizeof *piece->reader.motions +
                       units * (sizeof *counts->units + sizeof *counts->loop_entries) +
                       counts->edge_count * sizeof *counts->edges);
}

static void take_kept(struct ft_segment_piece *piece, struct ft_checkpoint_piece *kept)
{
    piece->is_kept = piece->is_taken = piece->has_segment = piece->is_done = true;
    piece->segment = kept->segment;
    piece->reader.motions = kept->motions;
    piece->reader.counts = kept->counts;
    *kept = (struct ft_checkpoint_piece){0};
}

static bool is_whole_log(const struct ft_segment_work *work, struct ft_log_place from,
                         struct ft_log_place to)
{
    const struct ft_stack_log *log = work->log;
    const struct ft_log_place end = {ft_trace_log_count(log->trace, log->thread), 0};
    return ft_is_log_start(from) && ft_same_position(to, end);
}

/* What is kept has to be of this trace: equal content hashes say so, but a file may lie. */
static int check_kept(const struct ft_segment_work *work, const struct ft_checkpoint_piece *kept,
                      struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    if (kept->motion_count != work->sum->base.reference_count ||
        kept->segment.reference_count != ft_segment_work_references(work) ||
        kept->unit_count != ft_trace_unit_count(log->trace) ||
        kept->segment.is_beginning != ft_is_log_start(kept->from) ||
        (kept->segment.has_ended && !is_whole_log(work, kept->from, kept->to)))
        return ft_fail(diag, FT_ERROR_DATA, "the checkpoint is of another trace");
    return FT_OK;
}

int ft_segment_pieces_make(struct ft_segment_work *work, struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    struct ft_checkpoint_piece *kept = NULL;
    struct ft_log_part *parts = NULL;
    size_t kept_count = 0, count = 0;
    int status = log->pass->subject->pieces
                     ? ft_checkpoint_pieces_take(log->pass->subject->pieces, &log->key, &kept,
                                                 &kept_count, diag)
                     : FT_OK;
    for (size_t i = 0; !status && i < kept_count; i++)
        status = check_kept(work, &kept[i], diag);
    if (!status)
        status = ft_log_cut(log->trace, log->thread, log->content, work->from, work->to,
                            piece_length(work), kept, kept_count, &parts, &count, diag);
    if (!status && !(work->pieces = calloc(count + 1, sizeof *work->pieces)))
        status = ft_fail_memory(diag, "segments");
    for (size_t i = 0; !status && i < count; i++) {
        struct ft_segment_piece *piece = &work->pieces[work->count++];
        piece->from = parts[i].from;
        piece->to = parts[i].to;
        if (parts[i].kept == FT_NOT_KEPT)
            continue;
        assert(kept); /* a part names one of them */
        take_kept(piece, &kept[parts[i].kept]);
        ft_segment_piece_waits(work, piece);
        ft_listener_tell(&log->listener, piece->segment.access_count, true);
    }
    for (size_t i = 0; i < kept_count; i++)
        ft_checkpoint_piece_fini(&kept[i]);
    free(kept);
    free(parts);
    return status;
}

/* ---- what is kept ---- */

static int keep(struct ft_segment_work *work, struct ft_log_place from, struct ft_log_place to,
                struct ft_segment *segment, struct ft_thread_reader *reader, struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    struct ft_checkpoint_piece piece = {
        .key = log->key,
        .from = from,
        .to = to,
        .segment = *segment,
        .motions = reader->motions,
        .motion_count = work->sum->base.reference_count,
        .counts = reader->counts,
        .unit_count = ft_trace_unit_count(log->trace),
    };
    *segment = (struct ft_segment){0};
    reader->motions = NULL;
    reader->counts = (struct ft_execution_counts){0};
    return ft_checkpoint_pieces_put(log->pass->subject->pieces, &piece, diag);
}

int ft_segment_pieces_keep(struct ft_segment_work *work, struct ft_diag *diag)
{
    struct ft_segment segment = {0};
    struct ft_thread_reader copy = {0};
    int status = FT_OK;
    if (!ft_same_position(work->joined_to, work->from)) {
        status = ft_thread_reader_copy(work->sum, ft_trace_unit_count(work->log->trace), &copy,
                                       diag); /* the end still needs them */
        if (!status)
            status = is_whole_log(work, work->from, work->joined_to)
                         ? ft_segment_take_whole(work->whole, &segment, diag)
                         : ft_segment_take(work->whole, &segment, diag);
        if (!status)
            status = keep(work, work->from, work->joined_to, &segment, &copy, diag);
        ft_thread_reader_fini(&copy);
    }
    for (size_t i = 0; !status && i < work->count; i++) {
        struct ft_segment_piece *piece = &work->pieces[i];
        if (piece->has_segment && !ft_same_position(piece->from, piece->to))
            status = keep(work, piece->from, piece->to, &piece->segment, &piece->reader, diag);
    }
    return status;
}

void ft_segment_pieces_fini(struct ft_segment_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        ft_thread_reader_fini(&work->pieces[i].reader);
        ft_segment_fini(&work->pieces[i].segment);
        ft_memory_note(work->log->budget, &work->pieces[i].memory_noted, 0);
    }
    free(work->pieces);
}
