/*
 * `foretrace predict`: a model, a value of its parameter and a machine give misses and time; with
 * --check, beside the exact simulation of a trace of that size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/commands/scope_report.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "formats/model/query_point.h"
#include "machines/commands/report_options.h"
#include "predict/commands/hierarchy_report.h"
#include "predict/commands/report.h"
#include "predict/time_bounds.h"

#define MATCHED_WELL 0.95

/* The trace of --check; NULL both without. */
struct checked {
    const char *path;
    struct ft_trace *trace;
};

/* What the trace of --check says of a name; it must agree with what was given. */
static int take_from_trace(const struct checked *checked, const char *name, double *value,
                           struct ft_diag *diag)
{
    double traced = 0;
    if (!ft_check_parameter(checked->trace, name, &traced))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: the trace did not record %s (capture -D %s=VALUE)", checked->path, name,
                       name);
    if (*value != 0 && *value != traced)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s=%.15g: %s has %s = %.15g", name, *value,
                       checked->path, name, traced);
    *value = traced;
    return FT_OK;
}

/* All that --at may give: of a model over parameters these, but not the first one where a size of
 * the data stands for it; of one over the data what its traces recorded, where no size is given. */
static int take_all_from_trace(const struct checked *checked, const struct ft_model *model,
                               struct ft_query_values *asked, struct ft_diag *diag)
{
    int status = FT_OK;
    const char *name;
    if (!model->over_data_size) {
        const size_t first = ft_query_point_has_other(asked) ? 1 : 0;
        for (size_t i = first; i < model->basis.parameter_count && status == FT_OK; i++)
            status = take_from_trace(checked, model->basis.parameters[i], &asked->values[i], diag);
    } else if (asked->values[0] == 0) {
        for (size_t i = 0; status == FT_OK && (name = ft_query_point_other(model, i)); i++)
            status = take_from_trace(checked, name, &asked->others[i], diag);
    }
    return status;
}

/* Whether two have a value of the same name. */
static bool overlap(const struct ft_query_values *a, const struct ft_query_values *b)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        if ((a->values[i] != 0 && b->values[i] != 0) || (a->others[i] != 0 && b->others[i] != 0))
            return true;
    return false;
}

static void add_values(struct ft_query_values *sum, const struct ft_query_values *values)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++) {
        sum->values[i] += values->values[i];
        sum->others[i] += values->others[i];
    }
}

/* All --at: each adds to the point before it, or begins another where that has the same name. The
 * caller frees the points, at least one. */
static int read_points(const struct ft_arguments *arguments, const struct ft_model *model,
                       struct ft_query_values **ret_points, size_t *ret_count, struct ft_diag *diag)
{
    const size_t given = ft_option_count(arguments, "at");
    struct ft_query_values *points = calloc(given + 1, sizeof *points);
    size_t count = 1;
    if (!points)
        return ft_fail_memory(diag, "sizes");
    for (size_t i = 0; i < given; i++) {
        struct ft_diag inner = {0};
        struct ft_query_values values = {0};
        if (ft_query_point_read(model, ft_option_at(arguments, "at", i), &values, &inner) < 0) {
            free(points);
            return ft_fail(diag, FT_ERROR_USAGE, "--at %s", inner.message);
        }
        count += overlap(&points[count - 1], &values);
        add_values(&points[count - 1], &values);
    }
    *ret_points = points;
    *ret_count = count;
    return FT_OK;
}

/* --at NAME=VALUE of each parameter, or the trace of --check tells the values. */
static int complete_point(const struct ft_arguments *arguments, const struct ft_model *model,
                          const struct checked *checked, struct ft_query_values *asked,
                          struct ft_diag *diag)
{
    const size_t width = model->basis.parameter_count;
    if (model->over_data_size && !ft_option_count(arguments, "at") &&
        !ft_query_point_other(model, 0))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "the model runs over the data size: --at %s=BYTES is needed, which "
                       "'foretrace footprint %s' shows",
                       model->parameter, checked->path);
    if (checked->trace)
        FT_TRY(take_all_from_trace(checked, model, asked, diag));
    for (size_t i = ft_query_point_has_other(asked) ? 1 : 0; i < width; i++)
        if (asked->values[i] == 0)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "the model runs over %zu parameters: --at %s=VALUE is needed too", width,
                           model->basis.parameters[i]);
    return FT_OK;
}

static void warn_of_stranger(const char *trace, double matched_share)
{
    char text[FT_NUMBER_TEXT];
    if (matched_share < MATCHED_WELL)
        fprintf(stderr,
                "foretrace predict: warning: %s: only %s of its accesses are in routines and loops "
                "that the model has; is it a trace of the same program ('foretrace info')?\n",
                trace, ft_text_share(text, matched_share));
}

