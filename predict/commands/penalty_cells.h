/*
 * Times by schedule and penalty (predict/time/penalty_time.h) in CSV and JSON, the same in reports
 * and comparisons. Of predictions that have them.
 */
#ifndef FT_PREDICT_COMMANDS_PENALTY_CELLS_H
#define FT_PREDICT_COMMANDS_PENALTY_CELLS_H

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "predict/prediction.h"

void ft_penalty_columns(struct ft_table *table);
void ft_penalty_cells(struct ft_table *table, const struct ft_penalty_time *time);

/* {"marin_2004": {...}} of a scope. */
json_t *ft_penalty_json(const struct ft_prediction *prediction, uint32_t scope);

#endif
