/*
 * The bandwidth models of the machines of a command with `--time-model convolver`: those that
 * --bandwidth-model names, one of each machine or one of all; else MACHINE.bandwidth.h5 beside a
 * machine's file. Owned.
 */
#ifndef FT_PREDICT_COMMANDS_BANDWIDTH_MODELS_H
#define FT_PREDICT_COMMANDS_BANDWIDTH_MODELS_H

#include "machines/bandwidth/bandwidth_model.h"
#include "machines/commands/report_options.h"

struct ft_bandwidth_models {
    struct ft_bandwidth_model *items; /* [machine that was given] */
    size_t count;                     /* 0: without a convolver */
};

int ft_bandwidth_models_read(const struct ft_arguments *arguments,
                             const struct ft_report_options *options,
                             struct ft_bandwidth_models *ret_models, struct ft_diag *diag);
void ft_bandwidth_models_fini(struct ft_bandwidth_models *models);

/* The function of a machine, by its place; NULL: none. */
const struct ft_bandwidth_function *
ft_bandwidth_models_function(const struct ft_bandwidth_models *models, size_t machine);

#endif
