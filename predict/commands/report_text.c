/*
 * As text, in lines of the terminal's width: the answer in sentences, totals, levels, routines and
 * loops, with a check predicted beside simulated, and notes last.
 */
#include <math.h>

#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/interval_text.h"
#include "predict/commands/report_parts.h"
#include "predict/metrics/cycles.h"
#include "predict/time_bounds.h"

#define NARROW  0.1  /* relative: intervals of loops up to this are left to --wide */
#define OWN     0.5  /* of a scope's time: then what limits it is named */
#define MATTERS 0.01 /* of the program's value: so are those of less */
#define FEW     1e-3 /* of the accesses: misses that hardly matter */

bool ft_report_has_loops(const struct ft_report *report)
{
    const struct ft_model *model = report->prediction->model;
    for (size_t i = 0; i < model->group_count; i++)
        if (model->groups[i].scope != 0)
            return true;
    return model->group_count == 0;
}

int ft_report_startup_sums(const struct ft_report *report, struct ft_startup_sums *ret_sums,
                           struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    return ft_startup_sums_init(ret_sums, report->startup, prediction->inclusive,
                                prediction->intervals, prediction->width, diag);
}

int ft_report_finish(struct ft_table *table, FILE *stream, struct ft_diag *diag)
{
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- totals and levels ---- */

static void add_total(struct ft_table *table, const struct ft_report *report, const char *name,
                      enum ft_metric metric, const char *meaning)
{
    ft_table_text(table, name);
    ft_table_estimate(table, ft_report_row(report, 0)[metric],
                      &ft_report_intervals(report, 0)[metric], ft_text_count);
    ft_table_text(table, meaning);
}

static int print_totals(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "total", "total", false);
    ft_table_column(table, "forecast", "forecast", true);
    ft_table_column(table, "", "meaning", false);
    add_total(table, report, "accesses", FT_METRIC_ACCESSES, "");
    add_total(table, report, "instructions", FT_METRIC_INSTRUCTIONS, "");
    add_total(table, report, "schedule", FT_METRIC_SCHEDULE_CYCLES, "cycles, memory hidden");
    add_total(table, report, "latency", FT_METRIC_SERIAL_CYCLES, "cycles, nothing overlaps");
    return ft_report_finish(table, stream, diag);
}

static bool is_any_guess(const struct ft_prediction *prediction)
{
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (!prediction->resolutions[i].resolved)
            return true;
    return false;
}

/* Whether the program's set-associative misses of all levels are forecast by this. */
static bool are_all(const struct ft_prediction *prediction, enum ft_misses_by by)
{
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (prediction->misses_by[ft_set_assoc_column(i)] != by)
            return false;
    return true;
}

/* What the last column of levels says. */
enum level_marks { MARK_NONE, MARK_GUESSES, MARK_METHODS };

static enum level_marks level_marks(const struct ft_prediction *prediction)
{
    const bool are_alike =
        are_all(prediction, FT_BY_HISTOGRAMS) || are_all(prediction, FT_BY_SYNTHESIS);
    return !are_alike ? MARK_METHODS : is_any_guess(prediction) ? MARK_GUESSES : MARK_NONE;
}

static const char *level_mark(const struct ft_prediction *prediction, size_t level,
                              enum level_marks marks)
{
    if (!prediction->resolutions[level].resolved)
        return "a guess";
    const enum ft_misses_by by = prediction->misses_by[ft_set_assoc_column(level)];
    return marks == MARK_METHODS && by != FT_BY_HISTOGRAMS ? ft_misses_by_name(by) : "";
}

/* Misses and their share of the accesses. Of what is not known, but few at most, that is said. */
static void add_misses(struct ft_table *table, const struct ft_report *report, size_t column)
{
    const double *row = ft_report_row(report, 0);
    const struct ft_interval *interval = &ft_report_intervals(report, 0)[column];
    const struct ft_interval *accesses = &ft_report_intervals(report, 0)[FT_METRIC_ACCESSES];
    const double counted =
        fmax(ft_interval_end(row[FT_METRIC_ACCESSES], accesses, accesses->low), 1);
    char most[FT_NUMBER_TEXT];
    if (ft_interval_is_refused(interval) && interval->high < FEW * counted) {
        ft_table_format(table, "at most %s", ft_text_count(most, interval->high));
        ft_table_format(table, "< %.2g %%", 100 * interval->high / counted);
        return;
    }
    ft_table_estimate(table, row[column], interval, ft_text_count);
    if (ft_interval_is_refused(interval))
        ft_table_empty(table);
    else
        ft_table_share(table, row[column] / fmax(row[FT_METRIC_ACCESSES], 1));
}

