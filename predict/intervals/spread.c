/*
 * 1. All figures are reckoned anew for each variant of the model: every replica; the model with
 *    distances a standard error longer and capacities smaller, and the reverse, for a working set
 *    near the capacity fits or does not; each method's members alone, where they are nearly as good
 *    as the best; accesses and executions by other laws (growth_spread.h); alignments at
 *    their means and quotients a step off, where the training sizes do not tell them; accesses of
 *    calls that go byte by byte when they are long (string_calls.h).
 * 2. The largest training size, or value of the first of several parameters, is forecast by the
 *    model and by the replica without it, in caches that are to the data there what the machine's
 *    are to the data at the size asked for, and in some around them: of one alone both may say the
 *    same by chance. By as much as these two differ, scaled by how much farther the forecast
 *    reaches, it may be off.
 * 3. Accesses and executions are reckoned once more, higher by as much as their functions miss the
 *    training counts: what does not fit these will not fit others.
 * 4. Each figure's values make its interval.
 */
#include "predict/intervals/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/intervals/altered_model.h"
#include "predict/intervals/distance_spread.h"
#include "predict/intervals/growth_spread.h"
#include "predict/intervals/string_calls.h"

#define ELEMENT_BYTES  8
#define FLOOR          0.02 /* of misses and times: models of caches are no better */
#define FLOOR_MISSES   1.0  /* blocks are whole */
#define NORMAL_ERRORS  1.96 /* standard errors that 95 % lie within, where these are known */
#define CONFIRMED_FROM 4U   /* replicas whose law some size confirms */
#define SCALES         5    /* of the caches in which the largest size is forecast */
#define SCALE_STEP     1.41 /* from one to the next: a factor of 4 in all */

struct variants {
    const struct ft_spread_task *task;
    struct ft_spread_view view; /* the model's own */
    size_t numbers;             /* of all figures of a variant */
    double *rows;               /* [variant * numbers + ...]: replicas, then alternatives */
    size_t replica_count;       /* of these variants */
    size_t count;
    double *raised;   /* by as much as functions are off at the training sizes */
    double *held_out; /* by figure: the mean square, over the scales, of the logarithmic error at
                         the largest size; NULL where it is in all replicas */
    double reach;     /* of the forecast, as a multiple of that to the largest size */
};

static int add_variant(struct variants *variants, const struct ft_spread_view *view,
                       struct ft_diag *diag)
{
    double *rows = variants->rows + variants->count++ * variants->numbers;
    return variants->task->reckon(view, variants->task->context, rows, diag);
}

static int add_replicas(struct variants *variants, struct ft_diag *diag)
{
    const struct ft_model *model = variants->task->model;
    int status = FT_OK;
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++) {
        const double n = ft_asked_by_replica(model, i, variants->task->size);
        const struct ft_spread_view replica = {.model = &model->replicas[i],
                                               .at = ft_point_at(&model->basis, &n)};
        status = add_variant(variants, &replica, diag);
    }
    variants->replica_count = variants->count;
    return status;
}

/* Rows of n elements that begin at changing places in their lines share these otherwise: a loop
 * over a column goes to a line more after every so many rows as a line has elements. Where rows did
 * at the training sizes as they do at n, functions know it. */
static double capacity_spread(const struct ft_spread_view *view, const struct ft_level *level)
{
    const struct ft_model *model = view->model;
    const unsigned elements = (unsigned)(level->block_bytes / ELEMENT_BYTES);
    if (model->over_footprint || elements < 2)
        return FT_CAPACITY_SPREAD;
    for (size_t i = 0; i < model->training_count; i++)
        if (ft_alignment(model->training[i], elements) !=
            ft_alignment(view->at.parameters[0], elements))
            return fmax(FT_CAPACITY_SPREAD, 1.0 / elements);
    return FT_CAPACITY_SPREAD;
}

