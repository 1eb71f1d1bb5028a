/*
 * Several choices of variables are tried: the points of a rank's block, its sides, a parameter, the
 * ranks, both. The best by its errors wins; one that comes later must be clearly better.
 *
 * In order: samples by point; one choice of variables; all choices; the module's functions.
 */
#include "predict/ranks/laws/work_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/counts.h"
#include "fit/model_terms.h"

#define CLEARLY_BETTER 0.7
#define SCATTERS       0.03 /* relative: ranks may differ */
#define CHOICES_MAX    32U

/* ---- samples by point ---- */

static unsigned width_of(const struct ft_work_choice *choice)
{
    return choice->multiplies ? 1 : choice->count;
}

/* Means of samples that are at the same values of the variables, ascending. */
struct means {
    double points[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    double values[FT_TRAINING_MAX];
    size_t weights[FT_TRAINING_MAX];
    size_t count;
};

/* Bases take values above 0. */
static void choice_at(const struct ft_work_choice *choice, const struct ft_law_point *point,
                      double ret_at[FT_PARAMETERS_MAX])
{
    double product = 1;
    for (unsigned v = 0; v < choice->count; v++) {
        ret_at[v] = fmax(1, (double)point->values[choice->variables[v]]);
        product *= ret_at[v];
    }
    if (choice->multiplies)
        ret_at[0] = product;
}

static int compare_points(const double *a, const double *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static void insert_mean(struct means *means, const double *at, double value, unsigned width)
{
    size_t place = 0;
    while (place < means->count && compare_points(means->points + place * width, at, width) < 0)
        place++;
    if (place == means->count || compare_points(means->points + place * width, at, width) != 0) {
        if (means->count == FT_TRAINING_MAX)
            return; /* as many as a fit takes */
        const size_t behind = means->count++ - place;
        memmove(means->points + (place + 1) * width, means->points + place * width,
                behind * width * sizeof *means->points);
        memmove(means->values + place + 1, means->values + place, behind * sizeof *means->values);
        memmove(means->weights + place + 1, means->weights + place,
                behind * sizeof *means->weights);
        memcpy(means->points + place * width, at, width * sizeof *at);
        means->values[place] = 0;
        means->weights[place] = 0;
    }
    const double weight = (double)means->weights[place]++;
    means->values[place] = (means->values[place] * weight + value) / (weight + 1);
}

static void find_means(const struct ft_value_samples *samples, const struct ft_work_choice *choice,
                       struct means *means)
{
    double at[FT_PARAMETERS_MAX];
    means->count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        choice_at(choice, &samples->points[i], at);
        insert_mean(means, at, (double)samples->values[i], width_of(choice));
    }
}

/* ---- one choice of variables ---- */

static double value_at(const struct ft_work_fit *fit, const struct ft_law_point *point)
{
    double at[FT_PARAMETERS_MAX];
    int64_t exact;
    if (fit->is_exact && ft_exact_law_at(&fit->law, point, &exact))
        return exact > 0 ? (double)exact : 0;
    if (fit->choice.count == 0)
        return fit->constant;
    choice_at(&fit->choice, point, at);
    const struct ft_point terms = ft_point_at(&fit->basis, at);
    return ft_function_at(&fit->function, &terms);
}

static double error_of(const struct ft_work_fit *fit, const struct ft_value_samples *samples)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const double value = (double)samples->values[i];
        const double error = (value_at(fit, &samples->points[i]) - value) / (value + 2);
        sum += error * error;
    }
    return sqrt(sum / (double)(samples->count ? samples->count : 1));
}

static int fit_means(const struct means *means, const struct ft_work_choice *choice,
                     struct ft_work_fit *fit, struct ft_diag *diag)
{
    static const char *const names[FT_PARAMETERS_MAX] = {"a", "b", "c"};
    struct ft_axis axis = {0};
    struct ft_fitter *fitter = NULL;
    struct ft_diag inner = {0};
    fit->basis = ft_basis_of(names, width_of(choice));
    if (ft_default_terms(&fit->basis, means->points, means->count, &inner) != FT_OK) {
        fit->constant = NAN; /* the variables cannot be told apart: not this choice */
        return FT_OK;
    }
    int status = ft_axis_init(&axis, &fit->basis, means->points, means->count, diag);
    if (status == FT_OK)
        status = ft_fitter_create(&axis, &fitter, diag);
    if (status == FT_OK) {
        const struct ft_expectation nothing = ft_expect_nothing(&axis);
        ft_fit_function(fitter, means->values, 0, &nothing, &fit->function);
        fit->basis = axis.basis;
        fit->choice = *choice;
        ft_fitter_destroy(fitter);
    }
    ft_axis_fini(&axis);
    return status;
}

/* ---- all choices ---- */

static bool varies(const struct ft_value_samples *samples, unsigned variable)
{
    for (size_t i = 1; i < samples->count; i++)
        if (samples->points[i].values[variable] != samples->points[0].values[variable])
            return true;
    return false;
}

static void add_variable(const struct ft_value_samples *samples, struct ft_work_choice *choice,
                         unsigned variable)
{
    if (choice->count < FT_PARAMETERS_MAX && varies(samples, variable))
        choice->variables[choice->count++] = variable;
}

