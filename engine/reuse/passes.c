/*
 * A pass that meets the limit, or finds memory touched sparsely, is given up; what it told of its
 * progress is taken back. Results of several passes are joined size by size: all else is the same
 * in each.
 */
#include "engine/reuse/passes.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/histograms/data_histograms.h"

#define TELLING_SHARE 0.02 /* of the accesses; the first ones tell nothing of the others */

struct passes {
    struct ft_trace *trace;
    struct ft_trace_replay_options options; /* of the next pass */
    const struct ft_trace_replay_options *all;
    atomic_uint_fast64_t told, told_kept; /* in the pass at hand; the latter from before */
    struct ft_passes_report *report;
};

static void tell(void *context, uint64_t accesses, bool is_kept)
{
    struct passes *passes = context;
    atomic_fetch_add(is_kept ? &passes->told_kept : &passes->told, accesses);
    if (passes->all->listener.tell)
        passes->all->listener.tell(passes->all->listener.context, accesses, is_kept);
}

static void take_back(struct passes *passes)
{
    const struct ft_listener *listener = &passes->all->listener;
    if (!listener->tell)
        return;
    listener->tell(listener->context, 0 - atomic_load(&passes->told), false);
    listener->tell(listener->context, 0 - atomic_load(&passes->told_kept), true);
}

static unsigned shift_of(uint64_t block_bytes)
{
    return (unsigned)__builtin_ctzll(block_bytes);
}

/* The next smaller regions: pages, then blocks of the smallest size; 0 where there are none. */
static unsigned smaller_regions(const struct passes *passes)
{
    unsigned now = passes->options.region_shift, smallest = shift_of(passes->all->block_bytes[0]);
    unsigned next = now > FT_PAGE_REGION_SHIFT && smallest < FT_PAGE_REGION_SHIFT
                        ? FT_PAGE_REGION_SHIFT
                        : smallest;
    return next < now ? next : 0;
}

/* Tells what all accesses would take if the stacks grew on as they did so far; all of the process.
 */
static int refuse(const struct passes *passes, size_t size,
                  const struct ft_trace_replay_report *pass, struct ft_diag *diag)
{
    const struct ft_process_limit *limit = passes->all->process_limit;
    const uint64_t most = limit ? limit->process_max : passes->all->memory_max;
    const uint64_t grown = pass->needed_noted;
    char allowed[FT_NUMBER_TEXT], block[FT_NUMBER_TEXT], now[FT_NUMBER_TEXT], whole[FT_NUMBER_TEXT];
    uint64_t accesses = ft_trace_metadata(passes->trace)->accesses;
    uint64_t done = atomic_load(&passes->told) + atomic_load(&passes->told_kept);
    double share = done && accesses > done ? (double)done / (double)accesses : 1;
    ft_text_bytes(allowed, (double)most);
    ft_text_bytes(block, (double)passes->all->block_bytes[size]);
    ft_text_bytes(now, (double)pass->needed_bytes);
    ft_text_bytes(whole, (double)(pass->needed_bytes - grown) + (double)grown / share);
    if (share < TELLING_SHARE)
        return ft_fail(diag, FT_ERROR_MEMORY,
                       "blocks of %s alone take %s when the first accesses are replayed, and more "
                       "in all, but --mem allows %s; give more, or larger blocks with -b",
                       block, now, allowed);
    return ft_fail(
        diag, FT_ERROR_MEMORY,
        "blocks of %s alone take %s after %.0f %% of the accesses, and probably up to %s "
        "in all, but --mem allows %s; give more, or larger blocks with -b",
        block, now, 100 * share, whole, allowed);
}

/* ---- joining ---- */

/* Both arrays have a row for each reference; the joined rows are those of `a`, then those of `b`.
 */
static void *join_rows(const void *a, size_t a_bytes, const void *b, size_t b_bytes, size_t rows)
{
    char *joined = malloc(rows * (a_bytes + b_bytes) + 1);
    for (size_t r = 0; joined && r < rows; r++) {
        memcpy(joined + r * (a_bytes + b_bytes), (const char *)a + r * a_bytes, a_bytes);
        memcpy(joined + r * (a_bytes + b_bytes) + a_bytes, (const char *)b + r * b_bytes, b_bytes);
    }
    return joined;
}

