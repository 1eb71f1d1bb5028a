/*
 * Exact reuse distances for many block sizes in one pass (docs/method.md; definition as in Bennett
 * & Kruskal 1975, Olken 1981). The result is the same for every kernel, and for runs and the same
 * accesses one by one.
 *
 * An access touches every block that it covers, low to high, one touch each: an aligned 64-byte
 * access is two touches of 32-byte blocks and one of a 64-byte block. Addresses are numbers modulo
 * 2^64. Up to 2^32 - 1 blocks of each size, in touched regions of 2 MiB, can be told apart; a
 * program that touches more is refused with FT_ERROR_UNSUPPORTED. One thread a struct ft_replay.
 */
#ifndef FT_ENGINE_REPLAY_REPLAY_H
#define FT_ENGINE_REPLAY_REPLAY_H

#include "formats/histograms.h"
#include "formats/trace/runs.h"

#define FT_REPLAY_SIZES_MAX 31

struct ft_replay;
/* block_bytes: ascending powers of two. kernel: "c", "avx2", "avx512", or NULL for the best that
 * this processor has. */
int ft_replay_create(const uint64_t *block_bytes, size_t size_count, const char *kernel,
                     struct ft_replay **ret_replay, struct ft_diag *diag);
/* Names of the kernels that this processor can run, the best one first; NULL after the last. */
const char *ft_replay_kernel_at(size_t index);
/* Takes runs of these references: begins once, takes batch after batch, ends. */
int ft_replay_begin(struct ft_replay *replay, const struct ft_reference *references,
                    uint32_t reference_count, struct ft_diag *diag);
int ft_replay_take(struct ft_replay *replay, const struct ft_run_batch *batch,
                   struct ft_diag *diag);
int ft_replay_end(struct ft_replay *replay, struct ft_diag *diag);
/* The three of them, with a source that is taken to its end. */
int ft_replay_run(struct ft_replay *replay, struct ft_run_source *source, struct ft_diag *diag);
/* Accesses taken so far, for progress. */
uint64_t ft_replay_accesses(const struct ft_replay *replay);
/* Fills block_bytes, reference_accesses, reference_strides, distinct_blocks, touches and
 * histograms, which must be empty, and their counts; touches nothing else. */
int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag);
void ft_replay_destroy(struct ft_replay *replay);

#endif
