/*
 * The skeleton of a trace: what each thread runs as a nest of loops (docs/skeleton.md), in which
 * the loops are those that the machine code has. It gives the thread's accesses back one by one,
 * apart from those of irregular loops. Reads the trace twice, and again for each depth of nesting
 * of irregular loops.
 */
#ifndef FT_ENGINE_SKELETON_TRACE_SKELETON_H
#define FT_ENGINE_SKELETON_TRACE_SKELETON_H

#include "engine/skeleton/heap_blocks.h"
#include "engine/skeleton/nest_building.h"
#include "formats/base/progress.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

struct ft_skeleton {
    struct ft_scopes scopes;         /* its references are those below */
    struct ft_reference *references; /* of accesses, without fetches */
    uint32_t reference_count;
    uint32_t *routine_scopes, *loop_scopes; /* [id of the tokens] */
    uint64_t *loop_headers; /* [id]: offset in the module; several loops may be one scope */
    size_t routine_count, loop_count;
    uint64_t *accesses; /* [reference], of all threads */
    struct ft_thread_skeleton *threads;
    uint32_t thread_count;
    bool has_calls;               /* of allocation functions, in the trace */
    struct ft_heap_blocks blocks; /* with places: the first thread's; else none */
    struct ft_memory_events memory;
};

struct ft_skeleton_options {
    size_t loop_words; /* memory per loop (nest_building.h); 0: the default */
    bool places;       /* addresses by heap block (heap_blocks.h); of traces of one thread */
};
/* progress may be NULL. */
int ft_trace_skeleton(struct ft_trace *trace, const struct ft_skeleton_options *options,
                      struct ft_progress *progress, struct ft_skeleton *ret_skeleton,
                      struct ft_diag *diag);
void ft_skeleton_fini(struct ft_skeleton *skeleton);

#endif
