/*
 * First touches of pages since they were mapped again: what a program gives back to the kernel,
 * munmap or a lower program break, and gets again at the same addresses has page faults again,
 * which the first touches of a reuse histogram, one an address, do not tell.
 *
 * A mapping makes the pages in it new, whatever was there. Pages that mremap moves keep what they
 * have. What madvise drops is not in traces. Of several threads, each one's mappings come in its
 * own order, the accesses in that of all_threads.h.
 */
#ifndef FT_ENGINE_DATA_REMAPPED_PAGES_H
#define FT_ENGINE_DATA_REMAPPED_PAGES_H

#include "engine/data/memory_events.h"
#include "formats/expand/runs.h"
#include "formats/scopes/scopes.h"

/* The source's first touches of remapped pages of 4 KiB, by reference: added to touches
 * [reference]. */
int ft_remapped_pages_count(const struct ft_memory_events *events, struct ft_run_source *source,
                            uint64_t *touches, struct ft_diag *diag);
/* Fills scopes->remapped_pages, of a trace whose events and scopes these are; nothing where no
 * memory is mapped again. */
int ft_remapped_pages_add(struct ft_trace *trace, const struct ft_memory_events *events,
                          struct ft_scopes *scopes, struct ft_diag *diag);

#endif
