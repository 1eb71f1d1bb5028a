#include "formats/histograms/stack_relations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

static bool same_sums(const struct ft_histograms *a, const struct ft_histograms *b)
{
    const size_t sizes = a->size_count;
    bool same = memcmp(a->reference_accesses, b->reference_accesses,
                       a->reference_count * sizeof *a->reference_accesses) == 0 &&
                memcmp(a->distinct_blocks, b->distinct_blocks, sizes * sizeof(uint64_t)) == 0 &&
                memcmp(a->touches, b->touches, sizes * sizeof(uint64_t)) == 0;
    for (size_t i = 0; same && i < a->reference_count * sizes; i++)
        same = ft_histogram_is_same(&a->histograms[i], &b->histograms[i]);
    return same;
}

/* The trace's own histograms are the sum over the stacks that say so. */
static int check_sum(const struct ft_histograms *trace, struct ft_diag *diag)
{
    struct ft_histograms sum = {.size_count = trace->size_count,
                                .reference_count = trace->reference_count};
    const size_t sizes = trace->size_count, references = trace->reference_count;
    sum.reference_accesses = calloc(references + 1, sizeof *sum.reference_accesses);
    sum.distinct_blocks = calloc(sizes + 1, sizeof *sum.distinct_blocks);
    sum.touches = calloc(sizes + 1, sizeof *sum.touches);
    sum.histograms = calloc(references * sizes + 1, sizeof *sum.histograms);
    int status = sum.reference_accesses && sum.distinct_blocks && sum.touches && sum.histograms
                     ? FT_OK
                     : ft_fail_memory(diag, "the sum over threads");
    for (size_t k = 0; !status && k < trace->stack_count; k++)
        if (trace->stacks[k].in_sum)
            status = ft_histograms_add_stack(&sum, &trace->stacks[k], diag);
    if (!status && (!trace->touches || !same_sums(trace, &sum)))
        status = ft_fail(diag, FT_ERROR_DATA,
                         "the histograms of threads do not add up to those of the trace");
    ft_histograms_fini(&sum);
    return status;
}

static bool is_kind(const struct ft_histogram_stack *stack, const char *kind)
{
    return strcmp(stack->kind, kind) == 0;
}

/* Kinds of what one thread does, and of the same done by threads that share a cache. */
static const char *const private_kinds[] = {FT_STACK_PRIVATE, FT_STACK_FETCHES, FT_STACK_UNIFIED};
static const char *const shared_kinds[] = {FT_STACK_SHARED, FT_STACK_SHARED_FETCHES,
                                           FT_STACK_SHARED_UNIFIED};
#define KIND_COUNT (sizeof private_kinds / sizeof *private_kinds)

/* Whether all that the stack of a thread takes goes through a shared one, too. */
static bool is_thread_of(const struct ft_histogram_stack *thread,
                         const struct ft_histogram_stack *whole)
{
    bool fits = false;
    for (size_t i = 0; i < KIND_COUNT; i++)
        fits = fits || (is_kind(thread, private_kinds[i]) && is_kind(whole, shared_kinds[i]));
    const char *threads = thread->threads;
    uint64_t number;
    return fits && ft_read_u64(&threads, &number) &&
           ft_histogram_stack_has(whole, (uint32_t)number);
}

static bool has_same_threads(const struct ft_histogram_stack *a, const struct ft_histogram_stack *b)
{
    return strcmp(a->threads, b->threads) == 0;
}

static bool takes_accesses(const struct ft_histogram_stack *stack)
{
    return is_kind(stack, FT_STACK_PRIVATE) || is_kind(stack, FT_STACK_SHARED);
}

static bool takes_fetches(const struct ft_histogram_stack *stack)
{
    return is_kind(stack, FT_STACK_FETCHES) || is_kind(stack, FT_STACK_SHARED_FETCHES);
}

/* Whether it takes the accesses of a unified stack, or its fetches. */
static bool is_content_of(const struct ft_histogram_stack *part,
                          const struct ft_histogram_stack *whole)
{
    return (is_kind(whole, FT_STACK_UNIFIED) || is_kind(whole, FT_STACK_SHARED_UNIFIED)) &&
           (takes_accesses(part) || takes_fetches(part)) && has_same_threads(part, whole);
}

/* What a stack holds of its parts: all of their touches, and of their blocks each at least once. */
static int check_parts(const struct ft_histograms *trace, const struct ft_histogram_stack *whole,
                       bool (*is_part)(const struct ft_histogram_stack *part,
                                       const struct ft_histogram_stack *whole),
                       struct ft_diag *diag)
{
    for (size_t s = 0; s < trace->size_count; s++) {
        uint64_t touches = 0, blocks = 0, max = 0;
        bool any = false;
        for (size_t k = 0; k < trace->stack_count; k++) {
            const struct ft_histogram_stack *part = &trace->stacks[k];
            if (!is_part(part, whole))
                continue;
            any = true;
            touches += part->touches[s];
            blocks += part->distinct_blocks[s];
            max = part->distinct_blocks[s] > max ? part->distinct_blocks[s] : max;
        }
        if (any && (touches != whole->touches[s] || whole->distinct_blocks[s] > blocks ||
                    whole->distinct_blocks[s] < max))
            return ft_fail(
                diag, FT_ERROR_DATA,
                "blocks of %" PRIu64 " bytes: the %s stack of threads %.100s has %" PRIu64
                " touches of %" PRIu64 " blocks, those that are its parts %" PRIu64 " of %" PRIu64,
                trace->block_bytes[s], whole->kind, whole->threads, whole->touches[s],
                whole->distinct_blocks[s], touches, blocks);
    }
    return FT_OK;
}

/* Whether the accesses of the same threads are in the sum: of such stacks each thread is in one. */
static bool is_beside_sum(const struct ft_histograms *trace, const struct ft_histogram_stack *stack)
{
    for (size_t k = 0; k < trace->stack_count; k++)
        if (trace->stacks[k].in_sum && has_same_threads(&trace->stacks[k], stack))
            return true;
    return false;
}

/* As many fetches as instructions were executed. */
static int check_fetches(const struct ft_histograms *trace, struct ft_diag *diag)
{
    uint64_t fetches = 0;
    bool any = false;
    for (size_t k = 0; k < trace->stack_count; k++) {
        const struct ft_histogram_stack *stack = &trace->stacks[k];
        const bool counts = takes_fetches(stack) && is_beside_sum(trace, stack);
        any |= counts;
        for (size_t i = 0; counts && i < stack->reference_count; i++)
            fetches += stack->reference_accesses[i];
    }
    if (any && trace->metadata.instructions && fetches != trace->metadata.instructions)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%" PRIu64 " instruction fetches in the histograms, %" PRIu64
                       " instructions counted at capture",
                       fetches, trace->metadata.instructions);
    return FT_OK;
}

int ft_stack_relations_check(const struct ft_histograms *trace, struct ft_diag *diag)
{
    int status = check_sum(trace, diag);
    for (size_t k = 0; !status && k < trace->stack_count; k++)
        status = check_parts(trace, &trace->stacks[k], is_thread_of, diag);
    for (size_t k = 0; !status && k < trace->stack_count; k++)
        status = check_parts(trace, &trace->stacks[k], is_content_of, diag);
    return status ? status : check_fetches(trace, diag);
}
