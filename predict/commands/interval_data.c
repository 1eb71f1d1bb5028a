#include "predict/commands/interval_data.h"

#include <math.h>

void ft_table_end(struct ft_table *table, double end)
{
    if (isnan(end))
        ft_table_empty(table);
    else
        ft_table_count(table, end);
}

void ft_table_known(struct ft_table *table, double value, const struct ft_interval *interval)
{
    if (ft_interval_is_refused(interval))
        ft_table_empty(table);
    else
        ft_table_count(table, value);
}

void ft_table_ends(struct ft_table *table, const struct ft_interval *interval)
{
    ft_table_end(table, interval->low);
    ft_table_end(table, interval->high);
}

json_t *ft_interval_json(const struct ft_interval *interval)
{
    return isnan(interval->low)
               ? json_null()
               : json_pack("[o, o]", ft_json_number(interval->low), ft_json_number(interval->high));
}

json_t *ft_estimate_json(double value, const struct ft_interval *interval)
{
    return ft_interval_is_refused(interval) ? json_null() : ft_json_number(value);
}

json_t *ft_error_json(double predicted, const struct ft_interval *interval, double simulated)
{
    return simulated > 0 && !ft_interval_is_refused(interval)
               ? ft_json_number((predicted - simulated) / simulated)
               : json_null();
}
