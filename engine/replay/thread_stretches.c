/*
 * The first stretch is replayed into the stacks that the others are joined to. A stretch waits
 * where too many before it are not joined yet: `window` of them are in memory at a time, one for
 * each core and a few that have finished out of turn. Of several failures the first in the log
 * counts, so that it is the same however the work was divided.
 *
 * A log is cut at its chunks, and inside of those that are long (loops need few bytes): then the
 * part of the chunk before the cut is read again, which costs little beside the replay.
 */
#include "engine/replay/thread_stretches.h"

#include <assert.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "engine/replay/stretch.h"
#include "formats/trace/trace_reader.h"

#define STRETCH_ACCESSES_MIN   (UINT64_C(1) << 24) /* unless asked for */
#define STRETCHES_A_CORE       2U
#define STRETCHES_MAX          1024U
#define WINDOW_BEYOND_CORES    2U
#define CUT_CHUNKS_PER_STRETCH 4U /* chunks of less than a stretch / 4 are not cut */

struct piece {
    struct ft_log_place from, to;
    struct ft_thread_reader own;     /* of all but the first */
    struct ft_thread_reader *reader; /* own, or the caller's */
    struct ft_stretch stretch;       /* of all but the first */
    uint64_t memory_bytes;
    enum ft_replay_wish wish;
    int status;
    struct ft_diag diag;
};

struct work {
    const struct ft_thread_stretches *the;
    struct piece *pieces;
    size_t count, window;
    struct ft_replay *whole;
    uint64_t whole_bytes;
    atomic_size_t failed; /* the first piece that did, or count */
    atomic_uint_fast64_t nanoseconds_elsewhere;
};

/* ---- where to cut ---- */

static uint64_t accesses_of(const struct ft_thread_stretches *the, size_t chunk)
{
    const struct ft_log_totals *totals = &ft_trace_log(the->trace, the->thread, chunk)->totals;
    return (the->content & FT_RUN_ACCESSES ? totals->accesses : 0) +
           (the->content & FT_RUN_FETCHES ? totals->instructions : 0);
}

/* Stretches of one length, as many as asked for, or two a core if they are worth it. */
static uint64_t stretch_length(const struct ft_thread_stretches *the, uint64_t accesses)
{
    const struct ft_trace_replay_options *options = the->options;
    uint64_t count = options->stretch_accesses
                         ? accesses / options->stretch_accesses
                         : (uint64_t)STRETCHES_A_CORE * options->stretches_at_once;
    if (options->stretch_accesses == 0 && count > accesses / STRETCH_ACCESSES_MIN)
        count = accesses / STRETCH_ACCESSES_MIN;
    if (count > STRETCHES_MAX)
        count = STRETCHES_MAX;
    return count > 1 ? (accesses + count - 1) / count : accesses + 1;
}

/* Cuts the log; with a single core at hand there is nothing to be won. Stretches do not have what
 * pairs of references need. */
static int cut(struct work *work, struct ft_diag *diag)
{
    const struct ft_thread_stretches *the = work->the;
    const size_t chunks = ft_trace_log_count(the->trace, the->thread);
    uint64_t all = 0, before = 0;
    for (size_t c = 0; c < chunks; c++)
        all += accesses_of(the, c);
    const bool is_whole =
        the->pairs || (the->options->stretches_at_once == 1 && the->options->stretch_accesses == 0);
    const uint64_t length = is_whole ? all + 1 : stretch_length(the, all);
    work->pieces = calloc(all / length + 2, sizeof *work->pieces);
    if (!work->pieces)
        return ft_fail_memory(diag, "stretches");
    work->count = 1;
    uint64_t due = length;
    for (size_t c = 0; c < chunks; before += accesses_of(the, c++)) {
        uint64_t here = accesses_of(the, c);
        while (due < before + here) {
            bool is_short = here < length / CUT_CHUNKS_PER_STRETCH;
            struct ft_log_place place = {is_short ? c + 1 : c, is_short ? 0 : due - before};
            if (place.chunk < chunks) {
                work->pieces[work->count - 1].to = place;
                work->pieces[work->count++].from = place;
            }
            due += length;
        }
    }
    work->pieces[work->count - 1].to = (struct ft_log_place){chunks, 0};
    return FT_OK;
}

/* ---- one stretch ---- */

