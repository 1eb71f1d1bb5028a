/*
 * 1. All figures are reckoned anew for each variant of the model: every replica; the model with
 *    distances a standard error longer and capacities smaller, and the reverse, for a working set
 *    near the capacity fits or does not; each method's members alone, where they are nearly as good
 *    as the best; accesses and executions by other laws (growth_spread.h); all alignments at their
 *    means, where no training size had the residue.
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

#define CAPACITY_SPREAD 0.05 /* the least */
#define ELEMENT_BYTES   8
#define FLOOR           0.02 /* of misses and times: models of caches are no better */
#define FLOOR_MISSES    1.0  /* blocks are whole */
#define NORMAL_ERRORS   1.96 /* standard errors that 95 % lie within, where these are known */
#define SCALES          5    /* of the caches in which the largest size is forecast */
#define SCALE_STEP      1.41 /* from one to the next: a factor of 4 in all */

struct variants {
    const struct ft_figures *figures;
    size_t numbers;       /* of all figures of a variant */
    double *rows;         /* [variant * numbers + ...]: replicas, then alternatives */
    size_t replica_count; /* of these variants */
    size_t count;
    double *raised;   /* by as much as functions are off at the training sizes */
    double *held_out; /* by figure: the mean square, over the scales, of the logarithmic error at
                         the largest size; NULL where it is in all replicas */
    double reach;     /* of the forecast, as a multiple of that to the largest size */
};

static int reckon(const struct ft_figures *figures, double *rows, struct ft_diag *diag)
{
    int status = ft_figures_own(figures, rows, diag);
    if (status == FT_OK)
        ft_figures_nest(figures, rows);
    return status;
}

static int add_variant(struct variants *variants, const struct ft_figures *figures,
                       struct ft_diag *diag)
{
    return reckon(figures, variants->rows + variants->count++ * variants->numbers, diag);
}

static int add_replicas(struct variants *variants, const struct ft_asked_size *size,
                        struct ft_diag *diag)
{
    const struct ft_model *model = variants->figures->model;
    int status = FT_OK;
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++) {
        struct ft_figures replica = *variants->figures;
        const double n = ft_asked_by_replica(model, i, size);
        replica.model = &model->replicas[i];
        replica.at = ft_point_at(&model->basis, &n);
        status = add_variant(variants, &replica, diag);
    }
    variants->replica_count = variants->count;
    return status;
}

/* Rows of n elements that begin at changing places in their lines share these otherwise: a loop
 * over a column goes to a line more after every so many rows as a line has elements. Where rows did
 * at the training sizes as they do at n, functions know it. */
static double capacity_spread(const struct ft_figures *figures, const struct ft_level *level)
{
    const struct ft_model *model = figures->model;
    const unsigned elements = (unsigned)(level->block_bytes / ELEMENT_BYTES);
    if (model->over_footprint || elements < 2)
        return CAPACITY_SPREAD;
    for (size_t i = 0; i < model->training_count; i++)
        if (ft_alignment(model->training[i], elements) !=
            ft_alignment(figures->at.parameters[0], elements))
            return fmax(CAPACITY_SPREAD, 1.0 / elements);
    return CAPACITY_SPREAD;
}

/* Distances a standard error longer and caches smaller, and the reverse. */
static int add_capacities(struct variants *variants, double *scales, struct ft_diag *diag)
{
    struct ft_figures scaled = *variants->figures;
    const struct ft_model *model = scaled.model;
    int status = FT_OK;
    scaled.capacity_scales = scales;
    for (int sign = -1; sign <= 1 && status == FT_OK; sign += 2) {
        struct ft_distance_spread spread;
        for (size_t i = 0; i < scaled.machine->level_count; i++)
            scales[i] = 1 + sign * capacity_spread(variants->figures, &scaled.machine->levels[i]);
        status = ft_distance_spread(model, &scaled.at, -sign, &spread, diag);
        scaled.model = &spread.model;
        if (status == FT_OK)
            status = add_variant(variants, &scaled, diag);
        ft_distance_spread_fini(&spread);
    }
    return status;
}

static int add_methods(struct variants *variants, struct ft_diag *diag)
{
    const struct ft_model *model = variants->figures->model;
    int status = FT_OK;
    for (uint32_t i = 0; model->method_count > 1 && i < model->method_count && !status; i++) {
        struct ft_altered_model alone;
        struct ft_figures figures = *variants->figures;
        status = ft_altered_by_method(model, i, &alone, diag);
        if (status != FT_OK)
            return status;
        figures.model = &alone.model;
        status = add_variant(variants, &figures, diag);
        ft_altered_fini(&alone);
    }
    return status;
}

