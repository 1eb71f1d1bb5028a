/* How many references the groups have, by three ways of grouping: as a table, and as JSON. */
#include <inttypes.h>

#include "engine/commands/structure/report.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

static const char *const headings[FT_GROUPING_COUNT] = {
    [FT_UNGROUPED] = "ungrouped",
    [FT_GROUPED_IN_LOOPS] = "in machine loops",
    [FT_GROUPED_ACROSS_LOOPS] = "in source loops",
};

static bool has_bin(const struct ft_group_sizes *sizes, unsigned bin)
{
    bool any = false;
    for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
        any = any || sizes->bins[g][bin] > 0;
    return any;
}

static void add_row(struct ft_table *table, const uint64_t counts[FT_GROUPING_COUNT])
{
    for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
        ft_table_format(table, "%" PRIu64, counts[g]);
}

static void add_bin(struct ft_table *table, const struct ft_group_sizes *sizes, unsigned bin)
{
    uint64_t counts[FT_GROUPING_COUNT];
    for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
        counts[g] = sizes->bins[g][bin];
    if (bin == 0)
        ft_table_text(table, "1");
    else
        ft_table_format(table, "%" PRIu64 "-%" PRIu64, UINT64_C(1) << bin,
                        (UINT64_C(2) << bin) - 1);
    add_row(table, counts);
}

int ft_structure_group_sizes_text(const struct ft_structure_report *report, FILE *stream,
                                  struct ft_diag *diag)
{
    const struct ft_group_sizes *sizes = &report->groups->sizes;
    struct ft_table *table = sizes->references > 0 ? ft_table_create() : NULL;
    if (sizes->references == 0)
        return FT_OK;
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "references of a group", "references", false);
    for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
        ft_table_column(table, headings[g], ft_grouping_names[g], true);
    for (unsigned bin = 0; bin < FT_GROUP_SIZE_BINS; bin++)
        if (has_bin(sizes, bin))
            add_bin(table, sizes, bin);
    ft_table_text(table, "most");
    add_row(table, sizes->largest);
    ft_table_text(table, "groups");
    add_row(table, sizes->groups);
    ft_print_wrapped(stream, 0,
                     "\nGroups by size, of the %" PRIu64
                     " references of the program's own code, without spills:\n\n",
                     sizes->references);
    const int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static json_t *bins_json(const struct ft_group_sizes *sizes)
{
    json_t *bins = json_array();
    for (unsigned bin = 0; bin < FT_GROUP_SIZE_BINS; bin++) {
        if (!has_bin(sizes, bin))
            continue;
        json_t *item = json_pack("{s:I, s:I}", "least", (json_int_t)(INT64_C(1) << bin), "most",
                                 (json_int_t)((INT64_C(2) << bin) - 1));
        for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
            item = ft_json_merge(
                item, json_pack("{s:I}", ft_grouping_names[g], (json_int_t)sizes->bins[g][bin]));
        ft_json_append(&bins, item);
    }
    return bins;
}

json_t *ft_structure_group_sizes_json(const struct ft_structure_report *report)
{
    const struct ft_group_sizes *sizes = &report->groups->sizes;
    json_t *document = json_pack("{s:I, s:o}", "references", (json_int_t)sizes->references, "bins",
                                 bins_json(sizes));
    for (unsigned g = 0; g < FT_GROUPING_COUNT; g++)
        document = ft_json_merge(document, json_pack("{s:{s:I, s:I}}", ft_grouping_names[g],
                                                     "groups", (json_int_t)sizes->groups[g], "most",
                                                     (json_int_t)sizes->largest[g]));
    return document;
}
