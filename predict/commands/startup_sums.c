/* A sum is known if its interval says anything, whatever is unknown of its parts. */
#include "predict/commands/startup_sums.h"

#include <stdlib.h>

static struct ft_interval interval_of(const struct ft_startup_fold *fold, double value,
                                      const struct ft_interval *intervals, size_t width)
{
    struct ft_interval sum = {.exact = true};
    for (size_t i = 0; i < fold->count; i++) {
        const struct ft_interval *part = &intervals[fold->routines[i] * width];
        sum.low += part->low;
        sum.high += part->high;
        sum.exact = sum.exact && part->exact;
    }
    sum.known = sum.exact || ft_interval_is_informative(value, sum.low, sum.high, 0);
    return sum;
}

int ft_startup_sums_init(struct ft_startup_sums *sums, const struct ft_startup_fold *fold,
                         const double *values, const struct ft_interval *intervals, size_t width,
                         struct ft_diag *diag)
{
    *sums = (struct ft_startup_sums){.values = ft_startup_fold_row(fold, values, width),
                                     .intervals = calloc(width + 1, sizeof *sums->intervals)};
    if (!sums->values || !sums->intervals) {
        ft_startup_sums_fini(sums);
        return ft_fail_memory(diag, "a table");
    }
    for (size_t i = 0; i < width; i++)
        sums->intervals[i] = interval_of(fold, sums->values[i], intervals + i, width);
    return FT_OK;
}

void ft_startup_sums_fini(struct ft_startup_sums *sums)
{
    free(sums->values);
    free(sums->intervals);
    *sums = (struct ft_startup_sums){0};
}
