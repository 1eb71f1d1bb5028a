#include "predict/intervals/malloc_paths.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"
#include "formats/skeleton/malloc_chunks.h"

/* Of a call of malloc and one of free; measured are 28 to 56 more than from the cache, and fewer
 * where the heap is not trimmed. */
#define OTHER_ACCESSES 64.0
#define NEARLY         0.01 /* as many bytes */
/* Of one more growth of the heap: it asks the kernel for this (glibc's DEFAULT_TOP_PAD), and blocks
 * from there on have mappings of their own. */
#define GROWTH_BYTES 131072
/* What it touches: of the C library's data and the stack. Measured are 9 misses, of lines of 32 to
 * 64 bytes. */
#define GROWTH_LINES 16.0
#define GROWTH_PAGES 5.0
#define PAGE_BYTES   4096.0

struct counted {
    double small, large; /* blocks: those that may be cached, and those that never are */
    double small_bytes;
    uint64_t start, end; /* of the heap's blocks */
};

static void count(struct counted *counted, const struct ft_placed_block *block)
{
    const uint64_t bytes = block->bytes;
    const bool is_large = ft_chunk_bytes(bytes) > FT_CHUNK_CACHED_MAX;
    counted->large += is_large;
    counted->small += bytes > 0 && !is_large;
    counted->small_bytes += is_large ? 0 : (double)bytes;
    if (bytes == 0 || bytes >= GROWTH_BYTES)
        return;
    if (counted->end == 0 || block->address < counted->start)
        counted->start = block->address;
    if (block->address + bytes > counted->end)
        counted->end = block->address + bytes;
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
        count(&counted, &blocks[i]);
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
    paths.growths = fmax((double)(now.end - now.start) / GROWTH_BYTES -
                             (double)(before.end - before.start) / GROWTH_BYTES,
                         0);
    paths.are_other = fabs(mean_bytes(&now) - mean_bytes(&before)) > NEARLY * mean_bytes(&before);
    return paths;
}

double ft_growth_misses(const struct ft_malloc_paths *paths, double block_bytes, double blocks,
                        double misses)
{
    const double touched = block_bytes < PAGE_BYTES ? GROWTH_LINES : GROWTH_PAGES;
    return touched * fmin(paths->growths, misses / blocks);
}
