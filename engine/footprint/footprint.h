/*
 * The footprint of a source of runs at many block sizes, exactly: distinct blocks in all (the data
 * size s of Zhong et al. 2007), by scope, in each interval of accesses, and on average in windows
 * of w accesses, the working-set curve; with the phase of each interval (docs/footprint.md). Blocks
 * that an access spans are all touched by it, at its time.
 *
 * The result is the same for runs and the same accesses one by one. One thread per ft_footprinter.
 */
#ifndef FT_ENGINE_FOOTPRINT_FOOTPRINT_H
#define FT_ENGINE_FOOTPRINT_FOOTPRINT_H

#include "engine/footprint/gaps.h"
#include "engine/footprint/phases.h"
#include "formats/expand/runs.h"
#include "formats/scopes/scopes.h"

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
    uint64_t *scope_accesses;  /* [scope]: its own */
    uint64_t *scope_blocks;    /* [scope * size_count + size]: distinct, with what is nested */
    struct ft_footprint_interval *intervals;
    size_t interval_count, interval_capacity;
    uint64_t *interval_blocks; /* [interval * size_count + size]: distinct in the interval */
    uint64_t *interval_new;    /* likewise: touched in no interval before */
    size_t interval_blocks_capacity, interval_new_capacity;
    struct ft_phases phases;
    uint64_t memory_bytes; /* that finding it took, at most */
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
