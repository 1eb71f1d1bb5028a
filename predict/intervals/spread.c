/*
 * 1. All numbers are computed again for each perturbation of the model (perturbations.h).
 * 2. The largest training size (with several parameters, the largest value of the first with all
 *    its traces) is forecast by the replica without it, and compared with the model there. By as
 *    much as that is off, scaled by how much farther the forecast reaches, the forecast may be off.
 *    Compared are caches as large relative to the data as the machine's are at the size in
 *    question, and some around them: in a single cache both may agree by chance. What counts have
 *    from exact functions is not in question (exact_parts.h). Where counts are known at larger
 * sizes than distances, they are compared at the largest of these, which that replica lacks, too.
 * 3. Accesses and executions are computed once more, higher by as much as their functions miss the
 *    training counts: what does not fit these will not fit others.
 * 4. Each number's values make its interval.
 */
#include "predict/intervals/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/axis.h"
#include "predict/intervals/calibration.h"
#include "predict/intervals/exact_parts.h"
#include "predict/intervals/perturbations.h"
#include "predict/intervals/perturbed_model.h"

#define FLOOR        0.02 /* of misses and times: models of caches are no better */
#define FLOOR_MISSES 1.0  /* blocks are whole */
#define SCALES       5    /* of the caches in which the largest size is forecast */
#define SCALE_STEP   1.41 /* from one to the next: a factor of 4 in all */

/* The errors with the largest training size held out. */
struct held_out {
    double *squares; /* [number]: mean square, over these caches, of the logarithm of the error;
                        NULL where all replicas have the largest size */
    double reach;    /* of the forecast, as a multiple of that to the largest size; at least 1 */
    double counts_reach; /* the same of counts */
};

/* Everything that the intervals follow from. */
struct evidence {
    double *exact; /* [number] at the size in question, then at the largest training size, then at
                      the largest counted one */
    struct ft_perturbations perturbations;
    struct held_out held_out;
    double *raised; /* [number]; NULL: the model has no replicas */
};

/* ---- step 2 ---- */

/* Of each level, how many times larger the data are at the largest training size. */
static void scale_to_largest(const struct ft_spread_task *task, const struct ft_point *largest,
                             double *scales)
{
    const struct ft_model *model = task->model;
    const struct ft_point at = ft_spread_view_of(task).at;
    for (size_t i = 0; i < task->machine->level_count; i++) {
        const size_t size = ft_model_block_size(model, task->machine->levels[i].block_bytes);
        double there = ft_function_at(&model->distinct_blocks[size], &at);
        double here = ft_function_at(&model->distinct_blocks[size], largest);
        scales[i] = there > 0 && here > 0 ? here / there : 1;
    }
}

/* A capacity that one of both has alone may be anything; one that neither has tells nothing. */
static double log_error(enum ft_spread_kind kind, const double *held_out, const double *fitted,
                        double exact, size_t column)
{
    const double here = fitted[column] - exact, there = fmax(held_out[column] - exact, 0);
    if (isnan(fitted[column]) || isnan(held_out[column]))
        return isnan(fitted[column]) && isnan(held_out[column]) ? 0 : INFINITY;
    return log((there + ft_spread_unit(kind, held_out)) / (here + ft_spread_unit(kind, fitted)));
}

/* Adds the squares of the errors of the replica at one scale. rows: room for two of all figures;
 * exact: their exact parts. */
static int add_errors(const struct ft_spread_task *task, struct ft_spread_view *largest,
                      const struct ft_model *replica, const double *exact, double *rows,
                      double *squares, struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    double *fitted = rows, *held_out = rows + numbers;
    memset(rows, 0, 2 * numbers * sizeof *rows);
    largest->model = task->model;
    int status = task->compute(largest, task->context, fitted, diag);
    largest->model = replica;
    if (status == FT_OK)
        status = task->compute(largest, task->context, held_out, diag);
    for (size_t i = 0; i < numbers && status == FT_OK; i++) {
        const size_t column = i % task->width, row = i - column;
        const double error =
            log_error(task->kinds[column], held_out + row, fitted + row, exact[i], column);
        squares[i] += error * error / SCALES;
    }
    return status;
}

static int add_scales(const struct ft_spread_task *task, const struct ft_model *replica,
                      const double *exact, double *scales, double *rows, double *squares,
                      struct ft_diag *diag)
{
    const size_t levels = task->machine->level_count;
    struct ft_spread_view largest = {.at = ft_model_largest(task->model),
                                     .capacity_scales = scales};
    int status = FT_OK;
    scale_to_largest(task, &largest.at, scales);
    for (size_t i = 0; i < levels; i++)
        scales[i] /= pow(SCALE_STEP, (SCALES - 1) / 2.0);
    for (size_t k = 0; k < SCALES && status == FT_OK; k++) {
        status = add_errors(task, &largest, replica, exact, rows, squares, diag);
        for (size_t i = 0; i < levels; i++)
            scales[i] *= SCALE_STEP;
    }
    return status;
}

