#include "predict/capped_misses.h"

#include <math.h>

/* Which of the two is wrong is not known, so neither are the misses. */
static void cap(double *value, struct ft_interval *interval, double accesses,
                const struct ft_interval *counted)
{
    const double most = FT_BLOCKS_PER_ACCESS * accesses;
    if (!(*value > most))
        return;
    *value = most;
    const double high = ft_interval_end(accesses, counted, counted->high);
    interval->low = 0;
    interval->high = fmax(interval->high, isnan(high) ? most : FT_BLOCKS_PER_ACCESS * high);
    interval->exact = interval->known = false;
}

void ft_cap_misses(const struct ft_capped_rows *rows)
{
    const struct ft_machine *machine = rows->metrics->machine;
    const size_t width = ft_metrics_width(machine);
    for (size_t scope = 0; scope < rows->metrics->model->scopes.scope_count; scope++) {
        double *row = rows->inclusive + scope * width;
        struct ft_interval *intervals = rows->intervals + scope * width;
        for (size_t column = FT_METRIC_COUNT; column < width; column++)
            cap(&row[column], &intervals[column], row[FT_METRIC_ACCESSES],
                &intervals[FT_METRIC_ACCESSES]);
    }
}
