/*
 * `synthesise -o`: the accesses as a trace that says which files they were learned from.
 */
#ifndef FT_FIT_COMMANDS_SYNTHESISED_TRACE_H
#define FT_FIT_COMMANDS_SYNTHESISED_TRACE_H

#include "fit/skeletons/synthesis.h"
#include "formats/base/progress.h"
#include "formats/cli/options.h"
#include "formats/trace/metadata.h"

/* Writes the file of option `output`. about: program and parameters alone, at the size that was
 * made; ret_accesses: how many there are. */
int ft_synthesised_trace_write(const struct ft_arguments *arguments,
                               const struct ft_synthesis *synthesis,
                               const struct ft_metadata *about, struct ft_progress *progress,
                               uint64_t *ret_accesses, struct ft_diag *diag);

#endif
