/*
 * The accesses are made and simulated. Each number of a scope by itself is then off by what the
 * synthesis does not know of the scope (synthetic_gaps.h); errors are summed up over nested scopes,
 * as the numbers are, and become intervals.
 */
#include "predict/hierarchy_forecast.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/synthetic_hierarchy.h"
#include "predict/synthetic_gaps.h"

#define FLOOR_BLOCKS     16.0   /* of a level, at least: what start-up leaves there varies */
#define SINGLE           0.05   /* relative: what was recorded one by one may be off by */
#define MORE_OFTEN       4.0    /* times that strange accesses miss, at most */
#define NEGLIGIBLE       1e-5   /* of the program's accesses */
#define SOME             0.001  /* of the program's accesses: less leaves nothing in caches */
#define STARTUP_ACCESSES 1000.0 /* that come and go with arguments and environment */
#define STARTUP_BLOCKS   16.0   /* which these touch */

struct forecasting {
    const struct ft_prediction *prediction;
    struct ft_hierarchy_forecast *forecast;
    struct ft_synthetic_gaps gaps;
    double per_strange; /* what a strange access may change at a level */
    double loose;    /* of the program's accesses: share that is drawn, or without laws in loops */
    double accesses; /* of the program */
    double *startup; /* [column]: of all start-up code (is_startup) */
    double *errors;  /* [scope * width + column] */
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a forecast");
}

void ft_hierarchy_totals_of(const struct ft_hierarchy_run *run, double *ret_totals)
{
    const struct ft_hierarchy *hierarchy = run->hierarchies[0];
    ret_totals[FT_TOTAL_MEMORY_READS] = (double)ft_hierarchy_memory_reads(hierarchy);
    ret_totals[FT_TOTAL_MEMORY_WRITES] = (double)ft_hierarchy_memory_writes(hierarchy);
    for (size_t i = 0; i < ft_hierarchy_level_count(hierarchy); i++)
        for (size_t event = 0; event < FT_HIERARCHY_EVENTS; event++)
            ret_totals[ft_total_column(i, event)] = ft_hierarchy_events(run, i, event);
}

/* ---- errors ---- */

/* A miss that wakes a prefetcher displaces more, and so does an inclusive level that evicts. */
static double misses_per_strange(const struct ft_machine *machine)
{
    double misses = FT_MISSES_PER_STRANGE;
    for (size_t i = 0; i < machine->level_count; i++)
        misses += machine->levels[i].behaviour.prefetch_blocks +
                  (machine->levels[i].behaviour.inclusion == FT_INCLUSIVE);
    return misses;
}

/* Whether a level is asked by the program itself. */
static bool is_first(const struct ft_machine *machine, size_t level)
{
    return level == 0 || level == machine->cache_count;
}

/* Of which there is so little that only the sum over all of them tells how often it misses. */
static bool is_startup(const struct forecasting *forecasting, size_t scope)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const double made = forecast->inclusive[scope * forecast->width + FT_HIERARCHY_ACCESSES];
    return !forecasting->gaps.is_lawful[scope] &&
           made + forecasting->gaps.strange[scope] <= SOME * forecasting->accesses;
}

/* Of a figure of a level, relative: as misses were off when a size was held out. A level is asked
 * for what the one before misses. */
static double relative_error(const struct forecasting *forecasting, size_t scope, size_t level,
                             size_t figure)
{
    const struct ft_machine *machine = &forecasting->forecast->machine;
    const struct ft_synthetic_gaps *gaps = &forecasting->gaps;
    const double single = SINGLE * gaps->single[scope];
    const bool is_asked = figure == FT_HIERARCHY_ASKED;
    if (gaps->loose[scope] == 0 || (is_asked && is_first(machine, level)))
        return single;
    const double error = gaps->errors[scope * machine->level_count + level - is_asked];
    return single + (is_startup(forecasting, scope) ? fmin(error, 1) : error);
}

/* Whether what a level holds depends on what a generator draws. */
static bool is_random(const struct ft_machine *machine, size_t level)
{
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_behaviour *behaviour = &machine->levels[i].behaviour;
        if (behaviour->replacement == FT_REPLACE_RANDOM &&
            machine->levels[i].kind == machine->levels[level].kind &&
            (i <= level || behaviour->inclusion == FT_INCLUSIVE))
            return true;
    }
    return false;
}