static int simulate_checked(const struct checked *checked, const struct ft_prediction *prediction,
                            struct ft_check *ret_check, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_check_trace(checked->trace, prediction, &progress.base, ret_check, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        warn_of_stranger(checked->path, ret_check->matched_share);
    return status;
}

/* ---- points and machines ---- */

/* A point, and the model there: one over its first parameter alone. */
struct point {
    struct ft_model model;
    struct ft_query_point size;
};

struct result {
    struct ft_prediction prediction;
    struct ft_check check;
    uint32_t *list;
};

struct request {
    const struct ft_arguments *arguments;
    struct ft_report_options options;
    enum ft_miss_method misses;
    struct checked checked;
    struct point *points;
    size_t point_count;
    struct result *results; /* point by point, machine by machine */
    struct ft_report *reports;
    size_t report_count;
};

static void fini(struct request *request)
{
    for (size_t i = 0; i < request->report_count; i++) {
        ft_check_fini(&request->results[i].check);
        ft_prediction_fini(&request->results[i].prediction);
        free(request->results[i].list);
    }
    for (size_t i = 0; i < request->point_count; i++)
        ft_model_fini(&request->points[i].model);
    free(request->results);
    free(request->reports);
    free(request->points);
    ft_trace_close(request->checked.trace);
    ft_report_options_fini(&request->options);
}

static int open_checked(struct checked *checked, struct ft_diag *diag)
{
    return checked->path ? ft_trace_open_named(checked->path, false, &checked->trace, diag) : FT_OK;
}

static int read_model(const struct ft_arguments *arguments, struct ft_model *ret_model,
                      struct ft_diag *diag)
{
    const char *path = ft_operands(arguments)[0];
    int status = ft_model_read(path, ft_option_last(arguments, "model"), ret_model, diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(path, "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         diag);
    return status;
}

static int resolve_point(const struct request *request, struct ft_query_values *asked,
                         struct point *point, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    FT_TRY(complete_point(request->arguments, &point->model, &request->checked, asked, diag));
    if (point->model.basis.parameter_count > 1)
        FT_TRY(ft_model_restrict(&point->model, asked->values, diag));
    int status = ft_query_point_resolve(&point->model, asked, &point->size, &inner);
    return status == FT_OK ? FT_OK : ft_fail(diag, status, "--at %s", inner.message);
}

/* Restricting changes a model, so each point has its own. */
static int make_points(struct request *request, struct ft_diag *diag)
{
    struct ft_model model;
    struct ft_query_values *asked = NULL;
    size_t count = 0;
    FT_TRY(read_model(request->arguments, &model, diag));
    int status = open_checked(&request->checked, diag);
    if (status == FT_OK)
        status = read_points(request->arguments, &model, &asked, &count, diag);
    if (status == FT_OK && !(request->points = calloc(count, sizeof *request->points)))
        status = ft_fail_memory(diag, "sizes");
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        struct point *point = &request->points[i];
        if (i + 1 == count) {
            point->model = model;
            model = (struct ft_model){0};
        } else {
            status = read_model(request->arguments, &point->model, diag);
        }
        request->point_count += status == FT_OK;
        if (status == FT_OK)
            status = resolve_point(request, &asked[i], point, diag);
    }
    ft_model_fini(&model);
    free(asked);
    return status;
}

static int forecast(const struct request *request, const struct point *point,
                    const struct ft_machine *machine, struct ft_prediction *prediction,
                    struct ft_diag *diag)
{
    struct ft_progress_line progress;
    const struct ft_predict_options options = {.dirty_memory =
                                                   ft_option_count(request->arguments, "dirty") > 0,
                                               .misses = request->misses,
                                               .progress = &progress.base};
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_predict(&point->model, machine, &point->size, &options, prediction, diag);
    ft_progress_line_fini(&progress);
    return status;
}

/* Predicts, simulates with --check, and selects the scopes that may take the most time. */
static int make_report(struct request *request, const struct point *point,
                       const struct ft_machine *machine, struct result *result,
                       struct ft_report *report, struct ft_diag *diag)
{
    struct ft_prediction *prediction = &result->prediction;
    const struct ft_scopes *scopes = &point->model.scopes;
    FT_TRY(forecast(request, point, machine, prediction, diag));
    if (request->checked.trace)
        FT_TRY(simulate_checked(&request->checked, prediction, &result->check, diag));
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = prediction->estimates ? prediction->estimates[i].seconds
                                           : ft_serial_cycles(prediction, i);
    *report = (struct ft_report){.prediction = prediction,
                                 .check = request->checked.trace ? &result->check : NULL};
    int status = ft_scopes_select(scopes, weights, request->options.loop_limit, &result->list,
                                  &report->count, diag);
    free(weights);
    report->list = result->list;
    return status;
}

static int make_reports(struct request *request, struct ft_diag *diag)
{
    const size_t machines = request->options.machine_count;
    const size_t count = request->point_count * machines;
    request->results = calloc(count + 1, sizeof *request->results);
    request->reports = calloc(count + 1, sizeof *request->reports);
    if (!request->results || !request->reports)
        return ft_fail_memory(diag, "reports");
    int status = FT_OK;
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        request->report_count = i + 1;
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): fini frees the points */
        status = make_report(request, &request->points[i / machines],
                             &request->options.machines[i % machines], &request->results[i],
                             &request->reports[i], diag);
    }
    return status;
}

