/*
 * 1. Of each level the data that grow, at the training sizes and the target: by the model's
 *    function, or by a law of what was counted where that is surer.
 * 2. The rows at each training size, from the model with the accesses that were counted there, for
 *    the caches of row_laws.h.
 */
#include "predict/intervals/scaled_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/evaluate/evaluate.h"
#include "predict/intervals/exact_parts.h"
#include "predict/intervals/growing_data.h"
#include "predict/intervals/interval.h"
#include "predict/intervals/perturbed_model.h"
#include "predict/intervals/power_laws.h"

#define FEW_BLOCKS   8    /* of a cache: stack frames and start-up do not scale with the data */
#define OTHER_CACHES 1.41 /* times larger and smaller: laws hold there, too */

/* ---- step 1 ---- */

/* How far the function is off at the target, by the error of its fit and by that of the forecast of
 * the largest size from the others, carried on in steps as large. */
static double function_error(const struct ft_scaled_rows *rows, size_t size)
{
    const struct ft_model *model = rows->task->model;
    const size_t last = rows->size_count - 1;
    const struct ft_function *footprint = &model->distinct_blocks[size];
    const struct ft_model *replica = ft_model_replica_without(model, last);
    const struct ft_point largest = ft_model_largest(model);
    const double reach =
        ft_forecast_reach(rows->task->size->value, rows->sizes[last], rows->sizes[last - 1]);
    double here = ft_growing_blocks(footprint, &largest), held_out = 0;
    if (replica)
        held_out = fabs(
            log((ft_growing_blocks(&replica->distinct_blocks[size], &largest) + 1) / (here + 1)));
    return FT_NORMAL_ERRORS * footprint->rms_relative_error + reach * held_out;
}

/* What was counted where that is known, less what is there at size 0. */
static double growing_at(const struct ft_model *model, size_t size, size_t training)
{
    const struct ft_function *footprint = &model->distinct_blocks[size];
    const struct ft_point at = ft_point_at(&model->basis, &model->training[training]);
    if (!model->training_blocks)
        return ft_growing_blocks(footprint, &at);
    return (double)model->training_blocks[size * model->training_count + training] -
           fmax(footprint->coefficients[0], 0);
}

static void follow_law(const struct ft_scaled_rows *rows, struct ft_law_workspace *workspace,
                       struct ft_scaled_level *level)
{
    struct ft_law_terms terms;
    struct ft_law_values values = {0};
    ft_power_laws_init(&terms, rows->sizes, rows->size_count, rows->task->size->value);
    terms.first = level->first;
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        memcpy(values.in_cache[cache], level->at_sizes, sizeof level->at_sizes);
    const struct ft_row_law law = ft_row_law_choose(workspace, &terms, &values);
    const double error =
        law.set ? law.error + fmax(log(law.high / law.value), log(law.value / law.low)) : INFINITY;
    if (error < level->error) {
        level->at_target = law.value;
        level->error = error;
    }
}

static void measure_level(const struct ft_scaled_rows *rows, struct ft_law_workspace *workspace,
                          size_t i)
{
    const struct ft_model *model = rows->task->model;
    const struct ft_point target = ft_spread_view_of(rows->task).at;
    const size_t size = ft_model_block_size(model, rows->task->machine->levels[i].block_bytes);
    const double blocks = (double)rows->task->machine->levels[i].blocks;
    struct ft_scaled_level *level = &rows->levels[i];
    level->at_target = ft_growing_blocks(&model->distinct_blocks[size], &target);
    level->error = function_error(rows, size);
    for (size_t k = 0; k < rows->size_count; k++)
        level->at_sizes[k] = fmax(growing_at(model, size, k), 0);
    while (level->first < rows->size_count && !(level->at_sizes[level->first] >= FT_GROWING_BLOCKS))
        level->first++;
    follow_law(rows, workspace, level);
    while (level->first < rows->size_count &&
           !(level->at_sizes[level->first] / level->at_target * blocks >= FEW_BLOCKS))
        level->first++;
}

/* ---- step 2 ---- */

/* The model at a training size with the accesses that were counted there. */
struct counted_model {
    struct ft_perturbed_model perturbed;
    double *miss_scales, *modelled; /* [scope] */
};

static int counted_init(struct counted_model *counted, const struct ft_model *model,
                        struct ft_diag *diag)
{
    *counted = (struct counted_model){
        .miss_scales = calloc(model->scopes.scope_count + 1, sizeof *counted->miss_scales),
        .modelled = calloc(model->scopes.scope_count + 1, sizeof *counted->modelled)};
    if (!counted->miss_scales || !counted->modelled)
        return ft_fail_memory(diag, "laws of rows");
    return ft_perturbed_copy(model, &counted->perturbed, diag);
}

static void counted_fini(struct counted_model *counted)
{
    free(counted->miss_scales);
    free(counted->modelled);
    ft_perturbed_fini(&counted->perturbed);
}