static int begin_replay(struct work *work, const struct piece *piece, struct ft_replay **ret_replay,
                        struct ft_diag *diag)
{
    const struct ft_trace_replay_options *options = work->the->options;
    const struct ft_thread_stretches *the = work->the;
    const struct ft_run_source *source = the->references ? the->references : &piece->reader->base;
    uint32_t count = the->references ? the->reference_count : source->reference_count;
    int status = ft_replay_create(options->block_bytes, options->size_count, options->kernel,
                                  ret_replay, diag);
    if (status)
        return status;
    uint64_t parts = work->count > 1 ? work->window + 1 : 1;
    ft_replay_limit(*ret_replay, options->region_shift, the->memory_most / parts);
    if (the->pairs)
        status = ft_replay_want_pairs(*ret_replay, diag);
    if (the->steps)
        ft_replay_follow_scopes(*ret_replay, the->steps);
    if (status)
        return status;
    if (piece != work->pieces)
        ft_replay_keep_first_touches(*ret_replay);
    return ft_replay_begin(*ret_replay, source->references, count, diag);
}

static int read_piece(struct piece *piece, struct ft_replay *replay, struct ft_diag *diag)
{
    struct ft_thread_reader *reader = piece->reader;
    struct ft_run_batch batch = {.run_count = 1};
    int status = FT_OK;
    reader->replay = replay;
    while (!status && batch.run_count)
        status = reader->base.next(&reader->base, &batch, diag);
    reader->replay = NULL;
    return status ? status : ft_replay_end(replay, diag);
}

static int replay_piece(struct work *work, struct piece *piece)
{
    const struct ft_thread_stretches *the = work->the;
    struct ft_replay *replay = NULL;
    struct ft_diag *diag = &piece->diag;
    int status = ft_thread_reader_open(piece->reader, the->trace, the->thread, the->content,
                                       piece->from, piece->to, the->listener, diag);
    if (!status)
        status = begin_replay(work, piece, &replay, diag);
    if (!status)
        status = read_piece(piece, replay, diag);
    if (replay) {
        piece->memory_bytes = ft_replay_bytes(replay);
        piece->wish = ft_replay_wish(replay);
    }
    if (piece == work->pieces) {
        work->whole = replay;
        work->whole_bytes = piece->memory_bytes;
        return status; /* the caller closes the reader, whose references are still needed */
    }
    if (!status)
        status = ft_stretch_take(replay, &piece->stretch, diag);
    ft_replay_destroy(replay);
    ft_thread_reader_close(piece->reader);
    return status;
}

static int join_piece(struct work *work, struct piece *piece)
{
    struct ft_thread_reader *sum = work->pieces[0].reader;
    int status = ft_stretch_join(work->whole, &piece->stretch, &piece->diag);
    uint64_t bytes = ft_replay_bytes(work->whole);
    work->whole_bytes = bytes > work->whole_bytes ? bytes : work->whole_bytes;
    if (status)
        piece->wish = ft_replay_wish(work->whole);
    ft_stretch_fini(&piece->stretch);
    if (!status)
        status = ft_thread_reader_append(sum, &piece->own, ft_trace_unit_count(work->the->trace),
                                         &piece->diag);
    ft_thread_reader_fini(&piece->own);
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
        take_step(work, i, replay_piece);
#pragma omp task depend(inout : slot[0]) depend(inout : joined) firstprivate(work, i)
        if (i > 0)
            take_step(work, i, join_piece);
    }
#pragma omp taskwait
}

static int run(struct work *work, struct ft_diag *diag)
{
    char *slots = calloc(work->window, 1);
    if (!slots)
        return ft_fail_memory(diag, "stretches");
    if (work->count == 1)
        take_step(work, 0, replay_piece);
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

static void report(const struct work *work, struct ft_thread_stretches_report *ret_report)
{
    uint64_t largest = 0, sum = 0;
    struct ft_thread_stretches_report report = {
        .seconds_elsewhere = 1e-9 * (double)atomic_load(&work->nanoseconds_elsewhere)};
    for (size_t i = 0; i < work->count; i++) {
        const struct piece *piece = &work->pieces[i];
        if (i > 0) {
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

int ft_thread_stretches_replay(const struct ft_thread_stretches *stretches,
                               struct ft_thread_reader *reader, struct ft_histograms *histograms,
                               struct ft_thread_stretches_report *ret_report, struct ft_diag *diag)
{
    struct work work = {.the = stretches,
                        .window = stretches->options->stretches_at_once + WINDOW_BEYOND_CORES};
    *ret_report = (struct ft_thread_stretches_report){0};
    int status = cut(&work, diag);
    if (status)
        return status;
    atomic_init(&work.failed, work.count);
    atomic_init(&work.nanoseconds_elsewhere, 0);
    for (size_t i = 0; i < work.count; i++)
        work.pieces[i].reader = i ? &work.pieces[i].own : reader;
    status = run(&work, diag);
    report(&work, ret_report);
    if (!status)
        status = ft_replay_finish(work.whole, histograms, diag);
    ft_replay_destroy(work.whole);
    for (size_t i = 1; i < work.count; i++) {
        ft_thread_reader_fini(&work.pieces[i].own);
        ft_stretch_fini(&work.pieces[i].stretch);
    }
    free(work.pieces);
    return status;
}
