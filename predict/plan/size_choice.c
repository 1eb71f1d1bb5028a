#include "predict/plan/size_choice.h"

#include <math.h>
#include <stdbool.h>

static bool agrees(const struct ft_size_choice *choice, double n)
{
    return fmod(fabs(choice->target - n), (double)choice->period) == 0;
}

double ft_size_at_least(const struct ft_size_choice *choice, double n)
{
    for (size_t i = 0; i < choice->available_count; i++)
        if (choice->available[i] >= n && agrees(choice, choice->available[i]))
            return choice->available[i];
    if (choice->available)
        return INFINITY;
    double period = (double)choice->period, rest = fmod(choice->target, period);
    double size = rest + period * ceil((n - rest) / period);
    return size >= 1 ? size : rest > 0 ? rest : period;
}

double ft_size_at_most(const struct ft_size_choice *choice, double n)
{
    for (size_t i = choice->available_count; i-- > 0;)
        if (choice->available[i] <= n && agrees(choice, choice->available[i]))
            return choice->available[i];
    if (choice->available)
        return 0;
    double period = (double)choice->period, rest = fmod(choice->target, period);
    double size = rest + period * floor((n - rest) / period);
    return size >= 1 ? size : 0;
}

size_t ft_size_count(const struct ft_size_choice *choice, double low, double high)
{
    size_t count = 0;
    for (size_t i = 0; i < choice->available_count; i++)
        count += choice->available[i] >= low && choice->available[i] <= high &&
                 agrees(choice, choice->available[i]);
    if (choice->available)
        return count;
    double first = ft_size_at_least(choice, low);
    return first > high ? 0 : (size_t)((high - first) / (double)choice->period) + 1;
}

static uint64_t smallest_factor(uint64_t number)
{
    for (uint64_t factor = 2; factor * factor <= number; factor++)
        if (number % factor == 0)
            return factor;
    return number;
}

struct ft_size_choice ft_size_choice_wide(const struct ft_size_choice *choice, double low,
                                          double high, size_t count)
{
    struct ft_size_choice wide = *choice;
    while (wide.period > 1 && ft_size_count(&wide, low, high) < count)
        wide.period /= smallest_factor(wide.period);
    return wide;
}
