/*
 * Laws of groups come first, since they say what exact counts do. Where their interval is much
 * wider than that of the row's own law, they do not describe the program. If they nearly do, the
 * interval reaches to what they say. Groups know their strides, rows do not: where strides pass the
 * size of a block beyond the training sizes, rows have no law.
 */
#include "predict/intervals/combined.h"

#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/stride_regimes.h"
#include "predict/intervals/scaled_laws.h"
#include "predict/intervals/spread.h"

#define NARROW     0.03 /* half an interval, relative, that no law of rows is tried for */
#define PREFERENCE 1.1  /* ratio of widths from which the law of the row is taken */
#define WITHIN     2.0  /* a factor to either side; a law of rows that may be farther off is none */
#define COMPARABLE 3.0  /* ratio of widths up to which another count is possible, too */
#define FEW        0.01 /* a share of the misses that no law is doubted for */
#define ALL_DATA   1e6  /* times a capacity: only what was never touched before misses there */

/* What forecasts are made of. */
struct sources {
    struct ft_scaled_laws laws;
    struct ft_spread_limits *limits; /* [number] */
    double *passing;                 /* [level]: accesses whose strides pass the size of a block */
    double *cold;                    /* [number]: misses in caches that hold all data */
};

/* What groups say of a number, and what it is if all but cold misses change with the accesses that
 * are the row's. */
struct by_groups {
    struct ft_scaled_forecast forecast;
    double rescaled;
};

/* What groups say, as far as possible like the value. */
static double groups_near(const struct by_groups *by_groups, double value)
{
    const double said = by_groups->forecast.value, rescaled = by_groups->rescaled;
    return fmax(fmin(value, fmax(said, rescaled)), fmin(said, rescaled));
}

/* Whether the misses of a number follow strides that no training size has. */
static bool passes_block(const struct sources *sources, size_t number, double misses)
{
    const struct ft_spread_task *task = sources->laws.task;
    const size_t column = number % task->width;
    return task->kinds[column] == FT_SPREAD_MISSES &&
           sources->passing[task->levels[column]] > FEW * misses;
}

/* The row's own law: wider by what conflicts in sets do to its groups, and where these say that all
 * is otherwise. */
static struct ft_scaled_forecast by_row(const struct sources *sources, size_t number,
                                        const struct by_groups *by_groups,
                                        const struct ft_scaled_forecast *accesses)
{
    const double groups = by_groups->forecast.value;
    const struct ft_spread_limits *limits = &sources->limits[number];
    struct ft_scaled_forecast forecast =
        ft_scaled_laws_forecast(&sources->laws, number, accesses, limits->misfit);
    struct ft_interval *interval = &forecast.interval;
    if (accesses && interval->known) {
        const double said = groups_near(by_groups, forecast.value);
        interval->low = fmin(interval->low * fmin(limits->best / groups, 1), said);
        interval->high = fmax(interval->high * fmax(limits->worst / groups, 1), said);
        interval->known =
            interval->low > forecast.value / WITHIN && interval->high < forecast.value * WITHIN;
    }
    return forecast;
}

/* accesses: the forecast for the row; NULL where this is the one. */
static struct ft_scaled_forecast choose(const struct sources *sources, size_t number,
                                        const struct by_groups *by_groups,
                                        const struct ft_scaled_forecast *accesses)
{
    const struct ft_scaled_forecast *groups = &by_groups->forecast;
    const double width = ft_interval_relative_half(groups->value, &groups->interval);
    if (isnan(groups->interval.low) || width <= NARROW || !(groups->value > 0) ||
        passes_block(sources, number, groups->value))
        return *groups;
    struct ft_scaled_forecast forecast = by_row(sources, number, by_groups, accesses);
    const double width_by_row = ft_interval_relative_half(forecast.value, &forecast.interval);
    if (!forecast.interval.known || width < PREFERENCE * width_by_row)
        return *groups;
    if (width < COMPARABLE * width_by_row) {
        const double said = groups_near(by_groups, forecast.value);
        forecast.interval.low = fmin(forecast.interval.low, said);
        forecast.interval.high = fmax(forecast.interval.high, said);
    }
    return forecast;
}

/* What groups say of a number, where not they but the row forecasts the accesses that it presumes:
 * it may change with them or not. Cold misses do not: data are touched for the first time once,
 * however often they are then found again. cold: of the number. */
