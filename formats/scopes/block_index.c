#include "formats/scopes/block_index.h"

#include <stdlib.h>
#include <string.h>

#include "formats/x86/unit.h"

static int compare(uint32_t module, uint64_t offset, const struct ft_block *block)
{
    if (module != block->module)
        return module < block->module ? -1 : 1;
    return (offset > block->offset) - (offset < block->offset);
}

static int compare_blocks(const void *left, const void *right, void *context)
{
    const struct ft_block *blocks = context;
    const struct ft_block *a = &blocks[*(const uint32_t *)left];
    return compare(a->module, a->offset, &blocks[*(const uint32_t *)right]);
}

bool ft_block_index_init(struct ft_block_index *index, const struct ft_scopes *scopes)
{
    *index = (struct ft_block_index){scopes, calloc(scopes->block_count + 1, sizeof *index->order)};
    for (uint32_t i = 0; index->order && i < scopes->block_count; i++)
        index->order[i] = i;
    if (index->order)
        qsort_r(index->order, scopes->block_count, sizeof *index->order, compare_blocks,
                scopes->blocks);
    return index->order != NULL;
}

void ft_block_index_fini(struct ft_block_index *index)
{
    free(index->order);
    *index = (struct ft_block_index){0};
}

const struct ft_block *ft_block_index_find(const struct ft_block_index *index, uint32_t module,
                                           uint64_t offset)
{
    const struct ft_block *blocks = index->scopes->blocks;
    size_t low = 0, high = index->scopes->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(module, offset, &blocks[index->order[middle]]) >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ft_block *block = low > 0 ? &blocks[index->order[low - 1]] : NULL;
    return block && block->module == module && offset - block->offset < block->code_bytes ? block
                                                                                          : NULL;
}

static int compare_edges(const void *left, const void *right, void *context)
{
    const struct ft_block_edge *edges = context;
    const struct ft_block_edge *a = &edges[*(const uint32_t *)left];
    const struct ft_block_edge *b = &edges[*(const uint32_t *)right];
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

bool ft_block_edges_init(struct ft_block_edges *edges, const struct ft_scopes *scopes)
{
    *edges = (struct ft_block_edges){scopes, calloc(scopes->edge_count + 1, sizeof *edges->order)};
    for (uint32_t i = 0; edges->order && i < scopes->edge_count; i++)
        edges->order[i] = i;
    if (edges->order)
        qsort_r(edges->order, scopes->edge_count, sizeof *edges->order, compare_edges,
                scopes->edges);
    return edges->order != NULL;
}

void ft_block_edges_fini(struct ft_block_edges *edges)
{
    free(edges->order);
    *edges = (struct ft_block_edges){0};
}

size_t ft_block_edges_find(const struct ft_block_edges *edges, uint32_t from, uint32_t to)
{
    size_t low = 0, high = edges->scopes->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ft_block_edge *edge = &edges->scopes->edges[edges->order[middle]];
        if (edge->from < from || (edge->from == from && edge->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t *ft_map_modules(const struct ft_scopes *from, const struct ft_scopes *to)
{
    uint32_t *map = calloc(from->module_count + 1, sizeof *map);
    for (size_t i = 0; map && i < from->module_count; i++) {
        map[i] = FT_NO_MODULE;
        for (size_t j = to->module_count; j-- > 0;)
            if (strcmp(from->modules[i].build_id, to->modules[j].build_id) == 0 &&
                (from->modules[i].build_id[0] ||
                 strcmp(from->modules[i].name, to->modules[j].name) == 0))
                map[i] = (uint32_t)j;
    }
    return map;
}
