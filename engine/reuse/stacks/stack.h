/*
 * Housekeeping of one block size's LRU stack (struct ft_stack, kernel.h): everything that happens
 * between batches, so that the kernels neither allocate nor fail.
 */
#ifndef FT_ENGINE_REUSE_STACKS_STACK_H
#define FT_ENGINE_REUSE_STACKS_STACK_H

#include "engine/reuse/stacks/kernel.h"

int ft_stack_init(struct ft_stack *stack, uint64_t block_bytes, unsigned region_shift,
                  uint32_t reference_count, struct ft_diag *diag);
/* Upper bound of the memory of a lazily mapped array with an item per block: a page per touched
 * block, or all of it. */
uint64_t ft_stack_block_bytes(const struct ft_stack *stack, uint64_t item_bytes);
/* Upper bound of the memory in use. */
uint64_t ft_stack_bytes(const struct ft_stack *stack);
/* Makes room for the blocks of region number `region`. block: for stacks of large blocks, the
 * number of the block that contains it. FT_ERROR_UNSUPPORTED: too many to number. */
int ft_stack_add_region(struct ft_stack *stack, uint32_t region, uint32_t block,
                        struct ft_diag *diag);
/* Makes room for `count` blocks, at most FT_TOUCH_BATCH: free slots, bins, first touches. */
int ft_stack_make_room(struct ft_stack *stack, uint32_t count, struct ft_diag *diag);
/* The same for resolving stack->miss_count misses. */
int ft_stack_reserve(struct ft_stack *stack, struct ft_diag *diag);
/* Blocks in the stack: all that were ever touched, as nothing leaves it. */
uint64_t ft_stack_blocks(const struct ft_stack *stack);
void ft_stack_fini(struct ft_stack *stack);

#endif
