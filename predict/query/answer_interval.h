/*
 * How sure an answer is that is one number, such as a capacity or a size: the same question is
 * asked of all replicas of the model, and their answers make an interval
 * (predict/intervals/interval.h).
 */
#ifndef FT_PREDICT_QUERY_ANSWER_INTERVAL_H
#define FT_PREDICT_QUERY_ANSWER_INTERVAL_H

#include "predict/intervals/interval.h"
#include "predict/query/answer.h"

/* Asks a replica: the answer next to `estimate`, NAN where there is none. */
typedef int ft_ask_replica(const struct ft_model *replica, size_t index, void *context,
                           double estimate, double *ret_answer, struct ft_diag *diag);

/* floor: no interval is narrower than this part of the estimate to either side. Without replicas
 * both ends are NAN; where some replica has no answer, too, and the interval is not known. */
int ft_answer_interval(const struct ft_model *model, ft_ask_replica *ask, void *context,
                       double estimate, double floor, struct ft_interval *ret_interval,
                       struct ft_diag *diag);

/* Two columns and their cells: the ends of an interval, printed as what it is of; empty where
 * nothing is known. `what` goes before "_low" and "_high". People get none where no model has
 * replicas. */
void ft_interval_columns(const struct ft_answer *answer, struct ft_table *table, const char *what);
void ft_interval_cells(const struct ft_answer *answer, struct ft_table *table,
                       const struct ft_interval *interval,
                       void (*cell)(struct ft_table *table, double value));
void ft_interval_size_cell(struct ft_table *table, double n);
void ft_interval_no_cells(const struct ft_answer *answer, struct ft_table *table);

#endif
