/*
 * The readers behind measured.h, a file for each tool.
 */
#ifndef FT_PREDICT_MEASURED_READERS_H
#define FT_PREDICT_MEASURED_READERS_H

#include "predict/measured/measured_values.h"
#include "predict/measured/text_fields.h"

typedef int ft_measured_reader(const struct ft_measured_lines *lines, struct ft_measured *measured,
                               struct ft_diag *diag);
ft_measured_reader ft_measured_perf_stat, ft_measured_perf_report, ft_measured_perf_script,
    ft_measured_likwid, ft_measured_papi, ft_measured_table;

/* Whether the lines look like that; a table where the first line has such a column. */
bool ft_measured_is_perf_report(const struct ft_measured_lines *lines);
bool ft_measured_is_perf_script(const struct ft_measured_lines *lines);
bool ft_measured_is_likwid(const struct ft_measured_lines *lines);
bool ft_measured_is_table(const struct ft_measured_lines *lines);

#endif