/* What is drawn at random scatters: accesses, and what they leave in caches to all others. The
 * forecast is one draw, and the program another. */
static double scatter(const struct forecasting *forecasting, size_t scope, size_t level,
                      double value)
{
    return forecasting->loose > SOME || forecasting->gaps.loose[scope] > 0 ||
                   is_random(&forecasting->forecast->machine, level)
               ? FT_NORMAL_ERRORS * sqrt(2 * value)
               : 0;
}

/* Figures of a level that a strange access may change: those of its own, and of what it displaces.
 * Where it is one of few it does not miss much more often than the others. */
static double strange_weight(const struct forecasting *forecasting, size_t scope, size_t column)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const double *own = forecast->inclusive + scope * forecast->width;
    const double *row = is_startup(forecasting, scope) ? forecasting->startup : own;
    const double made = row[FT_HIERARCHY_ACCESSES];
    const bool is_few = made > 0 && forecasting->gaps.strange[scope] <= made;
    return forecasting->per_strange * (is_few ? fmin(MORE_OFTEN * row[column] / made, 1) : 1);
}

static void estimate_scope(const struct forecasting *forecasting, size_t scope)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const struct ft_synthetic_gaps *gaps = &forecasting->gaps;
    const double *row = forecast->inclusive + scope * forecast->width; /* not yet: exclusive */
    double *errors = forecasting->errors + scope * forecast->width;
    for (size_t column = 0; column < FT_HIERARCHY_LEVELS; column++)
        errors[column] = gaps->strange[scope] + SINGLE * gaps->single[scope] * row[column];
    for (size_t i = 0; i < forecast->machine.level_count; i++)
        for (size_t figure = 0; figure < FT_HIERARCHY_FIGURES; figure++) {
            const size_t column = ft_hierarchy_column(i, figure);
            errors[column] = gaps->strange[scope] * strange_weight(forecasting, scope, column);
            if (row[column] > 0)
                errors[column] += row[column] * relative_error(forecasting, scope, i, figure) +
                                  scatter(forecasting, scope, i, row[column]);
        }
}

/* ---- intervals ---- */

/* blocks: what it may be off by at any rate. A number that may be twice these, or one in 100,000
 * accesses, is known to be no more. */
static struct ft_interval interval_of(const struct forecasting *forecasting, double value,
                                      double error, double blocks)
{
    const double accesses = forecasting->forecast->inclusive[FT_HIERARCHY_ACCESSES];
    const double resolution = fmax(fmax(NEGLIGIBLE * accesses, 2 * blocks), 1);
    const double half = error + FT_SYNTHETIC_FLOOR * value + blocks;
    const double low = fmax(value - half, 0), high = value + half;
    return (struct ft_interval){low, high, half == 0,
                                ft_interval_is_informative(value, low, high, resolution)};
}

/* What cannot happen at a level, as it is described. */
static bool is_never_written(const struct ft_level *level)
{
    return level->kind == FT_LEVEL_TLB || level->behaviour.write == FT_WRITE_THROUGH;
}

static bool never_happens(const struct ft_machine *machine, size_t level, size_t event)
{
    if (event == FT_HIERARCHY_PREFETCHES || event == FT_HIERARCHY_USEFUL_PREFETCHES)
        return machine->levels[level].behaviour.prefetch == FT_PREFETCH_NONE;
    if (event == FT_HIERARCHY_EVICTIONS)
        return false;
    for (size_t i = level + 1; i < machine->cache_count; i++)
        if (machine->levels[i].behaviour.inclusion == FT_INCLUSIVE)
            return false;
    return true;
}

static struct ft_interval level_interval(const struct forecasting *forecasting, size_t scope,
                                         size_t level, size_t figure)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const size_t number = scope * forecast->width + ft_hierarchy_column(level, figure);
    const bool has_startup = forecast->model->scopes.scopes[scope].kind <= FT_SCOPE_MODULE;
    const double startup = figure == FT_HIERARCHY_ASKED && is_first(&forecast->machine, level)
                               ? STARTUP_ACCESSES
                               : STARTUP_BLOCKS * forecasting->per_strange;
    if (figure == FT_HIERARCHY_WRITTEN && is_never_written(&forecast->machine.levels[level]))
        return (struct ft_interval){0, 0, true, true};
    return interval_of(forecasting, forecast->inclusive[number], forecasting->errors[number],
                       has_startup ? startup : FLOOR_BLOCKS);
}