/* Distances a standard error longer and caches smaller, and the reverse. */
static int add_capacities(struct variants *variants, double *scales, struct ft_diag *diag)
{
    const struct ft_machine *machine = variants->task->machine;
    struct ft_spread_view scaled = variants->view;
    int status = FT_OK;
    scaled.capacity_scales = scales;
    for (int sign = -1; sign <= 1 && status == FT_OK; sign += 2) {
        struct ft_distance_spread spread;
        for (size_t i = 0; i < machine->level_count; i++)
            scales[i] = 1 + sign * capacity_spread(&variants->view, &machine->levels[i]);
        status = ft_distance_spread(variants->view.model, &scaled.at, -sign, &spread, diag);
        scaled.model = &spread.model;
        if (status == FT_OK)
            status = add_variant(variants, &scaled, diag);
        ft_distance_spread_fini(&spread);
    }
    return status;
}

static int add_methods(struct variants *variants, struct ft_diag *diag)
{
    const struct ft_model *model = variants->view.model;
    int status = FT_OK;
    for (uint32_t i = 0; model->method_count > 1 && i < model->method_count && !status; i++) {
        struct ft_altered_model alone;
        struct ft_spread_view view = variants->view;
        status = ft_altered_by_method(model, i, &alone, diag);
        if (status != FT_OK)
            return status;
        view.model = &alone.model;
        status = add_variant(variants, &view, diag);
        ft_altered_fini(&alone);
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

static int add_growths(struct variants *variants, struct ft_diag *diag)
{
    const struct ft_model *model = variants->view.model;
    struct ft_spread_view view = variants->view;
    struct ft_altered_model slow, fast;
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
        status = add_variant(variants, &view, diag);
    }
    free(scales);
    ft_altered_fini(&slow);
    ft_altered_fini(&fast);
    return status;
}

/* A term at n with the quotient `more` steps higher; it has none there: at its mean. */
static double move_step(const struct ft_quotient *quotient, double n, double value, double mean,
                        double more)
{
    const double steps = quotient->period > 0 ? ft_quotient(quotient, n) : 0;
    return steps > 0 ? value * pow((steps + more) / steps, quotient->power) : mean;
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
        if (ft_term_is_told(term, model->training, model->training_count, n))
            continue;
        at->terms[i] = move_step(&term->quotient, n, at->terms[i], smooth.terms[i], more);
        blurred = true;
    }
    return blurred;
}

/* A step may lie on the other side of the size. */
static int add_steps(struct variants *variants, struct ft_diag *diag)
{
    int status = FT_OK;
    if (variants->view.model->basis.parameter_count > 1)
        return FT_OK;
    for (int more = -1; more <= 1 && status == FT_OK; more += 2) {
        struct ft_spread_view blurred = variants->view;
        if (blur_steps(blurred.model, &blurred.at, more))
            status = add_variant(variants, &blurred, diag);
    }
    return status;
}

static int add_string_calls(struct variants *variants, struct ft_diag *diag)
{
    struct ft_altered_model by_bytes;
    struct ft_spread_view view = variants->view;
    bool differs;
    int status = ft_string_calls(view.model, &view.at, &by_bytes, &differs, diag);
    if (status != FT_OK || !differs)
        return status;
    view.model = &by_bytes.model;
    status = add_variant(variants, &view, diag);
    ft_altered_fini(&by_bytes);
    return status;
}

static int raise_by_misfit(struct variants *variants, struct ft_diag *diag)
{
    struct ft_altered_model raised;
    struct ft_spread_view view = variants->view;
    variants->raised = calloc(variants->numbers + 1, sizeof *variants->raised);
    if (!variants->raised)
        return ft_fail_memory(diag, "intervals");
    int status = ft_altered_by_misfit(view.model, &raised, diag);
    if (status != FT_OK)
        return status;
    view.model = &raised.model;
    status = variants->task->reckon(&view, variants->task->context, variants->raised, diag);
    ft_altered_fini(&raised);
    return status;
}

