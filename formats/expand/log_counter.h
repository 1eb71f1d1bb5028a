/*
 * Counts what records executed, for readers that check or skip them. For one thread at a time; the
 * units must outlive the counter.
 */
#ifndef FT_FORMATS_EXPAND_LOG_COUNTER_H
#define FT_FORMATS_EXPAND_LOG_COUNTER_H

#include "formats/expand/record.h"

struct ft_log_counter;
int ft_log_counter_create(const struct ft_unit_table *units, struct ft_log_counter **ret_counter,
                          struct ft_diag *diag);
void ft_log_counter_destroy(struct ft_log_counter *counter);

/* The unit that a record executes, which a PARTIAL escape names; NULL for other escapes. */
const struct ft_unit *ft_record_unit(const struct ft_unit_table *units,
                                     const struct ft_record *record);

/* Checks the record, adds what it executed to the totals of its chunk and moves the state past it.
 * Fails once totals exceed `limits`, what the chunk counts: a damaged string instruction may claim
 * 2^60 repetitions. */
int ft_log_counter_add(struct ft_log_counter *counter, const struct ft_record *record,
                       const struct ft_log_totals *limits, struct ft_log_state *state,
                       struct ft_log_totals *totals, struct ft_diag *diag);

#endif
