/*
 * Limits the memory of this process to what the machine (or its cgroup) has left, so that a file
 * that asks for too much ends in "out of memory" instead of the kernel's OOM killer.
 */
#ifndef FT_FORMATS_BASE_MEMORY_H
#define FT_FORMATS_BASE_MEMORY_H

void ft_memory_limit(void);

#endif