/* Replaces *a by its rows joined with those of b, which stays. */
static bool join(void *a, size_t a_count, const void *b, size_t b_count, size_t item_bytes,
                 size_t rows)
{
    void **place = a;
    void *joined = join_rows(*place, a_count * item_bytes, b, b_count * item_bytes, rows);
    if (!joined)
        return false;
    free(*place);
    *place = joined;
    return true;
}

static bool join_stack(struct ft_histogram_stack *a, size_t a_count, struct ft_histogram_stack *b,
                       size_t b_count)
{
    bool done = join(&a->distinct_blocks, a_count, b->distinct_blocks, b_count, 8, 1) &&
                join(&a->touches, a_count, b->touches, b_count, 8, 1) &&
                join(&a->histograms, a_count, b->histograms, b_count, sizeof *a->histograms,
                     a->reference_count);
    if (done) { /* the bins have moved */
        free(b->histograms);
        b->histograms = NULL;
    }
    return done;
}

/* The parts are the same in each pass. */
static bool join_data(struct ft_histograms *sum, struct ft_histograms *more)
{
    struct ft_data_histograms *a = sum->data, *b = more->data;
    if (!join(&a->histograms, sum->size_count, b->histograms, more->size_count,
              sizeof *a->histograms, a->part_count))
        return false;
    free(b->histograms); /* the bins have moved */
    b->histograms = NULL;
    return true;
}

/* Appends the sizes of `more`, which is emptied. */
static int join_sizes(struct ft_histograms *sum, struct ft_histograms *more, struct ft_diag *diag)
{
    const size_t a = sum->size_count, b = more->size_count;
    bool done = join(&sum->block_bytes, a, more->block_bytes, b, 8, 1) &&
                join(&sum->distinct_blocks, a, more->distinct_blocks, b, 8, 1) &&
                join(&sum->touches, a, more->touches, b, 8, 1) &&
                join(&sum->scope_totals, a, more->scope_totals, b, sizeof *sum->scope_totals,
                     sum->scopes.scope_count) &&
                join(&sum->histograms, a, more->histograms, b, sizeof *sum->histograms,
                     sum->reference_count);
    if (done) {
        free(more->histograms);
        more->histograms = NULL;
    }
    if (done && sum->data)
        done = join_data(sum, more);
    if (done && sum->pairs) {
        done = join(&sum->pairs, a, more->pairs, b, sizeof *sum->pairs, 1);
        if (done) {
            free(more->pairs);
            more->pairs = NULL;
        }
    }
    for (size_t i = 0; done && i < sum->stack_count; i++)
        done = join_stack(&sum->stacks[i], a, &more->stacks[i], b);
    if (done)
        sum->size_count = a + b;
    ft_histograms_fini(more);
    return done ? FT_OK : ft_fail_memory(diag, "histograms");
}

/* ---- passes ---- */

/* Segments side by side take memory each. */
static bool one_segment(struct ft_trace_replay_options *options)
{
    if (options->segments_at_once == 1 && options->segment_accesses == 0)
        return false;
    options->segments_at_once = 1;
    options->segment_accesses = 0;
    options->is_alone = true;
    return true;
}

/* Whether another attempt at the same sizes can do better. */
static bool may_retry(struct passes *passes, enum ft_replay_retry retry)
{
    unsigned smaller = smaller_regions(passes);
    if (retry == FT_RETRY_FEWER_SIZES)
        return one_segment(&passes->options);
    if (retry != FT_RETRY_SMALLER_REGIONS || smaller == 0)
        return false;
    passes->options.region_shift = smaller;
    passes->report->is_sparse = true;
    return true;
}

/* What is freed is not kept for later: it counts as long as the process holds it. */
static void give_back(struct passes *passes, struct ft_histograms *histograms)
{
    take_back(passes);
    ft_histograms_fini(histograms);
    (void)malloc_trim(0);
}

