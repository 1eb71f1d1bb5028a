/* The report of a hierarchy for programs (docs/json.md, "simulate"). */
#include "engine/commands/simulate/hierarchy_report.h"
#include "formats/commands/report_head.h"
#include "machines/commands/level_report.h"

static json_t *level_total_json(const struct ft_hierarchy_report *report, size_t index)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, index);
    const struct ft_level_traffic *traffic = &counted->traffic;
    const struct ft_behaviour *behaviour = &counted->level->behaviour;
    struct ft_hierarchy_total total = ft_hierarchy_level_total(report, index);
    const char *content = counted->instruction ? "instructions"
                          : counted->unified   ? "unified"
                                               : "data";
    json_t *figures =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "content", content,
                  "replacement", ft_replacement_names[behaviour->replacement], "accesses",
                  (json_int_t)total.asked, "load_misses", (json_int_t)total.load_misses,
                  "store_misses", (json_int_t)total.store_misses, "fetch_misses",
                  (json_int_t)total.fetch_misses, "evictions", (json_int_t)traffic->evictions,
                  "write_backs", (json_int_t)traffic->write_backs, "invalidations",
                  (json_int_t)traffic->invalidations, "prefetches", (json_int_t)traffic->prefetches,
                  "useful_prefetches", (json_int_t)traffic->useful_prefetches);
    for (size_t cause = 0; counted->causes && cause < FT_MISS_CAUSES; cause++)
        figures = ft_json_merge(
            figures, json_pack("{s:I}", ft_hierarchy_figure_names[FT_HIERARCHY_CAUSES + cause],
                               (json_int_t)total.causes[cause]));
    return ft_json_merge(ft_level_json(counted->level), figures);
}

static json_t *total_json(const struct ft_hierarchy_report *report)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++)
        ft_json_append(&levels, level_total_json(report, i));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "accesses",
                     (json_int_t)ft_hierarchy_count(report, false), "fetches",
                     (json_int_t)ft_hierarchy_count(report, true), "memory_reads",
                     (json_int_t)ft_hierarchy_memory_reads(report->hierarchy), "memory_writes",
                     (json_int_t)ft_hierarchy_memory_writes(report->hierarchy), "levels", levels);
}

static json_t *row_level_json(const struct ft_hierarchy_report *report, const double *row,
                              size_t level)
{
    const size_t count =
        ft_hierarchy_has_causes(report) ? FT_HIERARCHY_FIGURES : FT_HIERARCHY_CAUSES;
    json_t *figures = json_pack(
        "{s:o}", "name", ft_json_text(ft_hierarchy_level(report->hierarchy, level)->level->name));
    for (size_t figure = 0; figure < count; figure++)
        figures =
            ft_json_merge(figures, json_pack("{s:I}", ft_hierarchy_figure_names[figure],
                                             (json_int_t)row[ft_hierarchy_column(level, figure)]));
    return figures;
}

static json_t *row_json(const struct ft_hierarchy_report *report, size_t index)
{
    const double *row = ft_hierarchy_row(report, index);
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++)
        ft_json_append(&levels, row_level_json(report, row, i));
    return ft_json_merge(ft_hierarchy_row_json(report, index),
                         json_pack("{s:I, s:I, s:o}", "accesses",
                                   (json_int_t)row[FT_HIERARCHY_ACCESSES], "fetches",
                                   (json_int_t)row[FT_HIERARCHY_FETCHES], "levels", levels));
}

int ft_hierarchy_print_json(struct ft_hierarchy_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = report->metadata;
    json_t *rows = json_array(), *document;
    for (size_t i = 0; i < ft_hierarchy_row_count(report); i++)
        ft_json_append(&rows, row_json(report, i));
    document = json_pack("{s:o, s:o, s:o, s:s, s:I, s:I, s:o, s:o}", "program",
                         ft_json_text(metadata->program), "machine",
                         ft_json_text(report->machine->name), "parameters",
                         ft_parameters_json(metadata), "trace", report->content_hash, "threads",
                         (json_int_t)report->run->thread_count, "seed", (json_int_t)report->seed,
                         "total", total_json(report), ft_hierarchy_rows_name(report), rows);
    if (report->data)
        document = ft_json_merge(document, json_pack("{s:b}", "allocation_calls",
                                                     (int)ft_data_runs_has_calls(report->data)));
    if (report->members)
        document = ft_json_merge(document, report->members);
    report->members = NULL;
    return ft_json_write(document, stream, diag);
}
