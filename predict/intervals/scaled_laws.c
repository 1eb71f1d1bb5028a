/*
 * The rows are computed at each training size for the caches of row_laws.h. The interval is that of
 * the law: its error, as many times as the forecast is steps as large as the last one away, and
 * what its terms are off by at the target, to either side of all that laws as good say.
 */
#include "predict/intervals/scaled_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/axis.h"
#include "predict/resolution.h"

#define FLOOR         0.02 /* no interval is narrower to either side */
#define NORMAL_ERRORS 1.96 /* standard errors that 95 % lie within, where these are known */
#define OTHER_CACHES  1.41 /* times larger and smaller: laws hold there, too */
#define UNKNOWN_FROM  1.0  /* of the value: as wide an interval says nothing */

/* What misses are sums of. */
enum { ACCESSES, FOOTPRINT, CONSTANT, MISS_TERMS };

/* What counts are sums of: powers of the size, each with and without a logarithm. */
static const double powers[] = {0.5, 1, 1.5, 2, 2.5, 3, 4};
#define POWERS (sizeof powers / sizeof *powers)

static size_t size_index(const struct ft_model *model, uint64_t block_bytes)
{
    size_t size = 0;
    while (model->block_bytes[size] != block_bytes)
        size++;
    return size;
}

/* ---- the data ---- */

/* How far a footprint is off at the target, by the error of its fit and by that of the forecast of
 * the largest size from the others. */
static double footprint_error(const struct ft_scaled_laws *laws, size_t size)
{
    const struct ft_model *model = laws->task->model;
    const struct ft_function *footprint = &model->distinct_blocks[size];
    const struct ft_model *replica = ft_model_replica_without(model, model->training_count - 1);
    const struct ft_point largest = ft_model_largest(model);
    double here = ft_growing_blocks(footprint, &largest), held_out = 0;
    if (replica)
        held_out = fabs(
            log((ft_growing_blocks(&replica->distinct_blocks[size], &largest) + 1) / (here + 1)));
    return NORMAL_ERRORS * footprint->rms_relative_error + laws->reach * held_out;
}

static void measure_level(const struct ft_scaled_laws *laws, size_t i)
{
    const struct ft_model *model = laws->task->model;
    const struct ft_point target = ft_spread_view_of(laws->task).at;
    const size_t size = size_index(model, laws->task->machine->levels[i].block_bytes);
    struct ft_scaled_level *level = &laws->levels[i];
    level->at_target = ft_growing_blocks(&model->distinct_blocks[size], &target);
    level->has_enough_data = level->at_target > 0;
    for (size_t k = 0; k < laws->size_count; k++) {
        const struct ft_point at = ft_point_at(&model->basis, &laws->sizes[k]);
        level->at_sizes[k] = ft_growing_blocks(&model->distinct_blocks[size], &at);
        if (!(level->at_sizes[k] >= FT_GROWING_BLOCKS))
            level->has_enough_data = false;
    }
    level->error = footprint_error(laws, size);
}

/* ---- the rows at the training sizes ---- */

/* How much larger than the machine's own a cache is taken to be. */
static double cache_scale(const struct ft_scaled_level *level, size_t cache)
{
    const double near = exp(FT_CAPACITY_SPREAD + level->error);
    const double scales[FT_LAW_CACHES] = {1, 1 / near, near, 1 / OTHER_CACHES, OTHER_CACHES};
    return scales[cache];
}

static double *rows_at(const struct ft_scaled_laws *laws, size_t cache, size_t size)
{
    const size_t numbers = laws->task->row_count * laws->task->width;
    return laws->rows + (cache * laws->size_count + size) * numbers;
}