/* The largest size at which executions are known: the largest training size where no other is. The
 * next smaller one as well. */
static double largest_counted(const struct ft_model *model, double *ret_before)
{
    double sizes[FT_TRAINING_MAX];
    const size_t count = ft_model_execution_sizes(model, FT_TRAINING_MAX, sizes);
    const double *known = count > 0 ? sizes : model->training;
    const size_t last = (count > 0 ? count : model->training_count) - 1;
    *ret_before = known[last > 0 ? last - 1 : 0];
    return known[last];
}

/* Of counts, which no cache changes. rows: room for two of all figures. */
static int hold_out_counts(const struct ft_spread_task *task, const struct ft_model *replica,
                           const double *exact, double *rows, double *squares, struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    double *fitted = rows, *held_out = rows + numbers, before;
    const double size = largest_counted(task->model, &before);
    struct ft_spread_view view = {.model = task->model,
                                  .at = ft_point_at(&task->model->basis, &size)};
    memset(rows, 0, 2 * numbers * sizeof *rows);
    FT_TRY(task->compute(&view, task->context, fitted, diag));
    view.model = replica;
    FT_TRY(task->compute(&view, task->context, held_out, diag));
    for (size_t i = 0; i < numbers; i++) {
        const size_t column = i % task->width, row = i - column;
        if (task->kinds[column] == FT_SPREAD_COUNT)
            squares[i] =
                pow(log_error(FT_SPREAD_COUNT, held_out + row, fitted + row, exact[i], column), 2);
    }
    return FT_OK;
}

/* exact: at the largest training size, then at the largest counted one. */
static int hold_out_largest(const struct ft_spread_task *task, const double *exact,
                            struct held_out *ret_held_out, struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    const size_t numbers = task->row_count * task->width, last = model->training_count - 1;
    const struct ft_model *replica =
        model->replica_count > 0 ? ft_model_replica_without(model, last) : NULL;
    *ret_held_out = (struct held_out){0};
    if (!replica)
        return FT_OK;
    double *scales = calloc(task->machine->level_count + 1, sizeof *scales);
    double *rows = malloc((2 * numbers + 1) * sizeof *rows);
    double *squares = calloc(numbers + 1, sizeof *squares);
    int status = scales && rows && squares
                     ? add_scales(task, replica, exact, scales, rows, squares, diag)
                     : ft_fail_memory(diag, "intervals");
    double before;
    const double counted = largest_counted(model, &before);
    if (status == FT_OK && counted > model->training[last])
        status = hold_out_counts(task, replica, exact + numbers, rows, squares, diag);
    free(scales);
    free(rows);
    if (status != FT_OK) {
        free(squares);
        return status;
    }
    *ret_held_out =
        (struct held_out){.squares = squares,
                          .reach = ft_forecast_reach(task->size->value, model->training[last],
                                                     model->training[last - 1]),
                          .counts_reach = ft_forecast_reach(task->size->value, counted, before)};
    return FT_OK;
}

/* ---- step 3 ---- */

static int raise_by_misfit(const struct ft_spread_task *task, double **ret_raised,
                           struct ft_diag *diag)
{
    struct ft_perturbed_model perturbed;
    struct ft_spread_view view = ft_spread_view_of(task);
    double *raised = calloc(task->row_count * task->width + 1, sizeof *raised);
    *ret_raised = raised;
    if (!raised)
        return ft_fail_memory(diag, "intervals");
    int status = ft_perturbed_by_misfit(view.model, &perturbed, diag);
    if (status != FT_OK)
        return status;
    view.model = &perturbed.model;
    status = task->compute(&view, task->context, raised, diag);
    ft_perturbed_fini(&perturbed);
    return status;
}

/* ---- step 4 ---- */

static int gather(const struct ft_spread_task *task, struct evidence *evidence,
                  struct ft_diag *diag)
{
    struct ft_point points[] = {ft_spread_view_of(task).at, ft_model_largest(task->model), {{0}}};
    const double *at_largest;
    double before;
    const double counted = largest_counted(task->model, &before);
    points[2] =
        counted > points[1].parameters[0] ? ft_point_at(&task->model->basis, &counted) : points[1];
    FT_TRY(ft_exact_parts(task, points, 3, &evidence->exact, diag));
    at_largest = evidence->exact + task->row_count * task->width;
    FT_TRY(ft_perturbations_compute(task, &evidence->perturbations, diag));
    if (task->model->replica_count > 0)
        FT_TRY(raise_by_misfit(task, &evidence->raised, diag));
    return hold_out_largest(task, at_largest, &evidence->held_out, diag);
}

static void free_evidence(struct evidence *evidence)
{
    free(evidence->exact);
    ft_perturbations_fini(&evidence->perturbations);
    free(evidence->held_out.squares);
    free(evidence->raised);
}

