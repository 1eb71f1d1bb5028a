/*
 * Copies of a model with other functions: the differences of their forecasts show how much a
 * forecast depends on a choice, or on a bad fit. They own their groups and counts; the rest belongs
 * to the model, which must outlive them.
 */
#ifndef FT_PREDICT_INTERVALS_PERTURBED_MODEL_H
#define FT_PREDICT_INTERVALS_PERTURBED_MODEL_H

#include "formats/model/model.h"

struct ft_perturbed_model {
    struct ft_model model;
    struct ft_model_histogram *histograms; /* [group * size_count + block size] */
};

/* Equal to the model; members and bins still belong to it. */
int ft_perturbed_copy(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                      struct ft_diag *diag);

/* Each histogram by the member of one method alone, if that is nearly as good as the best one: an
 * expected error of at most twice the best one's. */
int ft_perturbed_by_method(const struct ft_model *model, uint32_t method,
                           struct ft_perturbed_model *ret_perturbed, struct ft_diag *diag);

/* Accesses and executions higher by as much as their functions miss the training counts: a function
 * that is a share e off may be too low by 1 / (1 - e). Histograms stay as they are. */
int ft_perturbed_by_misfit(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                           struct ft_diag *diag);

/* Accesses and executions 0 whose functions are not exact at all training sizes. */
int ft_perturbed_exact_only(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                            struct ft_diag *diag);

void ft_perturbed_fini(struct ft_perturbed_model *perturbed);

#endif
