/*
 * A round: each thread replays segments of the remaining pieces (claims.h); the first segment makes
 * the stacks, or continues in them, and the others are then joined to it. There are several rounds
 * if there are more segments than `window`, which are in memory at a time: one per core and a few
 * for cores that finish early. Of several failures the first in the log is reported, so that it
 * does not depend on how the work was divided.
 *
 * With one thread the log is one segment; pieces kept from it are joined, and the replay continues
 * in the same stacks.
 *
 * After a stop, segments end with the current batch. What was joined is kept as one piece, the
 * others as pieces of their own.
 */
#include "engine/reuse/segments/thread_segments.h"

#include <stdlib.h>

#include "engine/reuse/segments/claims.h"
#include "formats/base/clock.h"
#include "formats/trace/trace_reader.h"

#define WINDOW_BEYOND_CORES 2U
#define LEFT_ACCESSES       (UINT64_C(1) << 21) /* when a segment looks for more: two batches */

static bool is_stopped(const struct ft_segment_work *work)
{
    const atomic_bool *stop = work->log->pass->subject->stop;
    return stop && atomic_load(stop);
}

/* ---- one segment ---- */

#define READER_BYTES (UINT64_C(12) << 20) /* its buffers */

/* Memory has to allow what a segment takes before anything is counted: buffers, and what there is
 * of each reference. */
static int check_beginning(const struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    struct ft_memory_budget *budget = work->log->budget;
    const uint64_t rows = ft_segment_work_references(work);
    const uint64_t row_bytes =
        ft_front_counter(1, 0, 0, (unsigned)work->log->pass->sizes.count) * sizeof(uint64_t) * 2;
    if (!budget->limit || ft_memory_is_enough(budget, READER_BYTES + rows * row_bytes))
        return FT_OK;
    piece->retry = FT_RETRY_FEWER_SIZES;
    return ft_fail(&piece->diag, FT_ERROR_MEMORY, "not enough memory for another segment");
}

static int begin_replay(struct ft_segment_work *work, bool is_beginning,
                        struct ft_replay **ret_replay, struct ft_diag *diag)
{
    const struct ft_replay_pass *pass = work->log->pass;
    const struct ft_stack_log *log = work->log;
    const struct ft_run_source *source = log->references ? log->references : &work->sum->base;
    int status = ft_replay_create(&pass->sizes, pass->options->kernel, ret_replay, diag);
    if (status)
        return status;
    ft_replay_limit(*ret_replay, pass->region_shift, UINT64_MAX);
    ft_replay_share_budget(*ret_replay, log->budget);
    if (log->pairs)
        status = ft_replay_want_pairs(*ret_replay, diag);
    if (log->steps)
        ft_replay_follow_scopes(*ret_replay, log->steps);
    if (status)
        return status;
    if (!is_beginning)
        ft_replay_keep_first_touches(*ret_replay);
    return ft_replay_begin(*ret_replay, source->references, ft_segment_work_references(work), diag);
}

/* Ends the segment where it stands, once it can. */
static bool stop_at_position(struct ft_segment_piece *piece)
{
    struct ft_log_place position;
    if (!ft_trace_runs_place(piece->reader.inner, &position))
        return false;
    ft_trace_runs_stop(piece->reader.inner);
    if (position.chunk != piece->to.chunk || position.accesses < piece->to.accesses)
        piece->to = position; /* else it is the end: the same place by another number */
    return true;
}

/* Takes the pieces that follow, where the end is near and they are free; whether it may find more
 * later on. */
static bool go_on(struct ft_segment_work *work, struct ft_segment_piece *piece, size_t *last)
{
    while (ft_trace_runs_left(piece->reader.inner) < LEFT_ACCESSES) {
        if (!ft_segment_claim_next(work, (size_t)(piece - work->pieces), *last))
            return false;
        ft_trace_runs_extend(piece->reader.inner, piece->to);
        ++*last;
    }
    return true;
}

