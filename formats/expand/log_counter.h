/*
 * Counts what records stand for, with the units' compiled programs, for readers that check or skip.
 * One thread at a time; the units must outlive it.
 */
#ifndef FT_FORMATS_EXPAND_LOG_COUNTER_H
#define FT_FORMATS_EXPAND_LOG_COUNTER_H

#include "formats/expand/record.h"

struct ft_log_counter;
int ft_log_counter_create(const struct ft_unit_table *units, struct ft_log_counter **ret_counter,
                          struct ft_diag *diag);
void ft_log_counter_destroy(struct ft_log_counter *counter);

/* The unit that a record executes: its own, or the one that a PARTIAL escape names; else NULL. */
const struct ft_unit *ft_record_unit(const struct ft_unit_table *units,
                                     const struct ft_record *record);

/* Checks the record, adds what it executed to totals (of its chunk) and moves the state past it.
 * Fails once totals go beyond `most`, what the chunk counts: a string instruction may say that it
 * ran 2^60 times. */
int ft_log_counter_add(struct ft_log_counter *counter, const struct ft_record *record,
                       const struct ft_log_totals *most, struct ft_log_state *state,
                       struct ft_log_totals *totals, struct ft_diag *diag);

#endif
