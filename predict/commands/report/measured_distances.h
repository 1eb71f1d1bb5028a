/*
 * What was measured beside what the model says: the reuse distances of its groups of references at
 * training sizes, from histograms that it was fitted to (Marin & Mellor-Crummey 2004, figure 4).
 *
 * A reference is the same at another size if its instruction is, in a module of the same build-id;
 * a group at a size where its references do not make as many accesses as the fit found is left out.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_MEASURED_DISTANCES_H
#define FT_PREDICT_COMMANDS_REPORT_MEASURED_DISTANCES_H

#include "formats/cli/json.h"
#include "formats/model/model.h"

struct ft_measured_distances;
/* Files of histograms, each with at least one trace that the model was fitted to. The model must
 * outlive the result. */
int ft_measured_distances_read(const struct ft_model *model, const char *const *paths, size_t count,
                               struct ft_measured_distances **ret_measured, struct ft_diag *diag);
void ft_measured_distances_destroy(struct ft_measured_distances *measured);

/* {"measured": [[size, distances], ...]}, by size; blocks are the model's smallest. */
int ft_measured_distances_json(const struct ft_measured_distances *measured, size_t group,
                               json_t **ret_json, struct ft_diag *diag);

#endif
