/*
 * What a synthesis makes as a trace file: accesses of instructions whose code is not in it, as in
 * an imported trace (formats/text/reference_log.h).
 */
#ifndef FT_FIT_SKELETONS_SYNTHETIC_TRACE_H
#define FT_FIT_SKELETONS_SYNTHETIC_TRACE_H

#include "fit/skeletons/synthesis.h"
#include "formats/base/progress.h"
#include "formats/text/reference_log.h"

/* origins: the files learned from. metadata: its texts but the end reason are set; gets its totals
 * and that. An unfinished file stays as OUTPUT.partial. */
int ft_synthesis_write(const struct ft_synthesis *synthesis, const char *output,
                       const struct ft_reference_origin *origins, size_t origin_count,
                       struct ft_metadata *metadata, struct ft_progress *progress,
                       struct ft_diag *diag);

#endif
