/*
 * For one size: from the reference downwards, the last sample whose ratios differ lies before a
 * knee; the smallest size after it is found between that sample and the next. For a set of
 * programs: the samples of all curves are visited by growing accesses. The first that no chosen
 * input stands for begins a new miss ratio; bisection between it and the sample before on its curve
 * finds where, and that input is chosen.
 */
#include "predict/query/mini_inputs.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"

#define SMALL 1e-3 /* a difference of ratios that is none */

/* ---- a small input for a larger one ---- */

struct reference {
    const double *sample;
    double within;
};

bool ft_miss_ratios_alike(const struct ft_miss_curve *curve, const double *sample,
                          const double *reference, double within)
{
    for (size_t i = 0; i < curve->caches->level_count; i++) {
        double there = ft_miss_ratio(curve, reference, i);
        double difference = fabs(ft_miss_ratio(curve, sample, i) - there);
        if (difference > fmax(within * there, SMALL))
            return false;
    }
    return true;
}

static bool is_alike(const struct ft_miss_curve *curve, const double *sample, const void *context)
{
    const struct reference *reference = context;
    return ft_miss_ratios_alike(curve, sample, reference->sample, reference->within);
}

int ft_mini_ref(struct ft_miss_curve *curve, double reference_size, double within, double *ret_size,
                struct ft_diag *diag)
{
    double *sample = calloc(curve->width, sizeof *sample);
    int status = sample ? ft_miss_curve_at(curve, reference_size, sample, diag)
                        : ft_fail_memory(diag, "a reference");
    const struct reference reference = {sample, within};
    double low = curve->line.from, high = reference_size;
    bool differs = false;
    for (size_t i = curve->count; i-- > 0 && status == FT_OK && !differs;) {
        const double *before = ft_miss_sample(curve, i);
        if (before[FT_SAMPLE_SIZE] >= reference_size)
            continue;
        differs = !is_alike(curve, before, &reference);
        *(differs ? &low : &high) = before[FT_SAMPLE_SIZE];
    }
    if (status == FT_OK && differs)
        status = ft_miss_curve_narrow(curve, is_alike, &reference, false, &low, &high, diag);
    free(sample);
    if (status == FT_OK)
        *ret_size = high;
    return status;
}

/* ---- small inputs for several programs ---- */

struct shown {
    const struct ft_mini_set *set;
    double within;
};

static bool is_shown(const struct ft_miss_curve *curve, const double *sample, const void *context)
{
    const struct shown *shown = context;
    for (size_t i = 0; i < shown->set->count; i++)
        if (ft_miss_ratios_alike(curve, shown->set->inputs[i].sample, sample, shown->within))
            return true;
    return false;
}

static int choose(struct ft_mini_set *set, size_t index, struct ft_miss_curve *curve, double n,
                  struct ft_diag *diag)
{
    double *sample = calloc(curve->width, sizeof *sample);
    if (!sample || !FT_RESERVE(set->inputs, set->capacity, set->count + 1)) {
        free(sample);
        return ft_fail_memory(diag, "a set of inputs");
    }
    set->inputs[set->count++] = (struct ft_chosen_input){index, sample};
    return ft_miss_curve_at(curve, n, sample, diag);
}

/* A sample of a curve that may be new. */
static int take(struct ft_mini_set *set, double within, size_t index, struct ft_miss_curve *curve,
                size_t position, struct ft_diag *diag)
{
    const struct shown shown = {set, within};
    const double *sample = ft_miss_sample(curve, position);
    int status = FT_OK;
    while (status == FT_OK && !is_shown(curve, sample, &shown)) {
        double low = position > 0 ? ft_miss_sample(curve, position - 1)[FT_SAMPLE_SIZE] : 0;
        double high = sample[FT_SAMPLE_SIZE];
        if (position > 0 && is_shown(curve, ft_miss_sample(curve, position - 1), &shown))
            status = ft_miss_curve_narrow(curve, is_shown, &shown, true, &low, &high, diag);
        if (status == FT_OK)
            status = choose(set, index, curve, high, diag);
    }
    return status;
}

/* The curve whose next sample makes the fewest accesses; curve_count where none has one. */
static size_t cheapest(const struct ft_miss_curve *curves, size_t curve_count,
                       const size_t *positions)
{
    size_t best = curve_count;
    double fewest = INFINITY;
    for (size_t i = 0; i < curve_count; i++)
        if (positions[i] < curves[i].count) {
            double accesses = ft_miss_sample(&curves[i], positions[i])[FT_SAMPLE_ACCESSES];
            if (best == curve_count || accesses < fewest) {
                best = i;
                fewest = accesses;
            }
        }
    return best;
}

static int compare(const void *left, const void *right)
{
    const struct ft_chosen_input *a = left, *b = right;
    double x = a->sample[FT_SAMPLE_ACCESSES], y = b->sample[FT_SAMPLE_ACCESSES];
    return x < y ? -1 : x > y;
}

int ft_mini_set(struct ft_miss_curve *curves, size_t curve_count, double within,
                struct ft_mini_set *ret_set, struct ft_diag *diag)
{
    struct ft_mini_set set = {0};
    size_t *positions = calloc(curve_count, sizeof *positions);
    int status = positions ? FT_OK : ft_fail_memory(diag, "a set of inputs");
    while (status == FT_OK) {
        size_t next = cheapest(curves, curve_count, positions);
        if (next == curve_count)
            break;
        status = take(&set, within, next, &curves[next], positions[next]++, diag);
    }
    free(positions);
    if (status != FT_OK) {
        ft_mini_set_fini(&set);
        return status;
    }
    if (set.count > 0)
        qsort(set.inputs, set.count, sizeof *set.inputs, compare);
    *ret_set = set;
    return FT_OK;
}

void ft_mini_set_fini(struct ft_mini_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->inputs[i].sample);
    free(set->inputs);
    *set = (struct ft_mini_set){0};
}
