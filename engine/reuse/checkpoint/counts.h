/*
 * Execution counts of a part of a log, in the checkpoint file.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_COUNTS_H
#define FT_ENGINE_REUSE_CHECKPOINT_COUNTS_H

#include "formats/base/sealed_file.h"
#include "formats/trace/trace.h"

/* unit_count: the highest id. */
void ft_checkpoint_counts_put(struct ft_sealed_output *output,
                              const struct ft_execution_counts *counts, uint64_t unit_count);
/* FT_ERROR_DATA where they are inconsistent. */
int ft_checkpoint_counts_get(struct ft_sealed_input *input, struct ft_execution_counts *counts,
                             uint64_t *ret_unit_count, struct ft_diag *diag);

#endif
