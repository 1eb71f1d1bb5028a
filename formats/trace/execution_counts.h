/*
 * Counts how often units ran and followed each other, record by record.
 * A unit that ran only in part is counted by itself, with an edge that
 * leads to it. What follows it, or the kernel's changes of the stack (signals), follows no unit.
 *
 * The records of a loop that was closed at its head and went on, with nothing in between, are one
 * entry. Where a loop was left early, its complete iterations are executions of the loop, and the
 * last iteration is one of the unit that says how far it came. One thread at a time.
 */
#ifndef FT_FORMATS_TRACE_EXECUTION_COUNTS_H
#define FT_FORMATS_TRACE_EXECUTION_COUNTS_H

#include "formats/expand/record.h"

/* How often units ran and followed each other, gathered while runs are read. */
struct ft_unit_edge {
    uint32_t from, to; /* unit ids; from 0: the first unit of a thread or after a signal */
    uint64_t count;
};
struct ft_unit_part { /* a unit of which only the first instructions ran, before a signal */
    uint32_t unit, instructions; /* instructions not 0 */
    uint64_t count;
};
struct ft_execution_counts {
    uint64_t *units; /* by id, unit_count + 1 entries: whole executions, each iteration of a loop */
    uint64_t *loop_entries;     /* by id: for loops how often they were entered, else 0 */
    struct ft_unit_edge *edges; /* sorted by (from, to); a loop's back edge included */
    size_t edge_count;
    struct ft_unit_part *parts; /* sorted by (unit, instructions); edges lead to them, too */
    size_t part_count;
    /* Of a part of a log: its first unit, which follows the last one of the part before, in no edge
     * yet and, if it is a loop, in no entry; 0: what it follows is known. The last one, 0 for none,
     * is known where any unit or signal is in the part, or the part begins the log. */
    uint32_t first, last;
    bool first_is_loop, last_is_known;
};
void ft_execution_counts_fini(struct ft_execution_counts *counts);

struct ft_execution_counter;
/* unit_count: the highest id. at_start: of a log; elsewhere nobody knows what the first unit
 * follows, and the counts say so. */
int ft_execution_counter_create(size_t unit_count, bool at_start,
                                struct ft_execution_counter **ret_counter, struct ft_diag *diag);
void ft_execution_counter_destroy(struct ft_execution_counter *counter);

/* unit: that of the record, NULL for escapes. */
int ft_execution_counter_add(struct ft_execution_counter *counter, const struct ft_unit *unit,
                             const struct ft_record *record, struct ft_diag *diag);

/* Notes the counts so far; then adds what was counted since, so many times more. False, and nothing
 * is added, if units were left by signals since, whose counts are not added up. */
int ft_execution_counter_mark(struct ft_execution_counter *counter, struct ft_diag *diag);
bool ft_execution_counter_times(struct ft_execution_counter *counter, uint64_t times);

/* Adds the counts of another thread of the trace; unit_count: the highest id. */
int ft_execution_counts_add(struct ft_execution_counts *sum,
                            const struct ft_execution_counts *counts, size_t unit_count,
                            struct ft_diag *diag);

/* Adds the counts of the part of the log that follows; `more` is emptied. */
int ft_execution_counts_append(struct ft_execution_counts *counts, struct ft_execution_counts *more,
                               size_t unit_count, struct ft_diag *diag);

/* Sorts edges and parts, and adds up those that are alike. */
void ft_execution_counts_sort(struct ft_execution_counts *counts);

/* Hands the counts over, sorted; the counter then may only be destroyed. */
void ft_execution_counter_finish(struct ft_execution_counter *counter,
                                 struct ft_execution_counts *ret_counts);

#endif
