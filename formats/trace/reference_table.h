/*
 * Numbers the static references of a trace: data accesses in order of unit, instruction and access,
 * each once although units may overlap; software prefetches have none. Where fetches are asked for
 * they come behind all accesses, in order of unit and instruction.
 *
 * Immutable once made, thread safe.
 */
#ifndef FT_FORMATS_TRACE_REFERENCE_TABLE_H
#define FT_FORMATS_TRACE_REFERENCE_TABLE_H

#include "formats/expand/runs.h"
#include "formats/trace/trace.h"

struct ft_reference_table {
    struct ft_reference *references;
    uint32_t reference_count;
    uint32_t *numbers; /* of all entries of all units, unit by unit, as they expand (expand.h) */
    size_t *first;     /* by unit id: its first in numbers */
};

/* content: enum ft_run_content. */
int ft_reference_table_init(struct ft_reference_table *table, const struct ft_trace *trace,
                            unsigned content, struct ft_diag *diag);
void ft_reference_table_fini(struct ft_reference_table *table);

#endif
