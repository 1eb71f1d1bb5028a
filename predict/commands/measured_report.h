/*
 * Forecasts beside what was measured (measured_rows.h), as text, CSV or JSON (docs/json.md,
 * "predict").
 */
#ifndef FT_PREDICT_COMMANDS_MEASURED_REPORT_H
#define FT_PREDICT_COMMANDS_MEASURED_REPORT_H

#include "machines/commands/report_options.h"
#include "predict/commands/measured_rows.h"

struct ft_measured_report {
    const struct ft_beside_rows *rows;
    char *const *files; /* [file_count], of other tools; 0: native runs */
    size_t file_count;
    const struct ft_measured *measured; /* what is in them */
    char *const *words;                 /* of native runs: the command */
    size_t repeats;
    const struct ft_report *base;           /* the point that is subtracted */
    const struct ft_native_time *base_time; /* its runs */
};

int ft_measured_report_print(const struct ft_measured_report *report, enum ft_report_form form,
                             FILE *stream, struct ft_diag *diag);

#endif
