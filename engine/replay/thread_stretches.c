/*
 * What is replayed first makes the stacks that the other stretches are joined to. A stretch waits
 * where too many before it are not joined yet: `window` of them are in memory at a time, one for
 * each core and a few that have finished out of turn. Of several failures the first in the log
 * counts, so that it is the same however the work was divided.
 *
 * Where one processor is at hand the log is one stretch; what was kept of it is joined, and the
 * replay goes on in the same stacks.
 *
 * After a stop, stretches end with the batch at hand. What was joined is kept as one piece, what
 * could not be joined as pieces of their own.
 */
#include "engine/replay/thread_stretches.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "engine/replay/log_cuts.h"
#include "formats/trace/trace_reader.h"

#define STRETCH_ACCESSES_MIN (UINT64_C(1) << 24) /* unless asked for */
#define STRETCHES_A_CORE     2U
#define STRETCHES_MAX        1024U
#define WINDOW_BEYOND_CORES  2U

struct piece {
    struct ft_log_place from, to;
    bool is_kept;                   /* from before */
    bool has_stretch;               /* that is not joined yet */
    bool is_done;                   /* up to `to`, which a stop may have moved */
    struct ft_thread_reader reader; /* its strides and counts are moved to the sum's */
    struct ft_stretch stretch;
    uint64_t memory_bytes;
    enum ft_replay_wish wish;
    int status;
    struct ft_diag diag;
};

struct work {
    const struct ft_thread_stretches *the;
    struct piece *pieces;
    size_t count, window;
    bool is_serial;
    struct ft_log_place from, to; /* the whole log, or a part */
    struct ft_thread_reader *sum; /* of what was joined */
    struct ft_replay *whole;      /* what was joined */
    struct ft_log_place joined_to;
    uint64_t whole_bytes;
    atomic_size_t failed; /* the first piece that did, or count */
    atomic_uint_fast64_t nanoseconds_elsewhere;
};

/* ---- where to cut ---- */

static bool is_start(struct ft_log_place place)
{
    return place.chunk == 0 && place.accesses == 0;
}

/* One end of a part. */
static struct ft_log_place place_near(const struct work *work, uint64_t position)
{
    const struct ft_thread_stretches *the = work->the;
    uint64_t length = the->options->stretch_accesses;
    return ft_log_place_near(the->trace, the->thread, the->content, position,
                             length ? length : STRETCH_ACCESSES_MIN);
}

/* All that is to be replayed. */
static void find_ends(struct work *work)
{
    const struct ft_thread_stretches *the = work->the;
    work->from = (struct ft_log_place){0};
    work->to = (struct ft_log_place){ft_trace_log_count(the->trace, the->thread), 0};
    if (the->is_part) {
        work->from = place_near(work, the->part.first);
        work->to = place_near(work, the->part.end);
    }
    work->joined_to = work->from;
}

/* Stretches of one length, as many as asked for, or two a core if they are worth it. */
static uint64_t stretch_length(const struct work *work)
{
    const struct ft_thread_stretches *the = work->the;
    const struct ft_trace_replay_options *options = the->options;
    const uint64_t all = ft_log_accesses(the->trace, the->thread, the->content);
    uint64_t accesses = the->is_part
                            ? ft_log_accesses_between(the->trace, the->thread, the->content,
                                                      the->part.first, the->part.end)
                            : all;
    uint64_t count = options->stretch_accesses
                         ? accesses / options->stretch_accesses
                         : (uint64_t)STRETCHES_A_CORE * options->stretches_at_once;
    if (options->stretch_accesses == 0 && count > accesses / STRETCH_ACCESSES_MIN)
        count = accesses / STRETCH_ACCESSES_MIN;
    if (count > STRETCHES_MAX)
        count = STRETCHES_MAX;
    return count > 1 && !work->is_serial ? (accesses + count - 1) / count : all + 1;
}

static bool is_stopped(const struct work *work)
{
    const atomic_bool *stop = work->the->options->stop;
    return stop && atomic_load(stop);
}

static void take_kept(struct piece *piece, struct ft_kept_piece *kept)
{
    piece->is_kept = piece->has_stretch = piece->is_done = true;
    piece->stretch = kept->stretch;
    piece->reader.strides = kept->strides;
    piece->reader.counts = kept->counts;
    *kept = (struct ft_kept_piece){0};
}

/* Those that have histograms. */
static uint32_t reference_count(const struct work *work)
{
    return work->the->references ? work->the->reference_count : work->sum->base.reference_count;
}

