/*
 * A prediction, and the check beside it where there is one, as text, CSV or JSON
 * (docs/json.md, "predict").
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_H
#define FT_PREDICT_COMMANDS_REPORT_H

#include <stdio.h>

#include "predict/check.h"

struct ft_report {
    const struct ft_prediction *prediction;
    const struct ft_check *check; /* NULL: none */
    const uint32_t *list;         /* scopes to show, as ft_scopes_select gives them */
    size_t count;
};

int ft_report_text(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
int ft_report_csv(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
int ft_report_json(const struct ft_report *report, FILE *stream, struct ft_diag *diag);

#endif
