/*
 * With many threads a stack sees few of the references, so it keeps histograms for those only.
 */
#include "engine/reuse/joined_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "formats/histograms/reuse_pairs.h"

/* Keeps of a stack what it saw; its dense histograms are emptied. */
static int keep_stack(const struct ft_stack_layout *layout, struct ft_histograms *dense,
                      struct ft_histogram_stack *kept, struct ft_diag *diag)
{
    const size_t sizes = dense->size_count;
    for (size_t r = 0; r < dense->reference_count; r++)
        kept->reference_count += dense->reference_accesses[r] > 0;
    kept->kind = strdup(ft_stack_layout_kind(layout));
    kept->threads = ft_stack_layout_text(layout);
    kept->in_sum = layout->in_sum;
    kept->distinct_blocks = dense->distinct_blocks;
    kept->touches = dense->touches;
    dense->distinct_blocks = dense->touches = NULL;
    size_t count = kept->reference_count;
    kept->references = calloc(count + 1, sizeof *kept->references);
    kept->reference_accesses = calloc(count + 1, sizeof *kept->reference_accesses);
    kept->histograms = calloc(count * sizes + 1, sizeof *kept->histograms);
    if (!kept->kind || !kept->threads || !kept->references || !kept->reference_accesses ||
        !kept->histograms)
        return ft_fail_memory(diag, "the histograms of threads");
    size_t at = 0;
    for (size_t r = 0; r < dense->reference_count; r++) {
        if (dense->reference_accesses[r] == 0)
            continue;
        kept->references[at] = (uint32_t)r;
        kept->reference_accesses[at] = dense->reference_accesses[r];
        memcpy(&kept->histograms[at * sizes], &dense->histograms[r * sizes],
               sizes * sizeof *kept->histograms);
        memset(&dense->histograms[r * sizes], 0, sizes * sizeof *kept->histograms);
        at++;
    }
    ft_histograms_fini(dense);
    return FT_OK;
}

/* Adds the pairs of a stack, where they were noted. */
static int add_pairs(struct ft_histograms *histograms, const struct ft_histograms *dense,
                     struct ft_diag *diag)
{
    int status = FT_OK;
    if (!dense->pairs)
        return FT_OK;
    if (!histograms->pairs)
        histograms->pairs = calloc(dense->size_count, sizeof *histograms->pairs);
    if (!histograms->pairs)
        return ft_fail_memory(diag, "pairs of references");
    for (size_t s = 0; !status && s < dense->size_count; s++)
        status = ft_reuse_pairs_add(&histograms->pairs[s], &dense->pairs[s], diag);
    return status;
}

static void take(struct ft_histograms *histograms, struct ft_histograms *dense)
{
    histograms->size_count = dense->size_count;
    histograms->reference_count = dense->reference_count;
    histograms->block_bytes = dense->block_bytes;
    histograms->distinct_blocks = dense->distinct_blocks;
    histograms->touches = dense->touches;
    histograms->reference_accesses = dense->reference_accesses;
    histograms->reference_strides = dense->reference_strides;
    histograms->seen_strides = dense->seen_strides;
    histograms->reference_bases = dense->reference_bases;
    histograms->histograms = dense->histograms;
    histograms->pairs = dense->pairs;
    *dense = (struct ft_histograms){0};
}

int ft_stacks_join(const struct ft_stack_layouts *layouts, struct ft_histograms *dense,
                   struct ft_histograms *histograms, struct ft_diag *diag)
{
    if (layouts->count == 1 && layouts->layouts[0].thread_count == 1) {
        take(histograms, dense);
        return FT_OK;
    }
    int status = ft_histograms_init(histograms, dense->block_bytes, dense->size_count,
                                    dense->reference_count, diag);
    histograms->stacks = calloc(layouts->count + 1, sizeof *histograms->stacks);
    if (!status && !histograms->stacks)
        status = ft_fail_memory(diag, "the histograms of threads");
    for (size_t i = 0; !status && i < layouts->count; i++) {
        struct ft_histogram_stack *kept = &histograms->stacks[histograms->stack_count++];
        if (layouts->layouts[i].in_sum)
            status = add_pairs(histograms, &dense[i], diag);
        if (!status)
            status = keep_stack(&layouts->layouts[i], &dense[i], kept, diag);
        if (!status && kept->in_sum)
            status = ft_histograms_add_stack(histograms, kept, diag);
    }
    return status;
}
