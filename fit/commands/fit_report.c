/*
 * For one block size at a time: the measured curves of all groups at all sizes, and what the model
 * and the replicas predict there; sums over the groups are the program's.
 */
#include "fit/commands/fit_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/commands/tail_curve.h"
#include "formats/cli/table.h"

/* Scores of the sizes so far. */
struct tally {
    double errors, accuracies;
    size_t count;
};

/* One group, or the program, at one size. */
struct curves {
    struct ft_tail_curve measured, trained, left_out;
};

struct work {
    const struct ft_model *model;
    const struct ft_histograms **entries; /* by size */
    const struct ft_model **replicas;     /* [size]: fitted without it, or NULL */
    const struct ft_match *match;
    struct ft_tail_curve *measured; /* [group * sizes + size], at one block size */
    struct curves *program;         /* [size], likewise */
    struct ft_forecast forecast;
};

/* Traces in the model's order. */
static int order(struct work *work, const struct ft_histograms *entries, size_t entry_count,
                 struct ft_diag *diag)
{
    const struct ft_model *model = work->model;
    for (size_t i = 0; i < model->training_count; i++) {
        for (size_t e = 0; e < entry_count && !work->entries[i]; e++)
            if (strcmp(entries[e].trace_hash, model->trace_hashes[i]) == 0)
                work->entries[i] = &entries[e];
        if (!work->entries[i])
            return ft_fail(diag, FT_ERROR_USAGE,
                           "trace %s, which the model was fitted to, is missing",
                           model->trace_hashes[i]);
    }
    for (size_t i = 0; i < model->replica_count; i++)
        for (size_t k = 0; k < model->training_count; k++)
            if (model->replicas[i].left_out >> k & 1)
                work->replicas[k] = &model->replicas[i];
    return FT_OK;
}

static void measure(struct work *work, size_t block_size)
{
    const size_t sizes = work->model->training_count;
    memset(work->measured, 0, work->match->group_count * sizes * sizeof *work->measured);
    for (size_t e = 0; e < sizes; e++) {
        const struct ft_histograms *entry = work->entries[e];
        for (size_t i = 0; i < entry->reference_count; i++) {
            uint32_t group = work->match->group_of[e][i];
            if (group != FT_NO_GROUP)
                ft_tail_curve_add_measured(&work->measured[group * sizes + e],
                                           &entry->histograms[i * entry->size_count + block_size]);
        }
    }
}

static int forecast(struct work *work, const struct ft_model *model, size_t group,
                    size_t block_size, size_t size, struct ft_tail_curve *ret_curve,
                    struct ft_diag *diag)
{
    const struct ft_point at =
        ft_point_at(&work->model->basis, ft_model_training(work->model, size));
    *ret_curve = (struct ft_tail_curve){0};
    int status = ft_forecast_evaluate(model, group, block_size, &at, &work->forecast, diag);
    if (status == FT_OK)
        ft_tail_curve_add_forecast(ret_curve, &work->forecast);
    return status;
}

static void count_in(struct tally *tally, const struct ft_tail_curve *predicted,
                     const struct ft_tail_curve *measured)
{
    tally->errors += ft_tail_curve_error(predicted, measured);
    tally->accuracies += ft_tail_curve_accuracy(predicted, measured);
    tally->count++;
}

static struct ft_fit_score mean_of(const struct tally *tally)
{
    double count = (double)tally->count;
    return tally->count == 0
               ? (struct ft_fit_score){NAN, NAN}
               : (struct ft_fit_score){tally->errors / count, tally->accuracies / count};
}

/* Scores of the curves of all sizes. */
static void score(const struct work *work, const struct curves *curves, struct ft_fit_row *row)
{
    const size_t last = work->model->training_count - 1;
    struct tally training = {0}, left_out = {0}, largest = {0};
    for (size_t size = 0; size <= last; size++) {
        count_in(&training, &curves[size].trained, &curves[size].measured);
        if (!work->replicas[size])
            continue;
        count_in(&left_out, &curves[size].left_out, &curves[size].measured);
        if (size == last)
            count_in(&largest, &curves[size].left_out, &curves[size].measured);
    }
    row->training = mean_of(&training);
    row->left_out = mean_of(&left_out);
    row->largest = mean_of(&largest);
}

static int score_group(struct work *work, size_t group, size_t block_size, struct curves *curves,
                       struct ft_fit_row *row, struct ft_diag *diag)
{
    const size_t sizes = work->model->training_count;
    int status = FT_OK;
    for (size_t size = 0; size < sizes && status == FT_OK; size++) {
        struct curves *at = &curves[size];
        *at = (struct curves){.measured = work->measured[group * sizes + size]};
        status = forecast(work, work->model, group, block_size, size, &at->trained, diag);
        if (status == FT_OK && work->replicas[size])
            status =
                forecast(work, work->replicas[size], group, block_size, size, &at->left_out, diag);
        ft_tail_curve_add(&work->program[size].measured, &at->measured);
        ft_tail_curve_add(&work->program[size].trained, &at->trained);
        ft_tail_curve_add(&work->program[size].left_out, &at->left_out);
    }
    score(work, curves, row);
    return status;
}

