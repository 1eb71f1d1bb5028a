/*
 * The questions that `foretrace simulate` answers of a trace, a file each. Options are
 * simulate's, and read before the trace is opened; the result goes to stdout.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_MODES_H
#define FT_ENGINE_COMMANDS_SIMULATE_MODES_H

#include "formats/cli/options.h"

/* Whether figures are to be summed up by data: --by data. */
bool ft_simulates_by_data(const struct ft_arguments *arguments);

/* With a machine and nothing else: each level by itself. */
int ft_simulate_levels_alone(const struct ft_arguments *arguments, struct ft_diag *diag);
/* The same summed up by the data that was touched: --by data. */
int ft_simulate_by_data(const struct ft_arguments *arguments, struct ft_diag *diag);
/* --hierarchy */
int ft_simulate_hierarchy(const struct ft_arguments *arguments, struct ft_diag *diag);
/* --core */
int ft_simulate_core(const struct ft_arguments *arguments, struct ft_diag *diag);
/* --signature */
int ft_simulate_signature(const struct ft_arguments *arguments, struct ft_diag *diag);
/* --all-caches */
int ft_simulate_all_caches(const struct ft_arguments *arguments, struct ft_diag *diag);

#endif