/* Of each level, how many times larger the data are at the largest training size. */
static void scale_to_largest(const struct variants *variants, const struct ft_point *largest,
                             double *scales)
{
    const struct ft_model *model = variants->view.model;
    const struct ft_machine *machine = variants->task->machine;
    for (size_t i = 0; i < machine->level_count; i++) {
        size_t size = 0;
        while (model->block_bytes[size] != machine->levels[i].block_bytes)
            size++;
        double there = ft_function_at(&model->distinct_blocks[size], &variants->view.at);
        double here = ft_function_at(&model->distinct_blocks[size], largest);
        scales[i] = there > 0 && here > 0 ? here / there : 1;
    }
}

/* What a figure of the row cannot be finer than: one block, of so many accesses, or one of what it
 * counts. */
static double unit_of(enum ft_spread_kind kind, const double *row)
{
    return kind == FT_SPREAD_RATIO ? 1 / fmax(row[0], 1) : 1;
}

/* A capacity that one of both has alone may be anything; one that neither has tells nothing. */
static double log_error(enum ft_spread_kind kind, const double *held_out, const double *fitted,
                        size_t column)
{
    const double here = fitted[column], there = held_out[column];
    if (isnan(here) || isnan(there))
        return isnan(here) && isnan(there) ? 0 : INFINITY;
    return log((there + unit_of(kind, held_out)) / (here + unit_of(kind, fitted)));
}

/* Adds the squares of the errors of the replica without the largest size at one scale. */
static int add_errors(const struct variants *variants, struct ft_spread_view *largest,
                      const struct ft_model *replica, double *rows, struct ft_diag *diag)
{
    const struct ft_spread_task *task = variants->task;
    double *fitted = rows, *held_out = rows + variants->numbers;
    memset(rows, 0, 2 * variants->numbers * sizeof *rows);
    largest->model = task->model;
    int status = task->reckon(largest, task->context, fitted, diag);
    largest->model = replica;
    if (status == FT_OK)
        status = task->reckon(largest, task->context, held_out, diag);
    for (size_t i = 0; i < variants->numbers && status == FT_OK; i++) {
        const size_t column = i % task->width, row = i - column;
        const double error = log_error(task->kinds[column], held_out + row, fitted + row, column);
        variants->held_out[i] += error * error / SCALES;
    }
    return status;
}

/* Step 2. */
static int hold_out_largest(struct variants *variants, double *scales, struct ft_diag *diag)
{
    const struct ft_model *model = variants->view.model;
    const size_t last = model->training_count - 1, levels = variants->task->machine->level_count;
    const struct ft_model *replica = ft_model_replica_without(model, last);
    struct ft_spread_view largest = {.at = ft_model_largest(model), .capacity_scales = scales};
    double step = log(model->training[last] / model->training[last - 1]);
    double reach = log(variants->view.at.parameters[0] / model->training[last]);
    if (!replica)
        return FT_OK;
    variants->reach = fmax(reach / step, 1);
    double *rows = malloc((2 * variants->numbers + 1) * sizeof *rows);
    variants->held_out = calloc(variants->numbers + 1, sizeof *variants->held_out);
    int status = rows && variants->held_out ? FT_OK : ft_fail_memory(diag, "intervals");
    scale_to_largest(variants, &largest.at, scales);
    for (size_t i = 0; i < levels; i++)
        scales[i] /= pow(SCALE_STEP, (SCALES - 1) / 2.0);
    for (size_t k = 0; k < SCALES && status == FT_OK; k++) {
        status = add_errors(variants, &largest, replica, rows, diag);
        for (size_t i = 0; i < levels; i++)
            scales[i] *= SCALE_STEP;
    }
    free(rows);
    return status;
}

/* Nothing narrower is claimed. */
static void put_floors(enum ft_spread_kind kind, const double *row, struct ft_evidence *evidence)
{
    if (kind == FT_SPREAD_COUNT)
        return;
    evidence->floor_relative = FLOOR;
    if (kind == FT_SPREAD_MISSES || kind == FT_SPREAD_RATIO)
        evidence->floor_absolute = FLOOR_MISSES * unit_of(kind, row);
}

