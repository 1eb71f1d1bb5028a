/*
 * Each block gets the extent that holds it: of its symbol, of the symbol that this is a part of, or
 * of the gap. Blocks are then sorted by extent, and each run of equal ones is a routine.
 */
#include "engine/structure/routines.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* A block and the extent of its routine. */
struct placed_block {
    uint32_t module;
    uint64_t start, end;
    const char *symbol;
    bool in_gap;
    uint32_t block;
};

/* The symbols of one module by name, made when its first part of a routine is met. */
struct name_index {
    const struct ft_module *module;
    const struct ft_symbol **symbols;
};

static int compare_names(const void *left, const void *right, void *strings)
{
    const struct ft_symbol *const *a = left, *const *b = right;
    return strcmp((const char *)strings + (*a)->name, (const char *)strings + (*b)->name);
}

static bool index_names(struct name_index *index, const struct ft_module *module)
{
    free(index->symbols);
    index->module = module;
    index->symbols = malloc((module->symbol_count + 1) * sizeof *index->symbols);
    if (!index->symbols)
        return false;
    for (size_t i = 0; i < module->symbol_count; i++)
        index->symbols[i] = &module->symbols[i];
    qsort_r(index->symbols, module->symbol_count, sizeof *index->symbols, compare_names,
            module->strings);
    return true;
}

/* The only symbol whose name is the first `length` characters of `name`, or NULL. */
static const struct ft_symbol *only_symbol(const struct name_index *index, const char *name,
                                           size_t length)
{
    const struct ft_module *module = index->module;
    size_t low = 0, high = module->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *there = module->strings + index->symbols[middle]->name;
        int order = strncmp(there, name, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ft_symbol *found = NULL;
    for (; low < module->symbol_count; low++) {
        const char *there = module->strings + index->symbols[low]->name;
        if (strncmp(there, name, length) != 0 || there[length] != 0)
            break;
        if (found)
            return NULL;
        found = index->symbols[low];
    }
    return found;
}

/* How much of a name is left without ".cold", ".cold.N" or ".part.N" at its end; 0: no such end. */
static size_t length_without_part(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    if (length > 0 && name[length - 1] == '.')
        length--;
    else
        length = strlen(name);
    if (length > 5 && (strncmp(name + length - 5, ".cold", 5) == 0 ||
                       (name[length] && strncmp(name + length - 5, ".part", 5) == 0)))
        return length - 5;
    return 0;
}

/* The symbol that stands for the whole routine; NULL when out of memory. */
static const struct ft_symbol *whole_routine(struct name_index *index,
                                             const struct ft_module *module,
                                             const struct ft_symbol *symbol)
{
    for (;;) {
        const char *name = module->strings + symbol->name;
        size_t length = length_without_part(name);
        if (length == 0)
            return symbol;
        if (index->module != module && !index_names(index, module))
            return NULL;
        const struct ft_symbol *whole = only_symbol(index, name, length);
        if (!whole)
            return symbol;
        symbol = whole;
    }
}

/* From the end of the symbol before an offset to the start of the one behind it. */
static void find_gap(const struct ft_module *module, uint64_t offset, struct placed_block *placed)
{
    size_t low = FT_COUNT_UP_TO(module->symbols, module->symbol_count, start, offset);
    placed->start = low > 0 ? module->symbols[low - 1].end : module->start;
    placed->end = low < module->symbol_count ? module->symbols[low].start : module->end;
    placed->in_gap = true;
}

static bool place_block(const struct ft_flow_graph *graph, uint32_t block,
                        const struct ft_module *const *modules, struct name_index *index,
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
    symbol = whole_routine(index, module, symbol);
    if (!symbol)
        return false;
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
    }
}

int ft_routines_find(const struct ft_flow_graph *graph, const struct ft_module *const *modules,
                     struct ft_routines *ret_routines, struct ft_diag *diag)
{
    size_t count = graph->block_count;
    struct placed_block *placed = malloc((count + 1) * sizeof *placed);
    struct name_index index = {0};
    struct ft_routines routines = {
        .items = calloc(count + 1, sizeof *routines.items),
        .of_block = calloc(count + 1, sizeof *routines.of_block),
        .blocks = calloc(count + 1, sizeof *routines.blocks),
    };
    bool complete = placed && routines.items && routines.of_block && routines.blocks;
    for (size_t i = 0; complete && i < count; i++)
        complete = place_block(graph, (uint32_t)i, modules, &index, &placed[i]);
    if (complete) {
        qsort(placed, count, sizeof *placed, compare_placed);
        collect(placed, count, &routines);
    }
    free(index.symbols);
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
    *routines = (struct ft_routines){0};
}
