/*
 * The replay of a log of which a chunk comes again many times by one repetition or two, most of
 * which it does not read, beside that of the same log written out: the same distances, accesses,
 * strides and executions.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/work/thread_reader.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/repeated_trace.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define TIMES       1200
#define SIZES       2
#define BATCHES_MAX 10 /* of the logs before, of two passes, and of the log behind them */

struct replayed {
    struct ft_histograms histograms;
    struct ft_thread_reader reader;
    size_t batches;
};

static int replay_all(struct ft_trace *trace, struct replayed *replayed, struct ft_diag *diag)
{
    const struct ft_block_sizes sizes = {SIZES, {32, 4096}};
    const struct ft_log_place start = {0}, end = {ft_trace_log_count(trace, 0), 0};
    const struct ft_listener listener = {NULL, NULL, false};
    struct ft_thread_reader *reader = &replayed->reader;
    struct ft_run_batch batch = {.run_count = 1};
    struct ft_replay *replay = NULL;
    int status = ft_replay_create(&sizes, "c", &replay, diag);
    if (status == FT_OK)
        status =
            ft_thread_reader_open(reader, trace, 0, FT_RUN_ACCESSES, start, end, listener, diag);
    if (status == FT_OK)
        status =
            ft_replay_begin(replay, reader->base.references, reader->base.reference_count, diag);
    reader->replay = replay;
    for (; status == FT_OK && batch.run_count; replayed->batches++)
        status = reader->base.next(&reader->base, &batch, diag);
    if (status == FT_OK)
        status = ft_replay_end(replay, diag);
    if (status == FT_OK)
        status = ft_replay_finish(replay, &replayed->histograms, diag);
    reader->replay = NULL;
    ft_replay_destroy(replay);
    return status;
}

static bool same_distances(const struct ft_histograms *a, const struct ft_histograms *b)
{
    bool same = a->reference_count == b->reference_count;
    for (size_t i = 0; same && i < a->reference_count; i++)
        same = a->reference_accesses[i] == b->reference_accesses[i];
    for (size_t i = 0; same && i < SIZES; i++)
        same = a->distinct_blocks[i] == b->distinct_blocks[i] && a->touches[i] == b->touches[i];
    for (size_t i = 0; same && i < a->reference_count * SIZES; i++) {
        const struct ft_histogram *l = &a->histograms[i], *m = &b->histograms[i];
        same = l->cold == m->cold && l->bin_count == m->bin_count &&
               memcmp(l->bins, m->bins, l->bin_count * sizeof *l->bins) == 0;
    }
    return same;
}

static bool same_steps(const struct ft_thread_reader *a, const struct ft_thread_reader *b,
                       size_t references)
{
    for (size_t r = 0; r < references; r++) {
        const struct ft_reference_motion *l = &a->motions[r], *m = &b->motions[r];
        if (l->stride != m->stride || l->base != m->base || l->seen.accesses != m->seen.accesses ||
            l->seen.first != m->seen.first || l->seen.last != m->seen.last ||
            l->seen.lowest != m->seen.lowest || l->seen.first_step != m->seen.first_step ||
            l->seen.last_step != m->seen.last_step || l->seen.repeats != m->seen.repeats ||
            l->seen.repeated != m->seen.repeated)
            return false;
    }
    return a->accesses == b->accesses;
}

static bool same_executions(const struct ft_execution_counts *a,
                            const struct ft_execution_counts *b, size_t unit_count)
{
    bool same = a->edge_count == b->edge_count && a->part_count == b->part_count;
    for (size_t id = 0; same && id <= unit_count; id++)
        same = a->units[id] == b->units[id] && a->loop_entries[id] == b->loop_entries[id];
    for (size_t i = 0; same && i < a->edge_count; i++)
        same = a->edges[i].from == b->edges[i].from && a->edges[i].to == b->edges[i].to &&
               a->edges[i].count == b->edges[i].count;
    return same;
}

/* Beside the log written out. */
static void check(const struct ft_trace *small, const struct repeated_trace *repeated,
                  const char *name, const struct replayed *a, struct ft_diag *diag)
{
    struct ft_trace *trace = NULL;
    struct replayed b = {0};
    tap_ok(repeated_trace_write(small, name, repeated, diag) == FT_OK &&
               ft_trace_open(name, NULL, &trace, diag) == FT_OK &&
               replay_all(trace, &b, diag) == FT_OK,
           "%s: it is replayed (%s)", name, diag->message);
    tap_ok(b.batches <= BATCHES_MAX, "%zu batches are read of %zu", b.batches, a->batches);
    tap_ok(same_distances(&a->histograms, &b.histograms), "the distances are the same");
    tap_ok(same_steps(&a->reader, &b.reader, a->histograms.reference_count),
           "and the strides and accesses, %llu", (unsigned long long)b.reader.accesses);
    ft_thread_reader_close(&b.reader);
    tap_ok(same_executions(&a->reader.counts, &b.reader.counts, ft_trace_unit_count(trace)),
           "and the executions");
    ft_histograms_fini(&b.histograms);
    ft_thread_reader_fini(&b.reader);
    ft_trace_close(trace);
}

int main(void)
{
    const struct repeated_trace written_out = {.tail = WRITTEN_OUT, .times = TIMES};
    const struct repeated_trace once = {
        .tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES}};
    const struct repeated_trace twice = {
        .tail = REPEATED_TWICE, .times = TIMES / 2, .repeated = {1, 1, TIMES / 2}};
    struct ft_trace *small = NULL, *written = NULL;
    struct replayed a = {0};
    struct ft_diag diag = {0};
    enter_temporary_folder();
    tap_ok(small_trace("small", SMALL_GOOD, &diag) == FT_OK &&
               ft_trace_open("small", NULL, &small, &diag) == FT_OK &&
               repeated_trace_write(small, "written", &written_out, &diag) == FT_OK &&
               ft_trace_open("written", NULL, &written, &diag) == FT_OK &&
               replay_all(written, &a, &diag) == FT_OK,
           "a log that is written out is replayed (%s)", diag.message);
    ft_thread_reader_close(&a.reader);
    check(small, &once, "by a repetition", &a, &diag);
    check(small, &twice, "by two in a row", &a, &diag);
    ft_histograms_fini(&a.histograms);
    ft_thread_reader_fini(&a.reader);
    ft_trace_close(small);
    ft_trace_close(written);
    return tap_plan_done();
}
