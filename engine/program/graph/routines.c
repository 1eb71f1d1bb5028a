/*
 * Each block gets the extent that holds it: of its symbol, of the symbol that this is a part of, of
 * an unwind entry, or of the gap. Blocks are then sorted by extent, and each run of equal ones is a
 * routine. Where an unwind entry proves to be a part of another, its blocks move there, and are
 * sorted again.
 */
#include "engine/program/graph/routines.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/routine_names.h"
#include "engine/program/graph/unwind_parts.h"
#include "formats/base/array.h"

/* A block and the extent of its routine. */
struct placed_block {
    uint32_t module;
    uint64_t start, end;
    const char *symbol;
    bool in_gap;
    uint8_t starts;
    uint32_t block;
};

/* From the end of the symbol before an offset to the start of the one behind it. */
static void find_gap(const struct ft_module *module, uint64_t offset, struct placed_block *placed)
{
    size_t low = FT_COUNT_UP_TO(module->symbols, module->symbol_count, start, offset);
    placed->start = low > 0 ? module->symbols[low - 1].end : module->start;
    placed->end = low < module->symbol_count ? module->symbols[low].start : module->end;
    placed->in_gap = true;
}

static bool place_block(const struct ft_flow_graph *graph, uint32_t block,
                        const struct ft_module *const *modules, struct ft_name_index *index,
                        struct placed_block *ret_placed)
{
    const struct ft_flow_block *b = &graph->blocks[block];
    *ret_placed = (struct placed_block){.module = b->module, .symbol = "", .block = block};
    if (b->module == FT_NO_MODULE) {
        ret_placed->end = UINT64_MAX;
        ret_placed->in_gap = true;
        return true;
    }
    const struct ft_module *module = modules[b->module];
    const struct ft_symbol *symbol = ft_module_symbol(module, b->offset);
    if (!symbol) {
        find_gap(module, b->offset, ret_placed);
        return true;
    }
    const bool starts = symbol->start == b->offset;
    symbol = ft_whole_routine(index, module, symbol, &ret_placed->starts);
    if (!symbol)
        return false;
    if (!starts)
        ret_placed->starts = FT_STARTS_NOTHING;
    ret_placed->symbol = module->strings + symbol->name;
    ret_placed->start = symbol->start;
    ret_placed->end = symbol->end;
    return true;
}

static int compare_placed(const void *left, const void *right)
{
    const struct placed_block *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->block < b->block ? -1 : 1;
}

static void collect(const struct placed_block *placed, size_t count, struct ft_routines *routines)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || placed[i].module != placed[i - 1].module ||
            placed[i].start != placed[i - 1].start)
            routines->items[routines->count++] = (struct ft_routine){
                .symbol = placed[i].symbol,
                .start = placed[i].start,
                .end = placed[i].end,
                .module = placed[i].module,
                .in_gap = placed[i].in_gap,
                .first_block = (uint32_t)i,
            };
        routines->items[routines->count - 1].block_count++;
        routines->of_block[placed[i].block] = (uint32_t)routines->count - 1;
        routines->blocks[i] = placed[i].block;
        routines->starts[placed[i].block] = placed[i].starts;
    }
}

static bool same_extent(const struct placed_block *a, const struct placed_block *b)
{
    return a->module == b->module && a->start == b->start;
}

/* Moves what proves to be a part of another extent there. placed: sorted. */
static bool join_unwind_parts(const struct ft_flow_graph *graph, struct placed_block *placed,
                              size_t count)
{
    struct ft_extent *extents = calloc(count + 1, sizeof *extents);
    uint32_t *of_block = calloc(count + 1, sizeof *of_block);
    uint32_t *first = calloc(count + 1, sizeof *first);
    uint32_t extent_count = 0;
    for (size_t i = 0; extents && of_block && first && i < count; i++) {
        if (i == 0 || !same_extent(&placed[i], &placed[i - 1])) {
            first[extent_count] = (uint32_t)i;
            extents[extent_count++] = (struct ft_extent){
                .module = placed[i].module,
                .start = placed[i].start,
                .end = placed[i].end,
                .has_name = *placed[i].symbol || placed[i].in_gap,
            };
        }
        of_block[placed[i].block] = extent_count - 1;
    }
    bool complete = extents && of_block && first &&
                    ft_unwind_parts_find(graph, of_block, extents, extent_count);
    for (size_t i = 0; complete && i < count; i++) {
        uint32_t extent = of_block[placed[i].block], whole = extents[extent].whole;
        const struct placed_block *there = &placed[first[whole]];
        placed[i].starts = placed[i].in_gap && extent == whole &&
                                   graph->blocks[placed[i].block].offset == placed[i].start
                               ? FT_STARTS_ROUTINE
                           : extent == whole ? placed[i].starts
                                             : FT_STARTS_NOTHING;
        if (extent != whole)
            placed[i].symbol = there->symbol;
    }
    for (size_t i = 0; complete && i < count; i++) {
        const struct ft_extent *whole = &extents[extents[of_block[placed[i].block]].whole];
        placed[i].start = whole->start;
        placed[i].end = whole->end;
    }
    free(extents);
    free(of_block);
    free(first);
    return complete;
}

int ft_routines_find(const struct ft_flow_graph *graph, const struct ft_module *const *modules,
                     struct ft_routines *ret_routines, struct ft_diag *diag)
{
    size_t count = graph->block_count;
    struct placed_block *placed = malloc((count + 1) * sizeof *placed);
    struct ft_name_index index = {0};
    struct ft_routines routines = {
        .items = calloc(count + 1, sizeof *routines.items),
        .of_block = calloc(count + 1, sizeof *routines.of_block),
        .blocks = calloc(count + 1, sizeof *routines.blocks),
        .starts = calloc(count + 1, sizeof *routines.starts),
    };
    bool complete =
        placed && routines.items && routines.of_block && routines.blocks && routines.starts;
    for (size_t i = 0; complete && i < count; i++)
        complete = place_block(graph, (uint32_t)i, modules, &index, &placed[i]);
    if (complete) {
        qsort(placed, count, sizeof *placed, compare_placed);
        complete = join_unwind_parts(graph, placed, count);
    }
    if (complete) {
        qsort(placed, count, sizeof *placed, compare_placed);
        collect(placed, count, &routines);
    }
    ft_name_index_fini(&index);
    free(placed);
    if (!complete) {
        ft_routines_fini(&routines);
        return ft_fail_memory(diag, "the routines of a program");
    }
    *ret_routines = routines;
    return 0;
}

void ft_routines_fini(struct ft_routines *routines)
{
    free(routines->items);
    free(routines->of_block);
    free(routines->blocks);
    free(routines->starts);
    *routines = (struct ft_routines){0};
}

bool ft_edge_comes_back(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_block_edge *edge)
{
    if (graph->blocks[edge->to].call_before == FT_NO_BLOCK)
        return false;
    uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
    return flow == FT_FLOW_RETURN ||
           (flow == FT_FLOW_JUMP_INDIRECT &&
            routines->of_block[edge->from] != routines->of_block[edge->to]);
}
