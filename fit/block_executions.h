/*
 * How often each basic block and each edge between blocks of the last entry's code is executed, at
 * every size (Marin & Mellor-Crummey 2004, section 2.2). Many are executed equally often at all
 * sizes: these share a vector of counts, and so a function (formats/model/executions.h).
 */
#ifndef FT_FIT_BLOCK_EXECUTIONS_H
#define FT_FIT_BLOCK_EXECUTIONS_H

#include "fit/matching/match.h"
#include "formats/model/executions.h"

/* Vectors: [executions->count][entry], malloc'ed; the functions are still 0. There are none for
 * several builds, whose code differs. */
int ft_executions_gather(const struct ft_match *match, const struct ft_histograms *const *entries,
                         struct ft_model_executions *ret_executions, double **ret_counts,
                         struct ft_diag *diag);

#endif
