/*
 * From which size on references miss: where their misses per access in a fully associative cache,
 * beyond first touches, come to half of what they are at a size. By the model's histograms. Needs
 * gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_EXPLAIN_MISS_ONSET_H
#define FT_PREDICT_EXPLAIN_MISS_ONSET_H

#include "formats/model/model.h"
#include "machines/machine.h"

/* The groups of a scope whose first reference is in a line; line 0: all groups of the scope. NAN:
 * none misses at the size, or all sizes from the smallest training size on do. */
int ft_miss_onset(const struct ft_model *model, uint32_t scope, uint32_t line,
                  const struct ft_level *level, double size, double *ret_size,
                  struct ft_diag *diag);

#endif
