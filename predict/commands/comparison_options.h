/*
 * What options of `predict` say of a comparison: --compare and --per; and the machines without the
 * edits of --machine, with which those with edits are compared.
 */
#ifndef FT_PREDICT_COMMANDS_COMPARISON_OPTIONS_H
#define FT_PREDICT_COMMANDS_COMPARISON_OPTIONS_H

#include "machines/commands/report_options.h"
#include "predict/commands/comparison.h"
#include "predict/commands/points.h"

/* Adds to options->machines those that are only given with edits. ret_bases: [machine], as in
 * struct ft_comparison; the caller frees them. */
int ft_comparison_machines_add(const struct ft_arguments *arguments,
                               struct ft_report_options *options, size_t **ret_bases,
                               struct ft_diag *diag);

/* --compare; without it the time, and of one machine the misses in its levels, too. The caller
 * frees them; the levels' names are views. */
int ft_comparison_shown_read(const struct ft_arguments *arguments,
                             const struct ft_report_options *options,
                             struct ft_shown_metric **ret_shown, size_t *ret_count,
                             struct ft_diag *diag);

/* --per at each point, above 0; 1 without it. The caller frees the work. */
int ft_comparison_work_read(const struct ft_arguments *arguments,
                            const struct ft_command_points *points, double **ret_work,
                            struct ft_diag *diag);

#endif
