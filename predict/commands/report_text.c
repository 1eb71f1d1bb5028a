/*
 * As text: what was asked and how far it is from what was fitted; the total; the levels; then
 * time and misses by routine and loop, or with a check predicted beside simulated.
 */
#include <math.h>
#include <string.h>

#include "formats/commands/scope_report.h"
#include "formats/x86/unit.h"
#include "machines/commands/level_report.h"
#include "predict/commands/interval_text.h"
#include "predict/commands/report.h"
#include "predict/cycles.h"
#include "predict/intervals/growing_data.h"
#include "predict/intervals/regimes.h"
#include "predict/intervals/string_calls.h"

static const double *predicted_row(const struct ft_report *report, size_t scope)
{
    return report->prediction->inclusive + scope * report->prediction->width;
}

static const struct ft_interval *intervals_of(const struct ft_report *report, size_t scope)
{
    return report->prediction->intervals + scope * report->prediction->width;
}

static const double *simulated_row(const struct ft_report *report, size_t scope)
{
    return report->check->inclusive + scope * report->check->width;
}

static double seconds_of(const struct ft_report *report, size_t scope)
{
    return ft_machine_seconds(report->prediction->machine,
                              ft_prediction_cycles(report->prediction, scope));
}

static struct ft_interval seconds_interval(const struct ft_report *report, size_t scope)
{
    struct ft_interval interval = intervals_of(report, scope)[FT_METRIC_CYCLES];
    interval.low = ft_machine_seconds(report->prediction->machine, interval.low);
    interval.high = ft_machine_seconds(report->prediction->machine, interval.high);
    return interval;
}

/* The other parameters of a model over several. */
static void print_fixed(const struct ft_model *model, FILE *stream)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const struct ft_model_fixed *fixed = &model->fixed[i];
        bool inside = fixed->value >= fixed->least && fixed->value <= fixed->largest;
        fprintf(stream, "at %s = %.15g, trained from %.15g to %.15g%s; ", fixed->name, fixed->value,
                fixed->least, fixed->largest, inside ? "" : ", so an extrapolation");
    }
}

static void print_head(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_model *model = prediction->model;
    const struct ft_machine *machine = prediction->machine;
    double smallest = model->training[0], largest = model->training[model->training_count - 1];
    char share[FT_NUMBER_TEXT], asked[FT_QUERY_POINT_TEXT];
    fprintf(stream, "%s, %s = %.15g on %s: %s\n", model->program, model->parameter, prediction->n,
            machine->name, machine->description);
    fprintf(stream, "fitted over %zu sizes, %s = %.15g to %.15g; ", model->training_count,
            model->parameter, smallest, largest);
    print_fixed(model, stream);
    if (prediction->n >= smallest && prediction->n <= largest)
        fprintf(stream, "%.15g lies inside\n", prediction->n);
    else
        fprintf(stream, "%.15g is an extrapolation, %.3g times %s\n", prediction->n,
                prediction->n > largest ? prediction->n / largest : smallest / prediction->n,
                prediction->n > largest ? "the largest" : "below the smallest");
    if (*ft_query_point_text(asked, model, &prediction->size))
        fprintf(stream, "%s\n", asked);
    fprintf(stream, "%s of the accesses at %s = %.15g are in references found at all sizes\n\n",
            ft_text_share(share, model->matched_share), model->parameter, largest);
}

/* "accesses      1.23 G (1.20 G to 1.26 G)" */
static void print_metric(const char *name, double value, const struct ft_interval *interval,
                         ft_number_writer *write, FILE *stream)
{
    char text[FT_NUMBER_TEXT], range[FT_INTERVAL_TEXT];
    ft_text_interval(range, interval, write);
    fprintf(stream, "%-12s  %s%s%s%s", name, ft_text_estimate(text, value, interval, write),
            range[0] ? " (" : "", range, range[0] ? ")" : "");
}

