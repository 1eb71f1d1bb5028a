/*
 * The block of each rank of captured runs, and of one that is forecast, as a table: what models of
 * the ranks' computation are fitted over.
 */
#ifndef FT_PREDICT_COMMANDS_RANKS_BLOCKS_REPORT_H
#define FT_PREDICT_COMMANDS_RANKS_BLOCKS_REPORT_H

#include <stdio.h>

#include "machines/commands/report_options.h"
#include "predict/commands/ranks/captured_runs.h"
#include "predict/ranks/laws/rank_classes.h"

/* target, classes: of the run that is forecast; NULL without one. */
int ft_rank_blocks_print(const struct ft_captured_runs *runs, const struct ft_job_laws *laws,
                         const struct ft_rank_size *target, const struct ft_rank_classes *classes,
                         enum ft_report_form form, FILE *stream, struct ft_diag *diag);

#endif