/* ---- the command ---- */

static int print(const struct request *request, struct ft_diag *diag)
{
    const struct ft_report *reports = request->reports;
    const size_t count = request->report_count;
    if (request->options.form == FT_REPORT_JSON)
        return ft_reports_json(reports, count, stdout, diag);
    if (request->options.form == FT_REPORT_CSV)
        return ft_reports_csv(reports, count, stdout, diag);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        FT_TRY(ft_report_text(&reports[i], stdout, diag));
    }
    return count > 1 ? ft_reports_compare(reports, count, stdout, diag) : FT_OK;
}

static int check_dirty(const struct request *request, struct ft_diag *diag)
{
    for (size_t i = 0; i < request->options.machine_count; i++) {
        const struct ft_machine *machine = &request->options.machines[i];
        if (ft_option_count(request->arguments, "dirty") &&
            machine->dirty_memory_latency_cycles == 0)
            return ft_fail(diag, FT_ERROR_USAGE, "--dirty: %s has no dirty_latency_cycles",
                           machine->name);
    }
    return FT_OK;
}

/* ---- hierarchies ---- */

static int forecast_hierarchy(const struct request *request, const struct ft_prediction *prediction,
                              bool without_limit, struct ft_hierarchy_forecast *ret_forecast,
                              struct ft_diag *diag)
{
    struct ft_progress_line progress;
    struct ft_hierarchy_forecast_options options = {
        .causes = ft_option_count(request->arguments, "causes") > 0,
        .accesses_max = without_limit ? INFINITY : FT_SYNTHESIS_ACCESSES,
        .progress = &progress.base};
    FT_TRY(ft_option_u64(request->arguments, "seed", 1, 0, INT64_MAX, &options.seed, diag));
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_hierarchy_forecast(prediction, &options, ret_forecast, diag);
    ft_progress_line_fini(&progress);
    return status;
}