/* One pass over some sizes; once more with smaller regions, or in one segment, where that may do.
 */
static int try_pass(struct passes *passes, size_t first, size_t count,
                    struct ft_histograms *histograms, struct ft_trace_replay_report *pass,
                    struct ft_diag *diag)
{
    for (;;) {
        atomic_store(&passes->told, 0);
        atomic_store(&passes->told_kept, 0);
        passes->options.first_size = (uint32_t)first;
        passes->options.block_bytes = passes->all->block_bytes + first;
        passes->options.size_count = count;
        int status = ft_trace_replay(passes->trace, &passes->options, histograms, pass, diag);
        passes->report->helper_cpu_seconds += pass->helper_cpu_seconds;
        if (status && pass->retry != FT_RETRY_NONE && passes->options.kept)
            ft_checkpoint_pieces_drop(passes->options.kept, passes->options.trace, (uint32_t)first,
                                      (uint32_t)count);
        passes->report->is_stopped = pass->is_stopped;
        if (status == FT_OK || pass->is_stopped || !may_retry(passes, pass->retry))
            return status;
        give_back(passes, histograms);
    }
}

static int run_sizes(struct passes *passes, size_t first, size_t count,
                     struct ft_histograms *histograms, struct ft_diag *diag);

/* The smallest size by itself, then the others. */
static int split_sizes(struct passes *passes, size_t first, size_t count,
                       struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_histograms rest = {0};
    int status = run_sizes(passes, first, 1, histograms, diag);
    take_back(passes); /* each pass shows its own progress */
    if (!status)
        status = run_sizes(passes, first + 1, count - 1, &rest, diag);
    if (!status && !passes->options.is_part)
        return join_sizes(histograms, &rest, diag);
    ft_histograms_fini(&rest);
    return status;
}

/* Whether an interrupted replay found that these sizes do not fit together. It may have found
 * besides that one segment is enough, or that regions should be small. */
static bool is_given_up(struct passes *passes, size_t first, size_t count)
{
    struct ft_trace_replay_options *options = &passes->options;
    struct ft_piece_key key = {.region_shift = options->region_shift};
    bool is_split = false;
    if (!options->kept)
        return false;
    if (!ft_checkpoint_pieces_find(options->kept, options->trace, (uint32_t)first, (uint32_t)count,
                                   &key))
        is_split = count > 1 && ft_checkpoint_pieces_find(options->kept, options->trace,
                                                          (uint32_t)first, 1, &key);
    if (key.is_alone)
        one_segment(options);
    if (key.region_shift < options->region_shift) {
        options->region_shift = key.region_shift;
        passes->report->is_sparse = true;
    }
    return is_split;
}

static int run_sizes(struct passes *passes, size_t first, size_t count,
                     struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_trace_replay_report pass;
    struct ft_passes_report *report = passes->report;
    if (is_given_up(passes, first, count))
        return split_sizes(passes, first, count, histograms, diag);
    int status = try_pass(passes, first, count, histograms, &pass, diag);
    if (status == FT_OK) {
        report->pass_count++;
        if (pass.memory_bytes > report->memory_bytes)
            report->memory_bytes = pass.memory_bytes;
        return FT_OK;
    }
    if (pass.is_stopped || pass.retry != FT_RETRY_FEWER_SIZES)
        return status;
    if (count == 1)
        return refuse(passes, first, &pass, diag);
    give_back(passes, histograms);
    return split_sizes(passes, first, count, histograms, diag);
}

int ft_trace_replay_in_passes(struct ft_trace *trace, const struct ft_trace_replay_options *options,
                              struct ft_histograms *histograms, struct ft_passes_report *ret_report,
                              struct ft_diag *diag)
{
    struct ft_passes_report report = {0};
    struct passes passes = {.trace = trace, .options = *options, .all = options, .report = &report};
    passes.options.listener = (struct ft_listener){tell, &passes};
    passes.options.region_shift = FT_REGION_SHIFT;
    int status = run_sizes(&passes, 0, options->size_count, histograms, diag);
    *ret_report = report;
    return status;
}
