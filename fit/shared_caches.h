/*
 * Distances in caches that threads share, as `replay --share` or `--machine` puts them into
 * histograms: groups of consecutive threads, each with a stack (engine/reuse/work/sharing.h).
 */
#ifndef FT_FIT_SHARED_CACHES_H
#define FT_FIT_SHARED_CACHES_H

#include "formats/histograms/histograms.h"

/* Of a trace; at least 1. */
uint32_t ft_thread_count_of(const struct ft_histograms *entry);
/* Of all traces. */
uint32_t ft_thread_count_max(const struct ft_histograms *const *entries, size_t count);

/* The stack of the accesses of exactly these threads, or NULL. */
const struct ft_histogram_stack *ft_shared_stack(const struct ft_histograms *entry, uint32_t first,
                                                 uint32_t last);

/* How many consecutive threads each share a cache in the traces' own histograms; 0 where that is
 * not the same in all. */
uint32_t ft_shared_own_cores(const struct ft_histograms *const *entries, size_t count);
/* Whether all traces have the stacks of caches that so many threads share. */
bool ft_shared_are_replayed(const struct ft_histograms *const *entries, size_t count,
                            uint32_t cores);

/* A trace whose own histograms are the sum over caches that so many threads share. It has no
 * stacks, and borrows all else of entry. To be given to ft_shared_entry_fini, after a failure
 * too. */
int ft_shared_entry_make(const struct ft_histograms *entry, uint32_t cores,
                         struct ft_histograms *ret_shared, struct ft_diag *diag);
void ft_shared_entry_fini(struct ft_histograms *shared);

#endif
