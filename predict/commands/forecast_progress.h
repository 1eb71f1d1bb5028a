/*
 * Progress of several forecasts, one after the other: which one, what is done for it, and how much
 * of all is left. One alone shows its synthesis.
 */
#ifndef FT_PREDICT_COMMANDS_FORECAST_PROGRESS_H
#define FT_PREDICT_COMMANDS_FORECAST_PROGRESS_H

#include <stddef.h>

#include "formats/cli/progress_line.h"

#define FT_FORECAST_TEXT 96

struct ft_forecast_progress {
    struct ft_progress base;       /* what libraries are handed */
    struct ft_progress_line *line; /* the caller's */
    size_t index, count;
    char forecast[FT_FORECAST_TEXT]; /* "N = 650 on amd-zen5" */
    char what[2 * FT_FORECAST_TEXT];
};

void ft_forecast_progress_init(struct ft_forecast_progress *progress, struct ft_progress_line *line,
                               size_t count);
/* The index-th begins, at a point (as ft_report_point_text writes it) on a machine. */
void ft_forecast_progress_next(struct ft_forecast_progress *progress, size_t index,
                               const char *point, const char *machine);

#endif
