/*
 * How sure the answers are (predict/intervals/interval.h), as cells of their tables. Numbers that
 * are computed at one size have the intervals of predict/intervals/spread.h. Where the answer is
 * itself what is looked for over sizes, such as a critical one, the question is asked of all
 * perturbations of the model (answer_curves.h), and their answers make an interval.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_ANSWER_INTERVAL_H
#define FT_PREDICT_COMMANDS_QUERY_ANSWER_INTERVAL_H

#include "predict/commands/interval_text.h"
#include "predict/commands/query/answer.h"
#include "predict/commands/query/answer_curves.h"
#include "predict/intervals/interval.h"

/* Asks a variant's curve: the answer next to `estimate`, NAN where there is none. */
typedef int ft_ask_variant(struct ft_miss_curve *curve, const void *context, double estimate,
                           double *ret_answer, struct ft_diag *diag);

/* floor: no interval is narrower than this part of the estimate to either side. Without replicas
 * both ends are NAN; where some variant has no answer, the estimate is not known. */
int ft_answer_interval(const struct ft_variant_curves *variants, ft_ask_variant *ask,
                       const void *context, double estimate, double floor,
                       struct ft_interval *ret_interval, struct ft_diag *diag);

/* An estimate: as text "unknown" where its interval says so, else with '?' behind where it is a
 * guess (ft_answer_ratio); for programs nothing where it is unknown. */
void ft_answer_estimate(struct ft_answer *answer, struct ft_table *table, double value,
                        const struct ft_interval *interval, bool known, ft_number_writer *write);

/* The interval: for programs two columns, as text one, which is left out where no model has
 * replicas. `what` goes before "_low" and "_high". Ends that are infinite or unknown are empty. */
void ft_interval_columns(const struct ft_answer *answer, struct ft_table *table, const char *what);
void ft_interval_cells(struct ft_answer *answer, struct ft_table *table,
                       const struct ft_interval *interval, ft_number_writer *write);
void ft_interval_no_cells(const struct ft_answer *answer, struct ft_table *table);
/* Of a number that stands there whether it is known or not: people read "unknown" beside it. */
void ft_interval_beside(struct ft_answer *answer, struct ft_table *table,
                        const struct ft_interval *interval, ft_number_writer *write);

/* A size: whole from 1000 on. A ratio: three digits, so that its interval can be told from it. */
char *ft_text_size(char text[FT_NUMBER_TEXT], double n);
char *ft_text_ratio(char text[FT_NUMBER_TEXT], double ratio);

#endif
