#include "machines/bandwidth/bandwidth_function.h"

#include <math.h>

const char *const ft_penalty_names[FT_PENALTY_COUNT] = {"printed", "growing", "saturating", "none"};

double ft_penalty_factor_max(enum ft_penalty penalty)
{
    /* The term's share of T is at most 1, and what f multiplies at most 1/e as printed, else 1. */
    return penalty == FT_PENALTY_NONE ? 0 : penalty == FT_PENALTY_PRINTED ? M_E : 1;
}

/* What f multiplies, without t / T. */
static double damping(enum ft_penalty penalty, double hit_rate, double offset)
{
    const double z = (1 - hit_rate) / (1 - hit_rate + offset);
    switch (penalty) {
    case FT_PENALTY_PRINTED:
        return (1 - exp(-z)) / (1 - M_E);
    case FT_PENALTY_GROWING:
        return (1 - exp(z)) / (1 - M_E);
    case FT_PENALTY_SATURATING:
        return (1 - exp(-z)) / (1 - 1 / M_E);
    default:
        return 0;
    }
}

double ft_bandwidth_times(const struct ft_bandwidth_function *function, const double *hit_rates,
                          double *ret_times)
{
    double total = 0, before = 0;
    for (uint32_t i = 0; i < function->level_count; i++) {
        const double hits = i + 1 < function->level_count ? hit_rates[i] : 1;
        ret_times[i] = (hits - before) * function->cycles[i];
        total += ret_times[i];
        before = hits;
    }
    return total;
}

double ft_bandwidth_at(const struct ft_bandwidth_function *function, const double *hit_rates)
{
    const uint32_t count = function->level_count;
    double times[FT_BANDWIDTH_LEVELS_MAX] = {0};
    double penalties[FT_BANDWIDTH_LEVELS_MAX + 1] = {0};
    const double total = ft_bandwidth_times(function, hit_rates, times);
    for (uint32_t i = 0; i < ft_bandwidth_penalty_count(count); i++)
        if (hit_rates[i] < 1 && times[i] > 0)
            penalties[i] = function->factors[i] * times[i] / total *
                           damping(function->penalty, hit_rates[i], function->offsets[i]);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += times[i] / total * function->gb_per_s[i] *
               (1 + (i == 0 ? -(penalties[0] + penalties[1]) : penalties[i - 1]));
    return sum;
}

void ft_hit_rates_accumulate(double *hit_rates, size_t count)
{
    double before = 0;
    for (size_t i = 0; i < count; i++)
        before = hit_rates[i] = fmin(fmax(hit_rates[i], before), 1);
}

bool ft_bandwidth_function_is_valid(const struct ft_bandwidth_function *function)
{
    if (function->level_count < 2 || function->level_count > FT_BANDWIDTH_LEVELS_MAX ||
        function->penalty >= FT_PENALTY_COUNT)
        return false;
    for (uint32_t i = 0; i < function->level_count; i++)
        if (!(function->cycles[i] > 0) || !isfinite(function->cycles[i]) ||
            !(function->gb_per_s[i] > 0) || !isfinite(function->gb_per_s[i]))
            return false;
    const double factor_max = ft_penalty_factor_max(function->penalty);
    for (uint32_t i = 0; i < ft_bandwidth_penalty_count(function->level_count); i++)
        if ((function->penalty != FT_PENALTY_NONE &&
             !(fabs(function->factors[i]) <= factor_max * (1 + 1e-12))) ||
            !(function->offsets[i] > 0) || !isfinite(function->offsets[i]))
            return false;
    return true;
}
