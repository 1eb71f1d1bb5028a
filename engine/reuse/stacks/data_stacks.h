/*
 * LRU stacks whose references are pairs of a reference and an object (engine/data/data_runs.h):
 * converts what they counted to histograms of references, and of the data that each reference
 * touches.
 */
#ifndef FT_ENGINE_REUSE_STACKS_DATA_STACKS_H
#define FT_ENGINE_REUSE_STACKS_DATA_STACKS_H

#include "engine/data/data_runs.h"
#include "formats/histograms/histograms.h"

/* From histograms of pairs, as ft_replay_finish gives them, to those of references. */
int ft_data_stacks_fold(const struct ft_data_runs *runs, const struct ft_histograms *by_pair,
                        size_t reference_count, struct ft_histograms *ret_histograms,
                        struct ft_diag *diag);
/* Adds histograms of pairs, which are emptied; sum is initially all zero. */
int ft_data_stacks_add(struct ft_histograms *sum, struct ft_histograms *by_pair,
                       struct ft_diag *diag);
/* Fills histograms->data. by_pair is emptied. */
int ft_data_stacks_finish(const struct ft_data_runs *runs, struct ft_histograms *by_pair,
                          struct ft_histograms *histograms, struct ft_diag *diag);

#endif
