/*
 * 1. All figures are computed again for each perturbation of the model (perturbations.h).
 * 2. The largest training size is forecast from the others (largest_held_out.h). By as much as that
 *    is off, scaled by how much farther the forecast reaches, it may be off.
 * 3. Accesses and executions are computed once more, higher by as much as their functions miss the
 *    training counts: what does not fit these will not fit others.
 * 4. Each figure's values make its interval.
 */
#include "predict/intervals/spread.h"

#include <math.h>
#include <stdlib.h>

#include "predict/intervals/largest_held_out.h"
#include "predict/intervals/perturbations.h"
#include "predict/intervals/perturbed_model.h"

#define FLOOR          0.02 /* of misses and times: models of caches are no better */
#define FLOOR_MISSES   1.0  /* blocks are whole */
#define NORMAL_ERRORS  1.96 /* standard errors that 95 % lie within, where these are known */
#define CONFIRMED_FROM 4U   /* replicas whose law some size confirms */

/* All that is computed of the figures. */
struct evidence {
    struct ft_perturbations perturbations;
    struct ft_held_out held_out;
    double *raised; /* [figure]; NULL: the model has no replicas */
};

/* Step 3. */
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

static int gather(const struct ft_spread_task *task, struct evidence *evidence,
                  struct ft_diag *diag)
{
    int status = ft_perturbations_compute(task, &evidence->perturbations, diag);
    if (status == FT_OK && task->model->replica_count > 0)
        status = raise_by_misfit(task, &evidence->raised, diag);
    return status == FT_OK ? ft_held_out_compute(task, &evidence->held_out, diag) : status;
}

static void free_evidence(struct evidence *evidence)
{
    ft_perturbations_fini(&evidence->perturbations);
    ft_held_out_fini(&evidence->held_out);
    free(evidence->raised);
}

/* Nothing narrower is claimed. */
static void put_floors(enum ft_spread_kind kind, const double *row, struct ft_evidence *evidence)
{
    if (kind == FT_SPREAD_COUNT)
        return;
    evidence->floor_relative = FLOOR;
    if (kind == FT_SPREAD_MISSES || kind == FT_SPREAD_RATIO)
        evidence->floor_absolute = FLOOR_MISSES * ft_spread_unit(kind, row);
}

/* By what factor, as a logarithm, a figure may be off for step 2. So few sizes tell the error
 * itself as badly as they tell a standard error; without one of three, two are left, which tell
 * nothing of the law through them: that a line goes through all three is no promise for several
 * steps more. */
static double held_out_factor(const struct evidence *all, enum ft_spread_kind kind, size_t number)
{
    double errors = ft_interval_errors(all->perturbations.replica_count);
    double error = sqrt(all->held_out.squares[number]);
    if (all->perturbations.replica_count >= CONFIRMED_FROM)
        errors /= NORMAL_ERRORS;
    else if (kind != FT_SPREAD_COUNT)
        error = fmax(error, FLOOR);
    return all->held_out.reach * errors * error;
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
                                       perturbations->count - perturbations->replica_count};
    if (all->raised && estimate > 0)
        evidence.factor = fabs(log(all->raised[number] / estimate));
    if (all->held_out.squares)
        evidence.factor = fmax(evidence.factor, held_out_factor(all, kind, number));
    put_floors(kind, row, &evidence);
    return ft_interval_of(&evidence);
}

/* Where not even a row's accesses are known, nothing is known of what they miss. */
static void doubt_misses(const struct ft_spread_task *task, const double *row,
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

int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_interval *ret_intervals, struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    struct evidence evidence = {0};
    int status = gather(task, &evidence, diag);
    double *values = calloc(evidence.perturbations.count + 1, sizeof *values);
    if (status == FT_OK && !values)
        status = ft_fail_memory(diag, "intervals");
    for (size_t i = 0; i < numbers && status == FT_OK; i++)
        ret_intervals[i] = interval_at(&evidence, rows + (i - i % task->width), i, values);
    for (size_t i = 0; i < numbers && status == FT_OK; i += task->width)
        doubt_misses(task, rows + i, ret_intervals + i);
    free(values);
    free_evidence(&evidence);
    return status;
}
