/*
 * Values with their intervals, for programs: cells of CSV and members of JSON (docs/json.md,
 * "predict").
 */
#ifndef FT_PREDICT_COMMANDS_INTERVAL_DATA_H
#define FT_PREDICT_COMMANDS_INTERVAL_DATA_H

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "predict/intervals/interval.h"

/* An end of an interval, or a bound; empty if it is not known. */
void ft_table_end(struct ft_table *table, double end);
/* A value; empty if its interval is so wide that the number would say nothing. */
void ft_table_known(struct ft_table *table, double value, const struct ft_interval *interval);
/* Both ends. */
void ft_table_ends(struct ft_table *table, const struct ft_interval *interval);

/* [low, high]; null where nothing is known of how sure a figure is. */
json_t *ft_interval_json(const struct ft_interval *interval);
/* A value; null if its interval is so wide that the number would say nothing. */
json_t *ft_estimate_json(double value, const struct ft_interval *interval);
/* (predicted - simulated) / simulated; null where nothing was simulated, or no number predicted. */
json_t *ft_error_json(double predicted, const struct ft_interval *interval, double simulated);

#endif