static void print_total(const struct ft_report *report, FILE *stream)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *row = predicted_row(report, 0);
    const struct ft_interval *intervals = intervals_of(report, 0);
    const struct ft_interval seconds = seconds_interval(report, 0);
    if (prediction->model->replica_count > 0)
        fputs("Forecast with 95 % intervals\n", stream);
    print_metric("accesses", row[FT_METRIC_ACCESSES], &intervals[FT_METRIC_ACCESSES], ft_text_count,
                 stream);
    fputc('\n', stream);
    print_metric("instructions", row[FT_METRIC_INSTRUCTIONS], &intervals[FT_METRIC_INSTRUCTIONS],
                 ft_text_count, stream);
    fputc('\n', stream);
    print_metric("schedule", row[FT_METRIC_SCHEDULE_CYCLES], &intervals[FT_METRIC_SCHEDULE_CYCLES],
                 ft_text_count, stream);
    fputs(" cycles, a lower bound: issue width and units, no dependences\n", stream);
    print_metric("memory", row[FT_METRIC_MEMORY_CYCLES], &intervals[FT_METRIC_MEMORY_CYCLES],
                 ft_text_count, stream);
    fprintf(stream, " cycles, the exposed share of the miss latencies%s\n",
            prediction->dirty_memory ? ", modified lines written back" : "");
    print_metric("time", seconds_of(report, 0), &seconds, ft_text_seconds, stream);
    fprintf(stream, " at %.3g GHz, the sum of both\n\n", prediction->machine->clock_ghz);
}

static int finish(struct ft_table *table, FILE *stream, struct ft_diag *diag)
{
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static int print_levels(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    static const char *const kinds[] = {"fully assoc. misses", "set assoc. misses"};
    const struct ft_prediction *prediction = report->prediction;
    const double accesses = fmax(predicted_row(report, 0)[FT_METRIC_ACCESSES], 1);
    char text[FT_NUMBER_TEXT], range[FT_INTERVAL_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_level_geometry_columns(table);
    for (size_t j = 0; j < 2; j++) {
        ft_table_column(table, kinds[j], kinds[j], true);
        ft_table_column(table, "interval", "interval", true);
        ft_table_column(table, "miss ratio", "share", true);
    }
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        ft_level_geometry_cells(table, &prediction->machine->levels[i]);
        for (size_t j = ft_fully_assoc_column(i); j <= ft_set_assoc_column(i); j++) {
            const double misses = predicted_row(report, 0)[j];
            const struct ft_interval *interval = &intervals_of(report, 0)[j];
            ft_table_text(table, ft_text_estimate(text, misses, interval, ft_text_count));
            ft_text_interval(range, interval, ft_text_count);
            ft_table_text(table, range[0] ? range : "-");
            if (ft_interval_is_refused(interval))
                ft_table_empty(table);
            else
                ft_table_share(table, misses / accesses);
        }
    }
    return finish(table, stream, diag);
}

/* What the model does not know, or was not shown. */
static void print_doubts(const struct ft_report *report, FILE *stream)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_model *model = prediction->model;
    struct ft_regime regimes[FT_REGIMES_MAX];
    const size_t count = ft_regimes_dropped(model, prediction->machine, regimes);
    bool refused = false;
    char share[FT_NUMBER_TEXT];
    for (size_t i = 0; i < prediction->width; i++)
        refused = refused || (intervals_of(report, 0)[i].high > 0 &&
                              ft_interval_is_refused(&intervals_of(report, 0)[i]));
    if (model->replica_count == 0)
        fprintf(stream,
                "\nwarning: no intervals: the model has no replicas (%zu training sizes). "
                "Fit it again\nto 3 sizes or more\n",
                model->training_count);
    else if (refused)
        fprintf(stream,
                "\nnote: unknown: the training sizes do not determine it. Leaving one of them out "
                "changes\nthe forecast by as much as itself: train with more, and larger, "
                "sizes\n");
    if (prediction->long_string_calls != FT_NO_STRING_CALLS)
        fprintf(stream,
                "\nnote: calls of %s get longer than 2 KiB beyond the training\nsizes: it "
                "may then use a string instruction in the place of vectors, an access per\n%d "
                "bytes. Intervals of accesses allow for that\n",
                model->scopes.scopes[prediction->long_string_calls].name, FT_STRING_GRANULE_BYTES);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "\nnote: functions of %s of the touches leave out %s =",
                ft_text_share(share, regimes[i].share), model->parameter);
        for (size_t k = 0; k < regimes[i].left_out && k < model->training_count; k++)
            fprintf(stream, " %.15g", model->training[k]);
        fprintf(stream, ", where another law holds (most of\nthem in %s)\n",
                model->scopes.scopes[regimes[i].scope].name);
    }
}

