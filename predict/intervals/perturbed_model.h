/*
 * Copies of a model whose functions are others: what is forecast from them tells how far a forecast
 * hangs on a choice or on a bad fit. They own their groups and counts; the rest is the
 * model's, which must outlive them.
 */
#ifndef FT_PREDICT_INTERVALS_PERTURBED_MODEL_H
#define FT_PREDICT_INTERVALS_PERTURBED_MODEL_H

#include "formats/model/model.h"

struct ft_perturbed_model {
    struct ft_model model;
    struct ft_model_histogram *histograms; /* [group * size_count + block size] */
};

/* As the model is; members and bins are still the model's. */
int ft_perturbed_copy(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                      struct ft_diag *diag);

/* Each histogram by the member of one method alone, where it has one that is nearly as good as its
 * best one: expected errors of at most twice its own. */
int ft_perturbed_by_method(const struct ft_model *model, uint32_t method,
                           struct ft_perturbed_model *ret_perturbed, struct ft_diag *diag);

/* Accesses and executions higher by as much as their functions miss the training counts: a function
 * that is a share e off may be too low by 1 / (1 - e). Histograms stay as they are. */
int ft_perturbed_by_misfit(const struct ft_model *model, struct ft_perturbed_model *ret_perturbed,
                           struct ft_diag *diag);

void ft_perturbed_fini(struct ft_perturbed_model *perturbed);

#endif
