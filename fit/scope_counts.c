/*
 * A block of a smaller size belongs to the scope of the largest size's block that holds its first
 * instruction: a loop that ran once only is no loop yet at a small size, and its blocks stand in
 * the scope around it. Blocks that the largest size never ran go by their own scope.
 */
#include "fit/scope_counts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/code/unit.h"

/* The last entry's blocks, sorted by place. */
struct place {
    uint32_t module;
    uint64_t offset;
    uint32_t code_bytes;
    uint32_t scope;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static struct place *sort_places(const struct ft_scopes *scopes)
{
    struct place *places = calloc(scopes->block_count + 1, sizeof *places);
    if (!places)
        return NULL;
    for (size_t i = 0; i < scopes->block_count; i++) {
        const struct ft_block *block = &scopes->blocks[i];
        places[i] = (struct place){block->module, block->offset, block->code_bytes, block->scope};
    }
    qsort(places, scopes->block_count, sizeof *places, compare_places);
    return places;
}

/* The place that holds (module, offset), or NULL. */
static const struct place *find_place(const struct place *places, size_t count, uint32_t module,
                                      uint64_t offset)
{
    struct place wanted = {.module = module, .offset = offset};
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&places[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || places[low - 1].module != module ||
        offset - places[low - 1].offset >= places[low - 1].code_bytes)
        return NULL;
    return &places[low - 1];
}

/* modules[module of entry] = the same module's index in the last entry, or FT_NO_MODULE. */
static uint32_t *map_modules(const struct ft_scopes *from, const struct ft_scopes *last)
{
    uint32_t *map = calloc(from->module_count + 1, sizeof *map);
    for (size_t i = 0; map && i < from->module_count; i++) {
        map[i] = FT_NO_MODULE;
        for (size_t j = last->module_count; j-- > 0;)
            if (strcmp(from->modules[i].build_id, last->modules[j].build_id) == 0 &&
                (from->modules[i].build_id[0] ||
                 strcmp(from->modules[i].name, last->modules[j].name) == 0))
                map[i] = (uint32_t)j;
    }
    return map;
}

/* counts[(scope * FT_QUANTITY_COUNT + quantity) * entry_count + entry] */
static void add_blocks(const struct ft_match *match, const struct ft_scopes *scopes, size_t entry,
                       const uint32_t *modules, const struct place *places, size_t place_count,
                       double *counts)
{
    for (size_t i = 0; i < scopes->block_count; i++) {
        const struct ft_block *block = &scopes->blocks[i];
        uint32_t module = block->module == FT_NO_MODULE ? FT_NO_MODULE : modules[block->module];
        const bool is_strange = module == FT_NO_MODULE && block->module != FT_NO_MODULE;
        const struct place *place =
            is_strange ? NULL : find_place(places, place_count, module, block->offset);
        uint32_t scope = place ? place->scope : match->scope_of[entry][block->scope];
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
    struct place *places = sort_places(last);
    bool allocated = counts && places;
    for (size_t e = 0; e < match->entry_count && allocated; e++) {
        const struct ft_scopes *scopes = &entries[e]->scopes;
        uint32_t *modules = map_modules(scopes, last);
        allocated = modules != NULL;
        if (!allocated)
            break;
        add_blocks(match, scopes, e, modules, places, last->block_count, counts);
        add_scopes(match, scopes, e, counts);
        free(modules);
    }
    free(places);
    if (!allocated) {
        free(counts);
        return ft_fail_memory(diag, "the counts of scopes");
    }
    *ret_counts = counts;
    return FT_OK;
}
