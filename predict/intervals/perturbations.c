/*
 * A perturbation differs from the model in one respect: the size that it was fitted without, its
 * distances and the capacities, its methods, its law of accesses, the terms that the training sizes
 * do not determine, how blocks fall into sets, or how the C library accesses long blocks.
 */
#include "predict/intervals/perturbations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/axis.h"
#include "predict/intervals/distance_spread.h"
#include "predict/intervals/growth_spread.h"
#include "predict/intervals/perturbed_model.h"
#include "predict/intervals/string_calls.h"

#define ELEMENT_BYTES 8
#define ALTERNATIVES  9U /* at most, besides one a method: add_capacities and those behind it */

static int add_perturbation(struct ft_perturbations *perturbations,
                            const struct ft_spread_view *view, struct ft_diag *diag)
{
    double *rows = perturbations->rows + perturbations->count++ * perturbations->numbers;
    return perturbations->task->compute(view, perturbations->task->context, rows, diag);
}

static int add_replicas(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    const struct ft_model *model = perturbations->task->model;
    int status = FT_OK;
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++) {
        const double n = ft_query_point_by_replica(model, i, perturbations->task->size);
        const struct ft_spread_view replica = {.model = &model->replicas[i],
                                               .at = ft_point_at(&model->basis, &n)};
        status = add_perturbation(perturbations, &replica, diag);
    }
    perturbations->replica_count = perturbations->count;
    return status;
}

/* Rows of n elements that begin at changing offsets in their lines share these differently: a loop
 * over a column touches one line more for every so many rows as a line has elements. If rows did so
 * at the training sizes as they do at n, functions include it. */
static double capacity_spread(const struct ft_spread_view *view, const struct ft_level *level)
{
    const struct ft_model *model = view->model;
    const unsigned elements = (unsigned)(level->block_bytes / ELEMENT_BYTES);
    if (model->over_data_size || elements < 2)
        return FT_CAPACITY_SPREAD;
    for (size_t i = 0; i < model->training_count; i++)
        if (ft_alignment(model->training[i], elements) !=
            ft_alignment(view->at.parameters[0], elements))
            return fmax(FT_CAPACITY_SPREAD, 1.0 / elements);
    return FT_CAPACITY_SPREAD;
}

/* Distances a standard error longer and caches smaller, and the reverse. */
static int add_capacities(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    const struct ft_machine *machine = perturbations->task->machine;
    struct ft_spread_view scaled = perturbations->view;
    double *scales = calloc(machine->level_count + 1, sizeof *scales);
    int status = scales ? FT_OK : ft_fail_memory(diag, "intervals");
    scaled.capacity_scales = scales;
    for (int sign = -1; sign <= 1 && status == FT_OK; sign += 2) {
        struct ft_distance_spread spread;
        for (size_t i = 0; i < machine->level_count; i++)
            scales[i] = 1 + sign * capacity_spread(&perturbations->view, &machine->levels[i]);
        status = ft_distance_spread(perturbations->view.model, &scaled.at, -sign, &spread, diag);
        scaled.model = &spread.model;
        if (status == FT_OK)
            status = add_perturbation(perturbations, &scaled, diag);
        ft_distance_spread_fini(&spread);
    }
    free(scales);
    return status;
}

static int add_methods(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    const struct ft_model *model = perturbations->view.model;
    int status = FT_OK;
    for (uint32_t i = 0; model->method_count > 1 && i < model->method_count && !status; i++) {
        struct ft_perturbed_model alone;
        struct ft_spread_view view = perturbations->view;
        status = ft_perturbed_by_method(model, i, &alone, diag);
        if (status != FT_OK)
            return status;
        view.model = &alone.model;
        status = add_perturbation(perturbations, &view, diag);
        ft_perturbed_fini(&alone);
    }
    return status;
}

/* By how much a scope's accesses are others than the model's. */
static void find_scales(const struct ft_model *model, const struct ft_spread_view *other,
                        double *scales)
{
    const size_t scopes = model->scopes.scope_count;
    double *before = scales + scopes;
    memset(scales, 0, 2 * scopes * sizeof *scales);
    for (size_t i = 0; i < model->group_count; i++) {
        const uint32_t scope = model->groups[i].scope;
        scales[scope] += ft_function_at(&other->model->groups[i].accesses, &other->at);
        before[scope] += ft_function_at(&model->groups[i].accesses, &other->at);
    }
    for (size_t i = 0; i < scopes; i++)
        scales[i] = before[i] > 0 ? scales[i] / before[i] : 1;
}

