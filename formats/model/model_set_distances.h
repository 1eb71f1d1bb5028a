/*
 * The distances within sets of a model's training sizes, and their tables: a group `sets_0`,
 * `sets_1`... for each size that has them (formats/histograms/set_distance_tables.h). Replicas
 * share them; ft_model_fini frees them.
 */
#ifndef FT_FORMATS_MODEL_MODEL_SET_DISTANCES_H
#define FT_FORMATS_MODEL_MODEL_SET_DISTANCES_H

#include <hdf5.h>

#include "formats/model/model.h"

/* Those of a training size, once each; the model must have training_blocks. Takes the distances,
 * after a failure too. */
int ft_model_set_distances_add(struct ft_model *model, size_t training,
                               struct ft_set_distances *distances, struct ft_diag *diag);

int ft_model_set_distances_write(hid_t group, const struct ft_model *model, struct ft_diag *diag);
/* After training sizes, block sizes and what was counted. */
int ft_model_set_distances_read(hid_t group, struct ft_model *model, struct ft_diag *diag);

#endif
