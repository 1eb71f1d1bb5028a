/*
 * Whether a model has the block sizes that a machine's levels need: those that its traces were
 * replayed with.
 */
#ifndef FT_PREDICT_MACHINE_BLOCKS_H
#define FT_PREDICT_MACHINE_BLOCKS_H

#include "formats/model/model.h"
#include "machines/machine.h"

/* FT_ERROR_USAGE where it lacks some; the message says all of them and names the command that adds
 * them. */
int ft_predict_check_sizes(const struct ft_model *model, const struct ft_machine *machine,
                           struct ft_diag *diag);

#endif
