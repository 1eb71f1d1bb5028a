/*
 * From executed units to the scope tree: basic blocks, the flow graph of each routine, natural
 * loops and their nesting (Havlak 1997), source lines, and references in their places
 * (Marin & Mellor-Crummey 2004, section 3). Works on the code bytes inside the trace.
 */
#ifndef FT_ENGINE_STRUCTURE_STRUCTURE_H
#define FT_ENGINE_STRUCTURE_STRUCTURE_H

#include "formats/scopes.h"
#include "formats/trace/trace.h"

/* references: those of the trace's run source; strides: per reference as in struct ft_histograms
 * (may be NULL: then each reference is a group of its own). */
int ft_structure_build(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                       const struct ft_reference *references, uint32_t reference_count,
                       const int64_t *strides, struct ft_scopes *ret_scopes, struct ft_diag *diag);

#endif
