/*
 * Groups of references of two builds as text: how much matches, the heaviest groups of the first
 * with their matches in the second, and what is left of each.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/commands/structure/match_groups.h"
#include "engine/commands/structure/match_report.h"
#include "formats/cli/table.h"

/* "data variable counts, heap malloc: main (io.c:12)". */
static void data_cell(struct ft_table *table, const struct ft_match_groups *groups, unsigned side,
                      uint32_t group)
{
    const struct ft_data_of_groups *data = &groups->data[side];
    const uint8_t storage = groups->sides[side].groups->groups.items[group].storage;
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (stream) {
        fprintf(stream, "%s", ft_storage_names[storage]);
        for (uint32_t i = data->first[group]; i < data->first[group + 1]; i++)
            fprintf(stream, i == data->first[group] ? ": %s" : ", %s",
                    data->names[data->objects[i]]);
    }
    ft_table_text(table, stream && fclose(stream) == 0 ? text : "");
    free(text);
}

static void group_columns(struct ft_table *table)
{
    ft_table_column(table, "routine or loop", "place", false);
    ft_table_column(table, "line", "line", true);
    ft_table_column(table, "formula", "pattern", false);
    ft_table_column(table, "accesses", "accesses", true);
}

static bool group_cells(struct ft_table *table, const struct ft_match_groups *groups, unsigned side,
                        uint32_t group)
{
    const struct ft_structure_report *report = &groups->sides[side];
    const struct ft_group_location *location = &groups->locations[side].items[group];
    const uint32_t line = groups->locations[side].lines[location->first_line].source_line;
    char *pattern = ft_structure_group_pattern(report, group);
    ft_match_location_cell(table, &report->structure.scopes, location->scope);
    if (line)
        ft_table_format(table, "%" PRIu32, line);
    else
        ft_table_empty(table);
    ft_table_text(table, pattern ? pattern : "");
    ft_table_count(table, (double)location->accesses);
    free(pattern);
    return pattern != NULL;
}

static int side_by_side(const struct ft_match_groups *groups, size_t limit, FILE *stream,
                        struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    bool complete = table != NULL;
    if (!table)
        return ft_fail_memory(diag, "a table");
    group_columns(table);
    ft_table_column(table, "matched by", "kind", false);
    group_columns(table);
    ft_table_column(table, "touches", "data", false);
    for (size_t i = 0; complete && i < groups->matched_count[0] && i < limit; i++) {
        const uint32_t group = groups->list[0][i];
        const struct ft_match *match = &groups->matching.of[0][group];
        complete = group_cells(table, groups, 0, group);
        ft_table_text(table, ft_match_kind_names[match->kind]);
        complete = complete && group_cells(table, groups, 1, match->item);
        data_cell(table, groups, 0, group);
    }
    int status =
        complete ? ft_table_write(table, stream, false, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    return status;
}

static int left_over(const struct ft_match_groups *groups, unsigned side, size_t limit,
                     FILE *stream, struct ft_diag *diag)
{
    const size_t first = groups->matched_count[side], count = groups->count[side] - first;
    fprintf(stream, "\nGroups of references only in the %s: %zu%s\n", side ? "second" : "first",
            count, count > limit ? "; those with the most accesses are" : "");
    if (count == 0)
        return FT_OK;
    fprintf(stream, "\n");
    struct ft_table *table = ft_table_create();
    bool complete = table != NULL;
    if (!table)
        return ft_fail_memory(diag, "a table");
    group_columns(table);
    ft_table_column(table, "touches", "data", false);
    for (size_t i = 0; complete && i < count && i < limit; i++) {
        complete = group_cells(table, groups, side, groups->list[side][first + i]);
        data_cell(table, groups, side, groups->list[side][first + i]);
    }
    int status =
        complete ? ft_table_write(table, stream, false, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    return status;
}

int ft_match_groups_text(const struct ft_match_groups *groups, size_t limit, FILE *stream,
                         struct ft_diag *diag)
{
    fprintf(stream, "\nGroups of references in both, most accesses first:\n\n");
    int status = side_by_side(groups, limit, stream, diag);
    for (unsigned side = 0; !status && side < 2; side++)
        status = left_over(groups, side, limit, stream, diag);
    return status;
}