/* Reads up to the end of the segment that begins with the piece, or to where it can stop. */
static int read_segment(struct ft_segment_work *work, struct ft_segment_piece *piece,
                        struct ft_replay *replay, struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    struct ft_thread_reader *reader = &piece->reader;
    struct ft_run_batch batch = {.run_count = 1};
    size_t last = (size_t)(piece - work->pieces);
    int status = ft_thread_reader_open(reader, log->trace, log->thread, log->content, piece->from,
                                       piece->to, log->listener, diag);
    bool stopped = false, goes_on = !work->is_serial;
    if (!status && log->steps)
        ft_trace_runs_skip(reader->inner, log->steps->first, log->steps->passed);
    reader->replay = replay;
    while (!status && batch.run_count) {
        status = reader->base.next(&reader->base, &batch, diag);
        if (status || batch.run_count == 0)
            break;
        if (is_stopped(work))
            stopped = stopped || stop_at_position(piece);
        else if (goes_on)
            goes_on = go_on(work, piece, &last);
    }
    if (goes_on) /* a batch may end behind the end */
        ft_segment_claim_end(work, last);
    reader->replay = NULL;
    ft_thread_reader_close(reader);
    if (!status)
        status = ft_replay_end(replay, diag);
    piece->is_done = status == FT_OK;
    if (!status)
        status = ft_replay_check_memory(replay, 0, diag);
    piece->retry = ft_replay_retry(replay);
    return status;
}

static int replay_segment(struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    struct ft_replay *replay = NULL;
    struct ft_diag *diag = &piece->diag;
    if (piece->is_kept || is_stopped(work))
        return FT_OK;
    int status = check_beginning(work, piece);
    if (!status)
        status = begin_replay(work, false, &replay, diag);
    if (!status)
        status = read_segment(work, piece, replay, diag);
    if (!status)
        status = ft_segment_take(replay, &piece->segment, diag);
    piece->has_segment = status == FT_OK;
    ft_replay_destroy(replay);
    if (!status)
        ft_segment_piece_waits(work, piece);
    return status;
}

static void note_retry(const struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    if (ft_replay_retry(work->whole) != FT_RETRY_NONE)
        piece->retry = ft_replay_retry(work->whole);
}

/* The first segment of a round, or in one thread any, into the stacks of the whole. */
static int replay_into_whole(struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    if (piece->is_kept || is_stopped(work) || !ft_same_position(piece->from, work->joined_to))
        return FT_OK;
    int status = ft_replay_go_on(work->whole, &piece->diag);
    if (!status)
        status = read_segment(work, piece, work->whole, &piece->diag);
    note_retry(work, piece);
    return status;
}

/* Puts a piece behind those before it, if nothing is missing there. */
static int join_piece(struct ft_segment_work *work, struct ft_segment_piece *piece)
{
    const struct ft_stack_log *log = work->log;
    int status = FT_OK;
    if (!piece->is_done || !ft_same_position(piece->from, work->joined_to))
        return FT_OK;
    if (piece->has_segment)
        status = ft_segment_join(work->whole, &piece->segment, &work->helper_time, &piece->diag);
    note_retry(work, piece);
    ft_segment_fini(&piece->segment);
    ft_memory_note(log->budget, &piece->memory_noted, 0);
    piece->has_segment = false;
    if (!status)
        status = ft_thread_reader_append(work->sum, &piece->reader, ft_trace_unit_count(log->trace),
                                         &piece->diag);
    ft_thread_reader_fini(&piece->reader);
    if (!status)
        work->joined_to = piece->to;
    return status;
}

/* ---- all of them ---- */

/* A step of a piece, unless it or one before it has failed. */
static void take_step(struct ft_segment_work *work, size_t index,
                      int (*step)(struct ft_segment_work *, struct ft_segment_piece *))
{
    struct ft_segment_piece *piece = &work->pieces[index];
    const uint64_t start_ns = ft_thread_cpu_ns();
    size_t failed = atomic_load(&work->failed);
    if (failed <= index)
        return;
    piece->status = step(work, piece);
    if (piece->status)
        while (index < failed && !atomic_compare_exchange_weak(&work->failed, &failed, index))
            ;
    ft_helper_time_add(&work->helper_time, start_ns);
}

/* What one thread does in a round. */
static void replay_segments(struct ft_segment_work *work)
{
    size_t index;
    while (ft_segment_claim_start(work, &index))
        take_step(work, index, index == work->round_begin ? replay_into_whole : replay_segment);
}

/* Joins all that can be, from where the round began; the next one begins behind it. */
static void join_round(struct ft_segment_work *work)
{
    size_t i = work->round_begin;
    for (; i < work->round_end; i++) {
        struct ft_segment_piece *piece = &work->pieces[i];
        if (piece->is_inside)
            continue;
        take_step(work, i, join_piece);
        if (!ft_same_position(work->joined_to, piece->to))
            break;
    }
    work->round_begin = i;
}

static void run_round(struct ft_segment_work *work)
{
    const unsigned at_once = work->log->pass->segments_at_once;
    while (work->round_begin < work->count && work->pieces[work->round_begin].is_kept) {
        work->round_end = work->round_begin + 1;
        join_round(work);
        if (work->round_begin < work->round_end)
            return;
    }
    const size_t left = work->count - work->round_begin;
    const bool takes_all = work->segments_go_on || left < work->window;
    work->round_end = work->round_begin + (takes_all ? left : work->window);
    work->begun = 0;
    for (unsigned i = 0; i < at_once; i++) {
#pragma omp task firstprivate(work)
        replay_segments(work);
    }
#pragma omp taskwait
    join_round(work);
}

