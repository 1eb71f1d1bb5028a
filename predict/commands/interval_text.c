#include "predict/commands/interval_text.h"

#include <math.h>
#include <string.h>

char *ft_text_estimate(char text[FT_NUMBER_TEXT], double value, const struct ft_interval *interval,
                       ft_number_writer *write)
{
    if (!ft_interval_is_refused(interval))
        return write(text, value);
    strcpy(text, "unknown");
    return text;
}

char *ft_text_interval(char text[FT_INTERVAL_TEXT], const struct ft_interval *interval,
                       ft_number_writer *write)
{
    char low[FT_NUMBER_TEXT], high[FT_NUMBER_TEXT];
    text[0] = 0;
    if (interval->exact)
        strcpy(text, "exact");
    else if (!isnan(interval->low))
        snprintf(text, FT_INTERVAL_TEXT, "%s to %s", write(low, interval->low),
                 write(high, interval->high));
    return text;
}

void ft_table_estimate(struct ft_table *table, double value, const struct ft_interval *interval,
                       ft_number_writer *write)
{
    char text[FT_NUMBER_TEXT], range[FT_RANGE_TEXT];
    ft_text_estimate(text, value, interval, write);
    if (isnan(interval->low) || ft_interval_is_refused(interval) || interval->exact ||
        (value <= 0 && interval->high <= 0))
        ft_table_text(table, text);
    else
        ft_table_text(table, ft_text_range(range, value, interval->low, interval->high, write));
}

void ft_table_comparison(struct ft_table *table, double predicted,
                         const struct ft_interval *interval, double simulated)
{
    char text[FT_NUMBER_TEXT];
    ft_table_text(table, ft_text_estimate(text, predicted, interval, ft_text_count));
    ft_table_count(table, simulated);
    if (simulated > 0 && !ft_interval_is_refused(interval))
        ft_table_format(table, "%+.1f %%", 100 * (predicted - simulated) / simulated);
    else
        ft_table_empty(table);
}

void ft_table_bound(struct ft_table *table, double seconds)
{
    if (isnan(seconds))
        ft_table_text(table, "unknown");
    else
        ft_table_seconds(table, seconds);
}
