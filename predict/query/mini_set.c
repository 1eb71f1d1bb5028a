/*
 * The samples of all curves are walked by growing accesses. The first that no chosen input shows
 * begins a new miss ratio; where between it and the sample before on its curve that begins is found
 * by bisection, and chosen.
 */
#include "predict/query/mini_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/query/mini_ref.h"

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
                size_t place, struct ft_diag *diag)
{
    const struct shown shown = {set, within};
    const double *sample = ft_miss_sample(curve, place);
    int status = FT_OK;
    while (status == FT_OK && !is_shown(curve, sample, &shown)) {
        double low = place > 0 ? ft_miss_sample(curve, place - 1)[FT_SAMPLE_SIZE] : 0;
        double high = sample[FT_SAMPLE_SIZE];
        if (place > 0 && is_shown(curve, ft_miss_sample(curve, place - 1), &shown))
            status = ft_miss_curve_narrow(curve, is_shown, &shown, true, &low, &high, diag);
        if (status == FT_OK)
            status = choose(set, index, curve, high, diag);
    }
    return status;
}

/* The curve whose next sample makes the fewest accesses; curve_count where none has one. */
static size_t cheapest(const struct ft_miss_curve *curves, size_t curve_count, const size_t *places)
{
    size_t best = curve_count;
    double least = INFINITY;
    for (size_t i = 0; i < curve_count; i++)
        if (places[i] < curves[i].count) {
            double accesses = ft_miss_sample(&curves[i], places[i])[FT_SAMPLE_ACCESSES];
            if (best == curve_count || accesses < least) {
                best = i;
                least = accesses;
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
    size_t *places = calloc(curve_count, sizeof *places);
    int status = places ? FT_OK : ft_fail_memory(diag, "a set of inputs");
    while (status == FT_OK) {
        size_t next = cheapest(curves, curve_count, places);
        if (next == curve_count)
            break;
        status = take(&set, within, next, &curves[next], places[next]++, diag);
    }
    free(places);
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
