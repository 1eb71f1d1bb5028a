/*
 * The line is sampled in equal ratios; then every two samples that differ by more than the
 * resolution get one between them, until none do or they are neighbours. What rises and falls again
 * between two of the first samples, and is the same at both, is not seen.
 */
#include "predict/query/miss_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/metrics/misses.h"

#define FIRST_STEPS 64U
#define SMALL       5e-5 /* ratios that are less apart are alike */

void ft_miss_curve_init(struct ft_miss_curve *curve, const struct ft_size_line *line,
                        const struct ft_machine *caches, double resolution)
{
    *curve = (struct ft_miss_curve){
        .line = *line,
        .caches = caches,
        .resolution = resolution,
        .width = FT_SAMPLE_MISSES + 2 * caches->level_count,
    };
}

/* The caches need not be there any more. */
static void free_chances(struct ft_miss_curve *curve)
{
    if (curve->chances)
        ft_level_chances_free(curve->chances, (curve->width - FT_SAMPLE_MISSES) / 2);
    curve->chances = NULL;
}

void ft_miss_curve_fini(struct ft_miss_curve *curve)
{
    ft_forecast_fini(&curve->forecast);
    free_chances(curve);
    free(curve->rows);
    *curve = (struct ft_miss_curve){0};
}

/* Its misses in the caches with blocks of one size. */
static int add_misses(struct ft_miss_curve *curve, size_t group, size_t size,
                      const struct ft_point *at, double *sample, struct ft_diag *diag)
{
    struct ft_forecast *forecast = &curve->forecast;
    const uint32_t scope = curve->line.model->groups[group].scope;
    const double factor = curve->miss_scales ? curve->miss_scales[scope] : 1;
    bool evaluated = false;
    for (size_t i = 0; i < curve->caches->level_count; i++) {
        const struct ft_level *level = &curve->caches->levels[i];
        const double scale = curve->capacity_scales ? curve->capacity_scales[i] : 1;
        if (level->block_bytes != curve->line.model->block_bytes[size])
            continue;
        int status = evaluated
                         ? FT_OK
                         : ft_forecast_evaluate(curve->line.model, group, size, at, forecast, diag);
        if (status != FT_OK)
            return status;
        evaluated = true;
        double *misses = sample + FT_SAMPLE_MISSES + 2 * i;
        const double here = curve->in_sets
                                ? ft_count_misses(forecast, &curve->chances[i]).set_associative
                                : ft_forecast_misses(forecast, scale * (double)level->blocks);
        misses[0] += factor * here;
        misses[1] += factor * forecast->cold;
    }
    return FT_OK;
}

int ft_miss_curve_add_group(struct ft_miss_curve *curve, size_t group, const struct ft_point *at,
                            double *sample, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    int status = FT_OK;
    sample[FT_SAMPLE_ACCESSES] += ft_function_at(&model->groups[group].accesses, at);
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++)
        status = add_misses(curve, group, size, at, sample, diag);
    return status;
}

static int set_chances(struct ft_miss_curve *curve, const struct ft_point *at, struct ft_diag *diag)
{
    free_chances(curve);
    return ft_level_chances(curve->line.model, curve->caches, curve->capacity_scales, at,
                            &curve->chances, diag);
}

int ft_miss_curve_at_point(struct ft_miss_curve *curve, const struct ft_point *at,
                           double *ret_sample, struct ft_diag *diag)
{
    int status = curve->in_sets ? set_chances(curve, at, diag) : FT_OK;
    memset(ret_sample, 0, curve->width * sizeof *ret_sample);
    for (size_t group = 0; group < curve->line.model->group_count && status == FT_OK; group++)
        status = ft_miss_curve_add_group(curve, group, at, ret_sample, diag);
    return status;
}

int ft_miss_curve_at(struct ft_miss_curve *curve, double n, double *ret_sample,
                     struct ft_diag *diag)
{
    const struct ft_point at = ft_size_line_at(&curve->line, n);
    int status = ft_miss_curve_at_point(curve, &at, ret_sample, diag);
    ret_sample[FT_SAMPLE_SIZE] = n;
    return status;
}