static void print_conflicts(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_model *model = prediction->model;
    char binomial[FT_NUMBER_TEXT], worst[FT_NUMBER_TEXT], stride[FT_NUMBER_TEXT];
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const struct ft_set_conflict *conflict = &prediction->conflicts[i];
        if (!ft_set_conflict_matters(conflict))
            continue;
        const struct ft_model_group *group = &model->groups[conflict->group];
        fprintf(stream,
                "\nwarning: conflicts in %s may make its %s set assoc. misses %s:\n%s, line %u: "
                "steps of %s reach %.0f of %llu sets\n",
                level->name, ft_text_count(binomial, conflict->binomial),
                ft_text_count(worst, conflict->worst), model->scopes.scopes[group->scope].name,
                group->line, ft_text_bytes(stride, conflict->stride_bytes), conflict->sets_reached,
                (unsigned long long)(level->blocks / level->ways));
    }
}

/* What the training sizes cannot teach must not look like a forecast. */
static void print_warnings(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_model *model = prediction->model;
    double largest = model->training[model->training_count - 1];
    char text[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const struct ft_level *level = &prediction->machine->levels[i];
        const struct ft_resolution *resolution = &prediction->resolutions[i];
        const char *blocks = level->kind == FT_LEVEL_TLB ? "pages" : "lines";
        if (resolution->resolved)
            continue;
        fprintf(stream, "\nwarning: the forecast of %s is a guess: ", level->name);
        if (resolution->growing_blocks < FT_GROWING_BLOCKS)
            fprintf(stream,
                    "at %s = %.15g, the largest training size, the data that\ngrow with %s take "
                    "about %.0f of the %.0f %s of %s touched (%s holds %llu)",
                    model->parameter, largest, model->parameter, resolution->growing_blocks,
                    resolution->training_blocks, blocks,
                    ft_text_bytes(bytes, (double)level->block_bytes), level->name,
                    (unsigned long long)level->blocks);
        else
            fprintf(stream,
                    "%s touches depend on reuse that was within\n%.0f %s of %s at %s = %.15g, the "
                    "largest training size (%s holds %llu)",
                    ft_text_count(text, resolution->near_touches), FT_NEAR_BLOCKS, blocks,
                    ft_text_bytes(bytes, (double)level->block_bytes), model->parameter, largest,
                    level->name, (unsigned long long)level->blocks);
        fprintf(
            stream,
            ":\ntoo few to determine how it grows. Train with %s = %.15g and larger if this level "
            "matters\n",
            model->parameter, resolution->better_n);
    }
}

static int print_times(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->prediction->model->scopes;
    struct ft_table *table = ft_table_create();
    double total = seconds_of(report, 0);
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "schedule", "schedule_cycles", true);
    ft_table_column(table, "memory", "memory_cycles", true);
    ft_table_column(table, "time", "seconds", true);
    ft_table_column(table, "share", "share", true);
    const bool inlined = ft_scope_inlined_column(table, scopes, report->list, report->count);
    for (size_t i = 0; i < report->count; i++) {
        const double *row = predicted_row(report, report->list[i]);
        const struct ft_interval *intervals = intervals_of(report, report->list[i]);
        const struct ft_interval interval = seconds_interval(report, report->list[i]);
        double seconds = seconds_of(report, report->list[i]);
        static const size_t columns[] = {FT_METRIC_ACCESSES, FT_METRIC_INSTRUCTIONS,
                                         FT_METRIC_SCHEDULE_CYCLES, FT_METRIC_MEMORY_CYCLES};
        ft_scope_cells(table, false, scopes, report->list[i]);
        for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
            ft_table_estimate(table, row[columns[j]], &intervals[columns[j]], ft_text_count);
        ft_table_estimate(table, seconds, &interval, ft_text_seconds);
        ft_table_share(table, total > 0 ? seconds / total : 0);
        if (inlined)
            ft_scope_inlined_cell(table, scopes, report->list[i]);
    }
    fprintf(stream,
            "\nTime by routine and loop, with the loops nested in them; schedule and memory in "
            "cycles:\n\n");
    return finish(table, stream, diag);
}