static void make_intervals(const struct forecasting *forecasting, size_t scope)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const bool has_startup = forecast->model->scopes.scopes[scope].kind <= FT_SCOPE_MODULE;
    struct ft_interval *intervals = forecast->intervals + scope * forecast->width;
    const double *row = forecast->inclusive + scope * forecast->width;
    const double *errors = forecasting->errors + scope * forecast->width;
    for (size_t column = 0; column < FT_HIERARCHY_LEVELS; column++) {
        intervals[column] = errors[column] > 0 || has_startup
                                ? interval_of(forecasting, row[column], errors[column],
                                              has_startup ? STARTUP_ACCESSES : 0)
                                : (struct ft_interval){row[column], row[column], true, true};
    }
    for (size_t i = 0; i < forecast->machine.level_count; i++)
        for (size_t figure = 0; figure < FT_HIERARCHY_FIGURES; figure++)
            intervals[ft_hierarchy_column(i, figure)] =
                level_interval(forecasting, scope, i, figure);
}

/* Events of a level are as many times off as its misses. */
static struct ft_interval event_interval(const struct forecasting *forecasting, double value,
                                         size_t level)
{
    const size_t column = ft_hierarchy_column(level, FT_HIERARCHY_MISSES);
    const double misses = forecasting->forecast->inclusive[column];
    const double error = forecasting->errors[column];
    return interval_of(forecasting, value, (misses > 0 ? fmax(value / misses, 1) : 1) * error,
                       STARTUP_BLOCKS * forecasting->per_strange);
}

/* Memory's are those of the last cache. */
static void make_total_intervals(const struct forecasting *forecasting)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const struct ft_machine *machine = &forecast->machine;
    for (size_t n = 0; n < FT_TOTAL_LEVELS && machine->level_count; n++)
        forecast->total_intervals[n] = event_interval(
            forecasting, forecast->totals[n], machine->cache_count ? machine->cache_count - 1 : 0);
    for (size_t i = 0; i < machine->level_count; i++)
        for (size_t event = 0; event < FT_HIERARCHY_EVENTS; event++) {
            const size_t n = ft_total_column(i, event);
            forecast->total_intervals[n] =
                never_happens(machine, i, event)
                    ? (struct ft_interval){0, 0, true, true}
                    : event_interval(forecasting, forecast->totals[n], i);
        }
}

/* Over exclusive rows: accesses, and what stands for scopes of which there is little. */
static void sum_up(struct forecasting *forecasting)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const size_t scopes = forecast->model->scopes.scope_count;
    double loose = 0;
    for (size_t s = 0; s < scopes; s++) {
        const double own = forecast->inclusive[s * forecast->width + FT_HIERARCHY_ACCESSES];
        forecasting->accesses += own;
        loose += own * forecasting->gaps.loose[s];
    }
    forecasting->loose = loose / fmax(forecasting->accesses, 1);
    for (size_t s = 0; s < scopes; s++)
        for (size_t c = 0; is_startup(forecasting, s) && c < forecast->width; c++)
            forecasting->startup[c] += forecast->inclusive[s * forecast->width + c];
}

static int find_intervals(struct forecasting *forecasting, struct ft_diag *diag)
{
    const struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    const struct ft_scopes *scopes = &forecast->model->scopes;
    forecasting->errors =
        calloc(scopes->scope_count * forecast->width + 1, sizeof *forecasting->errors);
    forecasting->startup = calloc(forecast->width + 1, sizeof *forecasting->startup);
    if (!forecasting->errors || !forecasting->startup) {
        free(forecasting->errors);
        free(forecasting->startup);
        return no_memory(diag);
    }
    sum_up(forecasting);
    for (size_t s = 0; s < scopes->scope_count; s++)
        estimate_scope(forecasting, s);
    ft_scopes_add_nested(scopes, forecast->inclusive, forecast->width);
    ft_scopes_add_nested(scopes, forecasting->errors, forecast->width);
    for (size_t s = 0; s < scopes->scope_count; s++)
        make_intervals(forecasting, s);
    make_total_intervals(forecasting);
    free(forecasting->errors);
    free(forecasting->startup);
    return FT_OK;
}

