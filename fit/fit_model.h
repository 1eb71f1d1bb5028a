/*
 * The whole fit: histogram entries of one program at several sizes to a model (docs/fit.md).
 * The result is the same for any number of threads.
 */
#ifndef FT_FIT_FIT_MODEL_H
#define FT_FIT_FIT_MODEL_H

#include "fit/counted_sizes.h"
#include "fit/fit_options.h"
#include "fit/matching/match.h"
#include "fit/matching/series_strides.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* What a fit found besides the model. */
struct ft_fit_notes {
    struct ft_series_notes series;   /* points into the model's scopes */
    struct ft_counted_notes counted; /* points into the runs without addresses */
    struct ft_diag no_skeleton;      /* why the model has no skeleton; empty where it has one */
    struct ft_match match;           /* which references the model's groups are; ft_match_fini */
};

/* Entries in any order. Entries that no model can be fitted to (no parameter, two of one size, too
 * few) are FT_ERROR_USAGE. The scope tree of the largest entry moves into the model: the entry's is
 * empty afterwards. ret_notes may be NULL. */
int ft_fit_model(struct ft_histograms *entries, size_t entry_count,
                 const struct ft_fit_options *options, struct ft_model *ret_model,
                 struct ft_fit_notes *ret_notes, struct ft_diag *diag);

/* For a parameter, the elements in a line of the smallest line size modulo which the training sizes
 * have several residues: rows of arrays then start at changing offsets in their lines, and counts
 * scatter. 0 where all agree, for models over the data size, and for a further parameter with which
 * the data hardly grow. */
uint64_t ft_fit_mixed_residues(const struct ft_model *model, size_t parameter);

/* The largest relative error of the model at its own training sizes, over the counts of groups that
 * make a thousandth of the touches or more. */
double ft_fit_residual(const struct ft_model *model, size_t block_size);
/* Of the touches at the largest training size, the share that is counted by functions which miss
 * training sizes by more than FT_MISFIT. */
#define FT_MISFIT         0.1
#define FT_MISFIT_MATTERS 0.01 /* a share to warn of */
double ft_fit_misfit_share(const struct ft_model *model, size_t block_size);

#endif