static void presume(struct by_groups *by_groups, enum ft_spread_kind kind, double cold,
                    const struct ft_scaled_forecast *accesses, double ratio)
{
    struct ft_scaled_forecast *presumed = &by_groups->forecast;
    struct ft_interval *interval = &presumed->interval;
    const double warm =
        kind == FT_SPREAD_MISSES && presumed->value > 0 ? 1 - fmin(cold / presumed->value, 1) : 1;
    const double low = fmin(1, ratio * accesses->interval.low / accesses->value);
    const double high = fmax(1, ratio * accesses->interval.high / accesses->value);
    if (kind == FT_SPREAD_MISSES)
        by_groups->rescaled = presumed->value * (1 + warm * (ratio - 1));
    if (kind == FT_SPREAD_MISSES || kind == FT_SPREAD_TIME) {
        interval->low *= 1 + warm * (low - 1);
        interval->high *= 1 + warm * (high - 1);
        interval->known = interval->known && ft_interval_is_informative(
                                                 presumed->value, interval->low, interval->high, 0);
    }
}

/* A row's accesses first, on which its misses depend. */
static void choose_row(const struct sources *sources, size_t first, double *rows,
                       struct ft_interval *intervals)
{
    const struct ft_spread_task *task = sources->laws.task;
    const double counted = rows[first];
    const struct by_groups by_functions = {{counted, intervals[first]}, counted};
    const struct ft_scaled_forecast accesses = choose(sources, first, &by_functions, NULL);
    const bool is_by_row = accesses.value != counted;
    rows[first] = accesses.value;
    intervals[first] = accesses.interval;
    if (!is_by_row)
        ft_spread_doubt_misses(task, rows + first, intervals + first);
    for (size_t i = first + 1; i < first + task->width; i++) {
        struct by_groups by_groups = {{rows[i], intervals[i]}, rows[i]};
        if (is_by_row)
            presume(&by_groups, task->kinds[i - first], sources->cold[i], &accesses,
                    accesses.value / counted);
        const struct ft_scaled_forecast chosen = choose(sources, i, &by_groups, &accesses);
        rows[i] = chosen.value;
        intervals[i] = chosen.interval;
    }
}

static double passing_accesses(const struct ft_spread_task *task, const struct ft_level *level)
{
    const struct ft_model *model = task->model;
    const struct ft_point at = ft_spread_view_of(task).at;
    double accesses = 0;
    for (size_t group = 0; group < model->group_count; group++)
        if (ft_stride_regime_of(model, group, (double)level->block_bytes, &at).differs)
            accesses += ft_function_at(&model->groups[group].accesses, &at);
    return accesses;
}

static int find_cold(const struct ft_spread_task *task, double *cold, struct ft_diag *diag)
{
    struct ft_spread_view view = ft_spread_view_of(task);
    double *scales = calloc(task->machine->level_count + 1, sizeof *scales);
    if (!scales)
        return ft_fail_memory(diag, "intervals");
    for (size_t i = 0; i < task->machine->level_count; i++)
        scales[i] = ALL_DATA;
    view.capacity_scales = scales;
    const int status = task->compute(&view, task->context, cold, diag);
    free(scales);
    return status;
}

static int gather(const struct ft_spread_task *task, const double *rows,
                  struct ft_interval *ret_intervals, struct sources *sources, struct ft_diag *diag)
{
    const struct ft_machine *machine = task->machine;
    sources->limits = calloc(task->row_count * task->width + 1, sizeof *sources->limits);
    sources->passing = calloc(machine->level_count + 1, sizeof *sources->passing);
    sources->cold = calloc(task->row_count * task->width + 1, sizeof *sources->cold);
    if (!sources->limits || !sources->passing || !sources->cold)
        return ft_fail_memory(diag, "intervals");
    for (size_t i = 0; i < machine->level_count; i++)
        sources->passing[i] = passing_accesses(task, &machine->levels[i]);
    FT_TRY(find_cold(task, sources->cold, diag));
    FT_TRY(ft_spread_intervals(task, rows, sources->limits, ret_intervals, diag));
    return ft_scaled_laws_init(&sources->laws, task, diag);
}

int ft_combined_forecast(const struct ft_spread_task *task, double *rows,
                         struct ft_interval *ret_intervals, struct ft_diag *diag)
{
    struct sources sources = {0};
    int status = gather(task, rows, ret_intervals, &sources, diag);
    for (size_t row = 0; row < task->row_count && status == FT_OK; row++)
        choose_row(&sources, row * task->width, rows, ret_intervals);
    ft_scaled_laws_fini(&sources.laws);
    free(sources.limits);
    free(sources.passing);
    free(sources.cold);
    return status;
}
