#include "formats/trace/chunk_order.h"

#include <stdlib.h>

static int compare_order(const void *left, const void *right)
{
    const struct ft_chunk_order *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

static bool is_log(const struct ft_chunk_description *chunk)
{
    return chunk->kind == FT_CHUNK_LOG || chunk->kind == FT_CHUNK_REPETITION;
}

int ft_chunks_sort(const struct ft_chunk_description *chunks, size_t chunk_count, bool logs,
                   struct ft_chunk_order **ret_order, size_t *ret_count, struct ft_diag *diag)
{
    struct ft_chunk_order *order = calloc(chunk_count + 1, sizeof *order);
    size_t count = 0;
    if (!order)
        return ft_fail_memory(diag, "the chunks of a trace");
    for (size_t i = 0; i < chunk_count; i++)
        if (is_log(&chunks[i]) == logs)
            order[count++] = (struct ft_chunk_order){logs ? chunks[i].thread : chunks[i].kind,
                                                     chunks[i].sequence, i};
    qsort(order, count, sizeof *order, compare_order);
    *ret_order = order;
    *ret_count = count;
    return FT_OK;
}
