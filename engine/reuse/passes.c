/*
 * A pass that hits the limit, or finds memory touched sparsely, is abandoned; what it reported of
 * its progress is taken back. Results of several passes are joined by size: everything else is the
 * same in each.
 */
#include "engine/reuse/passes.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/histograms/append_sizes.h"

#define TELLING_SHARE 0.02 /* of the accesses; the first ones tell nothing of the others */

struct passes {
    const struct ft_trace_replay_options *options;
    const struct ft_replay_subject *subject;
    struct ft_replay_pass next;
    atomic_uint_fast64_t reported, reported_kept; /* in the pass at hand; the latter from before */
    struct ft_passes_report *report;
};

static void tell(void *context, uint64_t accesses, bool is_kept)
{
    struct passes *passes = context;
    atomic_fetch_add(is_kept ? &passes->reported_kept : &passes->reported, accesses);
    if (passes->subject->listener.tell)
        passes->subject->listener.tell(passes->subject->listener.context, accesses, is_kept);
}

static void take_back(struct passes *passes)
{
    const struct ft_listener *listener = &passes->subject->listener;
    if (!listener->tell)
        return;
    listener->tell(listener->context, 0 - atomic_load(&passes->reported), false);
    listener->tell(listener->context, 0 - atomic_load(&passes->reported_kept), true);
}

static unsigned shift_of(uint64_t block_bytes)
{
    return (unsigned)__builtin_ctzll(block_bytes);
}

/* The next smaller regions: pages, then blocks of the smallest size; 0 where there are none. */
static unsigned smaller_regions(const struct passes *passes)
{
    unsigned now = passes->next.region_shift, smallest = shift_of(passes->options->sizes.bytes[0]);
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
    const struct ft_process_limit *limit = passes->options->process_limit;
    const uint64_t limit_bytes = limit ? limit->process_max : passes->options->memory_max;
    const uint64_t grown = pass->needed_noted;
    char allowed[FT_NUMBER_TEXT], block[FT_NUMBER_TEXT], now[FT_NUMBER_TEXT], whole[FT_NUMBER_TEXT];
    uint64_t accesses = ft_trace_metadata(passes->subject->trace)->accesses;
    uint64_t done = atomic_load(&passes->reported) + atomic_load(&passes->reported_kept);
    double share = done && accesses > done ? (double)done / (double)accesses : 1;
    ft_text_bytes(allowed, (double)limit_bytes);
    ft_text_bytes(block, (double)passes->options->sizes.bytes[size]);
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

/* ---- passes ---- */

/* Segments side by side take memory each. */
static bool one_segment(struct ft_replay_pass *pass)
{
    if (pass->segments_at_once == 1 && pass->segment_accesses == 0)
        return false;
    pass->segments_at_once = 1;
    pass->segment_accesses = 0;
    pass->is_alone = true;
    return true;
}

/* Whether another attempt at the same sizes can do better. */
static bool may_retry(struct passes *passes, enum ft_replay_retry retry)
{
    unsigned smaller = smaller_regions(passes);
    if (retry == FT_RETRY_FEWER_SIZES)
        return one_segment(&passes->next);
    if (retry != FT_RETRY_SMALLER_REGIONS || smaller == 0)
        return false;
    passes->next.region_shift = smaller;
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

static void choose_sizes(struct passes *passes, size_t first, size_t count)
{
    passes->next.first_size = (uint32_t)first;
    passes->next.sizes.count = count;
    memcpy(passes->next.sizes.bytes, &passes->options->sizes.bytes[first],
           count * sizeof *passes->next.sizes.bytes);
}

/* One pass over some sizes; once more with smaller regions, or in one segment, where that may do.
 */
static int try_pass(struct passes *passes, size_t first, size_t count,
                    struct ft_histograms *histograms, struct ft_trace_replay_report *pass,
                    struct ft_diag *diag)
{
    for (;;) {
        atomic_store(&passes->reported, 0);
        atomic_store(&passes->reported_kept, 0);
        choose_sizes(passes, first, count);
        int status = ft_trace_replay(&passes->next, histograms, pass, diag);
        passes->report->helper_cpu_seconds += pass->helper_cpu_seconds;
        if (status && pass->retry != FT_RETRY_NONE && passes->subject->pieces)
            ft_checkpoint_pieces_drop(passes->subject->pieces, passes->subject->number,
                                      (uint32_t)first, (uint32_t)count);
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
    if (!status && !passes->subject->is_part)
        return ft_histograms_append_sizes(histograms, &rest, diag);
    ft_histograms_fini(&rest);
    return status;
}

/* Whether an interrupted replay found that these sizes do not fit together. It may have found
 * besides that one segment is enough, or that regions should be small. */
static bool is_given_up(struct passes *passes, size_t first, size_t count)
{
    struct ft_replay_pass *next = &passes->next;
    const struct ft_replay_subject *subject = passes->subject;
    struct ft_piece_key key = {.region_shift = next->region_shift};
    bool is_split = false;
    if (!subject->pieces)
        return false;
    if (!ft_checkpoint_pieces_find(subject->pieces, subject->number, (uint32_t)first,
                                   (uint32_t)count, &key))
        is_split = count > 1 && ft_checkpoint_pieces_find(subject->pieces, subject->number,
                                                          (uint32_t)first, 1, &key);
    if (key.is_alone)
        one_segment(next);
    if (key.region_shift < next->region_shift) {
        next->region_shift = key.region_shift;
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

int ft_trace_replay_in_passes(const struct ft_trace_replay_options *options,
                              const struct ft_replay_subject *subject,
                              struct ft_histograms *histograms, struct ft_passes_report *ret_report,
                              struct ft_diag *diag)
{
    struct ft_passes_report report = {0};
    struct passes passes = {
        .options = options,
        .subject = subject,
        .next = {.options = options,
                 .subject = subject,
                 .region_shift = FT_REGION_SHIFT,
                 .segments_at_once = options->segments_at_once,
                 .segment_accesses = options->segment_accesses},
        .report = &report,
    };
    passes.next.listener = (struct ft_listener){tell, &passes, false};
    int status = run_sizes(&passes, 0, options->sizes.count, histograms, diag);
    *ret_report = report;
    return status;
}