/* What is kept has to be of this trace: equal content hashes say so, but a file may lie. */
static int check_kept(const struct work *work, const struct ft_kept_piece *kept,
                      struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    if (kept->stride_count != work->sum->base.reference_count ||
        kept->stretch.reference_count != reference_count(work) ||
        kept->unit_count != ft_trace_unit_count(the->trace) ||
        kept->stretch.is_beginning != is_start(kept->from))
        return ft_fail(diag, FT_ERROR_DATA, "what was kept is of another trace");
    return FT_OK;
}

/* Makes the pieces: what is kept, and the rest in stretches. */
static int make_pieces(struct work *work, struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    struct ft_kept_piece *kept = NULL;
    struct ft_log_part *parts = NULL;
    size_t kept_count = 0, count = 0;
    int status = the->options->kept
                     ? ft_kept_pieces_take(the->options->kept, &the->key, &kept, &kept_count, diag)
                     : FT_OK;
    for (size_t i = 0; !status && i < kept_count; i++)
        status = check_kept(work, &kept[i], diag);
    if (!status)
        status = ft_log_cut(the->trace, the->thread, the->content, work->from, work->to,
                            stretch_length(work), kept, kept_count, &parts, &count, diag);
    if (!status && !(work->pieces = calloc(count + 1, sizeof *work->pieces)))
        status = ft_fail_memory(diag, "stretches");
    for (size_t i = 0; !status && i < count; i++) {
        struct piece *piece = &work->pieces[work->count++];
        piece->from = parts[i].from;
        piece->to = parts[i].to;
        if (parts[i].kept == FT_NOT_KEPT)
            continue;
        assert(kept); /* a part names one of them */
        take_kept(piece, &kept[parts[i].kept]);
        if (the->listener.tell)
            the->listener.tell(the->listener.context, piece->stretch.access_count);
    }
    for (size_t i = 0; i < kept_count; i++)
        ft_kept_piece_fini(&kept[i]);
    free(kept);
    free(parts);
    return status;
}

/* ---- one stretch ---- */

static int begin_replay(struct work *work, bool is_beginning, struct ft_replay **ret_replay,
                        struct ft_diag *diag)
{
    const struct ft_trace_replay_options *options = work->the->options;
    const struct ft_thread_stretches *the = work->the;
    const struct ft_run_source *source = the->references ? the->references : &work->sum->base;
    int status = ft_replay_create(options->block_bytes, options->size_count, options->kernel,
                                  ret_replay, diag);
    if (status)
        return status;
    uint64_t parts = work->is_serial || work->count == 1 ? 1 : work->window + 1;
    ft_replay_limit(*ret_replay, options->region_shift, the->memory_most / parts);
    if (the->pairs)
        status = ft_replay_want_pairs(*ret_replay, diag);
    if (the->steps)
        ft_replay_follow_scopes(*ret_replay, the->steps);
    if (status)
        return status;
    if (!is_beginning)
        ft_replay_keep_first_touches(*ret_replay);
    return ft_replay_begin(*ret_replay, source->references, reference_count(work), diag);
}

/* Reads up to the end of the piece, or to where it can stop. */
static int read_piece(struct work *work, struct piece *piece, struct ft_replay *replay,
                      struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    struct ft_thread_reader *reader = &piece->reader;
    struct ft_run_batch batch = {.run_count = 1};
    int status = ft_thread_reader_open(reader, the->trace, the->thread, the->content, piece->from,
                                       piece->to, the->listener, diag);
    bool stopped = false;
    reader->replay = replay;
    while (!status && batch.run_count) {
        struct ft_log_place place;
        status = reader->base.next(&reader->base, &batch, diag);
        if (!status && batch.run_count && !stopped && is_stopped(work) &&
            ft_trace_runs_place(reader->inner, &place)) {
            ft_trace_runs_stop(reader->inner);
            if (place.chunk != piece->to.chunk || place.accesses < piece->to.accesses)
                piece->to = place; /* else it is the end: the same place by another number */
            stopped = true;
        }
    }
    reader->replay = NULL;
    ft_thread_reader_close(reader);
    if (!status)
        status = ft_replay_end(replay, diag);
    piece->is_done = status == FT_OK;
    piece->memory_bytes = ft_replay_bytes(replay);
    piece->wish = ft_replay_wish(replay);
    return status;
}

static int replay_piece(struct work *work, struct piece *piece)
{
    struct ft_replay *replay = NULL;
    struct ft_diag *diag = &piece->diag;
    if (piece->is_kept || is_stopped(work))
        return FT_OK;
    int status = begin_replay(work, false, &replay, diag);
    if (!status)
        status = read_piece(work, piece, replay, diag);
    if (!status)
        status = ft_stretch_take(replay, &piece->stretch, diag);
    piece->has_stretch = status == FT_OK;
    ft_replay_destroy(replay);
    return status;
}

