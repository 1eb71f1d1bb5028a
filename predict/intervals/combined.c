/*
 * Laws of groups come first, since they say what exact counts do. Where their interval is much
 * wider than that of the row's own law, they do not describe the program. If they nearly do, the
 * interval reaches to what they say.
 */
#include "predict/intervals/combined.h"

#include <math.h>
#include <stdlib.h>

#include "predict/intervals/scaled_laws.h"
#include "predict/intervals/spread.h"

#define NARROW     0.03 /* half an interval, relative, that no law of rows is tried for */
#define PREFERENCE 1.5  /* ratio of widths from which the law of the row is taken */
#define COMPARABLE 3.0  /* ratio of widths up to which another count is possible, too */

/* Half the interval, relative; INFINITY where nothing is known. */
static double width_of(double value, const struct ft_interval *interval)
{
    if (!interval->known)
        return INFINITY;
    return value > 0 ? (interval->high - interval->low) / 2 / value : 0;
}

static struct ft_scaled_forecast choose(const struct ft_scaled_laws *laws, size_t number,
                                        const struct ft_scaled_forecast *by_groups,
                                        const struct ft_scaled_forecast *accesses, double misfit)
{
    const enum ft_spread_kind kind = laws->task->kinds[number % laws->task->width];
    const double width = width_of(by_groups->value, &by_groups->interval);
    if (isnan(by_groups->interval.low) || width <= NARROW || !(by_groups->value > 0))
        return *by_groups;
    struct ft_scaled_forecast by_row = ft_scaled_laws_forecast(laws, number, accesses, misfit);
    const double width_by_row = width_of(by_row.value, &by_row.interval);
    if (!by_row.interval.known || width < PREFERENCE * width_by_row)
        return *by_groups;
    if (kind != FT_SPREAD_COUNT || width < COMPARABLE * width_by_row) {
        by_row.interval.low = fmin(by_row.interval.low, by_groups->value);
        by_row.interval.high = fmax(by_row.interval.high, by_groups->value);
        by_row.interval.known = by_row.interval.high < 2 * by_row.value;
    }
    return by_row;
}

/* What groups say of a number, where not they but the row forecasts the accesses that it presumes:
 * it may change with them or not. */
static struct ft_scaled_forecast presume(const struct ft_scaled_forecast *by_groups,
                                         enum ft_spread_kind kind,
                                         const struct ft_scaled_forecast *accesses, double ratio)
{
    struct ft_scaled_forecast presumed = *by_groups;
    struct ft_interval *interval = &presumed.interval;
    if (kind == FT_SPREAD_MISSES || kind == FT_SPREAD_TIME) {
        interval->low *= fmin(1, ratio * accesses->interval.low / accesses->value);
        interval->high *= fmax(1, ratio * accesses->interval.high / accesses->value);
        interval->known = interval->known && interval->high < 2 * presumed.value;
    }
    return presumed;
}

/* A row's accesses first, on which its misses depend. */
static void choose_row(const struct ft_scaled_laws *laws, size_t first, const double *misfits,
                       double *rows, struct ft_interval *intervals)
{
    const struct ft_spread_task *task = laws->task;
    const struct ft_scaled_forecast counted = {rows[first], intervals[first]};
    const struct ft_scaled_forecast accesses = choose(laws, first, &counted, NULL, misfits[first]);
    const bool is_by_row = accesses.value != counted.value;
    rows[first] = accesses.value;
    intervals[first] = accesses.interval;
    if (!is_by_row)
        ft_spread_doubt_misses(task, rows + first, intervals + first);
    for (size_t i = first + 1; i < first + task->width; i++) {
        struct ft_scaled_forecast by_groups = {rows[i], intervals[i]};
        if (is_by_row)
            by_groups = presume(&by_groups, task->kinds[i - first], &accesses,
                                accesses.value / counted.value);
        const struct ft_scaled_forecast chosen = choose(laws, i, &by_groups, &accesses, misfits[i]);
        rows[i] = chosen.value;
        intervals[i] = chosen.interval;
    }
}

int ft_combined_forecast(const struct ft_spread_task *task, double *rows,
                         struct ft_interval *ret_intervals, struct ft_diag *diag)
{
    struct ft_scaled_laws laws = {0};
    double *misfits = calloc(task->row_count * task->width + 1, sizeof *misfits);
    int status = misfits ? ft_spread_intervals(task, rows, misfits, ret_intervals, diag)
                         : ft_fail_memory(diag, "intervals");
    if (status == FT_OK)
        status = ft_scaled_laws_init(&laws, task, diag);
    for (size_t row = 0; row < task->row_count && status == FT_OK; row++)
        choose_row(&laws, row * task->width, misfits, rows, ret_intervals);
    ft_scaled_laws_fini(&laws);
    free(misfits);
    return status;
}
