/*
 * The interval reaches to what all laws say that are about as good, in all caches that the one in
 * question may be relative to the data, and further by the error of the law and by what its terms
 * are off by at the target.
 */
#include "predict/intervals/scaled_laws.h"

#include <math.h>
#include <string.h>

#include "predict/intervals/calibration.h"
#include "predict/intervals/power_laws.h"

#define FLOOR 0.02 /* no interval is narrower to either side */

/* What misses are sums of. */
enum { ACCESSES, FOOTPRINT, CONSTANT };

int ft_scaled_laws_init(struct ft_scaled_laws *laws, const struct ft_spread_task *task,
                        struct ft_diag *diag)
{
    *laws = (struct ft_scaled_laws){.task = task, .workspace = ft_law_workspace_create(diag)};
    return laws->workspace ? ft_scaled_rows_init(&laws->rows, task, laws->workspace, diag)
                           : FT_ERROR_MEMORY;
}

void ft_scaled_laws_fini(struct ft_scaled_laws *laws)
{
    ft_scaled_rows_fini(&laws->rows);
    ft_law_workspace_destroy(laws->workspace);
    laws->workspace = NULL;
}

static void miss_terms(const struct ft_scaled_rows *rows, size_t row, double accesses,
                       const struct ft_scaled_level *level, struct ft_law_terms *terms)
{
    static const uint32_t sets[] = {1U << ACCESSES,
                                    1U << FOOTPRINT,
                                    1U << ACCESSES | 1U << FOOTPRINT,
                                    1U << ACCESSES | 1U << CONSTANT,
                                    1U << FOOTPRINT | 1U << CONSTANT,
                                    1U << ACCESSES | 1U << FOOTPRINT | 1U << CONSTANT};
    *terms = (struct ft_law_terms){.first = level->first,
                                   .size_count = rows->size_count,
                                   .target = rows->task->size->value,
                                   .at_target = {accesses, level->at_target, 1},
                                   .set_count = sizeof sets / sizeof *sets};
    memcpy(terms->sizes, rows->sizes, sizeof rows->sizes);
    memcpy(terms->sets, sets, sizeof sets);
    for (size_t k = 0; k < rows->size_count; k++) {
        terms->at_sizes[ACCESSES][k] = ft_scaled_rows_at(rows, 0, k)[row];
        terms->at_sizes[FOOTPRINT][k] = level->at_sizes[k];
        terms->at_sizes[CONSTANT][k] = 1;
    }
}

/* A ratio follows from the misses, whose law is fitted; the exact part of a count has its own. */
static struct ft_row_law choose(const struct ft_scaled_laws *laws, size_t number,
                                const struct ft_law_terms *terms, double misfit)
{
    const struct ft_scaled_rows *rows = &laws->rows;
    const size_t column = number % rows->task->width;
    struct ft_law_values values = {.error = misfit / FT_NORMAL_ERRORS};
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t k = 0; k < rows->size_count; k++) {
            const double *all = ft_scaled_rows_at(rows, cache, k);
            const double value = fmax(all[number] - ft_scaled_rows_exact(rows, k)[number], 0);
            values.in_cache[cache][k] =
                rows->task->kinds[column] == FT_SPREAD_RATIO ? value * all[number - column] : value;
        }
    return ft_row_law_choose(laws->workspace, terms, &values);
}

/* Half the interval, as the logarithm of a factor. */
static double half_width(const struct ft_scaled_forecast *forecast)
{
    const struct ft_interval *interval = &forecast->interval;
    if (!(forecast->value > 0) || !(interval->low > 0))
        return forecast->value > 0 ? INFINITY : 0;
    return fmax(log(interval->high / forecast->value), log(forecast->value / interval->low));
}

static struct ft_scaled_forecast forecast_of(const struct ft_row_law *law, double uncertainty,
                                             double divisor)
{
    const double factor = exp(law->error + uncertainty);
    const double value = law->value / divisor;
    const double floor = fmax(FLOOR * value, 1 / divisor);
    const double low = fmin(law->low / divisor / factor, value - floor);
    const double high = fmax(law->high / divisor * factor, value + floor);
    const bool known = ft_interval_is_informative(value, low, high, 1 / divisor);
    return (struct ft_scaled_forecast){value, {fmax(low, 0), high, false, known}};
}

static const struct ft_scaled_forecast unknown = {.interval = {.high = INFINITY}};

static struct ft_scaled_forecast count_forecast(const struct ft_scaled_laws *laws, size_t number,
                                                double misfit)
{
    const struct ft_scaled_rows *rows = &laws->rows;
    const bool is_counted = number % rows->task->width == 0 && rows->task->model->training_accesses;
    const double uncertainty = is_counted ? 0 : misfit;
    struct ft_law_terms terms;
    ft_power_laws_init(&terms, rows->sizes, rows->size_count, rows->task->size->value);
    const struct ft_row_law law = choose(laws, number, &terms, uncertainty);
    if (!law.set)
        return unknown;
    const double exact = ft_scaled_rows_exact(rows, rows->size_count)[number];
    struct ft_scaled_forecast forecast = forecast_of(&law, uncertainty, 1);
    struct ft_interval *interval = &forecast.interval;
    forecast.value += exact;
    interval->low = fmin(interval->low + exact, (1 - FLOOR) * forecast.value);
    interval->high = fmax(interval->high + exact, (1 + FLOOR) * forecast.value);
    interval->known = ft_interval_is_informative(forecast.value, interval->low, interval->high, 1);
    return forecast;
}

static struct ft_scaled_forecast miss_forecast(const struct ft_scaled_laws *laws, size_t number,
                                               const struct ft_scaled_forecast *accesses,
                                               double misfit)
{
    const struct ft_spread_task *task = laws->task;
    const size_t column = number % task->width;
    const struct ft_scaled_level *level = &laws->rows.levels[task->levels[column]];
    struct ft_law_terms terms;
    if (level->first + FT_LAW_SIZES_MIN > laws->rows.size_count || !accesses->interval.known)
        return unknown;
    miss_terms(&laws->rows, number - column, accesses->value, level, &terms);
    double uncertainty = task->model->training_accesses ? 0 : misfit;
    const struct ft_row_law law = choose(laws, number, &terms, uncertainty);
    if (!law.set)
        return unknown;
    if (law.set >> ACCESSES & 1)
        uncertainty = fmax(uncertainty, half_width(accesses));
    if (law.set >> FOOTPRINT & 1)
        uncertainty += level->error;
    return forecast_of(&law, uncertainty,
                       task->kinds[column] == FT_SPREAD_RATIO ? fmax(accesses->value, 1) : 1);
}

struct ft_scaled_forecast ft_scaled_laws_forecast(const struct ft_scaled_laws *laws, size_t number,
                                                  const struct ft_scaled_forecast *accesses,
                                                  double misfit)
{
    if (laws->rows.size_count == 0)
        return unknown;
    struct ft_scaled_forecast forecast = unknown;
    const enum ft_spread_kind kind = laws->task->kinds[number % laws->task->width];
    if (kind == FT_SPREAD_COUNT && laws->task->model->counted.count > 0)
        return unknown; /* functions over more and larger sizes say more */
    if (kind == FT_SPREAD_COUNT)
        forecast = count_forecast(laws, number, misfit);
    else if (kind != FT_SPREAD_CAPACITY)
        forecast = miss_forecast(laws, number, accesses, misfit);
    ft_interval_calibrate(kind, laws->rows.size_count, forecast.value,
                          kind == FT_SPREAD_RATIO ? 1 / fmax(accesses->value, 1) : 1,
                          &forecast.interval);
    return forecast;
}