static int compute_rows(const struct ft_scaled_laws *laws, struct ft_diag *diag)
{
    const struct ft_spread_task *task = laws->task;
    const size_t level_count = task->machine->level_count;
    double *scales = calloc(level_count + 1, sizeof *scales);
    int status = scales ? FT_OK : ft_fail_memory(diag, "laws of rows");
    for (size_t cache = 0; cache < FT_LAW_CACHES && status == FT_OK; cache++)
        for (size_t k = 0; k < laws->size_count && status == FT_OK; k++) {
            for (size_t i = 0; i < level_count; i++) {
                const struct ft_scaled_level *level = &laws->levels[i];
                scales[i] = level->has_enough_data
                                ? level->at_sizes[k] / level->at_target * cache_scale(level, cache)
                                : 1;
            }
            const struct ft_spread_view view = {
                .model = task->model,
                .at = ft_point_at(&task->model->basis, &laws->sizes[k]),
                .capacity_scales = scales};
            status = task->compute(&view, task->context, rows_at(laws, cache, k), diag);
        }
    free(scales);
    return status;
}

int ft_scaled_laws_init(struct ft_scaled_laws *laws, const struct ft_spread_task *task,
                        struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    const size_t count = model->training_count, levels = task->machine->level_count;
    *laws = (struct ft_scaled_laws){.task = task};
    if (model->basis.parameter_count > 1 || model->fixed_count > 0 || model->replica_count == 0 ||
        count < FT_LAW_SIZES_MIN || count > FT_TRAINING_MAX ||
        !(task->size->value > model->training[count - 1]))
        return FT_OK;
    laws->size_count = count;
    memcpy(laws->sizes, model->training, count * sizeof *laws->sizes);
    laws->reach = fmax(1, log(task->size->value / laws->sizes[count - 1]) /
                              log(laws->sizes[count - 1] / laws->sizes[count - 2]));
    laws->levels = calloc(levels + 1, sizeof *laws->levels);
    laws->rows =
        calloc(FT_LAW_CACHES * count * task->row_count * task->width + 1, sizeof *laws->rows);
    laws->workspace = ft_law_workspace_create(diag);
    if (!laws->levels || !laws->rows || !laws->workspace)
        return ft_fail_memory(diag, "laws of rows");
    for (size_t i = 0; i < levels; i++)
        measure_level(laws, i);
    return compute_rows(laws, diag);
}

void ft_scaled_laws_fini(struct ft_scaled_laws *laws)
{
    free(laws->levels);
    free(laws->rows);
    ft_law_workspace_destroy(laws->workspace);
    *laws = (struct ft_scaled_laws){0};
}

/* ---- the terms ---- */

static void add_term(struct ft_law_terms *terms, size_t term, const struct ft_scaled_laws *laws,
                     double power, double logarithm)
{
    for (size_t k = 0; k < laws->size_count; k++)
        terms->at_sizes[term][k] =
            pow(laws->sizes[k], power) * pow(log2(laws->sizes[k]), logarithm);
    const double target = laws->task->size->value;
    terms->at_target[term] = pow(target, power) * pow(log2(target), logarithm);
}

/* Terms 2 i and 2 i + 1 are the powers without and with a logarithm, the last one is constant. Sets
 * are each of them alone, with the constant, and with the terms that are slower by half a power or
 * one. */
static void count_terms(const struct ft_scaled_laws *laws, struct ft_law_terms *terms)
{
    const uint32_t constant = 1U << 2 * POWERS;
    for (size_t i = 0; i < POWERS; i++) {
        add_term(terms, 2 * i, laws, powers[i], 0);
        add_term(terms, 2 * i + 1, laws, powers[i], 1);
    }
    add_term(terms, 2 * POWERS, laws, 0, 0);
    for (size_t i = 0; i < 2 * POWERS; i++)
        terms->sets[terms->set_count++] = 1U << i;
    for (size_t i = 0; i < 2 * POWERS; i++)
        terms->sets[terms->set_count++] = 1U << i | constant;
    for (size_t i = 1; i < 2 * POWERS; i++)
        terms->sets[terms->set_count++] = 3U << (i - 1);
    for (size_t i = 4; i < 2 * POWERS; i++)
        terms->sets[terms->set_count++] = 17U << (i - 4);
}

