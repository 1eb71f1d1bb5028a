/*
 * The instruction mix as text, in three tables with the same rows: classes, operations, memory,
 * each without columns that are all 0; and as one table in CSV.
 */
#include <stdlib.h>

#include "engine/commands/structure/mix_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

static const char *const headings[FT_MIX_TABLES] = {
    [FT_MIX_TABLE_CLASSES] = "instructions by class, and the loads and stores of all of them",
    [FT_MIX_TABLE_OPERATIONS] = "operations by type, scalar or by vector width in bits",
    [FT_MIX_TABLE_MEMORY] = "loads and stores by width in bytes",
};

/* What is written, and the metrics that are columns of it. */
struct output {
    const struct ft_mix_report *report;
    struct ft_locations locations; /* of blocks */
    struct ft_mix_metric metrics[FT_MIX_METRICS_MAX];
    size_t metric_count;
    bool csv;
};

static bool is_of_blocks(const struct output *output)
{
    return output->report->question.level == FT_MIX_OF_BLOCKS;
}

static bool is_anywhere(const struct output *output, const struct ft_mix_metric *metric)
{
    const struct ft_mix_report *report = output->report;
    for (size_t i = 0; i < report->count; i++)
        if (ft_mix_metric_of(ft_mix_report_row(report, report->list[i]), metric))
            return true;
    return false;
}

static size_t choose_metrics(struct output *output, unsigned table)
{
    struct ft_mix_metric all[FT_MIX_METRICS_MAX];
    const size_t count = ft_mix_metrics(all);
    output->metric_count = 0;
    for (size_t i = 0; i < count; i++)
        if (output->csv ||
            (all[i].table == table && !all[i].only_csv && is_anywhere(output, &all[i])))
            output->metrics[output->metric_count++] = all[i];
    return output->metric_count;
}

static void metric_cells(const struct output *output, const struct ft_mix *mix,
                         struct ft_table *table)
{
    const double all = (double)output->report->scope_mixes[0].instructions;
    ft_table_share(table, all > 0 ? (double)mix->instructions / all : 0);
    for (size_t i = 0; i < output->metric_count; i++)
        if (ft_mix_metric_is_of_accesses(&output->metrics[i]) &&
            !ft_mix_has_accesses(output->report))
            ft_table_empty(table);
        else
            ft_table_count(table, (double)ft_mix_metric_of(mix, &output->metrics[i]));
}

static int write_table(const struct output *output, FILE *stream, struct ft_diag *diag)
{
    const struct ft_mix_report *report = output->report;
    const struct ft_scopes *scopes = &report->structure->structure.scopes;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    if (is_of_blocks(output))
        ft_location_columns(table, output->csv, FT_LOCATION_BLOCKS);
    else
        ft_scope_columns(table, output->csv);
    ft_table_column(table, "share", "share", true);
    for (size_t i = 0; i < output->metric_count; i++)
        ft_table_column(table, output->metrics[i].title, output->metrics[i].key, true);
    for (size_t i = 0; i < report->count; i++) {
        if (is_of_blocks(output))
            ft_location_cells(table, output->csv, &output->locations, report->list[i]);
        else
            ft_scope_cells(table, output->csv, scopes, report->list[i]);
        metric_cells(output, ft_mix_report_row(report, report->list[i]), table);
    }
    int status = ft_table_write(table, stream, output->csv, diag);
    ft_table_destroy(table);
    return status;
}

/* How much of the program is in the rows: loops are in their routines. */
static void print_remainder(const struct ft_mix_report *report, FILE *stream)
{
    const struct ft_scopes *scopes = &report->structure->structure.scopes;
    const uint64_t all = report->scope_mixes[0].instructions;
    char text[2][FT_NUMBER_TEXT];
    uint64_t shown = 0;
    for (size_t i = 0; i < report->count; i++)
        if (report->question.level != FT_MIX_OF_LOOPS ||
            scopes->scopes[report->list[i]].kind == FT_SCOPE_ROUTINE)
            shown += ft_mix_report_row(report, report->list[i])->instructions;
    if (shown < all)
        fprintf(stream, "\nnot shown: %s instructions, %s of the total\n",
                ft_text_count(text[0], (double)(all - shown)),
                ft_text_share(text[1], (double)(all - shown) / (double)all));
}

static int write_all(struct output *output, FILE *stream, struct ft_diag *diag)
{
    int status = FT_OK;
    if (output->csv) {
        choose_metrics(output, 0);
        return write_table(output, stream, diag);
    }
    ft_structure_print_head(output->report->structure, stream);
    for (unsigned t = 0; !status && t < FT_MIX_TABLES; t++) {
        if (choose_metrics(output, t) == 0)
            continue;
        fprintf(stream, "%s%s: %s\n\n", t ? "\n" : "",
                output->report->question.of_code ? "Each instruction counted once" : "As executed",
                headings[t]);
        status = write_table(output, stream, diag);
    }
    if (!status)
        print_remainder(output->report, stream);
    return status;
}

static int write(const struct ft_mix_report *report, bool csv, FILE *stream, struct ft_diag *diag)
{
    struct output *output = calloc(1, sizeof *output);
    if (!output)
        return ft_fail_memory(diag, "a table");
    output->report = report;
    output->csv = csv;
    int status = FT_OK;
    if (is_of_blocks(output))
        status = ft_mix_report_blocks(report, &output->locations, diag);
    if (!status)
        status = write_all(output, stream, diag);
    ft_locations_fini(&output->locations);
    free(output);
    return status;
}

int ft_mix_text(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag)
{
    return write(report, false, stream, diag);
}

int ft_mix_csv(const struct ft_mix_report *report, FILE *stream, struct ft_diag *diag)
{
    return write(report, true, stream, diag);
}
