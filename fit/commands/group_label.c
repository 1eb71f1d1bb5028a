#include "fit/commands/group_label.h"

#include <inttypes.h>
#include <string.h>

#include "formats/histograms/histograms.h"

void ft_group_columns(struct ft_table *table, bool csv)
{
    ft_table_column(table, "references in", "scope", false);
    if (csv)
        ft_table_column(table, "group", "group", true);
    ft_table_column(table, "line", "line", true);
    ft_table_column(table, "stride", "stride_bytes", true);
}

/* Several scopes may have one name: the C library and the loader both have a malloc. A routine's
 * remainder is one whatever the line of its first reference. */
static bool look_alike(const struct ft_model *model, const struct ft_model_group *a,
                       const struct ft_model_group *b)
{
    const struct ft_scope *scopes = model->scopes.scopes;
    return a->rest == b->rest && (a->rest || a->line == b->line) &&
           a->stride_bytes == b->stride_bytes &&
           strcmp(scopes[a->scope].name, scopes[b->scope].name) == 0;
}

/* The group's number among those with the same label, from 1; 0 where it is the only one. */
static size_t number_of(const struct ft_model *model, size_t group)
{
    size_t number = 1, count = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const bool alike = look_alike(model, &model->groups[i], &model->groups[group]);
        count += alike;
        number += alike && i < group;
    }
    return count > 1 ? number : 0;
}

static void add_line(struct ft_table *table, const struct ft_model *model, size_t group, bool csv)
{
    const struct ft_model_group *item = &model->groups[group];
    const size_t number = csv ? 0 : number_of(model, group);
    char text[32] = "-";
    if (item->rest)
        snprintf(text, sizeof text, "rest");
    else if (item->line > 0)
        snprintf(text, sizeof text, "%" PRIu32, item->line);
    if (number > 0)
        ft_table_format(table, "%s (%zu)", text, number);
    else if (item->rest || item->line > 0)
        ft_table_text(table, text);
    else
        ft_table_empty(table);
}

static void add_stride(struct ft_table *table, int64_t stride_bytes, bool csv)
{
    if (stride_bytes == FT_STRIDE_NONE || (csv && stride_bytes == FT_STRIDE_MIXED))
        ft_table_empty(table);
    else if (stride_bytes == FT_STRIDE_MIXED)
        ft_table_text(table, "varies");
    else
        ft_table_format(table, csv ? "%" PRId64 : "%" PRId64 " B", stride_bytes);
}

void ft_group_cells(struct ft_table *table, const struct ft_model *model, size_t group, bool csv)
{
    const bool is_group = group != FT_WHOLE_PROGRAM;
    ft_table_text(table,
                  is_group ? model->scopes.scopes[model->groups[group].scope].name : "the program");
    if (csv && is_group)
        ft_table_count(table, (double)group);
    else if (csv)
        ft_table_empty(table);
    if (!is_group) {
        ft_table_empty(table);
        ft_table_empty(table);
        return;
    }
    add_line(table, model, group, csv);
    add_stride(table, model->groups[group].stride_bytes, csv);
}
