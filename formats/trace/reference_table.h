/*
 * Numbers the static data references of a trace: in order of unit, instruction and access, each
 * once although units may overlap; software prefetches have none.
 *
 * Immutable once made, thread safe.
 */
#ifndef FT_FORMATS_TRACE_REFERENCE_TABLE_H
#define FT_FORMATS_TRACE_REFERENCE_TABLE_H

#include "formats/trace/runs.h"
#include "formats/trace/trace.h"

struct ft_reference_table {
    struct ft_reference *references;
    uint32_t reference_count;
    uint32_t *numbers; /* of all static accesses of all units, unit by unit */
    size_t *first;     /* by unit id: its first in numbers */
};

int ft_reference_table_init(struct ft_reference_table *table, const struct ft_trace *trace,
                            struct ft_diag *diag);
void ft_reference_table_fini(struct ft_reference_table *table);

#endif
