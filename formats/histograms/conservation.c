/*
 * Totals are computed from the leaves up, reference by reference, and checked scope by scope: first
 * the references of a scope itself, then each scope is added to its parent, last to first, as
 * parents precede children.
 */
#include "formats/histograms/conservation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/histograms/data_histograms.h"
#include "formats/histograms/stack_relations.h"

static void add(struct ft_scope_total *total, uint64_t accesses,
                const struct ft_histogram *histogram)
{
    total->accesses += accesses;
    total->touches += histogram->touches;
    total->cold += histogram->cold;
}

int ft_conservation_note(struct ft_histograms *histograms, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &histograms->scopes;
    const size_t sizes = histograms->size_count;
    histograms->scope_totals =
        calloc(scopes->scope_count * sizes + 1, sizeof *histograms->scope_totals);
    if (!histograms->scope_totals)
        return ft_fail_memory(diag, "the totals of scopes");
    for (size_t r = 0; r < histograms->reference_count; r++)
        for (uint32_t scope = scopes->references[r].scope;; scope = scopes->scopes[scope].parent) {
            for (size_t s = 0; s < sizes; s++)
                add(&histograms->scope_totals[scope * sizes + s], histograms->reference_accesses[r],
                    &histograms->histograms[r * sizes + s]);
            if (scopes->scopes[scope].parent == scope)
                break;
        }
    return FT_OK;
}

static int differ(const char *what, uint64_t block_bytes, uint64_t found, uint64_t noted,
                  const char *source, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA,
                   "blocks of %" PRIu64 " bytes: %" PRIu64 " %s in the histograms, %" PRIu64 " %s",
                   block_bytes, found, what, noted, source);
}

/* The per_access touches that an access can be. */
static uint64_t touches_max(uint32_t size_bytes, uint64_t block_bytes)
{
    return size_bytes <= 1 ? 1 : 2 + (size_bytes - 2) / block_bytes;
}

/* What is checked alike: all of a trace, or one of its stacks. */
struct view {
    const struct ft_histograms *trace;
    const struct ft_histogram_stack *stack; /* NULL: all of the trace */
    size_t reference_count;
    const uint64_t *accesses, *distinct_blocks, *touches; /* touches: or NULL */
    const struct ft_histogram *histograms;
};

static struct view view_of(const struct ft_histograms *trace,
                           const struct ft_histogram_stack *stack)
{
    if (stack)
        return (struct view){trace,
                             stack,
                             stack->reference_count,
                             stack->reference_accesses,
                             stack->distinct_blocks,
                             stack->touches,
                             stack->histograms};
    return (struct view){trace,
                         NULL,
                         trace->reference_count,
                         trace->reference_accesses,
                         trace->distinct_blocks,
                         trace->touches,
                         trace->histograms};
}

static size_t reference_of(const struct view *view, size_t index)
{
    return view->stack ? view->stack->references[index] : index;
}

/* The sums over all references at one size, and what each reference may have. */
static int check_size(const struct view *view, size_t size, struct ft_diag *diag)
{
    const struct ft_histograms *trace = view->trace;
    const uint64_t block_bytes = trace->block_bytes[size];
    struct ft_scope_total sum = {0};
    for (size_t i = 0; i < view->reference_count; i++) {
        const struct ft_histogram *histogram = &view->histograms[i * trace->size_count + size];
        size_t r = reference_of(view, i);
        uint64_t accesses = view->accesses[i];
        uint32_t size_bytes = trace->scopes.references[r].size_bytes;
        uint64_t per_access = touches_max(size_bytes, block_bytes);
        uint64_t accesses_min =
            histogram->touches / per_access + (histogram->touches % per_access != 0);
        if (histogram->touches < accesses || accesses_min > accesses)
            return ft_fail(diag, FT_ERROR_DATA,
                           "blocks of %" PRIu64 " bytes: reference %zu has %" PRIu64
                           " touches, but %" PRIu64 " accesses of %" PRIu32 " bytes",
                           block_bytes, r, histogram->touches, accesses, size_bytes);
        add(&sum, accesses, histogram);
    }
    if (!view->stack && trace->metadata.accesses && sum.accesses != trace->metadata.accesses)
        return differ("accesses", block_bytes, sum.accesses, trace->metadata.accesses,
                      "counted at capture", diag);
    if (view->touches && sum.touches != view->touches[size])
        return differ("touches", block_bytes, sum.touches, view->touches[size], "by the addresses",
                      diag);
    if (sum.cold != view->distinct_blocks[size])
        return differ("cold touches", block_bytes, sum.cold, view->distinct_blocks[size],
                      "distinct blocks", diag);
    return FT_OK;
}