static int print_misses(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    ft_level_columns(table, false, prediction->machine, "predicted");
    for (size_t i = 0; i < report->count; i++) {
        ft_scope_cells(table, false, &prediction->model->scopes, report->list[i]);
        for (size_t j = FT_METRIC_COUNT; j < prediction->width; j++) {
            const struct ft_level *level = &prediction->machine->levels[(j - FT_METRIC_COUNT) / 2];
            if (j == ft_fully_assoc_column((j - FT_METRIC_COUNT) / 2) ||
                level->ways != level->blocks)
                ft_table_estimate(table, predicted_row(report, report->list[i])[j],
                                  &intervals_of(report, report->list[i])[j], ft_text_count);
        }
    }
    fprintf(stream, "\nMisses, fully associative (full) and binomial set-associative (set):\n\n");
    return finish(table, stream, diag);
}

/* ---- predicted beside simulated ---- */

static void add_comparison(struct ft_table *table, double predicted,
                           const struct ft_interval *interval, double simulated)
{
    char text[FT_NUMBER_TEXT];
    ft_table_text(table, ft_text_estimate(text, predicted, interval, ft_text_count));
    ft_table_count(table, simulated);
    if (simulated > 0 && !ft_interval_is_refused(interval))
        ft_table_format(table, "%+.1f %%", 100 * (predicted - simulated) / simulated);
    else
        ft_table_empty(table);
}

static void add_check_columns(struct ft_table *table)
{
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "full: predicted", "predicted_fully_associative", true);
    ft_table_column(table, "simulated", "simulated_fully_associative", true);
    ft_table_column(table, "error", "fully_associative_error", true);
    ft_table_column(table, "set: predicted", "predicted_set_associative", true);
    ft_table_column(table, "simulated", "simulated_set_associative", true);
    ft_table_column(table, "error", "set_associative_error", true);
}

static void add_check_cells(struct ft_table *table, const struct ft_report *report, size_t scope,
                            size_t level)
{
    const double *predicted = predicted_row(report, scope) + ft_fully_assoc_column(level);
    const struct ft_interval *intervals =
        intervals_of(report, scope) + ft_fully_assoc_column(level);
    const double *simulated = simulated_row(report, scope) + 1 + 2 * level;
    ft_table_text(table, report->prediction->machine->levels[level].name);
    add_comparison(table, predicted[0], &intervals[0], simulated[0]);
    add_comparison(table, predicted[1], &intervals[1], simulated[1]);
}

static int print_check_total(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    char text[FT_NUMBER_TEXT], simulated[FT_NUMBER_TEXT], share[FT_NUMBER_TEXT];
    if (!table)
        return ft_fail_memory(diag, "a table");
    fprintf(stream,
            "\nPredicted vs. simulated (exact, from the trace): accesses %s vs. %s;\n%s of the "
            "simulated accesses are in routines and loops that the model has\n\n",
            ft_text_estimate(text, predicted_row(report, 0)[FT_METRIC_ACCESSES],
                             &intervals_of(report, 0)[FT_METRIC_ACCESSES], ft_text_count),
            ft_text_count(simulated, simulated_row(report, 0)[0]),
            ft_text_share(share, report->check->matched_share));
    add_check_columns(table);
    for (size_t i = 0; i < report->prediction->machine->level_count; i++)
        add_check_cells(table, report, 0, i);
    return finish(table, stream, diag);
}

static int print_check_scopes(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    add_check_columns(table);
    for (size_t i = 0; i < report->count; i++)
        for (size_t level = 0; level < report->prediction->machine->level_count; level++) {
            if (level == 0) {
                ft_scope_cells(table, false, &report->prediction->model->scopes, report->list[i]);
            } else {
                ft_table_text(table, "");
                ft_table_text(table, "");
            }
            add_check_cells(table, report, report->list[i], level);
        }
    fputc('\n', stream);
    return finish(table, stream, diag);
}

int ft_report_text(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    print_head(prediction, stream);
    print_total(report, stream);
    const double *total = predicted_row(report, 0);
    if (prediction->model->replica_count > 0)
        FT_TRY(print_levels(report, stream, diag));
    else
        FT_TRY(ft_level_table_print(prediction->machine, total + FT_METRIC_COUNT,
                                    total[FT_METRIC_ACCESSES], stream, diag));
    print_warnings(prediction, stream);
    print_conflicts(prediction, stream);
    print_doubts(report, stream);
    FT_TRY(print_times(report, stream, diag));
    if (!report->check)
        return print_misses(report, stream, diag);
    FT_TRY(print_check_total(report, stream, diag));
    return print_check_scopes(report, stream, diag);
}
