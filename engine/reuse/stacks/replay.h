/*
 * Exact reuse distances for many block sizes in one pass (docs/replay.md; definition as in Bennett
 * & Kruskal 1975, Olken 1981). The result is the same for every kernel, and for runs and the same
 * accesses one by one.
 *
 * An access touches every block that it covers, low to high, one touch each: an aligned 64-byte
 * access is two touches of 32-byte blocks and one of a 64-byte block. Addresses are numbers modulo
 * 2^64. Up to 2^32 - 1 blocks of each size can be numbered, counting all blocks of a touched
 * region; regions are 2 MiB by default. A program that touches more is refused with
 * FT_ERROR_UNSUPPORTED. One thread per struct ft_replay.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPLAY_H
#define FT_ENGINE_REUSE_STACKS_REPLAY_H

#include "engine/reuse/stacks/kernel.h"
#include "engine/reuse/stacks/replay_limits.h"
#include "engine/reuse/stacks/touch_listener.h"
#include "formats/histograms/histograms.h"

struct ft_replay;
/* kernel: "c", "avx2", "avx512", or NULL for the fastest that this processor supports. */
int ft_replay_create(const struct ft_block_sizes *sizes, const char *kernel,
                     struct ft_replay **ret_replay, struct ft_diag *diag);
/* Before the replay begins: records for each touch which reference touched its block before, in
 * histograms->pairs. Slower. */
int ft_replay_want_pairs(struct ft_replay *replay, struct ft_diag *diag);
/* Before the replay begins, with pairs: records which scope carries each reuse, from the steps of
 * the program, which must outlive the replay. Runs then have accesses, and fetches, which are not
 * touches; no segment can be made of the replay. */
struct ft_scope_steps;
void ft_replay_follow_scopes(struct ft_replay *replay, const struct ft_scope_steps *steps);
/* Before the replay begins, with pairs: batches come from thread_count threads, and pairs record
 * where another thread had touched the block (formats/histograms/reuse_pairs.h). */
void ft_replay_of_threads(struct ft_replay *replay, uint32_t thread_count);
/* Before the replay begins: references from `first` on are skipped. */
void ft_replay_skip_from(struct ft_replay *replay, uint32_t first);
/* Before the replay begins: the listener, which stays the caller's, takes all touches in the place
 * of the LRU stacks. There are no pairs and no histograms then. */
void ft_replay_walk_for(struct ft_replay *replay, struct ft_touch_listener *listener);
/* Takes runs of these references: begins once, takes batch after batch, ends. */
int ft_replay_begin(struct ft_replay *replay, const struct ft_reference *references,
                    uint32_t reference_count, struct ft_diag *diag);
int ft_replay_take(struct ft_replay *replay, const struct ft_run_batch *batch,
                   struct ft_diag *diag);
int ft_replay_end(struct ft_replay *replay, struct ft_diag *diag);
/* Between two batches: where it stands in periods of runs that it only compares (docs/replay.md,
 * "Repetition"). */
struct ft_replay_skips {
    bool is_skipping;
    uint64_t number;  /* of the period, from 1 on */
    uint64_t skipped; /* whole ones */
    size_t at;        /* in the next one */
};
struct ft_replay_skips ft_replay_skips(const struct ft_replay *replay);
/* What it took since that place were whole periods that it skipped: skips as many again, so many
 * times, without seeing them. False, and nothing is done, where that is not so. */
bool ft_replay_skip_more(struct ft_replay *replay, const struct ft_replay_skips *since,
                         uint64_t times);
/* All three, with a source that is read to its end. */
int ft_replay_run(struct ft_replay *replay, struct ft_run_source *source, struct ft_diag *diag);
/* Accesses taken so far, for progress. */
uint64_t ft_replay_accesses(const struct ft_replay *replay);
/* Fills block_bytes, reference_accesses, reference_strides, distinct_blocks, touches and
 * histograms, which must be empty, with their counts, and pairs if requested; leaves the other
 * members alone. */
int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag);
void ft_replay_destroy(struct ft_replay *replay);

#endif