/* Touches at or beyond a distance, walked from the farthest bin down. */
struct tail {
    const struct ft_histogram *histogram;
    size_t bins_left;
    uint64_t touches;
};

static uint64_t tail_from(struct tail *tail, uint32_t bin)
{
    const struct ft_bin *bins = tail->histogram->bins;
    while (tail->bins_left && bins[tail->bins_left - 1].bin >= bin)
        tail->touches += bins[--tail->bins_left].count;
    return tail->touches;
}

/* Where the tail of the larger size grows the other's must have grown as far. */
static bool is_monotone(const struct ft_histogram *small, const struct ft_histogram *large)
{
    struct tail beyond = {small, small->bin_count, small->cold};
    struct tail beyond_large = {large, large->bin_count, large->cold};
    bool monotone = large->cold <= small->cold;
    for (size_t i = large->bin_count; monotone && i > 0; i--) {
        uint32_t bin = large->bins[i - 1].bin;
        monotone = tail_from(&beyond_large, bin) <= tail_from(&beyond, bin);
    }
    return monotone;
}

/* One size against the next larger one. */
static int check_levels(const struct view *view, size_t size, struct ft_diag *diag)
{
    const uint64_t *block_bytes = view->trace->block_bytes;
    const uint64_t small = block_bytes[size], large = block_bytes[size + 1];
    const uint64_t in_small = view->distinct_blocks[size];
    const uint64_t in_large = view->distinct_blocks[size + 1];
    if (in_large > in_small || in_small / (large / small) > in_large)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%" PRIu64 " blocks of %" PRIu64 " bytes, but %" PRIu64 " of %" PRIu64,
                       in_small, small, in_large, large);
    for (size_t i = 0; i < view->reference_count; i++) {
        const struct ft_histogram *histogram =
            &view->histograms[i * view->trace->size_count + size];
        if (!is_monotone(histogram, histogram + 1))
            return ft_fail(diag, FT_ERROR_DATA,
                           "reference %zu has larger distances in blocks of %" PRIu64
                           " bytes than in blocks of %" PRIu64,
                           reference_of(view, i), large, small);
    }
    return FT_OK;
}

/* The scopes' own sums into `totals`, then each into its parent. */
static void sum_scopes(const struct ft_histograms *histograms, struct ft_scope_total *totals)
{
    const struct ft_scopes *scopes = &histograms->scopes;
    const size_t sizes = histograms->size_count;
    for (size_t r = 0; r < histograms->reference_count; r++)
        for (size_t s = 0; s < sizes; s++)
            add(&totals[scopes->references[r].scope * sizes + s], histograms->reference_accesses[r],
                &histograms->histograms[r * sizes + s]);
    for (size_t scope = scopes->scope_count; scope-- > 1;)
        for (size_t s = 0; s < sizes; s++) {
            const struct ft_scope_total *child = &totals[scope * sizes + s];
            struct ft_scope_total *parent = &totals[scopes->scopes[scope].parent * sizes + s];
            parent->accesses += child->accesses;
            parent->touches += child->touches;
            parent->cold += child->cold;
        }
}

static int check_scopes(const struct ft_histograms *histograms, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &histograms->scopes;
    const size_t sizes = histograms->size_count;
    struct ft_scope_total *totals = calloc(scopes->scope_count * sizes + 1, sizeof *totals);
    if (!totals)
        return ft_fail_memory(diag, "the totals of scopes");
    sum_scopes(histograms, totals);
    int status = FT_OK;
    for (size_t i = 0; !status && i < scopes->scope_count * sizes; i++) {
        const struct ft_scope_total *noted = &histograms->scope_totals[i];
        if (totals[i].accesses != noted->accesses || totals[i].touches != noted->touches ||
            totals[i].cold != noted->cold)
            status =
                ft_fail(diag, FT_ERROR_DATA,
                        "blocks of %" PRIu64 " bytes: %s %zu (%.100s) holds %" PRIu64
                        " touches, %" PRIu64 " of them cold; noted are %" PRIu64 " and %" PRIu64,
                        histograms->block_bytes[i % sizes],
                        ft_scope_kind_names[scopes->scopes[i / sizes].kind], i / sizes,
                        scopes->scopes[i / sizes].name, totals[i].touches, totals[i].cold,
                        noted->touches, noted->cold);
    }
    free(totals);
    return status;
}