static int add_growths(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    const struct ft_model *model = perturbations->view.model;
    struct ft_spread_view view = perturbations->view;
    struct ft_perturbed_model slow, fast;
    int status = ft_growth_spread(model, &view.at, &slow, &fast, diag);
    if (status != FT_OK)
        return status;
    double *scales = calloc(2 * model->scopes.scope_count + 1, sizeof *scales);
    const struct ft_model *const others[] = {&slow.model, &fast.model};
    if (!scales)
        status = ft_fail_memory(diag, "intervals");
    view.miss_scales = scales;
    for (size_t i = 0; i < 2 && status == FT_OK; i++) {
        view.model = others[i];
        find_scales(model, &view, scales);
        status = add_perturbation(perturbations, &view, diag);
    }
    free(scales);
    ft_perturbed_fini(&slow);
    ft_perturbed_fini(&fast);
    return status;
}

/* A term at n with the quotient `more` steps higher; it has none there: at its mean. */
static double move_step(const struct ft_quotient *quotient, double n, double value, double mean,
                        double more)
{
    const double steps = quotient->period > 0 ? ft_quotient(quotient, n) : 0;
    return steps > 0 ? value * pow((steps + more) / steps, quotient->power) : mean;
}

/* Whether the training sizes or those of counts tell of a term's steps. */
static bool determines_steps(const struct ft_model *model, const struct ft_term *term, double n)
{
    double sizes[FT_TRAINING_MAX];
    const size_t count = ft_model_execution_sizes(model, FT_TRAINING_MAX, sizes);
    return count > 0 && ft_term_is_identifiable(term, sizes, count, n);
}

/* Terms with steps that the training sizes do not tell of: alignments at their means, and quotients
 * `more` steps higher. False where there are none. */
static bool blur_steps(const struct ft_model *model, struct ft_point *at, double more)
{
    const double n = at->parameters[0];
    const struct ft_point smooth = ft_smooth_point_at(&model->basis, &n);
    bool blurred = false;
    for (size_t i = 0; i < model->basis.term_count; i++) {
        const struct ft_term *term = &model->basis.terms[i];
        if (determines_steps(model, term, n))
            continue;
        at->terms[i] = move_step(&term->quotient, n, at->terms[i], smooth.terms[i], more);
        blurred = true;
    }
    return blurred;
}

/* A step may lie on the other side of the size. */
static int add_steps(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    int status = FT_OK;
    if (perturbations->view.model->basis.parameter_count > 1)
        return FT_OK;
    for (int more = -1; more <= 1 && status == FT_OK; more += 2) {
        struct ft_spread_view blurred = perturbations->view;
        if (blur_steps(blurred.model, &blurred.at, more))
            status = add_perturbation(perturbations, &blurred, diag);
    }
    return status;
}

static int add_string_calls(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    struct ft_perturbed_model by_granules;
    struct ft_spread_view view = perturbations->view;
    bool differs;
    int status = ft_string_calls(view.model, &view.at, &by_granules, &differs, diag);
    if (status != FT_OK || !differs)
        return status;
    view.model = &by_granules.model;
    status = add_perturbation(perturbations, &view, diag);
    ft_perturbed_fini(&by_granules);
    return status;
}

/* Blocks fall into sets as well, or as badly, as strides let them. */
static int add_conflicts(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    struct ft_spread_view view = perturbations->view;
    if (!view.model->strides.bytes)
        return FT_OK;
    const size_t best = perturbations->count;
    view.set_spread = FT_SET_SPREAD_BEST;
    FT_TRY(add_perturbation(perturbations, &view, diag));
    view.set_spread = FT_SET_SPREAD_WORST;
    FT_TRY(add_perturbation(perturbations, &view, diag));
    perturbations->best = perturbations->rows + best * perturbations->numbers;
    perturbations->worst = perturbations->best + perturbations->numbers;
    return FT_OK;
}

static int add_all(struct ft_perturbations *perturbations, struct ft_diag *diag)
{
    FT_TRY(add_replicas(perturbations, diag));
    FT_TRY(add_capacities(perturbations, diag));
    FT_TRY(add_methods(perturbations, diag));
    FT_TRY(add_steps(perturbations, diag));
    perturbations->likely_count = perturbations->count;
    FT_TRY(add_growths(perturbations, diag));
    FT_TRY(add_conflicts(perturbations, diag));
    return add_string_calls(perturbations, diag);
}

int ft_perturbations_compute(const struct ft_spread_task *task,
                             struct ft_perturbations *ret_perturbations, struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    const size_t count_max = model->replica_count + ALTERNATIVES + model->method_count;
    struct ft_perturbations perturbations = {
        .task = task, .view = ft_spread_view_of(task), .numbers = task->row_count * task->width};
    perturbations.rows = calloc(count_max * perturbations.numbers + 1, sizeof *perturbations.rows);
    int status = perturbations.rows ? FT_OK : ft_fail_memory(diag, "intervals");
    if (status == FT_OK && model->replica_count > 0)
        status = add_all(&perturbations, diag);
    if (status != FT_OK) {
        ft_perturbations_fini(&perturbations);
        return status;
    }
    *ret_perturbations = perturbations;
    return FT_OK;
}

void ft_perturbations_fini(struct ft_perturbations *perturbations)
{
    free(perturbations->rows);
    *perturbations = (struct ft_perturbations){0};
}
