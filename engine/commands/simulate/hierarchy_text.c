/* The report of a hierarchy as text: totals, levels, places or data; and these as CSV. */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/commands/simulate/hierarchy_report.h"
#include "formats/cli/terminal.h"
#include "formats/commands/report_head.h"
#include "machines/commands/level_report.h"

static uint64_t misses_of(const struct ft_hierarchy_total *total)
{
    return total->load_misses + total->store_misses + total->fetch_misses;
}

static void add_level(const struct ft_hierarchy_report *report, size_t index, double accesses,
                      double fetches, struct ft_table *table)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, index);
    const struct ft_level *level = counted->level;
    const struct ft_level_traffic *traffic = &counted->traffic;
    struct ft_hierarchy_total total = ft_hierarchy_level_total(report, index);
    double misses = (double)misses_of(&total);
    double all = counted->instruction ? fetches : counted->unified ? accesses + fetches : accesses;
    ft_level_geometry_cells(table, level);
    ft_table_count(table, (double)total.asked);
    ft_table_count(table, misses);
    ft_table_share(table, total.asked ? misses / (double)total.asked : 0);
    ft_table_share(table, all > 0 ? misses / all : 0);
    ft_table_count(table, (double)traffic->evictions);
    ft_table_count(table, (double)traffic->write_backs);
    ft_table_count(table, (double)traffic->invalidations);
    ft_table_count(table, (double)traffic->prefetches);
    ft_table_count(table, (double)traffic->useful_prefetches);
    for (size_t cause = 0; counted->causes && cause < FT_MISS_CAUSES; cause++)
        ft_table_count(table, (double)total.causes[cause]);
}

static int print_levels(const struct ft_hierarchy_report *report, FILE *stream,
                        struct ft_diag *diag)
{
    static const char *const titles[] = {"accesses",    "misses",     "of these",
                                         "of all",      "evicted",    "written back",
                                         "invalidated", "prefetched", "useful"};
    double accesses = (double)ft_hierarchy_count(report, false),
           fetches = (double)ft_hierarchy_count(report, true);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_level_geometry_columns(table);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i], titles[i], true);
    for (size_t i = 0; ft_hierarchy_has_causes(report) && i < FT_MISS_CAUSES; i++)
        ft_table_column(table, ft_miss_cause_names[i], ft_miss_cause_names[i], true);
    for (size_t i = 0; i < report->level_count; i++)
        add_level(report, i, accesses, fetches, table);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* Where dirty blocks are written back at all. */
static bool shows_written(const struct ft_hierarchy_report *report, size_t level, bool csv)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    return counted->level->kind == FT_LEVEL_CACHE && !counted->instruction &&
           (csv || counted->traffic.write_backs);
}

static void add_written_column(struct ft_table *table, const struct ft_level *level)
{
    char title[100];
    snprintf(title, sizeof title, "%.80s written", level->name);
    ft_table_column(table, title, title, true);
}

static void add_cause_column(struct ft_table *table, const struct ft_level *level,
                             enum ft_miss_cause cause, bool csv)
{
    char title[100];
    if (csv) {
        ft_level_column(table, level, ft_hierarchy_figure_names[FT_HIERARCHY_CAUSES + cause]);
        return;
    }
    snprintf(title, sizeof title, "%.80s %s", level->name, ft_miss_cause_names[cause]);
    ft_table_column(table, title, title, true);
}

static void add_columns(struct ft_table *table, const struct ft_hierarchy_report *report, bool csv)
{
    ft_table_column(table, "accesses", "accesses", true);
    if (ft_hierarchy_has_fetches(report))
        ft_table_column(table, "fetches", "fetches", true);
    for (size_t i = 0; i < report->level_count; i++) {
        const struct ft_level *level = ft_hierarchy_level(report->hierarchy, i)->level;
        if (csv) {
            ft_level_column(table, level, "accesses");
            ft_level_column(table, level, "misses");
        } else {
            ft_table_column(table, level->name, level->name, true);
        }
        if (shows_written(report, i, csv) && csv)
            ft_level_column(table, level, "write_backs");
        else if (shows_written(report, i, csv))
            add_written_column(table, level);
        for (size_t cause = 0; ft_hierarchy_has_causes(report) && cause < FT_MISS_CAUSES; cause++)
            add_cause_column(table, level, cause, csv);
    }
}

