/*
 * The accesses of a nest as a source of runs: each innermost loop is one run. Irregular loops give
 * nothing, or one entry of the reference reference_count + id, to show where they ran, or are
 * drawn.
 */
#ifndef FT_ENGINE_SKELETON_NEST_SOURCE_H
#define FT_ENGINE_SKELETON_NEST_SOURCE_H

#include "engine/skeleton/drawing.h"
#include "formats/expand/runs.h"
#include "formats/skeleton/nest.h"

struct ft_nest_source_options {
    const struct ft_reference *references;
    uint32_t reference_count;   /* those of the nest's accesses */
    uint32_t irregular_count;   /* shown as references behind them; 0: not shown */
    uint64_t access_count;      /* if known, for progress, or 0 */
    struct ft_drawing *drawing; /* of irregular loops, which are not shown then; or NULL. Taken
                                   over, also where creating fails */
};
/* Nest and references must outlive it. */
int ft_nest_source_create(const struct ft_nest *nest, const struct ft_nest_source_options *options,
                          struct ft_run_source **ret_source, struct ft_diag *diag);

#endif
