/*
 * Executions of units and their edges as bytes, for traces with counts instead of logs
 * (docs/trace-format.md, "Counts"). One thread.
 */
#ifndef FT_FORMATS_TRACE_COUNTS_TABLE_H
#define FT_FORMATS_TRACE_COUNTS_TABLE_H

#include "formats/base/bytes.h"
#include "formats/trace/execution_counts.h"

/* How far counts are written; zero at first. */
struct ft_counts_walk {
    size_t next_unit, next_edge, next_part;
    bool is_done;
};

/* Writes as many entries as a chunk takes; gives the instructions that they stand for. */
uint64_t ft_counts_write(const struct ft_execution_counts *counts,
                         const struct ft_unit_table *units, struct ft_counts_walk *walk,
                         struct ft_bytes *payload);

/* Counts that are read chunk by chunk; zero at first. */
struct ft_counts_reading {
    struct ft_execution_counts counts; /* whose arrays of units have room for all */
    size_t edge_capacity, part_capacity;
};
/* Takes in a chunk's entries, of defined units only, whose instructions must be so many. */
int ft_counts_read(struct ft_cursor *cursor, const struct ft_unit_table *units,
                   uint64_t instructions, struct ft_counts_reading *reading, struct ft_diag *diag);

#endif