static int score_block_size(struct work *work, size_t block_size, struct curves *curves,
                            struct ft_fit_row *program, struct ft_fit_row *groups,
                            struct ft_diag *diag)
{
    const struct ft_model *model = work->model;
    double all = 0;
    int status = FT_OK;
    measure(work, block_size);
    memset(work->program, 0, model->training_count * sizeof *work->program);
    for (size_t group = 0; group < model->group_count; group++)
        all += (double)model->groups[group].accesses_at_largest;
    for (size_t group = 0; group < model->group_count && status == FT_OK; group++) {
        struct ft_fit_row *row = &groups[group * model->size_count + block_size];
        *row = (struct ft_fit_row){
            .group = group,
            .block_size = block_size,
            .share = all > 0 ? (double)model->groups[group].accesses_at_largest / all : 0,
        };
        status = score_group(work, group, block_size, curves, row, diag);
    }
    *program = (struct ft_fit_row){FT_WHOLE_PROGRAM, block_size, 1, {0}, {0}, {0}};
    score(work, work->program, program);
    return status;
}

static int compare_rows(const void *left, const void *right)
{
    const struct ft_fit_row *a = left, *b = right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->block_size < b->block_size ? -1 : 1;
}

static int make_rows(struct work *work, struct ft_fit_report *report, struct ft_diag *diag)
{
    const struct ft_model *model = work->model;
    const size_t groups = model->group_count, sizes = model->training_count;
    work->measured = calloc(groups * sizes + 1, sizeof *work->measured);
    work->program = calloc(sizes + 1, sizeof *work->program);
    struct curves *curves = calloc(sizes + 1, sizeof *curves);
    report->rows = calloc((groups + 1) * model->size_count + 1, sizeof *report->rows);
    int status = work->measured && work->program && curves && report->rows
                     ? FT_OK
                     : ft_fail_memory(diag, "a report");
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++)
        status = score_block_size(work, size, curves, &report->rows[size],
                                  report->rows + model->size_count, diag);
    free(curves);
    if (status < 0)
        return status;
    report->count = (groups + 1) * model->size_count;
    qsort(report->rows + model->size_count, groups * model->size_count, sizeof *report->rows,
          compare_rows);
    return FT_OK;
}

int ft_fit_report_make(const struct ft_model *model, const struct ft_match *match,
                       const struct ft_histograms *entries, size_t entry_count,
                       struct ft_fit_report *ret_report, struct ft_diag *diag)
{
    struct ft_fit_report report = {0};
    struct work work = {
        .model = model,
        .match = match,
        .entries = calloc(model->training_count + 1, sizeof *work.entries),
        .replicas = calloc(model->training_count + 1, sizeof *work.replicas),
    };
    int status = work.entries && work.replicas ? order(&work, entries, entry_count, diag)
                                               : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        status = make_rows(&work, &report, diag);
    ft_forecast_fini(&work.forecast);
    free(work.measured);
    free(work.program);
    free(work.entries);
    free(work.replicas);
    if (status == FT_OK)
        *ret_report = report;
    else
        ft_fit_report_fini(&report);
    return status;
}

void ft_fit_report_fini(struct ft_fit_report *report)
{
    free(report->rows);
    *report = (struct ft_fit_report){0};
}

/* ---- the table ---- */

static void add_score(struct ft_table *table, const struct ft_fit_score *score)
{
    const double shares[] = {score->error, score->accuracy};
    for (size_t i = 0; i < 2; i++)
        if (isfinite(shares[i]))
            ft_table_percent(table, shares[i]);
        else
            ft_table_empty(table);
}

static void add_row(struct ft_table *table, const struct ft_model *model,
                    const struct ft_fit_row *row, bool csv)
{
    ft_group_cells(table, model, row->group, csv);
    ft_table_bytes(table, (double)model->block_bytes[row->block_size]);
    ft_table_share(table, row->share);
    add_score(table, &row->training);
    add_score(table, &row->left_out);
    add_score(table, &row->largest);
}

int ft_fit_report_print(const struct ft_fit_report *report, const struct ft_model *model, bool csv,
                        size_t group_max, FILE *stream, struct ft_diag *diag)
{
    const size_t most = csv ? report->count : (group_max + 1) * model->size_count;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_group_columns(table, csv);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "accesses", "accesses_share", true);
    ft_table_column(table, "training: misses", "training_error", true);
    ft_table_column(table, "overlap", "training_accuracy", true);
    ft_table_column(table, "left out: misses", "left_out_error", true);
    ft_table_column(table, "overlap", "left_out_accuracy", true);
    ft_table_column(table, "largest: misses", "largest_error", true);
    ft_table_column(table, "overlap", "largest_accuracy", true);
    for (size_t i = 0; i < report->count && i < most; i++)
        add_row(table, model, &report->rows[i], csv);
    int status = ft_table_write(table, stream, csv, diag);
    ft_table_destroy(table);
    return status;
}
