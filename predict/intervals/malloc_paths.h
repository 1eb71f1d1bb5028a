/*
 * Accesses of malloc and free that no function of the training sizes knows: small blocks come from
 * a cache of each thread, and go back to it, in a few accesses; what is larger is searched in bins,
 * split, and merged again (glibc malloc/malloc.c: tcache_get, _int_malloc, _int_free). Blocks that
 * grow with the size may leave the cache for the bins.
 */
#ifndef FT_PREDICT_INTERVALS_MALLOC_PATHS_H
#define FT_PREDICT_INTERVALS_MALLOC_PATHS_H

#include "formats/model/model.h"

/* Accesses that come and go with arguments and environment. */
#define FT_STARTUP_ACCESSES 400.0
/* Misses of an access of malloc, at most: most are to what it has just touched. */
#define FT_MALLOC_MISSES (1.0 / 16)
/* Accesses of a growth of the heap, in sysmalloc and sbrk: measured are 44. */
#define FT_GROWTH_ACCESSES 64.0

/* At a point, by the heap blocks of the model's skeleton. */
struct ft_malloc_paths {
    uint32_t first; /* the first routine of malloc's; of no model without one */
    double more;    /* accesses that there may be besides those of functions: of blocks that leave
                       the cache */
    double growths; /* of the heap, more than at the largest size */
    bool are_other; /* blocks that do not leave it are of other bytes than at the largest size, so
                       that what these functions say is not sure either */
};
/* Without a skeleton, none are others. */
struct ft_malloc_paths ft_malloc_paths_find(const struct ft_model *model,
                                            const struct ft_point *at);
/* How often growths of the heap may miss in a level of so many blocks, which misses so often: what
 * they touch has left it if all of it was replaced since the last one. */
double ft_growth_misses(const struct ft_malloc_paths *paths, double block_bytes, double blocks,
                        double misses);

#endif
