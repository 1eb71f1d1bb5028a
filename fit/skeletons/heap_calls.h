/*
 * Calls of malloc, calloc and free in loops, as the one path that most of them take. Now and
 * then one takes another path, as the heap grows or a bin is full, and where that is depends on all
 * that came before; at other sizes all of them may, as their blocks are kept in other bins. Then
 * the loops around do not fold, or are others at each size. So each call is written as the largest
 * size's are in the same calling context (heap_templates.h), with the block that it is about; and
 * calloc's with the memset of all of the block.
 */
#ifndef FT_FIT_SKELETONS_HEAP_CALLS_H
#define FT_FIT_SKELETONS_HEAP_CALLS_H

#include "fit/skeletons/heap_templates.h"
#include "fit/skeletons/loop_contexts.h"

/* A nest with the ids of the largest in its tokens, and the calls of its size. ret_nest: the
 * caller's, with the loops around such calls folded again. *ret_changed: by how many accesses they
 * differ. */
int ft_heap_calls_write(const struct ft_heap_templates *templates, const struct ft_nest *nest,
                        const struct ft_block_events *blocks,
                        const struct ft_loop_contexts *kept_runs, struct ft_nest *ret_nest,
                        double *ret_changed, struct ft_diag *diag);

#endif
