/*
 * Misses of caches (miss_ratios.h) with their intervals, as columns and cells of an answer.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_MISS_CELLS_H
#define FT_PREDICT_COMMANDS_QUERY_MISS_CELLS_H

#include "predict/commands/query/answer_interval.h"
#include "predict/query/miss_ratios.h"

/* The interval of cold misses is in CSV and JSON only. */
void ft_answer_metric_columns(const struct ft_answer *answer, struct ft_table *table,
                              enum ft_miss_metric metric);
/* known: as ft_answer_estimate has it. */
void ft_answer_metric_cells(struct ft_answer *answer, struct ft_table *table,
                            const struct ft_miss_ratios *ratios, size_t cache,
                            enum ft_miss_metric metric, bool known);

#endif