static void note_whole(struct work *work, struct piece *piece)
{
    uint64_t bytes = ft_replay_bytes(work->whole);
    work->whole_bytes = bytes > work->whole_bytes ? bytes : work->whole_bytes;
    if (ft_replay_wish(work->whole) != FT_WISH_NONE)
        piece->wish = ft_replay_wish(work->whole);
}

/* The first piece of all, or in one thread any, into the stacks of the whole. */
static int replay_into_whole(struct work *work, struct piece *piece)
{
    if (piece->is_kept || is_stopped(work) || !ft_same_place(piece->from, work->joined_to))
        return FT_OK;
    int status = ft_replay_go_on(work->whole, &piece->diag);
    if (!status)
        status = read_piece(work, piece, work->whole, &piece->diag);
    note_whole(work, piece);
    return status;
}

/* Puts a piece behind those before it, if nothing is missing there. */
static int join_piece(struct work *work, struct piece *piece)
{
    const struct ft_thread_stretches *the = work->the;
    int status = FT_OK;
    if (!piece->is_done || !ft_same_place(piece->from, work->joined_to))
        return FT_OK;
    if (piece->has_stretch)
        status = ft_stretch_join(work->whole, &piece->stretch, &piece->diag);
    note_whole(work, piece);
    ft_stretch_fini(&piece->stretch);
    piece->has_stretch = false;
    if (!status)
        status = ft_thread_reader_append(work->sum, &piece->reader, ft_trace_unit_count(the->trace),
                                         &piece->diag);
    ft_thread_reader_fini(&piece->reader);
    if (!status)
        work->joined_to = piece->to;
    return status;
}

/* ---- all of them ---- */

static double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A step of a piece, unless it or one before it has failed. */
static void take_step(struct work *work, size_t index, int (*step)(struct work *, struct piece *))
{
    struct piece *piece = &work->pieces[index];
    double start = thread_seconds();
    size_t failed = atomic_load(&work->failed);
    if (failed <= index)
        return;
    piece->status = step(work, piece);
    if (piece->status)
        while (index < failed && !atomic_compare_exchange_weak(&work->failed, &failed, index))
            ;
    if (omp_get_thread_num() != work->the->home_thread)
        atomic_fetch_add(&work->nanoseconds_elsewhere,
                         (uint64_t)(1e9 * (thread_seconds() - start)));
}

/* A piece is joined behind the one before it; a slot serves a piece until that is joined. */
static void take_steps(struct work *work, char *slots)
{
    char joined = 0;
    (void)joined; /* named by the tasks only */
    for (size_t i = 0; i < work->count; i++) {
        char *slot = &slots[i % work->window];
        (void)slot;
#pragma omp task depend(inout : slot[0]) firstprivate(work, i)
        take_step(work, i, i ? replay_piece : replay_into_whole);
#pragma omp task depend(inout : slot[0]) depend(inout : joined) firstprivate(work, i)
        take_step(work, i, join_piece);
    }
#pragma omp taskwait
}

static int run(struct work *work, struct ft_diag *diag)
{
    char *slots = calloc(work->window, 1);
    if (!slots)
        return ft_fail_memory(diag, "stretches");
    if (work->is_serial || work->count == 1)
        for (size_t i = 0; i < work->count; i++) {
            take_step(work, i, replay_into_whole);
            take_step(work, i, join_piece);
        }
    else
        take_steps(work, slots);
    free(slots);
    size_t failed = atomic_load(&work->failed);
    if (failed < work->count) {
        *diag = work->pieces[failed].diag;
        return work->pieces[failed].status;
    }
    return FT_OK;
}

/* ---- what is kept ---- */

static int keep(struct work *work, struct ft_log_place from, struct ft_log_place to,
                struct ft_stretch *stretch, struct ft_thread_reader *reader, struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    struct ft_kept_piece piece = {
        .key = the->key,
        .from = from,
        .to = to,
        .stretch = *stretch,
        .strides = reader->strides,
        .stride_count = work->sum->base.reference_count,
        .counts = reader->counts,
        .unit_count = ft_trace_unit_count(the->trace),
    };
    *stretch = (struct ft_stretch){0};
    reader->strides = NULL;
    reader->counts = (struct ft_execution_counts){0};
    return ft_kept_pieces_put(the->options->kept, &piece, diag);
}

/* Copies what the end still needs. */
static int copy_sum(const struct work *work, struct ft_thread_reader *ret_copy,
                    struct ft_diag *diag)
{
    const size_t strides = work->sum->base.reference_count;
    struct ft_thread_reader copy = {
        .strides = malloc((strides + 1) * sizeof *copy.strides),
        .counts = {.first = work->sum->counts.first,
                   .last = work->sum->counts.last,
                   .first_is_loop = work->sum->counts.first_is_loop,
                   .last_is_known = work->sum->counts.last_is_known},
    };
    int status = copy.strides ? ft_execution_counts_add(&copy.counts, &work->sum->counts,
                                                        ft_trace_unit_count(work->the->trace), diag)
                              : ft_fail_memory(diag, "strides");
    if (status) {
        ft_thread_reader_fini(&copy);
        return status;
    }
    for (size_t i = 0; i < strides; i++)
        copy.strides[i] = work->sum->strides[i];
    *ret_copy = copy;
    return FT_OK;
}