static void add_figures(struct ft_table *table, const struct ft_hierarchy_report *report, bool csv,
                        const double *row)
{
    ft_table_count(table, row[FT_HIERARCHY_ACCESSES]);
    if (ft_hierarchy_has_fetches(report))
        ft_table_count(table, row[FT_HIERARCHY_FETCHES]);
    for (size_t level = 0; level < report->level_count; level++) {
        if (csv)
            ft_table_count(table, row[ft_hierarchy_column(level, FT_HIERARCHY_ASKED)]);
        ft_table_count(table, row[ft_hierarchy_column(level, FT_HIERARCHY_MISSES)]);
        if (shows_written(report, level, csv))
            ft_table_count(table, row[ft_hierarchy_column(level, FT_HIERARCHY_WRITTEN)]);
        for (size_t cause = 0; ft_hierarchy_has_causes(report) && cause < FT_MISS_CAUSES; cause++)
            ft_table_count(table, row[ft_hierarchy_column(level, FT_HIERARCHY_CAUSES + cause)]);
    }
}

static int add_startup_row(struct ft_table *table, const struct ft_hierarchy_report *report,
                           struct ft_diag *diag)
{
    const struct ft_locations *places = &report->places;
    double *row = ft_startup_fold_row(&places->startup, places->rows, places->width);
    if (!row)
        return ft_fail_memory(diag, "a table");
    ft_startup_fold_cells(table, &places->startup);
    add_figures(table, report, false, row);
    free(row);
    return FT_OK;
}

static int print_rows(const struct ft_hierarchy_report *report, bool csv, FILE *stream,
                      struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_hierarchy_row_columns(table, csv, report);
    add_columns(table, report, csv);
    for (size_t i = 0; i < ft_hierarchy_row_count(report); i++) {
        ft_hierarchy_row_cells(table, csv, report, i);
        add_figures(table, report, csv, ft_hierarchy_row(report, i));
    }
    int status = report->places.startup.count > 0 ? add_startup_row(table, report, diag) : FT_OK;
    if (status == FT_OK)
        status = ft_table_write(table, stream, csv, diag);
    ft_table_destroy(table);
    return status;
}

static void print_head(const struct ft_hierarchy_report *report, FILE *stream)
{
    char text[4][FT_NUMBER_TEXT], fetches[FT_NUMBER_TEXT + 32] = "";
    ft_program_head_print(report->metadata, stream, " on the hierarchy of %s: %s\n",
                          report->machine->name, report->machine->description);
    if (report->run->thread_count > 1)
        fprintf(stream,
                "%" PRIu32 " threads, each on a core, in the order in which they were recorded\n",
                report->run->thread_count);
    if (ft_hierarchy_has_fetches(report))
        snprintf(fetches, sizeof fetches, " and %s instruction fetches",
                 ft_text_count(text[1], (double)ft_hierarchy_count(report, true)));
    ft_print_wrapped(stream, 2, "%s accesses%s; blocks read from memory %s, written to it %s\n%s\n",
                     ft_text_count(text[0], (double)ft_hierarchy_count(report, false)), fetches,
                     ft_text_count(text[2], (double)ft_hierarchy_memory_reads(report->hierarchy)),
                     ft_text_count(text[3], (double)ft_hierarchy_memory_writes(report->hierarchy)),
                     report->note ? report->note : "");
}

int ft_hierarchy_print_text(const struct ft_hierarchy_report *report, FILE *stream,
                            struct ft_diag *diag)
{
    print_head(report, stream);
    int status = print_levels(report, stream, diag);
    if (status != FT_OK)
        return status;
    static const char *const titles[3] = {"routine and loop, with the loops nested in them",
                                          "basic block", "reference"};
    fprintf(stream, "\nMisses by %s:\n", report->data ? "data" : titles[report->places.kind]);
    if (report->data)
        ft_data_print_gaps(&report->rows, ft_data_runs_has_calls(report->data), stream);
    fputc('\n', stream);
    return print_rows(report, false, stream, diag);
}

int ft_hierarchy_print_csv(const struct ft_hierarchy_report *report, FILE *stream,
                           struct ft_diag *diag)
{
    return print_rows(report, true, stream, diag);
}
