/*
 * Forecasts beside what was measured, row by row: of files of other tools by routine, or of native
 * runs by size. Errors are relative to what was measured.
 */
#ifndef FT_PREDICT_COMMANDS_MEASURED_ROWS_H
#define FT_PREDICT_COMMANDS_MEASURED_ROWS_H

#include "predict/commands/points.h"
#include "predict/commands/report.h"
#include "predict/measured/error_summary.h"
#include "predict/measured/measured.h"
#include "predict/plan/native_times.h"

struct ft_beside {
    const struct ft_prediction *prediction;
    const char *routine; /* NULL: the program */
    const char *what;  /* "time", "convolver" and "marin-2004" (time too), "cycles", "instructions",
                          a level, whose misses it is, or "L2 ratio", its miss ratio */
    const char *event; /* as the other tool calls it; NULL: native runs */
    double forecast, low, high; /* NAN where unknown; times in seconds */
    double measured;
    double measured_low, measured_high; /* of miss ratios: 95 %, as samples allow; else NAN */
    double median;                      /* of native runs */
    double samples;                     /* of miss ratios; else NAN */
    bool is_minor; /* a routine with less than FT_BESIDE_MINOR of what was measured of all */
};
#define FT_BESIDE_MINOR     0.01
#define FT_BESIDE_CONVOLVER "convolver"  /* what is forecast by the convolver */
#define FT_BESIDE_PENALTY   "marin-2004" /* or by schedule and penalty */

/* Views of predictions, files and times, which must outlive them. */
struct ft_beside_rows {
    char **texts; /* owned: what miss ratios are called */
    size_t text_count, text_capacity;
    struct ft_beside *items;
    size_t count, capacity;
    const char **strangers; /* routines that the model does not have */
    size_t stranger_count, stranger_capacity;
    const char **levels; /* events whose level the machine does not have */
    size_t level_count, level_capacity;
};

int ft_beside_rows_of_files(const struct ft_prediction *prediction,
                            const struct ft_measured *measured, struct ft_beside_rows *ret_rows,
                            struct ft_diag *diag);

/* Native runs at points, of which the first point_count are asked for; bases[point] is the one, of
 * the smallest training size, whose times are subtracted from both sides: what the model does not
 * have of starting the program. predictions, times: [point]. */
int ft_beside_rows_of_runs(const struct ft_report *reports, const struct ft_native_time *times,
                           const size_t *bases, size_t point_count, struct ft_beside_rows *ret_rows,
                           struct ft_diag *diag);
void ft_beside_rows_fini(struct ft_beside_rows *rows);

static inline double ft_beside_error(const struct ft_beside *row)
{
    return ft_relative_error(row->forecast, row->measured);
}
/* Whether there is an interval, and whether the measured value is in it, or its own interval meets
 * it. */
bool ft_beside_has_interval(const struct ft_beside *row);
bool ft_beside_is_ratio(const struct ft_beside *row);
bool ft_beside_is_inside(const struct ft_beside *row);

/* Of the rows of one kind, or with NULL of all, without minor ones. */
int ft_beside_summary(const struct ft_beside_rows *rows, const char *what,
                      struct ft_error_summary *ret_summary, struct ft_diag *diag);

#endif
