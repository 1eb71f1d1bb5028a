/*
 * Makes the skeleton of a trace (formats/skeleton/skeleton.h). Reads the trace twice, and again for
 * each depth of nesting of irregular loops.
 */
#ifndef FT_ENGINE_SKELETON_TRACE_SKELETON_H
#define FT_ENGINE_SKELETON_TRACE_SKELETON_H

#include <stdatomic.h>

#include "engine/data/memory_events.h"
#include "engine/program/structure.h"
#include "formats/base/progress.h"
#include "formats/skeleton/skeleton.h"
#include "formats/trace/trace.h"

struct ft_skeleton_options {
    size_t loop_words; /* memory per loop (engine/skeleton/nest_building.h); 0: the default */
    bool places;       /* addresses by heap block (engine/skeleton/heap_blocks.h); of traces of one
                          thread */
    const atomic_bool *stop; /* ends it with FT_ERROR_FAILURE; or NULL */
};
/* progress may be NULL. FT_ERROR_UNSUPPORTED where there are too many accesses outside of loops. */
int ft_trace_skeleton(struct ft_trace *trace, const struct ft_skeleton_options *options,
                      struct ft_progress *progress, struct ft_skeleton *ret_skeleton,
                      struct ft_diag *diag);

/* What a replay knows of a trace. */
struct ft_skeleton_code {
    const struct ft_structure *structure;
    const struct ft_scopes *scopes;        /* its; copied */
    const uint64_t *accesses;              /* [reference] */
    const struct ft_memory_events *memory; /* with places; else NULL */
};
/* The same, with two readings less. */
int ft_trace_skeleton_of(struct ft_trace *trace, const struct ft_skeleton_code *code,
                         const struct ft_skeleton_options *options, struct ft_progress *progress,
                         struct ft_skeleton *ret_skeleton, struct ft_diag *diag);

#endif
