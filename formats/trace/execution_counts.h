/*
 * Counts how often units ran and followed each other (struct ft_execution_counts of trace.h), one
 * record after the other. A unit that ran only in part is counted by itself, with an edge that
 * leads to it. What follows it, or the kernel's changes of the stack (signals), follows no unit.
 *
 * The records of a loop that was closed at its head and went on, with nothing in between, are one
 * entry. Where a loop was left early, its whole turns are executions of the loop, and the last turn
 * is one of the unit that says how far it came. One thread at a time.
 */
#ifndef FT_FORMATS_TRACE_EXECUTION_COUNTS_H
#define FT_FORMATS_TRACE_EXECUTION_COUNTS_H

#include "formats/trace/log.h"
#include "formats/trace/trace.h"

struct ft_execution_counter;
/* unit_count: the highest id. at_start: of a log; elsewhere nobody knows what the first unit
 * follows, and the counts say so. */
int ft_execution_counter_create(size_t unit_count, bool at_start,
                                struct ft_execution_counter **ret_counter, struct ft_diag *diag);
void ft_execution_counter_destroy(struct ft_execution_counter *counter);

/* unit: that of the record, NULL for escapes. */
int ft_execution_counter_add(struct ft_execution_counter *counter, const struct ft_unit *unit,
                             const struct ft_record *record, struct ft_diag *diag);

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
