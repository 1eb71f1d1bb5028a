/*
 * Pairs of references between which blocks are reused, at one block size: the reference that
 * touched a block (sink), the one that had touched it last (source), the scope that carries the
 * reuse, and the histogram of the distances between their touches. Cold touches have no source:
 * FT_NO_SOURCE, and no bins. Where threads share a cache and another one had touched the block
 * last, the source is its reference, and no scope carries the reuse: FT_OTHER_THREAD. What the
 * pairs of a sink add up to is the histogram of that reference (docs/replay.md, "Pairs").
 *
 * Sorted by sink, source, scope, and inside an iteration before carried; each once. Bins are owned.
 */
#ifndef FT_FORMATS_HISTOGRAMS_REUSE_PAIRS_H
#define FT_FORMATS_HISTOGRAMS_REUSE_PAIRS_H

#include "formats/histograms/histogram.h"

struct ft_reuse_pair {
    uint32_t sink, source; /* references; source FT_NO_SOURCE: cold touches */
    uint32_t scope;        /* FT_OTHER_THREAD: which made the touch of the source; FT_NO_SCOPE: of
                              cold touches, or not known */
    bool is_carried;       /* from one iteration of it to another; else inside one */
};
#define FT_NO_SOURCE    UINT32_MAX
#define FT_NO_SCOPE     UINT32_MAX
#define FT_OTHER_THREAD (UINT32_MAX - 1)
struct ft_reuse_pairs {
    struct ft_reuse_pair *pairs;     /* sorted */
    struct ft_histogram *histograms; /* of each */
    size_t count;
};

/* Below 0, equal, or above: the order in which pairs stand. */
int ft_reuse_pair_compare(const struct ft_reuse_pair *a, const struct ft_reuse_pair *b);

/* Puts pairs in their order, and their histograms with them. */
int ft_reuse_pairs_sort(struct ft_reuse_pairs *pairs, struct ft_diag *diag);
/* Adds those of another thread. */
int ft_reuse_pairs_add(struct ft_reuse_pairs *sum, const struct ft_reuse_pairs *pairs,
                       struct ft_diag *diag);
void ft_reuse_pairs_fini(struct ft_reuse_pairs *pairs);
/* Whether any pair of these sizes is between threads; pairs may be NULL. */
bool ft_reuse_pairs_cross_threads(const struct ft_reuse_pairs *pairs, size_t size_count);
/* An array of one item for each block size; NULL is allowed. */
void ft_reuse_pairs_free(struct ft_reuse_pairs *pairs, size_t size_count);

#endif
