/*
 * A row for each rank: its trace, where it has one, then the variables of laws outside of loops.
 */
#include "predict/commands/ranks/blocks_report.h"

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

struct report {
    const struct ft_job_laws *laws;
    const struct ft_rank_classes *classes;
    struct ft_table *table;
};

static bool is_shown(const struct ft_rank_space *space, unsigned variable)
{
    return variable + 1 != space->place; /* the rank has its column already */
}

static void add_rank(const struct report *report, const char *path, const struct ft_rank_size *size,
                     uint32_t rank)
{
    const struct ft_rank_space *space = &report->laws->space;
    const struct ft_law_point point = ft_rank_space_point(space, size, rank);
    if (path)
        ft_table_text(report->table, path);
    else
        ft_table_empty(report->table);
    ft_table_count(report->table, rank);
    if (report->classes) {
        const uint32_t class = ft_rank_class_of(report->classes, report->laws, size, rank);
        if (class == FT_NO_RANK_CLASS)
            ft_table_empty(report->table);
        else
            ft_table_count(report->table, class);
    }
    for (unsigned v = 0; v < space->trip; v++)
        if (is_shown(space, v))
            ft_table_count(report->table, (double)point.values[v]);
}

static void add_columns(const struct report *report)
{
    const struct ft_rank_space *space = &report->laws->space;
    ft_table_column(report->table, "trace", "trace", false);
    ft_table_column(report->table, "rank", "rank", true);
    if (report->classes)
        ft_table_column(report->table, "class", "class", true);
    for (unsigned v = 0; v < space->trip; v++)
        if (is_shown(space, v))
            ft_table_column(report->table, space->variables.names[v], space->variables.names[v],
                            true);
}

int ft_rank_blocks_print(const struct ft_captured_runs *runs, const struct ft_job_laws *laws,
                         const struct ft_rank_size *target, const struct ft_rank_classes *classes,
                         enum ft_report_form form, FILE *stream, struct ft_diag *diag)
{
    const struct report report = {laws, classes, ft_table_create()};
    if (!report.table)
        return ft_fail_memory(diag, "a table");
    add_columns(&report);
    for (size_t i = 0; i < runs->run_count; i++)
        for (size_t r = 0; r < runs->jobs[i].rank_count; r++)
            add_rank(&report, runs->jobs[i].ranks[r].path, &runs->runs[i].size,
                     runs->jobs[i].ranks[r].rank);
    for (uint32_t r = 0; target && r < target->ranks; r++)
        add_rank(&report, NULL, target, r);
    const int status =
        form == FT_REPORT_JSON
            ? ft_json_write(json_pack("{s:o}", "ranks", ft_table_json(report.table)), stream, diag)
            : ft_table_write(report.table, stream, form == FT_REPORT_CSV, diag);
    ft_table_destroy(report.table);
    return status;
}