static int print_levels(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    const enum level_marks marks = level_marks(prediction);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_level_geometry_columns(table);
    ft_table_column(table, "fully assoc.", "fully_associative", true);
    ft_table_column(table, "per access", "fully_associative_share", true);
    ft_table_column(table, "set assoc.", "set_associative", true);
    ft_table_column(table, "per access", "set_associative_share", true);
    if (marks != MARK_NONE)
        ft_table_column(table, "", "resolved", false);
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        ft_level_geometry_cells(table, &prediction->machine->levels[i]);
        add_misses(table, report, ft_fully_assoc_column(i));
        add_misses(table, report, ft_set_assoc_column(i));
        if (marks != MARK_NONE)
            ft_table_text(table, level_mark(prediction, i, marks));
    }
    fputs(are_all(prediction, FT_BY_SYNTHESIS)
              ? "\nMisses of the synthesised accesses, fully and set-associative, exact LRU:\n\n"
          : !are_all(prediction, FT_BY_HISTOGRAMS)
              ? "\nMisses, fully associative and set-associative, by histograms unless marked:\n\n"
          : prediction->model->set_distance_count > 0
              ? "\nMisses, fully associative and set-associative, sets as sampled:\n\n"
              : "\nMisses, fully associative and binomial set-associative:\n\n",
          stream);
    return ft_report_finish(table, stream, diag);
}

/* ---- routines and loops ---- */

/* What of a scope, or of start-up and exit code, is shown. */
struct loop_row {
    const double *values; /* [column of the prediction] */
    const struct ft_interval *intervals;
    double seconds, convolver_seconds;
    double penalty_seconds; /* NAN: unknown */
    const char *limit;
    struct ft_time_bounds bounds;
};

/* With its interval only where that is wide, or lines are. */
static void add_narrow(struct ft_table *table, const struct ft_report *report,
                       const struct loop_row *row, size_t column)
{
    const struct ft_interval *interval = &row->intervals[column];
    const double value = row->values[column];
    const double half = fmax(interval->high - value, value - interval->low);
    const bool is_minor = interval->high < MATTERS * ft_report_row(report, 0)[column];
    if (!ft_terminal_is_wide() && !ft_interval_is_refused(interval) &&
        (half <= NARROW * value || is_minor))
        ft_table_count(table, value);
    else
        ft_table_estimate(table, value, interval, ft_text_count);
}

/* A column for each level in sets, as its machine has it, then those that only --wide shows. */
static void loop_columns(struct ft_table *table, const struct ft_report *report)
{
    const struct ft_machine *machine = report->prediction->machine;
    ft_scope_columns(table, false);
    if (report->prediction->estimates) {
        ft_table_column(table, "time", "seconds", true);
        ft_table_column(table, "limited by", "limited_by", false);
    } else {
        ft_table_column(table, "at least", "seconds_at_least", true);
        ft_table_column(table, "at most", "seconds_at_most", true);
    }
    if (report->prediction->convolved)
        ft_table_column(table, "convolver", "convolver_seconds", true);
    if (report->prediction->penalties)
        ft_table_column(table, "Marin 2004", "marin_2004_seconds", true);
    for (size_t i = 0; ft_report_has_loops(report) && i < machine->level_count; i++)
        ft_table_column(table, machine->levels[i].name, "set_associative", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "accesses", "accesses", true);
    for (size_t i = 0; ft_report_has_loops(report) && i < machine->level_count; i++) {
        char title[64];
        snprintf(title, sizeof title, "%.50s full", machine->levels[i].name);
        if (machine->levels[i].ways != machine->levels[i].blocks)
            ft_table_column(table, title, "fully_associative", true);
    }
}

/* Whether most of a scope's time is not that of loops inside. */
static bool is_its_own(const struct ft_prediction *prediction, uint32_t scope)
{
    return ft_machine_seconds(prediction->machine, prediction->times[scope].cycles) >
           OWN * prediction->estimates[scope].seconds;
}

static struct loop_row row_of(const struct ft_report *report, uint32_t scope)
{
    const struct ft_prediction *prediction = report->prediction;
    struct loop_row row = {.values = ft_report_row(report, scope),
                           .intervals = ft_report_intervals(report, scope),
                           .limit = "",
                           .bounds = ft_time_bounds_of(prediction, scope)};
    if (prediction->estimates) {
        row.seconds = prediction->estimates[scope].seconds;
        row.limit = is_its_own(prediction, scope) ? prediction->times[scope].limit : "";
    }
    if (prediction->convolved)
        row.convolver_seconds = prediction->convolved[scope].seconds;
    if (prediction->penalties)
        row.penalty_seconds =
            prediction->penalties[scope].known ? prediction->penalties[scope].seconds : NAN;
    return row;
}

