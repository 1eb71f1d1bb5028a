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

#include <hdf5.h>

#include "formats/histograms/histograms.h"

/* Below 0, equal, or above: the order in which pairs stand. */
int ft_reuse_pair_compare(const struct ft_reuse_pair *a, const struct ft_reuse_pair *b);

/* Puts pairs in their order, and their histograms with them. */
int ft_reuse_pairs_sort(struct ft_reuse_pairs *pairs, struct ft_diag *diag);
/* Adds those of another thread. */
int ft_reuse_pairs_add(struct ft_reuse_pairs *sum, const struct ft_reuse_pairs *pairs,
                       struct ft_diag *diag);
void ft_reuse_pairs_fini(struct ft_reuse_pairs *pairs);
/* Whether pairs of an entry are between threads. */
bool ft_reuse_pairs_cross_threads(const struct ft_histograms *entry);
/* An array of one item for each block size; NULL is allowed. */
void ft_reuse_pairs_free(struct ft_reuse_pairs *pairs, size_t size_count);

/* The group `pairs` of an entry: tables `pairs` (size index, sink, source, scope, is_carried),
 * `histograms` and `bins`. Reading checks numbers and order. */
int ft_reuse_pairs_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag);
int ft_reuse_pairs_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag);

#endif