/* The narrowest interval that is claimed. */
static void put_floors(enum ft_spread_kind kind, const double *row, struct ft_evidence *evidence)
{
    if (kind == FT_SPREAD_COUNT)
        return;
    evidence->floor_relative = FLOOR;
    if (kind == FT_SPREAD_MISSES || kind == FT_SPREAD_RATIO)
        evidence->floor_absolute = FLOOR_MISSES * ft_spread_unit(kind, row);
}

/* The factor, as a logarithm, by which a number may be off for step 2. So few sizes estimate the
 * error itself as badly as they estimate a standard error; without one of three, two are left,
 * which do not determine the law through them: that a line goes through all three is no promise for
 * several steps more. */
static double held_out_factor(const struct evidence *all, enum ft_spread_kind kind, size_t number)
{
    double errors = ft_interval_errors(all->perturbations.replica_count);
    double error = sqrt(all->held_out.squares[number]);
    if (all->perturbations.replica_count >= FT_CONFIRMED_FROM)
        errors /= FT_NORMAL_ERRORS;
    else if (kind != FT_SPREAD_COUNT)
        error = fmax(error, FLOOR);
    return (kind == FT_SPREAD_COUNT ? all->held_out.counts_reach : all->held_out.reach) * errors *
           error;
}

/* Of what is not exact. */
static double misfit_of(const struct evidence *all, double estimate, size_t number)
{
    const double exact = all->exact[number], rest = estimate - exact;
    return all->raised && rest > 0 ? fabs(log((all->raised[number] - exact) / rest)) : 0;
}

/* row: that of the model that the number is in. */
static struct ft_interval interval_at(const struct evidence *all, const double *row, size_t number,
                                      double *values)
{
    const struct ft_perturbations *perturbations = &all->perturbations;
    const size_t column = number % perturbations->task->width;
    const enum ft_spread_kind kind = perturbations->task->kinds[column];
    const double estimate = row[column];
    bool everywhere = true;
    for (size_t i = 0; i < perturbations->count; i++) {
        values[i] = perturbations->rows[i * perturbations->numbers + number];
        everywhere = everywhere && !isnan(values[i]);
    }
    if (!everywhere)
        return (struct ft_interval){.low = 0, .high = INFINITY};
    struct ft_evidence evidence = {.estimate = estimate,
                                   .replicas = values,
                                   .replica_count = perturbations->replica_count,
                                   .alternatives = values + perturbations->replica_count,
                                   .alternative_count =
                                       perturbations->likely_count - perturbations->replica_count};
    evidence.exact = all->exact[number];
    evidence.factor = misfit_of(all, estimate, number);
    if (all->held_out.squares)
        evidence.factor = fmax(evidence.factor, held_out_factor(all, kind, number));
    put_floors(kind, row, &evidence);
    struct ft_interval interval = ft_interval_of(&evidence);
    ft_interval_calibrate(kind, perturbations->replica_count, estimate, evidence.floor_absolute,
                          &interval);
    ft_interval_reach(estimate, evidence.floor_absolute, values + perturbations->likely_count,
                      perturbations->count - perturbations->likely_count, &interval);
    return interval;
}

void ft_spread_doubt_misses(const struct ft_spread_task *task, const double *row,
                            struct ft_interval *intervals)
{
    const struct ft_interval accesses = intervals[0];
    if (!ft_interval_is_refused(&accesses))
        return;
    for (size_t column = 1; column < task->width; column++) {
        const enum ft_spread_kind kind = task->kinds[column];
        struct ft_interval *interval = &intervals[column];
        double high = row[column] * accesses.high / fmax(row[0], 1);
        if (kind == FT_SPREAD_COUNT)
            continue;
        if (kind == FT_SPREAD_MISSES)
            high = fmax(high, accesses.high);
        else if (kind == FT_SPREAD_RATIO)
            high = 1;
        else if (kind == FT_SPREAD_CAPACITY)
            high = INFINITY;
        *interval = (struct ft_interval){.low = 0, .high = fmax(interval->high, high)};
    }
}

static struct ft_spread_limits limits_of(const struct evidence *all, double estimate, size_t number)
{
    const struct ft_perturbations *perturbations = &all->perturbations;
    return (struct ft_spread_limits){
        .misfit = misfit_of(all, estimate, number),
        .best = perturbations->best ? perturbations->best[number] : estimate,
        .worst = perturbations->worst ? perturbations->worst[number] : estimate};
}

int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_spread_limits *ret_limits, struct ft_interval *ret_intervals,
                        struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    struct evidence evidence = {0};
    int status = gather(task, &evidence, diag);
    double *values = calloc(evidence.perturbations.count + 1, sizeof *values);
    if (status == FT_OK && !values)
        status = ft_fail_memory(diag, "intervals");
    for (size_t i = 0; i < numbers && status == FT_OK; i++)
        ret_intervals[i] = interval_at(&evidence, rows + (i - i % task->width), i, values);
    for (size_t i = 0; i < numbers && status == FT_OK && ret_limits; i++)
        ret_limits[i] = limits_of(&evidence, rows[i], i);
    free(values);
    free_evidence(&evidence);
    return status;
}
