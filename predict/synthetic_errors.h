/*
 * By how much the misses of a scope may be off in a synthesis: as far as those of the largest
 * training size were, made from the smaller ones (fit/skeletons/held_out.h), in caches between the
 * level's capacity and one that is as much smaller as the growing data were. The farther the
 * forecast goes beyond the training sizes, the larger. Thread safe.
 */
#ifndef FT_PREDICT_SYNTHETIC_ERRORS_H
#define FT_PREDICT_SYNTHETIC_ERRORS_H

#include "formats/model/model.h"
#include "machines/machine.h"

/* ret_errors: [scope * levels of the machine + level], relative; INFINITY where nothing was held
 * out. The model has a skeleton, and the machine's block sizes. */
void ft_synthetic_errors(const struct ft_model *model, const struct ft_machine *machine,
                         double size, double *ret_errors);
/* Likewise of its accesses: ret_errors: [scope]. */
void ft_synthetic_access_errors(const struct ft_model *model, double size, double *ret_errors);

#endif
