/* The metrics (metrics.h), their intervals (spread.h), and which levels are guesses
 * (resolution.h). */
#include "predict/prediction.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/capped_misses.h"
#include "predict/cleared_rows.h"
#include "predict/footprint_rows.h"
#include "predict/intervals/combined.h"
#include "predict/intervals/string_calls.h"
#include "predict/machine_blocks.h"
#include "predict/shared_levels.h"
#include "predict/synthetic_choice.h"
#include "predict/widened_intervals.h"

/* Whether the training runs determine the misses of each level. */
static void judge_levels(struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const size_t size = ft_model_block_size(model, level->block_bytes);
        for (size_t group = 0; group < model->group_count; group++)
            ft_resolution_add_group(&prediction->resolutions[i], model, group, size, level,
                                    &prediction->at);
        ft_resolution_judge(&prediction->resolutions[i], model, size, level, &prediction->at,
                            prediction->inclusive[ft_fully_assoc_column(i)]);
    }
}

/* Which groups may suffer from conflicts in sets, level by level. */
static int find_conflicts(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const size_t size = ft_model_block_size(model, level->block_bytes);
        if (model->strides.bytes && level->ways != level->blocks)
            status = ft_set_conflict_find(model, size, level, &prediction->at,
                                          &prediction->conflicts[i], diag);
    }
    return status;
}

static struct ft_metrics metrics_of(const struct ft_prediction *prediction,
                                    const struct ft_spread_view *view)
{
    return (struct ft_metrics){.model = view->model,
                               .machine = prediction->machine,
                               .at = view->at,
                               .dirty_memory = prediction->dirty_memory,
                               .capacity_scales = view->capacity_scales,
                               .set_spread = view->set_spread,
                               .miss_scales = view->miss_scales};
}

/* The inclusive metrics of a perturbed model. */
static int compute(const struct ft_spread_view *view, const void *context, double *rows,
                   struct ft_diag *diag)
{
    const struct ft_metrics metrics = metrics_of(context, view);
    int status = ft_metrics_exclusive(&metrics, rows, diag);
    if (status == FT_OK)
        ft_metrics_make_inclusive(&metrics, rows);
    return status;
}

static int find_intervals(struct ft_prediction *prediction, struct ft_diag *diag)
{
    enum ft_spread_kind *kinds = calloc(prediction->width, sizeof *kinds);
    size_t *levels = calloc(prediction->width, sizeof *levels);
    for (size_t i = 0; i < prediction->width && kinds && levels; i++) {
        levels[i] = i >= FT_METRIC_COUNT ? (i - FT_METRIC_COUNT) / 2 : 0;
        kinds[i] = i >= FT_METRIC_COUNT                                           ? FT_SPREAD_MISSES
                   : i == FT_METRIC_MEMORY_CYCLES || i == FT_METRIC_SERIAL_CYCLES ? FT_SPREAD_TIME
                                                                                  : FT_SPREAD_COUNT;
    }
    const struct ft_spread_task task = {.model = prediction->model,
                                        .machine = prediction->machine,
                                        .size = &prediction->size,
                                        .row_count = prediction->model->scopes.scope_count,
                                        .width = prediction->width,
                                        .kinds = kinds,
                                        .levels = levels,
                                        .compute = compute,
                                        .context = prediction};
    int status = kinds && levels ? ft_combined_forecast(&task, prediction->inclusive,
                                                        prediction->intervals, diag)
                                 : ft_fail_memory(diag, "a prediction");
    free(kinds);
    free(levels);
    return status;
}

