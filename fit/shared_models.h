/*
 * The models of caches that threads share (formats/model/model_threads.h): the same fit, of the
 * distances there.
 */
#ifndef FT_FIT_SHARED_MODELS_H
#define FT_FIT_SHARED_MODELS_H

#include "fit/fit_options.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* Fits a model without scopes to entries, whose scopes stay. */
typedef int ft_shared_fit(struct ft_histograms *entries, size_t entry_count,
                          const struct ft_fit_options *options, struct ft_model *ret_model,
                          struct ft_diag *diag);

/* For each number of cores, above 1, whose threads share caches in all entries beside those of
 * their own histograms: none of most threads, or over the data size. What was fitted before a
 * failure is to be given to ft_model_threads_fini, too. */
int ft_shared_models_fit(struct ft_histograms *entries, size_t entry_count,
                         const struct ft_fit_options *options, ft_shared_fit *fit,
                         struct ft_model_threads *threads, struct ft_diag *diag);

/* Gives a whole model shared ones that were fitted to the same entries. */
void ft_shared_models_give(struct ft_model_threads *threads, struct ft_model *model);

#endif
