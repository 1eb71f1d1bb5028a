/*
 * What calloc clears at a size: it leaves out what the kernel has just given, which is 0, such as
 * blocks that are large enough for a mapping of their own (glibc malloc/malloc.c: __libc_calloc).
 */
#ifndef FT_FIT_SKELETONS_CALLOC_CALLS_H
#define FT_FIT_SKELETONS_CALLOC_CALLS_H

#include "formats/skeleton/skeleton.h"

/* Of the nest of a sized skeleton at a size. The first call of memset or the like that begins where
 * a block of calloc's does is calloc's own. */
int ft_calloc_calls_place(const struct ft_skeleton *largest, const struct ft_placed_block *blocks,
                          uint32_t block_count, struct ft_nest *nest, struct ft_diag *diag);
/* How many bytes of a block it leaves so. */
uint64_t ft_calloc_left_out(const struct ft_placed_block *block);

#endif