/* Synthesis where it is surer; a level that it knows is no guess. */
static int synthesise(struct ft_prediction *prediction, const struct ft_predict_options *options,
                      struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_synthetic_request request = {
        .model = prediction->model,
        .machine = prediction->machine,
        .size = prediction->n,
        .accesses = prediction->exclusive + FT_METRIC_ACCESSES,
        .width = prediction->width,
        .accesses_max = INFINITY,
        .simulated_max = options->misses == FT_MISSES_SYNTHESIS ? INFINITY : FT_SYNTHESIS_ACCESSES,
        .store_buffer =
            prediction->schedules ? ft_path_schedules_core(prediction->schedules)->store_buffer : 0,
        .progress = options->progress};
    struct ft_chosen_rows chosen = {.metrics = &metrics,
                                    .exclusive = prediction->exclusive,
                                    .inclusive = prediction->inclusive,
                                    .intervals = prediction->intervals,
                                    .misses_by = prediction->misses_by};
    struct ft_synthetic_rows rows;
    FT_TRY(ft_synthetic_rows_make(&request, &rows, diag));
    prediction->not_synthetic = rows.missing;
    int status = rows.missing ? FT_OK : ft_synthetic_choose(&rows, &chosen, diag);
    prediction->store_conflicts = rows.store_conflicts;
    rows.store_conflicts = NULL;
    ft_synthetic_rows_fini(&rows);
    for (size_t i = 0; !status && i < prediction->machine->level_count; i++)
        if (prediction->misses_by[ft_set_assoc_column(i)] == FT_BY_SYNTHESIS) {
            prediction->resolutions[i].resolved = true;
            prediction->conflicts[i] = (struct ft_set_conflict){0};
        }
    return status;
}

/* A level's misses as another prediction has them. */
static void copy_level(struct ft_prediction *prediction, const struct ft_prediction *shared,
                       size_t level)
{
    for (size_t scope = 0; scope < prediction->model->scopes.scope_count; scope++)
        for (size_t column = ft_fully_assoc_column(level); column <= ft_set_assoc_column(level);
             column++) {
            const size_t place = scope * prediction->width + column;
            prediction->exclusive[place] = shared->exclusive[place];
            prediction->inclusive[place] = shared->inclusive[place];
            prediction->intervals[place] = shared->intervals[place];
        }
    prediction->resolutions[level] = shared->resolutions[level];
    prediction->conflicts[level] = (struct ft_set_conflict){0}; /* of other groups */
}

static int take_levels(void *context, const struct ft_model *shared_model, const bool *is_of_it,
                       struct ft_diag *diag)
{
    struct ft_prediction *prediction = context, shared;
    const struct ft_predict_options options = {.dirty_memory = prediction->dirty_memory,
                                               .misses = FT_MISSES_HISTOGRAMS};
    FT_TRY(
        ft_predict(shared_model, prediction->machine, &prediction->size, &options, &shared, diag));
    for (size_t level = 0; level < prediction->machine->level_count; level++)
        if (is_of_it[level])
            copy_level(prediction, &shared, level);
    ft_prediction_fini(&shared);
    return FT_OK;
}

/* Where several threads run. Of a level of which nothing is known nothing else is said. */
static int share_levels(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_shared_rows rows = {&metrics, prediction->exclusive, prediction->inclusive,
                                        prediction->intervals, prediction->is_unshared};
    if (prediction->threads.count <= 1)
        return FT_OK;
    FT_TRY(
        ft_shared_levels_replace(&rows, prediction->threads.count, take_levels, prediction, diag));
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (prediction->is_unshared[i]) {
            prediction->resolutions[i].resolved = true;
            prediction->conflicts[i] = (struct ft_set_conflict){0};
        }
    return FT_OK;
}

/* A level that holds all that the program touches is no guess. */
static int set_footprint(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_footprint_rows rows = {&metrics, prediction->exclusive, prediction->inclusive,
                                           prediction->intervals, prediction->misses_by};
    bool *is_held = calloc(prediction->machine->level_count + 1, sizeof *is_held);
    if (!is_held)
        return ft_fail_memory(diag, "a prediction");
    const int status = ft_footprint_rows_set(&rows, &prediction->heap, is_held, diag);
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (is_held[i])
            prediction->resolutions[i].resolved = true;
    free(is_held);
    return status;
}