/* Where a scope's accesses are others, its misses are in proportion. */
static void scale_misses(const struct ft_figures *figures, const double *from, double *rows)
{
    const size_t width = ft_figures_width(figures->machine);
    for (size_t scope = 0; scope < figures->model->scopes.scope_count; scope++) {
        const double *before = from + scope * width;
        double *row = rows + scope * width;
        const double ratio = before[FT_FIGURE_ACCESSES] > 0
                                 ? row[FT_FIGURE_ACCESSES] / before[FT_FIGURE_ACCESSES]
                                 : 1;
        row[FT_FIGURE_MEMORY_CYCLES] *= ratio;
        row[FT_FIGURE_CYCLES] = row[FT_FIGURE_SCHEDULE_CYCLES] + row[FT_FIGURE_MEMORY_CYCLES];
        for (size_t column = FT_FIGURE_COUNT; column < width; column++)
            row[column] *= ratio;
    }
}

static int add_growth(struct variants *variants, const struct ft_model *model, const double *own,
                      struct ft_diag *diag)
{
    struct ft_figures figures = *variants->figures;
    double *rows = variants->rows + variants->count++ * variants->numbers;
    figures.model = model;
    int status = ft_figures_own(&figures, rows, diag);
    if (status == FT_OK) {
        scale_misses(&figures, own, rows);
        ft_figures_nest(&figures, rows);
    }
    return status;
}

static int add_growths(struct variants *variants, struct ft_diag *diag)
{
    const struct ft_figures *figures = variants->figures;
    struct ft_altered_model slow, fast;
    int status = ft_growth_spread(figures->model, &figures->at, &slow, &fast, diag);
    if (status != FT_OK)
        return status;
    double *own = calloc(variants->numbers + 1, sizeof *own);
    status =
        own ? ft_figures_own(figures, own, diag) : ft_fail_memory(diag, "a prediction's intervals");
    if (status == FT_OK)
        status = add_growth(variants, &slow.model, own, diag);
    if (status == FT_OK)
        status = add_growth(variants, &fast.model, own, diag);
    free(own);
    ft_altered_fini(&slow);
    ft_altered_fini(&fast);
    return status;
}

/* Whether some function may hang on a residue of the size that no training size had. */
static bool has_new_residue(const struct ft_model *model, double n)
{
    for (size_t term = 0; term < model->basis.term_count; term++) {
        const double modulus = model->basis.terms[term].modulus;
        bool seen = modulus == 0;
        for (size_t i = 0; i < model->training_count && !seen; i++)
            seen = fmod(ft_model_training(model, i)[0] - n, modulus) == 0;
        if (!seen)
            return true;
    }
    return false;
}

static int add_mean_alignments(struct variants *variants, struct ft_diag *diag)
{
    struct ft_figures smooth = *variants->figures;
    if (!has_new_residue(smooth.model, smooth.at.parameters[0]))
        return FT_OK;
    smooth.at = ft_smooth_point_at(&smooth.model->basis, smooth.at.parameters);
    return add_variant(variants, &smooth, diag);
}

static int raise_by_misfit(struct variants *variants, struct ft_diag *diag)
{
    struct ft_altered_model raised;
    struct ft_figures figures = *variants->figures;
    variants->raised = calloc(variants->numbers + 1, sizeof *variants->raised);
    if (!variants->raised)
        return ft_fail_memory(diag, "a prediction's intervals");
    int status = ft_altered_by_misfit(figures.model, &raised, diag);
    if (status != FT_OK)
        return status;
    figures.model = &raised.model;
    status = reckon(&figures, variants->raised, diag);
    ft_altered_fini(&raised);
    return status;
}

/* Of each level, how many times larger the data are at the largest training size. */
static void scale_to_largest(const struct ft_figures *figures, const struct ft_point *largest,
                             double *scales)
{
    const struct ft_model *model = figures->model;
    for (size_t i = 0; i < figures->machine->level_count; i++) {
        size_t size = 0;
        while (model->block_bytes[size] != figures->machine->levels[i].block_bytes)
            size++;
        double there = ft_function_at(&model->distinct_blocks[size], &figures->at);
        double here = ft_function_at(&model->distinct_blocks[size], largest);
        scales[i] = there > 0 && here > 0 ? here / there : 1;
    }
}

/* Adds the squares of the errors of the replica without the largest size at one scale. */
static int add_errors(const struct variants *variants, struct ft_figures *largest,
                      const struct ft_model *replica, double *rows, struct ft_diag *diag)
{
    double *fitted = rows, *held_out = rows + variants->numbers;
    memset(rows, 0, 2 * variants->numbers * sizeof *rows);
    largest->model = variants->figures->model;
    int status = reckon(largest, fitted, diag);
    largest->model = replica;
    if (status == FT_OK)
        status = reckon(largest, held_out, diag);
    for (size_t i = 0; i < variants->numbers; i++)
        variants->held_out[i] += pow(log((held_out[i] + 1) / (fitted[i] + 1)), 2) / SCALES;
    return status;
}

/* NULL: there is none. */
static const struct ft_model *replica_without(const struct ft_model *model, size_t size)
{
    for (size_t i = 0; i < model->replica_count; i++)
        if (model->replicas[i].left_out == (uint64_t)1 << size)
            return &model->replicas[i];
    return NULL;
}

