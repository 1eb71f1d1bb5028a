/*
 * An explanation (predict/explain/explanation.h) as text, in sentences and tables of 80 columns, or
 * as one JSON object (docs/json.md, "explain").
 */
#ifndef FT_PREDICT_COMMANDS_EXPLAIN_REPORT_H
#define FT_PREDICT_COMMANDS_EXPLAIN_REPORT_H

#include <stdio.h>

#include "predict/explain/explanation.h"

int ft_explanation_text(const struct ft_explanation *explanation, FILE *stream,
                        struct ft_diag *diag);
int ft_explanation_json(const struct ft_explanation *explanation, FILE *stream,
                        struct ft_diag *diag);

#endif