static int fill(struct ft_prediction *prediction, const struct ft_predict_options *options,
                struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    size_t numbers = prediction->model->scopes.scope_count * prediction->width;
    prediction->exclusive = calloc(numbers + 1, sizeof *prediction->exclusive);
    prediction->inclusive = calloc(numbers + 1, sizeof *prediction->inclusive);
    prediction->resolutions =
        calloc(prediction->machine->level_count + 1, sizeof *prediction->resolutions);
    prediction->conflicts =
        calloc(prediction->machine->level_count + 1, sizeof *prediction->conflicts);
    prediction->intervals = calloc(numbers + 1, sizeof *prediction->intervals);
    prediction->misses_by = calloc(prediction->width + 1, sizeof *prediction->misses_by);
    prediction->is_unshared =
        calloc(prediction->machine->level_count + 1, sizeof *prediction->is_unshared);
    if (!prediction->misses_by || !prediction->is_unshared || !prediction->exclusive ||
        !prediction->inclusive || !prediction->intervals || !prediction->resolutions ||
        !prediction->conflicts)
        return ft_fail_memory(diag, "a prediction");
    int status = ft_metrics_exclusive(&metrics, prediction->exclusive, diag);
    if (status != FT_OK)
        return status;
    memcpy(prediction->inclusive, prediction->exclusive, numbers * sizeof *prediction->exclusive);
    ft_metrics_make_inclusive(&metrics, prediction->inclusive);
    judge_levels(prediction);
    FT_TRY(find_conflicts(prediction, diag));
    prediction->long_string_calls = FT_NO_STRING_CALLS;
    if (prediction->model->replica_count > 0)
        status = ft_string_calls_long(prediction->model, &prediction->at,
                                      &prediction->long_string_calls, diag);
    if (status == FT_OK)
        status = find_intervals(prediction, diag);
    const struct ft_widened_rows widened = {&metrics, prediction->inclusive, prediction->intervals};
    if (status == FT_OK)
        status = ft_widen_intervals(&widened, diag);
    const struct ft_cleared_rows cleared = {&metrics, prediction->exclusive, prediction->inclusive,
                                            prediction->intervals};
    if (status == FT_OK)
        status = ft_clear_rows(&cleared, prediction->n, diag);
    if (status == FT_OK)
        ft_cap_misses(
            &(struct ft_capped_rows){&metrics, prediction->inclusive, prediction->intervals});
    if (status == FT_OK && options->misses != FT_MISSES_HISTOGRAMS)
        status = synthesise(prediction, options, diag);
    if (status == FT_OK && prediction->threads.count <= 1)
        status = set_footprint(prediction, diag);
    return status == FT_OK ? share_levels(prediction, diag) : status;
}

/* How many run, and how they divide the work. */
static int find_threads(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    struct ft_thread_work *threads = &prediction->threads;
    threads->count = ft_model_thread_count(model, &prediction->at);
    if (threads->count <= 1)
        return FT_OK;
    threads->splits = calloc(model->scopes.scope_count + 1, sizeof *threads->splits);
    if (!threads->splits)
        return ft_fail_memory(diag, "the threads of a prediction");
    if (!ft_model_thread_splits(model, &prediction->at, threads->splits)) {
        free(threads->splits);
        threads->splits = NULL;
    }
    return FT_OK;
}

struct ft_time_rows ft_prediction_time_rows(const struct ft_prediction *prediction)
{
    return (struct ft_time_rows){prediction->exclusive, prediction->inclusive,
                                 prediction->intervals, prediction->store_conflicts,
                                 &prediction->heap};
}

static int fill_times(struct ft_prediction *prediction, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_time_rows rows = ft_prediction_time_rows(prediction);
    prediction->times = calloc(scopes->scope_count + 1, sizeof *prediction->times);
    prediction->estimates = calloc(scopes->scope_count + 1, sizeof *prediction->estimates);
    prediction->waits =
        calloc(scopes->scope_count * prediction->machine->level_count + 1, sizeof(double));
    if (!prediction->times || !prediction->estimates || !prediction->waits)
        return ft_fail_memory(diag, "the times of scopes");
    FT_TRY(ft_scope_times_find(&metrics, &rows, prediction->schedules, &prediction->threads,
                               prediction->times, prediction->waits, diag));
    ft_time_estimates_find(scopes, prediction->machine, prediction->times, &prediction->threads,
                           prediction->estimates);
    return FT_OK;
}

/* Where the model has code, and says how threads divide it. */
static int find_core(struct ft_prediction *prediction, struct ft_path_schedules *schedules,
                     struct ft_diag *diag)
{
    if (!ft_core_time_is_known(prediction->model) ||
        (prediction->threads.count > 1 && !prediction->threads.splits))
        return FT_OK;
    prediction->schedules = schedules;
    if (!schedules) {
        FT_TRY(ft_path_schedules_create(prediction->machine, &prediction->schedules, diag));
        prediction->owns_schedules = true;
    }
    return FT_OK;
}

