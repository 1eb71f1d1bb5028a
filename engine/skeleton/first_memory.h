/*
 * The address space of a program when it allocates its first block, from the changes to its memory.
 */
#ifndef FT_ENGINE_SKELETON_FIRST_MEMORY_H
#define FT_ENGINE_SKELETON_FIRST_MEMORY_H

#include "engine/data/memory_events.h"
#include "formats/skeleton/places.h"

/* ret_memory->mapped is the caller's to free. */
int ft_first_memory_find(const struct ft_thread_memory *events, struct ft_first_memory *ret_memory,
                         struct ft_diag *diag);

#endif
