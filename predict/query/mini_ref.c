/*
 * From the reference downwards, the last sample whose ratios are not alike lies before a knee; the
 * smallest size after it is found between that sample and the next.
 */
#include "predict/query/mini_ref.h"

#include <math.h>
#include <stdlib.h>

#define SMALL 1e-3 /* a difference of ratios that is none */

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