double ft_miss_ratio_of(const double *sample, size_t cache, bool reuse)
{
    double cold = reuse ? sample[FT_SAMPLE_MISSES + 2 * cache + 1] : 0;
    double accesses = sample[FT_SAMPLE_ACCESSES] - cold;
    return accesses > 0 ? fmax(sample[FT_SAMPLE_MISSES + 2 * cache] - cold, 0) / accesses : 0;
}

double ft_miss_ratio(const struct ft_miss_curve *curve, const double *sample, size_t cache)
{
    return ft_miss_ratio_of(sample, cache, curve->reuse);
}

static int append(struct ft_miss_curve *curve, const double *sample, struct ft_diag *diag)
{
    if (!FT_RESERVE(curve->rows, curve->capacity, (curve->count + 1) * curve->width))
        return ft_fail_memory(diag, "a miss curve");
    memcpy(curve->rows + curve->count++ * curve->width, sample, curve->width * sizeof *sample);
    return FT_OK;
}

static bool alike(const struct ft_miss_curve *curve, const double *a, const double *b)
{
    for (size_t i = 0; i < curve->caches->level_count; i++) {
        double left = ft_miss_ratio(curve, a, i), right = ft_miss_ratio(curve, b, i);
        if (fabs(left - right) > fmax(curve->resolution * fmax(left, right), SMALL))
            return false;
    }
    return true;
}

/* Appends what is between two samples, and the second one. scratch: [width] for each level of
 * halving, of which there are as many as a double has bits at most. */
static int refine(struct ft_miss_curve *curve, const double *low, const double *high,
                  double *scratch, struct ft_diag *diag)
{
    double middle;
    if (alike(curve, low, high) ||
        !ft_size_between(&curve->line, low[FT_SAMPLE_SIZE], high[FT_SAMPLE_SIZE], &middle))
        return append(curve, high, diag);
    double *rest = scratch + curve->width;
    int status = ft_miss_curve_at(curve, middle, scratch, diag);
    if (status == FT_OK)
        status = refine(curve, low, scratch, rest, diag);
    if (status == FT_OK)
        status = refine(curve, scratch, high, rest, diag);
    return status;
}

int ft_miss_curve_sample(struct ft_miss_curve *curve, struct ft_diag *diag)
{
    enum { HALVINGS = 64 };
    double *scratch = calloc((HALVINGS + 2) * curve->width, sizeof *scratch);
    if (!scratch)
        return ft_fail_memory(diag, "a miss curve");
    double *low = scratch, *high = scratch + curve->width;
    curve->count = 0;
    int status = ft_miss_curve_at(curve, curve->line.from, low, diag);
    if (status == FT_OK)
        status = append(curve, low, diag);
    for (size_t step = 1; step <= FIRST_STEPS && status == FT_OK; step++) {
        double n = ft_size_step(&curve->line, step, FIRST_STEPS);
        if (n <= low[FT_SAMPLE_SIZE])
            continue;
        status = ft_miss_curve_at(curve, n, high, diag);
        if (status == FT_OK)
            status = refine(curve, low, high, high + curve->width, diag);
        memcpy(low, high, curve->width * sizeof *low);
    }
    free(scratch);
    return status;
}

int ft_miss_curve_narrow(struct ft_miss_curve *curve, ft_sample_property *property,
                         const void *context, bool at_low, double *low, double *high,
                         struct ft_diag *diag)
{
    double *sample = calloc(curve->width, sizeof *sample), middle;
    int status = sample ? FT_OK : ft_fail_memory(diag, "a miss curve");
    while (status == FT_OK && ft_size_between(&curve->line, *low, *high, &middle)) {
        status = ft_miss_curve_at(curve, middle, sample, diag);
        if (status == FT_OK)
            *(property(curve, sample, context) == at_low ? low : high) = middle;
    }
    free(sample);
    return status;
}