static int check_view(const struct view *view, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t s = 0; !status && s < view->trace->size_count; s++)
        status = check_size(view, s, diag);
    for (size_t s = 0; !status && s + 1 < view->trace->size_count; s++)
        status = check_levels(view, s, diag);
    return status;
}

static int check_stacks(const struct ft_histograms *trace, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t k = 0; !status && k < trace->stack_count; k++) {
        const struct ft_histogram_stack *stack = &trace->stacks[k];
        const struct view view = view_of(trace, stack);
        struct ft_diag inner = {0};
        status = check_view(&view, &inner);
        if (status)
            ft_fail(diag, status, "%s stack of threads %.100s: %s", stack->kind, stack->threads,
                    inner.message);
    }
    return status ? status : ft_stack_relations_check(trace, diag);
}

/* ---- pairs ---- */

/* What the pairs of a sink add up to, and how many they are from `first` on. */
static int sum_of_sink(const struct ft_reuse_pairs *pairs, size_t first, uint32_t sink,
                       struct ft_histogram *sum, size_t *ret_count, struct ft_diag *diag)
{
    size_t i = first;
    int status = FT_OK;
    for (; !status && i < pairs->count && pairs->pairs[i].sink == sink; i++)
        status = ft_histogram_add(sum, &pairs->histograms[i], diag);
    *ret_count = i - first;
    return status;
}

static int check_pairs(const struct ft_histograms *trace, size_t size, struct ft_diag *diag)
{
    const struct ft_reuse_pairs *pairs = &trace->pairs[size];
    int status = FT_OK;
    size_t at = 0;
    for (uint32_t r = 0; !status && r < trace->reference_count; r++) {
        struct ft_histogram sum = {0};
        size_t count = 0;
        status = sum_of_sink(pairs, at, r, &sum, &count, diag);
        at += count;
        if (!status &&
            !ft_histogram_is_same(&sum, &trace->histograms[r * trace->size_count + size]))
            status = ft_fail(diag, FT_ERROR_DATA,
                             "blocks of %" PRIu64 " bytes: the pairs of reference %" PRIu32
                             " do not add up to its histogram",
                             trace->block_bytes[size], r);
        free(sum.bins);
    }
    return status;
}

/* ---- data ---- */

/* The parts of a reference from `first` on at one size; how many they are. */
static int check_parts(const struct ft_histograms *trace, size_t size, uint32_t reference,
                       size_t first, size_t *ret_count, struct ft_diag *diag)
{
    const struct ft_data_histograms *data = trace->data;
    struct ft_histogram sum = {0};
    uint64_t accesses = 0;
    int status = FT_OK;
    size_t p = first;
    for (; !status && p < data->part_count && data->parts[p].reference == reference; p++) {
        accesses += data->parts[p].accesses;
        status = ft_histogram_add(&sum, &data->histograms[p * trace->size_count + size], diag);
    }
    *ret_count = p - first;
    if (!status &&
        (accesses != trace->reference_accesses[reference] ||
         !ft_histogram_is_same(&sum, &trace->histograms[reference * trace->size_count + size])))
        status = ft_fail(diag, FT_ERROR_DATA,
                         "blocks of %" PRIu64 " bytes: the data of reference %" PRIu32
                         " do not add up to its histogram",
                         trace->block_bytes[size], reference);
    free(sum.bins);
    return status;
}

static int check_data(const struct ft_histograms *trace, size_t size, struct ft_diag *diag)
{
    int status = FT_OK;
    size_t at = 0;
    for (uint32_t r = 0; !status && r < trace->reference_count; r++) {
        size_t count = 0;
        status = check_parts(trace, size, r, at, &count, diag);
        at += count;
    }
    return status;
}

int ft_conservation_check(const struct ft_histograms *histograms, struct ft_diag *diag)
{
    const struct view view = view_of(histograms, NULL);
    int status = check_view(&view, diag);
    if (!status && histograms->scope_totals)
        status = check_scopes(histograms, diag);
    for (size_t s = 0; !status && histograms->pairs && s < histograms->size_count; s++)
        status = check_pairs(histograms, s, diag);
    for (size_t s = 0; !status && histograms->data && s < histograms->size_count; s++)
        status = check_data(histograms, s, diag);
    return status || histograms->stack_count == 0 ? status : check_stacks(histograms, diag);
}
