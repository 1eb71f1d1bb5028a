/*
 * Exact reuse distances for many block sizes in one pass (docs/method.md; definition as in Bennett
 * & Kruskal 1975, Olken 1981). The result is the same bytes for any thread count and kernel.
 */
#ifndef FT_ENGINE_REPLAY_REPLAY_H
#define FT_ENGINE_REPLAY_REPLAY_H

#include "formats/histograms.h"
#include "formats/trace/runs.h"

#define FT_REPLAY_SIZES_MAX 31

struct ft_replay;
/* kernel: "c", "avx2", "avx512", or NULL for the best that this processor has. */
int ft_replay_create(const uint64_t *block_bytes, size_t size_count, const char *kernel,
                     struct ft_replay **ret_replay, struct ft_diag *diag);
/* Takes the source to its end. */
int ft_replay_run(struct ft_replay *replay, struct ft_run_source *source, struct ft_diag *diag);
/* Moves the result into `histograms`: block sizes, per-reference accesses, strides, histograms,
 * distinct blocks. */
int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag);
void ft_replay_destroy(struct ft_replay *replay);

#endif
