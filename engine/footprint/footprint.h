/*
 * The footprint of a source of runs at many block sizes, exactly: distinct blocks of the whole run
 * (the data size s of Zhong et al. 2007), of each scope, of each interval of accesses, and the
 * average of windows of w accesses, which is the working-set curve; with the phase of each interval
 * (docs/footprint.md). An access touches all blocks that it spans at the same time.
 *
 * Runs give the same result as their accesses one by one. One thread per ft_footprinter.
 */
#ifndef FT_ENGINE_FOOTPRINT_FOOTPRINT_H
#define FT_ENGINE_FOOTPRINT_FOOTPRINT_H

#include "engine/footprint/phases.h"
#include "formats/expand/runs.h"
#include "formats/scopes/scopes.h"

/* The working-set curve of one block size from the times between touches (docs/footprint.md;
 * Denning 1968; Xiang et al., ASPLOS 2013, section 3).
 *
 * A gap is the number of accesses from one touch of a block to its next; the start of the program
 * counts as a touch of every block at time 0, its end as one at time n + 1. A window of w accesses
 * does not touch a block if it lies inside one of the block's gaps, and a gap g > w holds g - w
 * windows. */
#define FT_GAP_BINS 65U

__extension__ typedef unsigned __int128 ft_wide;

struct ft_gaps {
    uint64_t counts[FT_GAP_BINS]; /* [k]: gaps of 2^(k-1) + 1 .. 2^k; [0]: of 1 */
    ft_wide sums[FT_GAP_BINS];
};

static inline void ft_gaps_add(struct ft_gaps *gaps, uint64_t gap, uint64_t weight)
{
    unsigned bin = gap > 1 ? 64U - (unsigned)__builtin_clzll(gap - 1) : 0;
    gaps->counts[bin] += weight;
    gaps->sums[bin] += (ft_wide)gap * weight;
}

/* Distinct blocks in each window of w = 2^log2_accesses accesses, summed over all n - w + 1 of
 * them. w is at most n; blocks: all that were touched. */
ft_wide ft_gaps_window_sum(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses);
/* The mean of the same. */
double ft_gaps_window_mean(const struct ft_gaps *gaps, uint64_t blocks, uint64_t accesses,
                           unsigned log2_accesses);

struct ft_footprint_interval {
    uint64_t accesses;
    uint32_t phase;
};

struct ft_footprint {
    uint64_t *block_bytes; /* ascending */
    size_t size_count;
    uint64_t accesses;
    uint64_t *distinct_blocks; /* [size] */
    struct ft_gaps *gaps;      /* [size], for ft_gaps_window_mean */
    uint64_t *scope_accesses;  /* [scope]: exclusive */
    uint64_t *scope_blocks;    /* [scope * size_count + size]: distinct, inclusive */
    struct ft_footprint_interval *intervals;
    size_t interval_count, interval_capacity;
    uint64_t *interval_blocks; /* [interval * size_count + size]: distinct in the interval */
    uint64_t *interval_new;    /* likewise: not touched in any earlier interval */
    size_t interval_blocks_capacity, interval_new_capacity;
    struct ft_phases phases;
    uint64_t memory_bytes; /* peak memory of the analysis */
};

struct ft_footprinter;
/* block_bytes: ascending powers of two. scopes: has the references of the source, and must outlive
 * the ft_footprinter. interval_accesses: at least 1; the last interval may be shorter. */
int ft_footprint_create(const uint64_t *block_bytes, size_t size_count, uint64_t interval_accesses,
                        const struct ft_scopes *scopes, struct ft_footprinter **ret_footprinter,
                        struct ft_diag *diag);
void ft_footprint_destroy(struct ft_footprinter *footprinter);
int ft_footprint_take(struct ft_footprinter *footprinter, const struct ft_run_source *source,
                      const struct ft_run_batch *batch, struct ft_diag *diag);
uint64_t ft_footprint_accesses(const struct ft_footprinter *footprinter);
/* To be called once, after the last batch. */
int ft_footprint_finish(struct ft_footprinter *footprinter, struct ft_footprint *ret_footprint,
                        struct ft_diag *diag);
void ft_footprint_fini(struct ft_footprint *footprint);

#endif