/* Step 2. */
static int hold_out_largest(struct variants *variants, double *scales, struct ft_diag *diag)
{
    const struct ft_model *model = variants->figures->model;
    const size_t last = model->training_count - 1, levels = variants->figures->machine->level_count;
    const struct ft_model *replica = replica_without(model, last);
    struct ft_figures largest = *variants->figures;
    double step = log(model->training[last] / model->training[last - 1]);
    double reach = log(largest.at.parameters[0] / model->training[last]);
    if (!replica)
        return FT_OK;
    variants->reach = fmax(reach / step, 1);
    double *rows = malloc((2 * variants->numbers + 1) * sizeof *rows);
    variants->held_out = calloc(variants->numbers + 1, sizeof *variants->held_out);
    int status =
        rows && variants->held_out ? FT_OK : ft_fail_memory(diag, "a prediction's intervals");
    largest.at = ft_model_largest(model);
    largest.capacity_scales = scales;
    scale_to_largest(variants->figures, &largest.at, scales);
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

static struct ft_interval interval_at(const struct variants *variants, double estimate,
                                      size_t number, double *values)
{
    const size_t column = number % ft_figures_width(variants->figures->machine);
    for (size_t i = 0; i < variants->count; i++)
        values[i] = variants->rows[i * variants->numbers + number];
    struct ft_evidence evidence = {.estimate = estimate,
                                   .replicas = values,
                                   .replica_count = variants->replica_count,
                                   .alternatives = values + variants->replica_count,
                                   .alternative_count = variants->count - variants->replica_count};
    if (variants->raised && estimate > 0)
        evidence.factor = fmax(log(variants->raised[number] / estimate), 0);
    if (variants->held_out) {
        /* So few sizes tell the error itself as badly as they tell a standard error. */
        double errors = ft_interval_errors(variants->replica_count) / NORMAL_ERRORS;
        double error = errors * sqrt(variants->held_out[number]);
        evidence.factor = fmax(evidence.factor, variants->reach * error);
    }
    if (column == FT_FIGURE_MEMORY_CYCLES || column == FT_FIGURE_CYCLES)
        evidence.floor_relative = FLOOR;
    if (column >= FT_FIGURE_COUNT) {
        evidence.floor_relative = FLOOR;
        evidence.floor_absolute = FLOOR_MISSES;
    }
    return ft_interval_of(&evidence);
}

static void free_variants(struct variants *variants)
{
    free(variants->rows);
    free(variants->raised);
    free(variants->held_out);
}

/* Where not even a scope's accesses are known, nothing is known of what they miss. */
static void doubt_misses(size_t width, const double *row, struct ft_interval *intervals)
{
    const struct ft_interval accesses = intervals[FT_FIGURE_ACCESSES];
    if (isnan(accesses.low) || accesses.known)
        return;
    for (size_t column = FT_FIGURE_MEMORY_CYCLES; column < width; column++) {
        struct ft_interval *interval = &intervals[column];
        interval->low = 0;
        interval->high =
            fmax(interval->high, row[column] * accesses.high / fmax(row[FT_FIGURE_ACCESSES], 1));
        if (column >= FT_FIGURE_COUNT)
            interval->high = fmax(interval->high, accesses.high);
        interval->known = false;
    }
}

int ft_spread_intervals(const struct ft_figures *figures, const struct ft_asked_size *size,
                        const double *nested, struct ft_interval *ret_intervals,
                        struct ft_diag *diag)
{
    const struct ft_model *model = figures->model;
    const struct ft_machine *machine = figures->machine;
    const size_t width = ft_figures_width(machine);
    struct variants variants = {.figures = figures, .numbers = model->scopes.scope_count * width};
    const size_t most = model->replica_count + 5 + model->method_count;
    double *scales = calloc(machine->level_count + 1, sizeof *scales);
    double *values = calloc(most + 1, sizeof *values);
    variants.rows = calloc(most * variants.numbers + 1, sizeof *variants.rows);
    int status = scales && values && variants.rows
                     ? FT_OK
                     : ft_fail_memory(diag, "a prediction's intervals");
    if (status == FT_OK && model->replica_count > 0) {
        status = add_replicas(&variants, size, diag);
        if (status == FT_OK)
            status = add_capacities(&variants, scales, diag);
        if (status == FT_OK)
            status = add_methods(&variants, diag);
        if (status == FT_OK)
            status = add_growths(&variants, diag);
        if (status == FT_OK)
            status = add_mean_alignments(&variants, diag);
        if (status == FT_OK)
            status = raise_by_misfit(&variants, diag);
        if (status == FT_OK)
            status = hold_out_largest(&variants, scales, diag);
    }
    for (size_t i = 0; i < variants.numbers && status == FT_OK; i++)
        ret_intervals[i] = interval_at(&variants, nested[i], i, values);
    for (size_t i = 0; i < variants.numbers && status == FT_OK; i += width)
        doubt_misses(width, nested + i, ret_intervals + i);
    free(scales);
    free(values);
    free_variants(&variants);
    return status;
}
