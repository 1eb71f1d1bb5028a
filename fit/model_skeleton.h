/*
 * The skeleton over sizes of a model, from those of the histogram entries.
 */
#ifndef FT_FIT_MODEL_SKELETON_H
#define FT_FIT_MODEL_SKELETON_H

#include "formats/histograms/entry.h"
#include "formats/model/model.h"

/* Sets model->skeleton where the model is over one parameter of integers and all entries, which are
 * by size, have skeletons of the same build. Else the message of ret_reason says why not. */
int ft_model_skeleton_learn(const struct ft_histograms *const *entries, struct ft_model *model,
                            struct ft_diag *ret_reason, struct ft_diag *diag);

#endif
