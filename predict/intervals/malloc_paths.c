#include "predict/intervals/malloc_paths.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"
#include "formats/skeleton/malloc_chunks.h"

/* Of a call of malloc and one of free; measured are 28 to 56 more than from the cache, and fewer
 * where the heap is not trimmed. */
#define OTHER_ACCESSES 64.0
#define NEARLY         0.01 /* as many bytes */

struct counted {
    double small, large; /* blocks: those that may be cached, and those that never are */
    double small_bytes;
};

static void count(struct counted *counted, uint64_t bytes)
{
    const bool is_large = ft_chunk_bytes(bytes) > FT_CHUNK_CACHED_MAX;
    counted->large += is_large;
    counted->small += bytes > 0 && !is_large;
    counted->small_bytes += is_large ? 0 : (double)bytes;
}

/* None where its blocks are not known. */
static struct counted at_size(const struct ft_sized_skeleton *sized, double size)
{
    struct ft_placed_block *blocks = NULL;
    uint32_t block_count = 0;
    struct counted counted = {0};
    struct ft_diag diag = {0};
    if (ft_block_laws_at(&sized->blocks, &sized->largest, size, &blocks, &block_count, &diag))
        return counted;
    for (uint32_t i = 0; i < block_count; i++)
        count(&counted, blocks[i].bytes);
    free(blocks);
    return counted;
}

static double mean_bytes(const struct counted *counted)
{
    return counted->small > 0 ? counted->small_bytes / counted->small : 0;
}

struct ft_malloc_paths ft_malloc_paths_find(const struct ft_model *model, const struct ft_point *at)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    const double size = at->parameters[0];
    struct ft_malloc_paths paths = {0};
    while (paths.first < model->scopes.scope_count &&
           !ft_scope_is_malloc(&model->scopes, paths.first))
        paths.first++;
    if (paths.first == model->scopes.scope_count || !sized || model->further[0] ||
        model->over_data_size || !ft_is_sized_size(size))
        return paths;
    const double largest = sized->sizes[sized->size_count - 1];
    /* Of those that have laws. */
    const struct counted before = at_size(sized, largest), now = at_size(sized, size);
    const double blocks = before.small + before.large;
    const double share = blocks > 0 ? before.large / blocks : 0;
    if (now.small + now.large == 0)
        return paths; /* nothing is known */
    paths.more = OTHER_ACCESSES * fmax(now.large - share * (now.small + now.large), 0);
    paths.are_other = fabs(mean_bytes(&now) - mean_bytes(&before)) > NEARLY * mean_bytes(&before);
    return paths;
}
