#include "formats/histograms/entry.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64U /* usual */

int ft_histograms_init(struct ft_histograms *histograms, const uint64_t *block_bytes,
                       size_t size_count, size_t reference_count, struct ft_diag *diag)
{
    histograms->block_bytes = calloc(size_count, sizeof *histograms->block_bytes);
    histograms->distinct_blocks = calloc(size_count, sizeof *histograms->distinct_blocks);
    histograms->touches = calloc(size_count, sizeof *histograms->touches);
    histograms->reference_accesses = calloc(reference_count + 1, sizeof(uint64_t));
    histograms->reference_strides = calloc(reference_count + 1, sizeof(int64_t));
    histograms->seen_strides = calloc(reference_count + 1, sizeof(int64_t));
    histograms->reference_bases = calloc(reference_count + 1, sizeof(uint64_t));
    histograms->histograms =
        calloc(reference_count * size_count + 1, sizeof *histograms->histograms);
    if (!histograms->block_bytes || !histograms->distinct_blocks || !histograms->touches ||
        !histograms->reference_accesses || !histograms->reference_strides ||
        !histograms->seen_strides || !histograms->reference_bases || !histograms->histograms)
        return ft_fail_memory(diag, "histograms");
    memcpy(histograms->block_bytes, block_bytes, size_count * sizeof *block_bytes);
    histograms->size_count = size_count;
    histograms->reference_count = reference_count;
    return FT_OK;
}

void ft_histograms_fini(struct ft_histograms *histograms)
{
    ft_histogram_array_free(histograms->histograms,
                            histograms->reference_count * histograms->size_count);
    for (size_t i = 0; i < histograms->stack_count; i++)
        ft_histogram_stack_fini(&histograms->stacks[i], histograms->size_count);
    free(histograms->stacks);
    ft_reuse_pairs_free(histograms->pairs, histograms->size_count);
    ft_data_histograms_free(histograms->data, histograms->size_count);
    ft_skeleton_free(histograms->skeleton);
    ft_set_distances_free(histograms->set_distances);
    free(histograms->trace_hash);
    ft_metadata_fini(&histograms->metadata);
    ft_scopes_fini(&histograms->scopes);
    free(histograms->block_bytes);
    free(histograms->reference_accesses);
    free(histograms->reference_strides);
    free(histograms->seen_strides);
    free(histograms->reference_bases);
    free(histograms->distinct_blocks);
    free(histograms->touches);
    free(histograms->scope_totals);
    *histograms = (struct ft_histograms){0};
}

int ft_histograms_add_stack(struct ft_histograms *histograms,
                            const struct ft_histogram_stack *stack, struct ft_diag *diag)
{
    const size_t sizes = histograms->size_count;
    int status = FT_OK;
    for (size_t s = 0; s < sizes; s++) {
        histograms->distinct_blocks[s] += stack->distinct_blocks[s];
        histograms->touches[s] += stack->touches[s];
    }
    for (size_t i = 0; i < stack->reference_count; i++) {
        size_t r = stack->references[i];
        histograms->reference_accesses[r] += stack->reference_accesses[i];
        for (size_t s = 0; !status && s < sizes; s++)
            status = ft_histogram_add(&histograms->histograms[r * sizes + s],
                                      &stack->histograms[i * sizes + s], diag);
    }
    return status;
}

size_t ft_histograms_shown_size(const struct ft_histograms *histograms)
{
    size_t size = 0;
    while (size + 1 < histograms->size_count && histograms->block_bytes[size] < LINE_BYTES)
        size++;
    return size;
}

size_t ft_histograms_block_size(const struct ft_histograms *histograms, uint64_t block_bytes)
{
    size_t size = 0;
    while (size < histograms->size_count && histograms->block_bytes[size] != block_bytes)
        size++;
    return size;
}

static bool is_inside(const struct ft_scopes *scopes, uint32_t scope, uint32_t outer)
{
    while (scope > outer) /* parents come before what is in them */
        scope = scopes->scopes[scope].parent;
    return scope == outer;
}

int ft_histograms_of_scope(const struct ft_histograms *histograms, size_t size, uint32_t scope,
                           struct ft_histogram *ret_sum, struct ft_diag *diag)
{
    *ret_sum = (struct ft_histogram){0};
    for (size_t r = 0; r < histograms->reference_count; r++)
        if (is_inside(&histograms->scopes, histograms->scopes.references[r].scope, scope))
            FT_TRY(ft_histogram_add(
                ret_sum, &histograms->histograms[r * histograms->size_count + size], diag));
    return FT_OK;
}

uint64_t ft_histogram_misses(const struct ft_histogram *histogram, uint64_t capacity_blocks)
{
    const uint32_t first = ft_bin_of(capacity_blocks);
    uint64_t misses = histogram->cold;
    for (size_t b = histogram->bin_count; b-- > 0 && histogram->bins[b].bin >= first;)
        misses += histogram->bins[b].count;
    return misses;
}

uint64_t ft_histograms_misses(const struct ft_histograms *histograms, size_t size,
                              uint64_t capacity_blocks)
{
    uint64_t misses = 0;
    for (size_t r = 0; r < histograms->reference_count; r++)
        misses += ft_histogram_misses(&histograms->histograms[r * histograms->size_count + size],
                                      capacity_blocks);
    return misses;
}
