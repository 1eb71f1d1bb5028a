/*
 * The whole fit: histogram entries of one program at several sizes to a model (docs/fit.md).
 * The result is the same for any number of threads.
 */
#ifndef FT_FIT_FIT_MODEL_H
#define FT_FIT_FIT_MODEL_H

#include "fit/fit_options.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* entries in any order. Errors of the data's meaning (no parameter, two sizes alike, too few) are
 * FT_ERROR_USAGE. The scope tree of the largest entry moves into the model: the entry's is empty
 * afterwards. */
int ft_fit_model(struct ft_histograms *entries, size_t entry_count,
                 const struct ft_fit_options *options, struct ft_model *ret_model,
                 struct ft_diag *diag);

/* Of a parameter: modulus of the first line size at which the training sizes leave several
 * residues: then rows of arrays start at changing places in their lines, and counts wobble. 0 where
 * all agree, of models over the data size, and of a further parameter with which the data hardly
 * grow. */
uint64_t ft_fit_mixed_residues(const struct ft_model *model, size_t parameter);

/* The largest relative error of what the model says about its own training sizes, over the counts
 * of groups that make a thousandth of the touches or more. */
double ft_fit_residual(const struct ft_model *model, size_t block_size);

#endif
