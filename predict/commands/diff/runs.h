/*
 * `diff -- "OLD {N}" "NEW {N}"`: both commands are captured; with --train at several sizes, which
 * become a model each; then what was made is compared. Every step is a command of foretrace, run as
 * a child and shown on standard error; so is the comparison, whose output is the child's. Files go
 * to a folder that is removed at the end, unless --keep names it.
 */
#ifndef FT_PREDICT_COMMANDS_DIFF_RUNS_H
#define FT_PREDICT_COMMANDS_DIFF_RUNS_H

#include "formats/cli/options.h"
#include "predict/commands/diff/source.h"

/* sources: with their machines, not opened. ret_code: of the comparison. */
int ft_diff_runs(const struct ft_arguments *arguments, const struct ft_diff_source sources[2],
                 int *ret_code, struct ft_diag *diag);

#endif