/* row: that of the model that the number is in. */
static struct ft_interval interval_at(const struct variants *variants, const double *row,
                                      size_t number, double *values)
{
    const size_t column = number % variants->task->width;
    const enum ft_spread_kind kind = variants->task->kinds[column];
    const double estimate = row[column];
    bool everywhere = true;
    for (size_t i = 0; i < variants->count; i++) {
        values[i] = variants->rows[i * variants->numbers + number];
        everywhere = everywhere && !isnan(values[i]);
    }
    if (!everywhere)
        return (struct ft_interval){.low = 0, .high = INFINITY};
    struct ft_evidence evidence = {.estimate = estimate,
                                   .replicas = values,
                                   .replica_count = variants->replica_count,
                                   .alternatives = values + variants->replica_count,
                                   .alternative_count = variants->count - variants->replica_count};
    if (variants->raised && estimate > 0)
        evidence.factor = fabs(log(variants->raised[number] / estimate));
    if (variants->held_out) {
        /* So few sizes tell the error itself as badly as they tell a standard error; without one of
         * three, two are left, which tell nothing of the law through them: that a line goes through
         * all three is no promise for several steps more. */
        double errors = ft_interval_errors(variants->replica_count);
        double error = sqrt(variants->held_out[number]);
        if (variants->replica_count >= CONFIRMED_FROM)
            errors /= NORMAL_ERRORS;
        else if (kind != FT_SPREAD_COUNT)
            error = fmax(error, FLOOR);
        evidence.factor = fmax(evidence.factor, variants->reach * errors * error);
    }
    put_floors(kind, row, &evidence);
    return ft_interval_of(&evidence);
}

static void free_variants(struct variants *variants)
{
    free(variants->rows);
    free(variants->raised);
    free(variants->held_out);
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

struct ft_spread_view ft_spread_view_of(const struct ft_spread_task *task)
{
    return (struct ft_spread_view){.model = task->model,
                                   .at = ft_point_at(&task->model->basis, &task->size->value)};
}

static int add_variants(struct variants *variants, double *scales, struct ft_diag *diag)
{
    int status = add_replicas(variants, diag);
    if (status == FT_OK)
        status = add_capacities(variants, scales, diag);
    if (status == FT_OK)
        status = add_methods(variants, diag);
    if (status == FT_OK)
        status = add_growths(variants, diag);
    if (status == FT_OK)
        status = add_steps(variants, diag);
    if (status == FT_OK)
        status = add_string_calls(variants, diag);
    if (status == FT_OK)
        status = raise_by_misfit(variants, diag);
    return status == FT_OK ? hold_out_largest(variants, scales, diag) : status;
}

int ft_spread_intervals(const struct ft_spread_task *task, const double *rows,
                        struct ft_interval *ret_intervals, struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    struct variants variants = {
        .task = task, .view = ft_spread_view_of(task), .numbers = task->row_count * task->width};
    const size_t most = model->replica_count + 7 + model->method_count;
    double *scales = calloc(task->machine->level_count + 1, sizeof *scales);
    double *values = calloc(most + 1, sizeof *values);
    variants.rows = calloc(most * variants.numbers + 1, sizeof *variants.rows);
    int status = scales && values && variants.rows ? FT_OK : ft_fail_memory(diag, "intervals");
    if (status == FT_OK && model->replica_count > 0)
        status = add_variants(&variants, scales, diag);
    for (size_t i = 0; i < variants.numbers && status == FT_OK; i++)
        ret_intervals[i] = interval_at(&variants, rows + (i - i % task->width), i, values);
    for (size_t i = 0; i < variants.numbers && status == FT_OK; i += task->width)
        doubt_misses(task, rows + i, ret_intervals + i);
    free(scales);
    free(values);
    free_variants(&variants);
    return status;
}