/* ---- all of it ---- */

static int simulate(const struct ft_synthesis *synthesis,
                    const struct ft_hierarchy_forecast_options *options,
                    struct ft_hierarchy_forecast *forecast, struct ft_diag *diag)
{
    const struct ft_hierarchy_task task = {.machines = &forecast->machine,
                                           .machine_count = 1,
                                           .seed = options->seed,
                                           .causes = options->causes,
                                           .thread_count = 1};
    struct ft_hierarchy_run run;
    FT_TRY(ft_synthesis_hierarchy(synthesis, &task, options->progress, &run, diag));
    ft_hierarchy_totals_of(&run, forecast->totals);
    int status = ft_hierarchy_rows_of(&run, &forecast->model->scopes, &forecast->inclusive, diag);
    ft_hierarchy_run_fini(&run);
    return status;
}

static int make(struct forecasting *forecasting, const struct ft_synthetic_request *request,
                const struct ft_hierarchy_forecast_options *options, struct ft_diag *diag)
{
    struct ft_hierarchy_forecast *forecast = forecasting->forecast;
    struct ft_synthesis synthesis;
    FT_TRY(ft_synthetic_start(request, &synthesis, diag));
    int status = simulate(&synthesis, options, forecast, diag);
    if (status == FT_OK)
        status =
            ft_synthetic_gaps_find(request, &synthesis, forecast->inclusive + FT_HIERARCHY_ACCESSES,
                                   forecast->width, &forecasting->gaps, diag);
    ft_synthesis_fini(&synthesis);
    FT_TRY(status);
    forecasting->per_strange = misses_per_strange(&forecast->machine);
    status = find_intervals(forecasting, diag);
    ft_synthetic_gaps_fini(&forecasting->gaps);
    return status;
}

int ft_hierarchy_forecast(const struct ft_prediction *prediction,
                          const struct ft_hierarchy_forecast_options *options,
                          struct ft_hierarchy_forecast *ret_forecast, struct ft_diag *diag)
{
    const struct ft_machine machine = ft_machine_without_instructions(prediction->machine);
    const size_t scopes = prediction->model->scopes.scope_count;
    const size_t width = ft_hierarchy_width(machine.level_count);
    struct ft_hierarchy_forecast forecast = {.model = prediction->model,
                                             .machine = machine,
                                             .seed = options->seed,
                                             .causes = options->causes,
                                             .width = width};
    const struct ft_synthetic_request request = {.model = prediction->model,
                                                 .machine = &machine,
                                                 .size = prediction->n,
                                                 .accesses =
                                                     prediction->exclusive + FT_METRIC_ACCESSES,
                                                 .width = prediction->width,
                                                 .accesses_max = options->accesses_max,
                                                 .simulated_max = INFINITY,
                                                 .progress = options->progress};
    struct forecasting forecasting = {.prediction = prediction, .forecast = &forecast};
    const char *missing = ft_synthetic_missing(&request);
    if (missing)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "no hierarchy can be forecast at %s = %.15g: %s",
                       prediction->model->parameter, prediction->n, missing);
    forecast.intervals = calloc(scopes * width + 1, sizeof *forecast.intervals);
    forecast.totals = calloc(ft_total_width(machine.level_count), sizeof *forecast.totals);
    forecast.total_intervals =
        calloc(ft_total_width(machine.level_count), sizeof *forecast.total_intervals);
    int status = forecast.intervals && forecast.totals && forecast.total_intervals
                     ? make(&forecasting, &request, options, diag)
                     : no_memory(diag);
    if (status != FT_OK) {
        ft_hierarchy_forecast_fini(&forecast);
        return status;
    }
    *ret_forecast = forecast;
    return FT_OK;
}

void ft_hierarchy_forecast_fini(struct ft_hierarchy_forecast *forecast)
{
    free(forecast->inclusive);
    free(forecast->intervals);
    free(forecast->totals);
    free(forecast->total_intervals);
    *forecast = (struct ft_hierarchy_forecast){0};
}