/* Until nothing is left, or a round has not come any further. */
static void run_rounds(struct ft_segment_work *work)
{
    bool comes_further = true;
    for (work->round_begin = 0; comes_further && work->round_begin < work->count;) {
        const struct ft_log_place before = work->joined_to;
        run_round(work);
        comes_further = !ft_same_position(before, work->joined_to);
    }
}

static int run(struct ft_segment_work *work, struct ft_diag *diag)
{
    if (work->is_serial || work->count == 1)
        for (size_t i = 0; i < work->count; i++) {
            take_step(work, i, replay_into_whole);
            take_step(work, i, join_piece);
        }
    else
        run_rounds(work);
    size_t failed = atomic_load(&work->failed);
    if (failed < work->count) {
        *diag = work->pieces[failed].diag;
        return work->pieces[failed].status;
    }
    return FT_OK;
}

static void report(const struct ft_segment_work *work, struct ft_thread_segments_report *ret_report)
{
    struct ft_thread_segments_report report = {
        .helper_cpu_seconds = 1e-9 * (double)atomic_load(&work->helper_time.nanoseconds)};
    for (size_t i = 0; i < work->count; i++) {
        const struct ft_segment_piece *piece = &work->pieces[i];
        if (report.retry == FT_RETRY_NONE || piece->retry == FT_RETRY_SMALLER_REGIONS)
            report.retry = piece->retry;
    }
    if (work->whole && report.retry == FT_RETRY_NONE)
        report.retry = ft_replay_retry(work->whole);
    *ret_report = report;
}

/* Its reader gives the references alone; strides and counts are added. */
static int open_sum(struct ft_segment_work *work, struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    const struct ft_log_place start = {0};
    int status = ft_thread_reader_open(work->sum, log->trace, log->thread, log->content, start,
                                       start, log->listener, diag);
    work->sum->counts.last_is_known = ft_is_log_start(work->from); /* nothing is before it */
    return status;
}

/* The histograms, where all of the log was joined. What was replayed is kept for other processes,
 * and where there may be a stop. */
static int finish(struct ft_segment_work *work, struct ft_histograms *histograms, bool *ret_stopped,
                  struct ft_diag *diag)
{
    const struct ft_stack_log *log = work->log;
    int status = FT_OK;
    if (!ft_same_position(work->joined_to, work->to))
        *ret_stopped = true;
    else if (!log->is_part)
        status = ft_replay_finish(work->whole, histograms, diag);
    if (!status && log->pass->subject->pieces && (log->is_part || log->pass->subject->stop))
        status = ft_segment_pieces_keep(work, diag);
    if (!status && *ret_stopped)
        status = ft_fail(diag, FT_ERROR_FAILURE, "it was stopped");
    return status;
}

int ft_thread_segments_replay(const struct ft_stack_log *segments, struct ft_thread_reader *reader,
                              struct ft_histograms *histograms,
                              struct ft_thread_segments_report *ret_report, struct ft_diag *diag)
{
    const struct ft_replay_pass *pass = segments->pass;
    struct ft_segment_work work = {
        .log = segments,
        .window = pass->segments_at_once + WINDOW_BEYOND_CORES,
        .is_serial =
            segments->pairs || (pass->segments_at_once == 1 && pass->segment_accesses == 0),
        .segments_go_on = pass->segment_accesses == 0,
        .sum = reader,
        .helper_time.home_thread = segments->home_thread,
    };
    *ret_report = (struct ft_thread_segments_report){0};
    ft_segment_pieces_range(&work);
    if (segments->is_part && ft_same_position(work.from, work.to))
        return FT_OK;
    int status = open_sum(&work, diag);
    if (!status)
        status = ft_segment_pieces_make(&work, diag);
    if (!status)
        status = begin_replay(&work, ft_is_log_start(work.from), &work.whole, diag);
    atomic_init(&work.failed, work.count);
    atomic_init(&work.helper_time.nanoseconds, 0);
    if (!status)
        status = run(&work, diag);
    bool is_stopped = false;
    if (!status)
        status = finish(&work, histograms, &is_stopped, diag);
    report(&work, ret_report);
    ret_report->is_stopped = is_stopped;
    ft_replay_destroy(work.whole);
    ft_segment_pieces_fini(&work);
    return status;
}