static void miss_terms(const struct ft_scaled_laws *laws, size_t number, double accesses,
                       const struct ft_scaled_level *level, struct ft_law_terms *terms)
{
    static const uint32_t sets[] = {1U << ACCESSES,
                                    1U << FOOTPRINT,
                                    1U << ACCESSES | 1U << FOOTPRINT,
                                    1U << ACCESSES | 1U << CONSTANT,
                                    1U << FOOTPRINT | 1U << CONSTANT,
                                    1U << ACCESSES | 1U << FOOTPRINT | 1U << CONSTANT};
    const size_t row = number - number % laws->task->width;
    terms->set_count = sizeof sets / sizeof *sets;
    memcpy(terms->sets, sets, sizeof sets);
    for (size_t k = 0; k < laws->size_count; k++) {
        terms->at_sizes[ACCESSES][k] = rows_at(laws, 0, k)[row];
        terms->at_sizes[FOOTPRINT][k] = level->at_sizes[k];
        terms->at_sizes[CONSTANT][k] = 1;
    }
    terms->at_target[ACCESSES] = accesses;
    terms->at_target[FOOTPRINT] = level->at_target;
    terms->at_target[CONSTANT] = 1;
}

/* ---- forecasts ---- */

/* A ratio follows from the misses, whose law is fitted. */
static struct ft_row_law choose(const struct ft_scaled_laws *laws, size_t number,
                                const struct ft_law_terms *terms)
{
    const size_t column = number % laws->task->width;
    struct ft_law_values values;
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t k = 0; k < laws->size_count; k++) {
            const double *rows = rows_at(laws, cache, k);
            const double value = rows[number];
            values.in_cache[cache][k] = laws->task->kinds[column] == FT_SPREAD_RATIO
                                            ? value * rows[number - column]
                                            : value;
        }
    return ft_row_law_choose(laws->workspace, terms, &values);
}

/* Half the interval, as the logarithm of a factor. */
static double half_width(double value, const struct ft_interval *interval)
{
    if (!(value > 0) || !(interval->low > 0))
        return value > 0 ? INFINITY : 0;
    return fmax(log(interval->high / value), log(value / interval->low));
}

static struct ft_scaled_forecast forecast_of(const struct ft_row_law *law, double uncertainty,
                                             double divisor, double unit)
{
    const double factor = exp(law->error + uncertainty);
    const double value = law->value / divisor;
    const double floor = fmax(FLOOR * value, unit);
    const double low = fmin(law->low / divisor / factor, value - floor);
    const double high = fmax(law->high / divisor * factor, value + floor);
    const double reach = fmax(value - low, high - value);
    return (struct ft_scaled_forecast){
        value, {fmax(low, 0), high, false, reach < UNKNOWN_FROM * value || reach <= unit}};
}

struct ft_scaled_forecast ft_scaled_laws_forecast(const struct ft_scaled_laws *laws, size_t number,
                                                  const struct ft_scaled_forecast *accesses,
                                                  double misfit)
{
    const struct ft_spread_task *task = laws->task;
    const size_t column = number % task->width;
    const enum ft_spread_kind kind = task->kinds[column];
    const struct ft_scaled_forecast unknown = {.interval = {.high = INFINITY}};
    struct ft_law_terms terms = {.size_count = laws->size_count, .target = task->size->value};
    double uncertainty = misfit, divisor = 1;
    if (laws->size_count == 0 || kind == FT_SPREAD_CAPACITY)
        return unknown;
    memcpy(terms.sizes, laws->sizes, sizeof terms.sizes);
    if (kind == FT_SPREAD_COUNT) {
        count_terms(laws, &terms);
    } else {
        const struct ft_scaled_level *level = &laws->levels[task->levels[column]];
        if (!level->has_enough_data || ft_interval_is_refused(&accesses->interval))
            return unknown;
        miss_terms(laws, number, accesses->value, level, &terms);
    }
    const struct ft_row_law law = choose(laws, number, &terms);
    if (!law.set)
        return unknown;
    if (kind != FT_SPREAD_COUNT) {
        if (law.set >> ACCESSES & 1)
            uncertainty = fmax(uncertainty, half_width(accesses->value, &accesses->interval));
        if (law.set >> FOOTPRINT & 1)
            uncertainty += laws->levels[task->levels[column]].error;
    }
    if (kind == FT_SPREAD_RATIO)
        divisor = fmax(accesses->value, 1);
    return forecast_of(&law, uncertainty, divisor, 1 / divisor);
}