/* Of variables that vary over the samples. */
static unsigned list_choices(const struct ft_value_task *task,
                             const struct ft_value_samples *samples,
                             struct ft_work_choice choices[CHOICES_MAX])
{
    const struct ft_rank_space *space = task->space;
    const unsigned ranks = space->parameter_count; /* the variable P */
    unsigned count = 0;
    memset(choices, 0, CHOICES_MAX * sizeof *choices);
    for (unsigned i = 0; i < 2 * space->parameter_count; i++, count++) {
        choices[count].multiplies = i < space->parameter_count;
        for (unsigned d = 0; d < space->directions; d++)
            add_variable(samples, &choices[count],
                         ft_rank_space_block(space, i % space->parameter_count, d));
    }
    for (unsigned q = 0; q < space->parameter_count; q++, count++)
        add_variable(samples, &choices[count], q);
    add_variable(samples, &choices[count++], ranks);
    for (unsigned q = 0; q < space->parameter_count; q++, count++) {
        add_variable(samples, &choices[count], q);
        add_variable(samples, &choices[count], ranks);
    }
    for (unsigned q = 0; space->directions == 1 && q < space->parameter_count; q++, count++) {
        add_variable(samples, &choices[count], q);
        add_variable(samples, &choices[count], ft_rank_space_block(space, q, 0));
    }
    return count;
}

static void fit_constant(const struct ft_value_samples *samples, struct ft_work_fit *fit)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        sum += (double)samples->values[i];
    *fit = (struct ft_work_fit){.constant = sum / (double)(samples->count ? samples->count : 1)};
    fit->error = error_of(fit, samples);
}

static int find_exact(const struct ft_value_task *task, const struct ft_value_samples *samples,
                      struct ft_work_fit *fit, struct ft_diag *diag)
{
    const struct ft_law_question question = {.effort = FT_LAW_ALL,
                                             .variables = &task->space->variables,
                                             .points = samples->points,
                                             .values = samples->values,
                                             .count = samples->count,
                                             .probes = task->probes,
                                             .probe_count = task->probe_count};
    enum ft_law_answer answer = FT_LAW_NONE;
    FT_TRY(ft_exact_law_find(&question, &answer, &fit->law, diag));
    fit->is_exact = answer == FT_LAW_FOUND;
    if (fit->is_exact)
        fit->error = 0;
    return FT_OK;
}

static int find_fit(const struct ft_value_task *task, const struct ft_value_samples *samples,
                    struct ft_work_fit *ret_fit, struct ft_diag *diag)
{
    struct ft_work_choice choices[CHOICES_MAX];
    struct means *means = calloc(1, sizeof *means);
    if (!means)
        return ft_fail_memory(diag, "a fit");
    fit_constant(samples, ret_fit);
    int status = ret_fit->error == 0 ? FT_OK : find_exact(task, samples, ret_fit, diag);
    const unsigned count = list_choices(task, samples, choices);
    for (unsigned i = 0; i < count && status == FT_OK && ret_fit->error > 0; i++) {
        struct ft_work_fit fit = {0};
        if (choices[i].count == 0)
            continue;
        find_means(samples, &choices[i], means);
        status = fit_means(means, &choices[i], &fit, diag);
        fit.error = error_of(&fit, samples);
        if (status == FT_OK && fit.error < CLEARLY_BETTER * ret_fit->error)
            *ret_fit = fit;
    }
    free(means);
    return status;
}

/* ---- the module's functions ---- */

static int find_by_root(const struct ft_value_task *task, const struct ft_value_samples *samples,
                        struct ft_work_law *law, struct ft_diag *diag)
{
    struct ft_value_samples parts[2] = {{0}};
    struct ft_work_law split = {.by_root = true};
    int status = FT_OK;
    for (size_t i = 0; i < samples->count && status == FT_OK; i++)
        if (!ft_value_samples_add(&parts[samples->sources[i].rank == 0], &samples->points[i],
                                  samples->values[i], samples->sources[i]))
            status = ft_fail_memory(diag, "a fit");
    for (int root = 0; root < 2 && status == FT_OK && parts[0].count && parts[1].count; root++)
        status = find_fit(task, &parts[root], &split.fits[root], diag);
    if (status == FT_OK && parts[0].count && parts[1].count &&
        fmax(split.fits[0].error, split.fits[1].error) < CLEARLY_BETTER * law->fits[0].error)
        *law = split;
    ft_value_samples_fini(&parts[0]);
    ft_value_samples_fini(&parts[1]);
    return status;
}

int ft_work_law_find(const struct ft_value_task *task, const struct ft_value_samples *samples,
                     struct ft_work_law *ret_law, struct ft_diag *diag)
{
    *ret_law = (struct ft_work_law){0};
    FT_TRY(find_fit(task, samples, &ret_law->fits[0], diag));
    return ret_law->fits[0].error > SCATTERS ? find_by_root(task, samples, ret_law, diag) : FT_OK;
}

double ft_work_law_at(const struct ft_work_law *law, uint32_t rank,
                      const struct ft_law_point *point)
{
    return value_at(&law->fits[law->by_root && rank == 0], point);
}