static int check_hierarchy(const struct checked *checked,
                           const struct ft_hierarchy_forecast *forecast,
                           struct ft_hierarchy_check *ret_check, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_hierarchy_check(checked->trace, forecast, &progress.base, ret_check, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        warn_of_stranger(checked->path, ret_check->matched_share);
    return status;
}

/* The only point on the only machine. Histograms say what the synthesis lacks. */
static int predict_hierarchy(struct request *request, struct ft_diag *diag)
{
    const bool without_limit = request->misses == FT_MISSES_SYNTHESIS;
    const bool is_checked = request->checked.trace != NULL;
    struct ft_prediction prediction;
    struct ft_hierarchy_forecast hierarchy = {0};
    struct ft_hierarchy_check check = {0};
    if (request->point_count > 1)
        return ft_fail(diag, FT_ERROR_USAGE, "--hierarchy: give one --at");
    request->misses = FT_MISSES_HISTOGRAMS;
    FT_TRY(forecast(request, &request->points[0], request->options.machines, &prediction, diag));
    int status = forecast_hierarchy(request, &prediction, without_limit, &hierarchy, diag);
    if (status == FT_OK && is_checked)
        status = check_hierarchy(&request->checked, &hierarchy, &check, diag);
    if (status == FT_OK)
        status = ft_hierarchy_forecast_print(&prediction, &hierarchy, is_checked ? &check : NULL,
                                             &request->options, diag);
    ft_hierarchy_check_fini(&check);
    ft_hierarchy_forecast_fini(&hierarchy);
    ft_prediction_fini(&prediction);
    return status;
}

static int predict(struct request *request, struct ft_diag *diag)
{
    FT_TRY(check_dirty(request, diag));
    FT_TRY(make_points(request, diag));
    if (ft_option_count(request->arguments, "hierarchy")) {
        FT_TRY(predict_hierarchy(request, diag));
        return ft_stdout_finish(diag);
    }
    if (request->checked.trace && request->point_count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--check: a trace is of one size; give --at once, or leave it out");
    FT_TRY(make_reports(request, diag));
    FT_TRY(print(request, diag));
    return ft_stdout_finish(diag);
}

static const char *const miss_methods[] = {[FT_MISSES_BEST] = "best",
                                           [FT_MISSES_HISTOGRAMS] = "histograms",
                                           [FT_MISSES_SYNTHESIS] = "synthesis"};

/* --misses; 0 or an exit code. */
static int read_misses(const struct ft_arguments *arguments, enum ft_miss_method *ret_method)
{
    const char *name = ft_option_last(arguments, "misses");
    for (size_t i = 0; name && i < sizeof miss_methods / sizeof *miss_methods; i++)
        if (strcmp(name, miss_methods[i]) == 0) {
            *ret_method = (enum ft_miss_method)i;
            return 0;
        }
    return name ? ft_command_misuse(arguments, "--misses %s: must be best, histograms or synthesis",
                                    name)
                : 0;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct request request = {.arguments = arguments,
                              .checked.path = ft_option_last(arguments, "check")};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one model file");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--machine is needed");
    if (!ft_option_count(arguments, "at") && !ft_option_count(arguments, "check"))
        return ft_command_misuse(arguments, "--at is needed (or --check, whose trace provides it)");
    const int code = read_misses(arguments, &request.misses);
    if (code != 0)
        return code;
    if (ft_option_count(arguments, "hierarchy") && request.misses == FT_MISSES_HISTOGRAMS)
        return ft_command_misuse(arguments, "--hierarchy: histograms tell nothing of it; "
                                            "--misses must be best or synthesis");
    if (ft_option_count(arguments, "hierarchy") && ft_option_count(arguments, "machine") > 1)
        return ft_command_misuse(arguments, "--hierarchy: give one --machine");
    int status = ft_report_options_read(arguments, &request.options, &diag);
    if (status == FT_OK)
        status = predict(&request, &diag);
    fini(&request);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option predict_options[] = {
    {"at", 0, "NAME=VALUE",
     "a size to forecast; N=160,M=5 for several parameters; s=BYTES for a data size",
     .repeats = true},
    {"model", 0, "NAME", "which of the file's models (required if there are several)"},
    {"check", 0, "TRACE", "also simulate this trace, of the same size, exactly and show both",
     .reads = true},
    {"misses", 0, "METHOD",
     "how: synthesis, however long it takes; histograms; or the best (default)"},
    {"dirty", 0, NULL, "charge every miss to memory with the write-back of a modified line",
     .excludes = "hierarchy"},
    {"hierarchy", 0, NULL, "each level sees what misses before it, behaving as described"},
    {"causes", 0, NULL, "also misses by cause, cold, capacity and conflict", .needs = "hierarchy"},
    {"seed", 0, "NUMBER", "with --hierarchy: of random replacement (1)", .needs = "hierarchy"},
    FT_REPORT_OPTIONS(true, "that take most time"),
    FT_QUIET_OPTION,
};

const struct ft_command ft_predict_command = {
    .name = "predict",
    .synopsis = "predict [options] --at NAME=VALUE --machine MACHINE MODEL",
    .summary = "misses and time of every loop, for a size and a machine it never ran on",
    .details =
        "Misses come from the model's reuse distances, fully associative (full) and with the\n"
        "binomial model of sets (set). Time is what the core takes for the code, or what misses\n"
        "take, whichever is longer, and chains of loads besides; where the machine has no\n"
        "description of its core, bounds: at least the schedule (instructions over issue width,\n"
        "operations over units), at most all latencies, one after the other.\n"
        "Values have 95 % intervals; what the training sizes do not determine is unknown.\n"
        "\n"
        "With --hierarchy the levels work together as `simulate --hierarchy` has them, which\n"
        "--check then compares with: from the accesses that the model's skeleton makes, without\n"
        "times and fetches. A model without a skeleton has no such forecast.\n"
        "\n"
        "Several --at or --machine: a forecast of each, and a table that compares them.\n"
        "\n"
        "  foretrace predict --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --at N=400 --at N=800 -m amd-zen5 -m itanium2 model.h5\n"
        "  foretrace predict --hierarchy --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --check run-400.h5 --machine amd-zen5 --json model.h5\n",
    .options = predict_options,
    .option_count = sizeof predict_options / sizeof *predict_options,
    .run = run,
};
