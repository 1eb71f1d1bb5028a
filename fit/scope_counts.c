/*
 * A block of a smaller size belongs to the scope of the largest size's block that holds its first
 * instruction: a loop that ran once only is no loop yet at a small size, and its blocks stand in
 * the scope around it. Blocks that the largest size never ran go by their own scope.
 */
#include "fit/scope_counts.h"

#include "formats/scopes/block_index.h"

#include <stdlib.h>

/* counts[(scope * FT_QUANTITY_COUNT + quantity) * entry_count + entry] */
static void add_blocks(const struct ft_match *match, const struct ft_scopes *scopes, size_t entry,
                       const uint32_t *modules, const struct ft_block_index *index, double *counts)
{
    for (size_t i = 0; i < scopes->block_count; i++) {
        const struct ft_block *block = &scopes->blocks[i];
        uint32_t module = block->module == FT_NO_MODULE ? FT_NO_MODULE : modules[block->module];
        const bool is_strange = module == FT_NO_MODULE && block->module != FT_NO_MODULE;
        const struct ft_block *holder =
            is_strange ? NULL : ft_block_index_find(index, module, block->offset);
        uint32_t scope = holder ? holder->scope : match->scope_of[entry][block->scope];
        double *row = counts + (size_t)scope * FT_QUANTITY_COUNT * match->entry_count + entry;
        double executions = (double)block->execution_count;
        row[FT_QUANTITY_INSTRUCTIONS * match->entry_count] +=
            executions * (double)block->instruction_count;
        row[FT_QUANTITY_FLOPS * match->entry_count] += executions * (double)block->flops;
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            row[(FT_QUANTITY_MIX + class) * match->entry_count] +=
                executions * (double)block->mix[class];
    }
}

/* Scopes that stand for their parent add nothing to its own entries and iterations. */
static void add_scopes(const struct ft_match *match, const struct ft_scopes *scopes, size_t entry,
                       double *counts)
{
    for (size_t i = 1; i < scopes->scope_count; i++) {
        uint32_t scope = match->scope_of[entry][i];
        if (!match->is_same[entry][i])
            continue;
        double *row = counts + (size_t)scope * FT_QUANTITY_COUNT * match->entry_count + entry;
        row[FT_QUANTITY_ENTRIES * match->entry_count] += (double)scopes->scopes[i].entry_count;
        row[FT_QUANTITY_ITERATIONS * match->entry_count] +=
            (double)scopes->scopes[i].iteration_count;
    }
}

int ft_scope_counts_gather(const struct ft_match *match, const struct ft_histograms *const *entries,
                           double **ret_counts, struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[match->entry_count - 1]->scopes;
    double *counts =
        calloc(last->scope_count * FT_QUANTITY_COUNT * match->entry_count + 1, sizeof *counts);
    struct ft_block_index index = {0};
    bool allocated = counts && ft_block_index_init(&index, last);
    for (size_t e = 0; e < match->entry_count && allocated; e++) {
        const struct ft_scopes *scopes = &entries[e]->scopes;
        uint32_t *modules = ft_map_modules(scopes, last);
        allocated = modules != NULL;
        if (!allocated)
            break;
        add_blocks(match, scopes, e, modules, &index, counts);
        add_scopes(match, scopes, e, counts);
        free(modules);
    }
    ft_block_index_fini(&index);
    if (!allocated) {
        free(counts);
        return ft_fail_memory(diag, "the counts of scopes");
    }
    *ret_counts = counts;
    return FT_OK;
}

int ft_remapped_pages_gather(const struct ft_match *match,
                             const struct ft_histograms *const *entries, double **ret_counts,
                             struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[match->entry_count - 1]->scopes;
    *ret_counts = NULL;
    if (!last->remapped_pages)
        return FT_OK;
    double *counts = calloc(last->scope_count * match->entry_count + 1, sizeof *counts);
    if (!counts)
        return ft_fail_memory(diag, "the counts of scopes");
    for (size_t e = 0; e < match->entry_count; e++) {
        const struct ft_scopes *scopes = &entries[e]->scopes;
        for (size_t i = 0; scopes->remapped_pages && i < scopes->scope_count; i++)
            counts[match->scope_of[e][i] * match->entry_count + e] +=
                (double)scopes->remapped_pages[i];
    }
    *ret_counts = counts;
    return FT_OK;
}
