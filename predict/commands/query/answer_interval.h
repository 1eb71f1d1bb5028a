/*
 * How sure the answers are (predict/intervals/interval.h), as cells of their tables. Numbers that
 * are computed at one size have the intervals of predict/intervals/spread.h. If the answer is
 * itself searched for over sizes, such as a critical one, all perturbations of the model
 * (answer_curves.h) are asked the same question, and their answers make an interval.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_ANSWER_INTERVAL_H
#define FT_PREDICT_COMMANDS_QUERY_ANSWER_INTERVAL_H

#include "predict/commands/interval_text.h"
#include "predict/commands/query/answer.h"
#include "predict/commands/query/answer_curves.h"
#include "predict/intervals/interval.h"

/* Asks a variant's curve: the answer nearest to `estimate`, NAN if there is none. */
typedef int ft_ask_variant(struct ft_miss_curve *curve, const void *context, double estimate,
                           double *ret_answer, struct ft_diag *diag);

/* floor: no interval is narrower than this share of the estimate to either side. Without replicas
 * both ends are NAN; if some variant has no answer, the estimate is unknown. */
int ft_answer_interval(const struct ft_variant_curves *variants, ft_ask_variant *ask,
                       const void *context, double estimate, double floor,
                       struct ft_interval *ret_interval, struct ft_diag *diag);

/* An estimate: in text "unknown" if its interval says so, else followed by '?' if it is a guess
 * (ft_answer_ratio); in CSV and JSON empty if it is unknown. */
void ft_answer_estimate(struct ft_answer *answer, struct ft_table *table, double value,
                        const struct ft_interval *interval, bool known, ft_number_writer *write);

/* The interval: two columns in CSV and JSON, one in text, which is left out if no model has
 * replicas. `what` goes before "_low" and "_high". Ends that are infinite or unknown are empty. */
void ft_interval_columns(const struct ft_answer *answer, struct ft_table *table, const char *what);
void ft_interval_cells(struct ft_answer *answer, struct ft_table *table,
                       const struct ft_interval *interval, ft_number_writer *write);
void ft_interval_no_cells(const struct ft_answer *answer, struct ft_table *table);
/* For a number that is shown whether it is known or not: "unknown" stands beside it. */
void ft_interval_beside(struct ft_answer *answer, struct ft_table *table,
                        const struct ft_interval *interval, ft_number_writer *write);

/* A size: whole from 1000 on. A ratio: three digits, so that its interval can be told from it. */
char *ft_text_size(char text[FT_NUMBER_TEXT], double n);
char *ft_text_ratio(char text[FT_NUMBER_TEXT], double ratio);

#endif