/* Keeps what was joined, and what lies behind it with gaps between. */
static int keep_all(struct work *work, struct ft_diag *diag)
{
    struct ft_stretch stretch = {0};
    struct ft_thread_reader copy = {0};
    int status = FT_OK;
    if (!ft_same_place(work->joined_to, work->from)) {
        status = copy_sum(work, &copy, diag);
        if (!status)
            status = ft_stretch_take(work->whole, &stretch, diag);
        if (!status)
            status = keep(work, work->from, work->joined_to, &stretch, &copy, diag);
        ft_thread_reader_fini(&copy);
    }
    for (size_t i = 0; !status && i < work->count; i++) {
        struct piece *piece = &work->pieces[i];
        if (piece->has_stretch && !ft_same_place(piece->from, piece->to))
            status = keep(work, piece->from, piece->to, &piece->stretch, &piece->reader, diag);
    }
    return status;
}

static void report(const struct work *work, struct ft_thread_stretches_report *ret_report)
{
    uint64_t largest = 0, sum = 0;
    struct ft_thread_stretches_report report = {
        .seconds_elsewhere = 1e-9 * (double)atomic_load(&work->nanoseconds_elsewhere)};
    for (size_t i = 0; i < work->count; i++) {
        const struct piece *piece = &work->pieces[i];
        if (i > 0 && !work->is_serial) {
            sum += piece->memory_bytes;
            largest = piece->memory_bytes > largest ? piece->memory_bytes : largest;
        }
        if (report.wish == FT_WISH_NONE || piece->wish == FT_WISH_SMALLER_REGIONS)
            report.wish = piece->wish;
    }
    largest *= work->window;
    report.memory_bytes = work->whole_bytes + (largest < sum ? largest : sum);
    *ret_report = report;
}

/* Its reader gives the references alone; strides and counts are added. */
static int open_sum(struct work *work, struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    const struct ft_log_place start = {0};
    int status = ft_thread_reader_open(work->sum, the->trace, the->thread, the->content, start,
                                       start, the->listener, diag);
    work->sum->counts.last_is_known = is_start(work->from); /* nothing is before it */
    return status;
}

/* The histograms, where all of the log was joined. What was replayed is kept for other processes,
 * and where there may be a stop. */
static int finish(struct work *work, struct ft_histograms *histograms, bool *ret_stopped,
                  struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    int status = FT_OK;
    if (!ft_same_place(work->joined_to, work->to))
        *ret_stopped = true;
    else if (!the->is_part)
        status = ft_replay_finish(work->whole, histograms, diag);
    if (!status && the->options->kept && (the->is_part || the->options->stop))
        status = keep_all(work, diag);
    if (!status && *ret_stopped)
        status = ft_fail(diag, FT_ERROR_FAILURE, "it was stopped");
    return status;
}

int ft_thread_stretches_replay(const struct ft_thread_stretches *stretches,
                               struct ft_thread_reader *reader, struct ft_histograms *histograms,
                               struct ft_thread_stretches_report *ret_report, struct ft_diag *diag)
{
    const struct ft_trace_replay_options *options = stretches->options;
    struct work work = {
        .the = stretches,
        .window = options->stretches_at_once + WINDOW_BEYOND_CORES,
        .is_serial =
            stretches->pairs || (options->stretches_at_once == 1 && options->stretch_accesses == 0),
        .sum = reader,
    };
    *ret_report = (struct ft_thread_stretches_report){0};
    find_ends(&work);
    if (stretches->is_part && ft_same_place(work.from, work.to))
        return FT_OK;
    int status = open_sum(&work, diag);
    if (!status)
        status = make_pieces(&work, diag);
    if (!status)
        status = begin_replay(&work, is_start(work.from), &work.whole, diag);
    atomic_init(&work.failed, work.count);
    atomic_init(&work.nanoseconds_elsewhere, 0);
    if (!status)
        status = run(&work, diag);
    report(&work, ret_report);
    if (!status)
        status = finish(&work, histograms, &ret_report->is_stopped, diag);
    ft_replay_destroy(work.whole);
    for (size_t i = 0; i < work.count; i++) {
        ft_thread_reader_fini(&work.pieces[i].reader);
        ft_stretch_fini(&work.pieces[i].stretch);
    }
    free(work.pieces);
    return status;
}
