#include "predict/commands/query/miss_cells.h"

static const struct {
    const char *title, *key;
    ft_number_writer *write;
} metrics[FT_MISS_METRICS] = {
    [FT_MISSES] = {"misses", "misses", ft_text_count},
    [FT_COLD_MISSES] = {"of them first touches", "cold_misses", ft_text_count},
    [FT_MISS_RATIO] = {"miss ratio", "miss_ratio", ft_text_ratio},
    [FT_REUSE_MISS_RATIO] = {"reuse miss ratio", "reuse_miss_ratio", ft_text_ratio},
};

static bool has_interval(const struct ft_answer *answer, enum ft_miss_metric metric)
{
    return !answer->as_text || metric != FT_COLD_MISSES;
}

void ft_answer_metric_columns(const struct ft_answer *answer, struct ft_table *table,
                              enum ft_miss_metric metric)
{
    ft_table_column(table, metrics[metric].title, metrics[metric].key, true);
    if (has_interval(answer, metric))
        ft_interval_columns(answer, table, metrics[metric].key);
}

void ft_answer_metric_cells(struct ft_answer *answer, struct ft_table *table,
                            const struct ft_miss_ratios *ratios, size_t cache,
                            enum ft_miss_metric metric, bool known)
{
    const size_t column = ft_miss_column(cache, metric);
    const struct ft_interval *interval = &ratios->intervals[column];
    ft_answer_estimate(answer, table, ratios->row[column], interval, known, metrics[metric].write);
    if (has_interval(answer, metric))
        ft_interval_cells(answer, table, interval, metrics[metric].write);
}