/* Where the machine has a core that executes the code. */
static int find_times(struct ft_prediction *prediction, struct ft_diag *diag)
{
    return prediction->schedules && ft_path_schedules_core(prediction->schedules)->form_count > 0
               ? fill_times(prediction, diag)
               : FT_OK;
}

/* From rows that are complete. */
static int find_convolved(struct ft_prediction *prediction,
                          const struct ft_bandwidth_function *bandwidth, struct ft_diag *diag)
{
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_time_rows rows = ft_prediction_time_rows(prediction);
    if (!bandwidth)
        return FT_OK;
    prediction->convolved =
        calloc(prediction->model->scopes.scope_count + 1, sizeof *prediction->convolved);
    if (!prediction->convolved)
        return ft_fail_memory(diag, "the times of scopes");
    ft_convolved_times_find(&metrics, &rows, bandwidth, prediction->convolved);
    return FT_OK;
}

/* From rows that are complete, and the schedules that times are of. */
static int find_penalties(struct ft_prediction *prediction, bool wanted, struct ft_diag *diag)
{
    const size_t scopes = prediction->model->scopes.scope_count;
    const struct ft_spread_view view = {.model = prediction->model, .at = prediction->at};
    const struct ft_metrics metrics = metrics_of(prediction, &view);
    const struct ft_time_rows rows = ft_prediction_time_rows(prediction);
    if (!wanted)
        return FT_OK;
    double *cycles = calloc(scopes + 1, sizeof *cycles);
    prediction->penalties = calloc(scopes + 1, sizeof *prediction->penalties);
    int status =
        cycles && prediction->penalties ? FT_OK : ft_fail_memory(diag, "the times of scopes");
    if (status == FT_OK)
        status = ft_penalty_schedules_find(&metrics, &rows, prediction->times,
                                           prediction->schedules, cycles, diag);
    if (status == FT_OK)
        ft_penalty_times_find(&metrics, &rows, cycles, prediction->penalties);
    free(cycles);
    return status;
}

int ft_predict(const struct ft_model *model, const struct ft_machine *machine,
               const struct ft_query_point *size, const struct ft_predict_options *options,
               struct ft_prediction *ret_prediction, struct ft_diag *diag)
{
    gsl_set_error_handler_off(); /* the default one aborts the program */
    int status = ft_predict_check_sizes(model, machine, diag);
    if (status != FT_OK)
        return status;
    struct ft_prediction prediction = {
        .model = model,
        .machine = machine,
        .size = *size,
        .n = size->value,
        .at = ft_point_at(&model->basis, &size->value),
        .extrapolation = ft_model_extrapolation(model, size->value),
        .dirty_memory = options->dirty_memory,
        .width = ft_metrics_width(machine),
    };
    status = find_threads(&prediction, diag);
    if (status == FT_OK)
        status = ft_heap_sizes_find(model, prediction.n, &prediction.heap, diag);
    if (status == FT_OK)
        status = find_core(&prediction, options->schedules, diag);
    if (status == FT_OK)
        status = fill(&prediction, options, diag);
    if (status == FT_OK)
        status = find_times(&prediction, diag);
    if (status == FT_OK)
        status = find_convolved(&prediction, options->bandwidth, diag);
    if (status == FT_OK)
        status = find_penalties(&prediction, options->with_penalties, diag);
    if (status != FT_OK) {
        ft_prediction_fini(&prediction);
        return status;
    }
    *ret_prediction = prediction;
    return FT_OK;
}

const char *ft_prediction_schedule_name(const struct ft_prediction *prediction)
{
    return prediction->times ? "instructions" : prediction->schedules ? "classes" : "units";
}

void ft_prediction_fini(struct ft_prediction *prediction)
{
    ft_heap_sizes_fini(&prediction->heap);
    free(prediction->exclusive);
    free(prediction->inclusive);
    free(prediction->intervals);
    free(prediction->resolutions);
    free(prediction->conflicts);
    free(prediction->misses_by);
    free(prediction->store_conflicts);
    free(prediction->is_unshared);
    free(prediction->threads.splits);
    free(prediction->times);
    free(prediction->waits);
    free(prediction->estimates);
    free(prediction->convolved);
    free(prediction->penalties);
    if (prediction->owns_schedules)
        ft_path_schedules_destroy(prediction->schedules);
    *prediction = (struct ft_prediction){0};
}