/* But for values and intervals. */
static struct loop_row sum_of_startup(const struct ft_report *report)
{
    struct loop_row sum = {.limit = ""};
    for (size_t i = 0; i < report->startup->count; i++) {
        const struct loop_row row = row_of(report, report->startup->routines[i]);
        sum.seconds += row.seconds;
        sum.convolver_seconds += row.convolver_seconds;
        sum.penalty_seconds += row.penalty_seconds;
        sum.bounds.least_seconds += row.bounds.least_seconds;
        sum.bounds.most_seconds += row.bounds.most_seconds;
    }
    return sum;
}

static void loop_cells(struct ft_table *table, const struct ft_report *report,
                       const struct loop_row *row)
{
    const struct ft_machine *machine = report->prediction->machine;
    const bool has_misses = ft_report_has_loops(report);
    if (report->prediction->estimates) {
        ft_table_seconds(table, row->seconds);
        ft_table_text(table, row->limit);
    } else {
        ft_table_bound(table, row->bounds.least_seconds);
        ft_table_bound(table, has_misses ? row->bounds.most_seconds : NAN);
    }
    if (report->prediction->convolved)
        ft_table_seconds(table, row->convolver_seconds);
    if (report->prediction->penalties)
        ft_table_bound(table, row->penalty_seconds);
    for (size_t i = 0; has_misses && i < machine->level_count; i++)
        add_narrow(table, report, row, ft_set_assoc_column(i));
    add_narrow(table, report, row, FT_METRIC_INSTRUCTIONS);
    if (has_misses)
        add_narrow(table, report, row, FT_METRIC_ACCESSES);
    else
        ft_table_text(table, "unknown");
    for (size_t i = 0; has_misses && i < machine->level_count; i++)
        if (machine->levels[i].ways != machine->levels[i].blocks)
            add_narrow(table, report, row, ft_fully_assoc_column(i));
}

static int add_startup_row(struct ft_table *table, const struct ft_report *report, bool inlined,
                           struct ft_diag *diag)
{
    struct loop_row row = sum_of_startup(report);
    struct ft_startup_sums sums;
    FT_TRY(ft_report_startup_sums(report, &sums, diag));
    row.values = sums.values;
    row.intervals = sums.intervals;
    ft_startup_fold_cells(table, report->startup);
    loop_cells(table, report, &row);
    if (inlined)
        ft_table_text(table, "");
    ft_startup_sums_fini(&sums);
    return FT_OK;
}

static int print_loops(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->prediction->model->scopes;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    loop_columns(table, report);
    const bool inlined = ft_scope_inlined_column(table, scopes, report->list, report->count);
    const struct ft_prediction *prediction = report->prediction;
    const uint32_t slowest = prediction->times ? ft_report_slowest(prediction) : 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct loop_row row = row_of(report, report->list[i]);
        ft_scope_cells(table, false, scopes, report->list[i]);
        loop_cells(table, report, &row);
        if (inlined)
            ft_scope_inlined_cell(table, scopes, report->list[i]);
        if (report->list[i] == slowest)
            ft_table_stress_row(table);
    }
    const int status =
        ft_report_folds_startup(report) ? add_startup_row(table, report, inlined, diag) : FT_OK;
    if (status != FT_OK) {
        ft_table_destroy(table);
        return status;
    }
    fputc('\n', stream);
    ft_print_wrapped(stream, 0,
                     "Time and set-associative misses by routine and loop, with the loops nested "
                     "in them%s:\n\n",
                     report->prediction->model->replica_count == 0 || ft_terminal_is_wide()
                         ? ""
                         : "; without interval: within 10 %, or below 1 % of the program");
    return ft_report_finish(table, stream, diag);
}

int ft_report_text(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    FT_TRY(ft_report_answer_print(report, stream, diag));
    fputc('\n', stream);
    FT_TRY(print_totals(report, stream, diag));
    FT_TRY(print_levels(report, stream, diag));
    FT_TRY(print_loops(report, stream, diag));
    if (report->check)
        FT_TRY(ft_report_check_print(report, stream, diag));
    return ft_report_notes_print(report, stream, diag);
}
