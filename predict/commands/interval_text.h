/*
 * Values with their intervals, as text: "1.23 M +-4.0 %", "0.00 (0 to 1)", "unknown", "1.20 M
 * to 1.26 M".
 */
#ifndef FT_PREDICT_COMMANDS_INTERVAL_TEXT_H
#define FT_PREDICT_COMMANDS_INTERVAL_TEXT_H

#include "formats/cli/table.h"
#include "predict/intervals/interval.h"

#define FT_INTERVAL_TEXT (2U * FT_NUMBER_TEXT + 16U)

/* The value; "unknown" if its interval is so wide that a number would say nothing. */
char *ft_text_estimate(char text[FT_NUMBER_TEXT], double value, const struct ft_interval *interval,
                       ft_number_writer *write);
/* "1.20 M to 1.26 M", "exact", or "" where nothing is known. */
char *ft_text_interval(char text[FT_INTERVAL_TEXT], const struct ft_interval *interval,
                       ft_number_writer *write);
/* The value with its interval, as ft_text_range writes it. */
void ft_table_estimate(struct ft_table *table, double value, const struct ft_interval *interval,
                       ft_number_writer *write);
/* Three cells: the value, what it is held against, and how far off it is. */
void ft_table_comparison(struct ft_table *table, double predicted,
                         const struct ft_interval *interval, double simulated);
/* A bound of a time; NAN: unknown. */
void ft_table_bound(struct ft_table *table, double seconds);

#endif
