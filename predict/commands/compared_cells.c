#include "predict/commands/compared_cells.h"

#include <math.h>

#include "machines/commands/level_report.h"
#include "predict/commands/interval_data.h"

#define SMALLEST 1e-9 /* seconds below which they are written as powers of ten */

char *ft_text_small_seconds(char text[FT_NUMBER_TEXT], double seconds)
{
    if (seconds >= SMALLEST || seconds <= 0)
        return ft_text_seconds(text, seconds);
    snprintf(text, FT_NUMBER_TEXT, "%#.3g ns", 1e9 * seconds);
    return text;
}

char *ft_text_small_count(char text[FT_NUMBER_TEXT], double count)
{
    if (count >= 1 || count <= 0)
        return ft_text_count(text, count);
    snprintf(text, FT_NUMBER_TEXT, "%#.3g", count);
    return text;
}

void ft_compared_cell(struct ft_table *table, const struct ft_compared_value *value, bool is_time,
                      bool with_interval)
{
    ft_number_writer *write = is_time ? ft_text_small_seconds : ft_text_small_count;
    char text[FT_RANGE_TEXT], from[FT_NUMBER_TEXT], to[FT_NUMBER_TEXT];
    if (!isnan(value->value) && with_interval && value->high > value->low)
        ft_table_text(table, ft_text_range(text, value->value, value->low, value->high, write));
    else if (!isnan(value->value))
        ft_table_text(table, write(text, value->value));
    else if (with_interval && !isnan(value->low) && !isnan(value->high))
        ft_table_format(table, "%s to %s", write(from, value->low), write(to, value->high));
    else
        ft_table_text(table, "unknown");
}

void ft_compared_columns(struct ft_table *table, const char *name, const char *what)
{
    static const char *const ends[] = {"", "_low", "_high"};
    for (size_t i = 0; i < 3; i++) {
        char key[64];
        snprintf(key, sizeof key, "%.40s%s", what, ends[i]);
        if (name)
            ft_key_column(table, name, key);
        else
            ft_table_column(table, key, key, true);
    }
}

void ft_compared_cells(struct ft_table *table, const struct ft_compared_value *value)
{
    ft_table_end(table, value->value);
    ft_table_end(table, value->low);
    ft_table_end(table, value->high);
}

static json_t *interval_json(const struct ft_compared_value *value)
{
    return isnan(value->low)
               ? json_null()
               : json_pack("[o, o]", ft_json_number(value->low), ft_json_number(value->high));
}

json_t *ft_compared_json(const char *name, const struct ft_compared_value *value)
{
    char key[64];
    snprintf(key, sizeof key, "%.40s_interval", name);
    return json_pack("{s:o, s:o}", name, ft_json_number(value->value), key, interval_json(value));
}
