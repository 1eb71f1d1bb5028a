/*
 * The results of one of several LRU stacks of a trace, for the references in it.
 */
#ifndef FT_FORMATS_HISTOGRAMS_HISTOGRAM_STACKS_H
#define FT_FORMATS_HISTOGRAMS_HISTOGRAM_STACKS_H

#include "formats/histograms/histogram.h"

#define FT_STACK_PRIVATE "private" /* the accesses of one thread */
#define FT_STACK_SHARED  "shared"  /* the accesses of threads that share a cache */
#define FT_STACK_FETCHES "fetches" /* the instruction fetches of one thread */
#define FT_STACK_UNIFIED "unified" /* accesses and fetches of one thread in their order */
/* The same of threads that share a cache. */
#define FT_STACK_SHARED_FETCHES "shared fetches"
#define FT_STACK_SHARED_UNIFIED "shared unified"
struct ft_histogram_stack {
    char *kind;
    char *threads;             /* "3", "0-3,8" */
    bool in_sum;               /* the trace's own histograms are the sum over such stacks */
    uint64_t *distinct_blocks; /* per size */
    uint64_t *touches;         /* likewise */
    uint32_t *references;      /* ascending; of the trace */
    uint64_t *reference_accesses;
    struct ft_histogram *histograms; /* [i * size_count + size], of references[i] */
    size_t reference_count;
};
void ft_histogram_stack_fini(struct ft_histogram_stack *stack, size_t size_count);

/* Whether a thread ("0-3,8") is among those of a stack. */
bool ft_histogram_stack_has(const struct ft_histogram_stack *stack, uint32_t thread);

#endif