/* As constants, which are right at this size alone. */
static void set_accesses(struct counted_model *counted, const struct ft_model *model, size_t size)
{
    const struct ft_point at = ft_point_at(&model->basis, &model->training[size]);
    const size_t scopes = model->scopes.scope_count;
    memset(counted->miss_scales, 0, scopes * sizeof *counted->miss_scales);
    memset(counted->modelled, 0, scopes * sizeof *counted->modelled);
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_function *function = &model->groups[i].accesses;
        const double modelled = ft_function_at(function, &at);
        const double accesses =
            model->training_accesses
                ? (double)model->training_accesses[i * model->training_count + size]
                : modelled;
        /* Touches keep their scale here; rows are scaled below. */
        const double scale = ft_group_touch_scale(model, i, &at);
        counted->perturbed.model.groups[i].accesses =
            (struct ft_function){.coefficients = {accesses}};
        counted->perturbed.model.groups[i].traced =
            (struct ft_function){.coefficients = {scale > 0 ? accesses / scale : accesses}};
        counted->miss_scales[model->groups[i].scope] += accesses;
        counted->modelled[model->groups[i].scope] += modelled;
    }
    for (size_t i = 0; i < scopes; i++)
        counted->miss_scales[i] =
            counted->modelled[i] > 0 ? counted->miss_scales[i] / counted->modelled[i] : 1;
}

/* How much larger than the machine's own a cache is taken to be. */
static double cache_scale(const struct ft_scaled_level *level, size_t cache)
{
    const double near = exp(FT_CAPACITY_SPREAD + level->error);
    const double scales[FT_LAW_CACHES] = {1, 1 / near, near, 1 / OTHER_CACHES, OTHER_CACHES};
    return scales[cache];
}

static int compute_size(struct ft_scaled_rows *rows, const struct counted_model *counted,
                        size_t size, double *scales, struct ft_diag *diag)
{
    const struct ft_spread_task *task = rows->task;
    const struct ft_spread_view view = {.model = &counted->perturbed.model,
                                        .at = ft_point_at(&task->model->basis, &rows->sizes[size]),
                                        .capacity_scales = scales,
                                        .miss_scales = counted->miss_scales};
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++) {
        for (size_t i = 0; i < task->machine->level_count; i++) {
            const struct ft_scaled_level *level = &rows->levels[i];
            scales[i] = size >= level->first
                            ? level->at_sizes[size] / level->at_target * cache_scale(level, cache)
                            : 1;
        }
        FT_TRY(task->compute(&view, task->context, (double *)ft_scaled_rows_at(rows, cache, size),
                             diag));
    }
    return FT_OK;
}

static int compute_rows(struct ft_scaled_rows *rows, struct ft_diag *diag)
{
    const struct ft_model *model = rows->task->model;
    struct counted_model counted;
    double *scales = calloc(rows->task->machine->level_count + 1, sizeof *scales);
    int status = counted_init(&counted, model, diag);
    if (status == FT_OK && !scales)
        status = ft_fail_memory(diag, "laws of rows");
    for (size_t size = 0; size < rows->size_count && status == FT_OK; size++) {
        set_accesses(&counted, model, size);
        status = compute_size(rows, &counted, size, scales, diag);
    }
    counted_fini(&counted);
    free(scales);
    return status;
}

static int compute_exact(struct ft_scaled_rows *rows, struct ft_diag *diag)
{
    struct ft_point points[FT_TRAINING_MAX + 1];
    for (size_t i = 0; i < rows->size_count; i++)
        points[i] = ft_point_at(&rows->task->model->basis, &rows->sizes[i]);
    points[rows->size_count] = ft_spread_view_of(rows->task).at;
    return ft_exact_parts(rows->task, points, rows->size_count + 1, &rows->exact, diag);
}

int ft_scaled_rows_init(struct ft_scaled_rows *rows, const struct ft_spread_task *task,
                        struct ft_law_workspace *workspace, struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    const size_t count = model->training_count, levels = task->machine->level_count;
    *rows = (struct ft_scaled_rows){.task = task};
    if (model->basis.parameter_count > 1 || model->fixed_count > 0 || model->replica_count == 0 ||
        count < FT_LAW_SIZES_MIN || count > FT_TRAINING_MAX ||
        !(task->size->value > model->training[count - 1]))
        return FT_OK;
    rows->size_count = count;
    memcpy(rows->sizes, model->training, count * sizeof *rows->sizes);
    rows->levels = calloc(levels + 1, sizeof *rows->levels);
    rows->rows =
        calloc(FT_LAW_CACHES * count * task->row_count * task->width + 1, sizeof *rows->rows);
    if (!rows->levels || !rows->rows)
        return ft_fail_memory(diag, "laws of rows");
    for (size_t i = 0; i < levels; i++)
        measure_level(rows, workspace, i);
    FT_TRY(compute_rows(rows, diag));
    return compute_exact(rows, diag);
}

void ft_scaled_rows_fini(struct ft_scaled_rows *rows)
{
    free(rows->levels);
    free(rows->rows);
    free(rows->exact);
    *rows = (struct ft_scaled_rows){0};
}
