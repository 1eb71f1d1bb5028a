/*
 * From executed units to the scope tree: basic blocks, the flow graph of each routine, natural
 * loops and their nesting (Havlak 1997), source lines, and references in their scopes (Marin &
 * Mellor-Crummey 2004, section 3; docs/structure.md, "How it is found"). Works on the code bytes
 * inside the trace. Loops that the compiler made from one source loop (vectorised, unrolled,
 * peeled) are one scope (loop_folding.h). Thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_STRUCTURE_H
#define FT_ENGINE_PROGRAM_STRUCTURE_H

#include "engine/program/graph/flow_graph.h"
#include "engine/program/graph/program_loops.h"
#include "engine/program/graph/routines.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

/* A program's code: the scope tree, and the machine code that it stands for. The graph points into
 * the trace's units, the loops into its modules. */
struct ft_structure {
    struct ft_flow_graph graph;
    struct ft_routines routines;
    struct ft_program_loops loops;
    uint32_t *scope_of_routine; /* per routine */
    uint32_t *scope_of_loop;    /* per loop of the machine code; several may be one scope */
    uint32_t *context_depth;    /* per scope: inlined calls around it */
    struct ft_scopes scopes;
};
void ft_structure_fini(struct ft_structure *structure);

/* As ft_structure_build, with the machine code. */
int ft_structure_of_trace(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                          const struct ft_reference *references, uint32_t reference_count,
                          const int64_t *strides, struct ft_structure *ret_structure,
                          struct ft_diag *diag);

/* The scope tree alone. references: of the trace's run source; strides: per reference as in struct
 * ft_histograms, NULL: without groups, each reference is a group of its own. */
int ft_structure_build(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                       const struct ft_reference *references, uint32_t reference_count,
                       const int64_t *strides, struct ft_scopes *ret_scopes, struct ft_diag *diag);

/* The same from plain arrays. */
struct ft_structure_input {
    const char *program;                /* path of the executable */
    const struct ft_unit *const *units; /* by id; [0] is NULL */
    size_t unit_count;                  /* highest id + 1 */
    const struct ft_module *const *modules;
    size_t module_count;
    const struct ft_execution_counts *counts;
    const struct ft_reference *references;
    uint32_t reference_count;
    const int64_t *strides;
};
int ft_structure_make(const struct ft_structure_input *input, struct ft_structure *ret_structure,
                      struct ft_diag *diag);
int ft_structure_build_from(const struct ft_structure_input *input, struct ft_scopes *ret_scopes,
                            struct ft_diag *diag);

#endif
