/*
 * A forecast of a hierarchy, and the check beside it where there is one, as text, CSV or JSON
 * (docs/json.md, "predict --hierarchy").
 */
#ifndef FT_PREDICT_COMMANDS_HIERARCHY_REPORT_H
#define FT_PREDICT_COMMANDS_HIERARCHY_REPORT_H

#include <stdio.h>

#include "fit/commands/synthesis_note.h"
#include "formats/commands/startup_fold.h"
#include "machines/commands/report_options.h"
#include "predict/hierarchy_check.h"

/* In the form that options ask for, on standard output; check: NULL: none. */
int ft_hierarchy_forecast_print(const struct ft_prediction *prediction,
                                const struct ft_hierarchy_forecast *forecast,
                                const struct ft_hierarchy_check *check,
                                const struct ft_report_options *options, struct ft_diag *diag);

/* ---- its parts ---- */

struct ft_hierarchy_forecast_report {
    const struct ft_prediction *prediction; /* program, size and machine */
    const struct ft_hierarchy_forecast *forecast;
    const struct ft_hierarchy_check *check; /* NULL: none */
    struct ft_synthesis_note *note;         /* its members are taken over by JSON */
    const uint32_t *list;                   /* scopes to show */
    size_t count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
};

static inline const double *
ft_hierarchy_forecast_row(const struct ft_hierarchy_forecast_report *report, size_t scope)
{
    return report->forecast->inclusive + scope * report->forecast->width;
}
static inline const struct ft_interval *
ft_hierarchy_forecast_intervals(const struct ft_hierarchy_forecast_report *report, size_t scope)
{
    return report->forecast->intervals + scope * report->forecast->width;
}
/* Of the check. */
static inline const double *
ft_hierarchy_simulated_row(const struct ft_hierarchy_forecast_report *report, size_t scope)
{
    return report->check->inclusive + scope * report->forecast->width;
}
/* Figures of a level that are shown: with causes or without. */
static inline size_t ft_hierarchy_figures_shown(const struct ft_hierarchy_forecast_report *report)
{
    return report->forecast->causes ? FT_HIERARCHY_FIGURES : FT_HIERARCHY_CAUSES;
}

int ft_hierarchy_forecast_text(const struct ft_hierarchy_forecast_report *report, FILE *stream,
                               struct ft_diag *diag);
int ft_hierarchy_forecast_csv(const struct ft_hierarchy_forecast_report *report, FILE *stream,
                              struct ft_diag *diag);
int ft_hierarchy_forecast_json(const struct ft_hierarchy_forecast_report *report, FILE *stream,
                               struct ft_diag *diag);

#endif
