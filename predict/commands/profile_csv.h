/*
 * Forecasts as a profile, in the way of HPCToolkit's viewer: CSV with a row for each scope of the
 * program, of modules too, with its path, and each metric inclusive (I) and exclusive (E).
 */
#ifndef FT_PREDICT_COMMANDS_PROFILE_CSV_H
#define FT_PREDICT_COMMANDS_PROFILE_CSV_H

#include "predict/commands/report.h"

/* Scopes that do nothing are left out. Columns of levels are those of the first report's machine;
 * cells are empty where a machine has no such level, and where values are unknown. */
int ft_profiles_csv(const struct ft_report *reports, size_t report_count, FILE *stream,
                    struct ft_diag *diag);

#endif
