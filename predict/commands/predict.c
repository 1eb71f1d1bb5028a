/*
 * `foretrace predict`: a model, a value of its parameter and a machine give misses and time; with
 * --check, beside the exact simulation of a trace of that size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/commands/scope_report.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "formats/model/query_point.h"
#include "machines/commands/report_options.h"
#include "predict/commands/commands.h"
#include "predict/commands/report.h"

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
                       "%s: the trace does not say its %s (capture -D %s=...)", checked->path, name,
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

/* --at NAME=VALUE of each parameter, or the trace of --check tells the values. */
static int find_size(const struct ft_arguments *arguments, const struct ft_model *model,
                     const struct checked *checked, struct ft_query_values *asked,
                     struct ft_diag *diag)
{
    const size_t given = ft_option_count(arguments, "at"), width = model->basis.parameter_count;
    for (size_t i = 0; i < given; i++) {
        struct ft_diag inner = {0};
        if (ft_query_point_read(model, ft_option_at(arguments, "at", i), asked, &inner) < 0)
            return ft_fail(diag, FT_ERROR_USAGE, "--at %s", inner.message);
    }
    if (model->over_data_size && given == 0 && !ft_query_point_other(model, 0))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "the model runs over the size of the data: --at %s=BYTES is needed, which "
                       "'foretrace footprint %s' tells",
                       model->parameter, checked->path);
    int status = checked->trace ? take_all_from_trace(checked, model, asked, diag) : FT_OK;
    for (size_t i = ft_query_point_has_other(asked) ? 1 : 0; i < width && status == FT_OK; i++)
        if (asked->values[i] == 0)
            status = ft_fail(diag, FT_ERROR_USAGE,
                             "the model runs over %zu parameters: --at %s=VALUE is needed, too",
                             width, model->basis.parameters[i]);
    return status;
}

/* Selects the scopes that take the most time and prints them. */
static int print(const struct ft_report_options *options, struct ft_report *report,
                 struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->prediction->model->scopes;
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    uint32_t *list;
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = ft_prediction_cycles(report->prediction, i);
    int status =
        ft_scopes_select(scopes, weights, options->loop_limit, &list, &report->count, diag);
    free(weights);
    if (status != FT_OK)
        return status;
    report->list = list;
    status = options->form == FT_REPORT_JSON  ? ft_report_json(report, stdout, diag)
             : options->form == FT_REPORT_CSV ? ft_report_csv(report, stdout, diag)
                                              : ft_report_text(report, stdout, diag);
    free(list);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static void warn_of_stranger(const char *trace, const struct ft_check *check)
{
    char text[FT_NUMBER_TEXT];
    if (check->matched_share < MATCHED_WELL)
        fprintf(stderr,
                "foretrace predict: warning: %s: only %s of its accesses are in routines and loops "
                "that the model has; is it a trace of the same program ('foretrace info')?\n",
                trace, ft_text_share(text, check->matched_share));
}

static int simulate_checked(const struct checked *checked, const struct ft_prediction *prediction,
                            struct ft_check *ret_check, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_check_trace(checked->trace, prediction, &progress.base, ret_check, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        warn_of_stranger(checked->path, ret_check);
    return status;
}

static int predict(const struct ft_arguments *arguments, struct ft_model *model,
                   const struct ft_report_options *options, struct ft_diag *diag)
{
    struct checked checked = {.path = ft_option_last(arguments, "check")};
    struct ft_prediction prediction = {0};
    struct ft_check check = {0};
    struct ft_query_values asked = {0};
    struct ft_query_point size = {0};
    struct ft_diag inner = {0};
    int status =
        checked.path ? ft_trace_open_named(checked.path, false, &checked.trace, diag) : FT_OK;
    if (status == FT_OK)
        status = find_size(arguments, model, &checked, &asked, diag);
    if (status == FT_OK && model->basis.parameter_count > 1)
        status = ft_model_restrict(model, asked.values, diag);
    if (status == FT_OK && (status = ft_query_point_resolve(model, &asked, &size, &inner)) < 0)
        status = ft_fail(diag, status, "--at %s", inner.message);
    if (status == FT_OK)
        status = ft_predict(model, &options->machine, &size,
                            ft_option_count(arguments, "dirty") > 0, &prediction, diag);
    if (status == FT_OK && checked.trace)
        status = simulate_checked(&checked, &prediction, &check, diag);
    if (status == FT_OK) {
        struct ft_report report = {.prediction = &prediction,
                                   .check = checked.trace ? &check : NULL};
        status = print(options, &report, diag);
    }
    ft_check_fini(&check);
    ft_prediction_fini(&prediction);
    ft_trace_close(checked.trace);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_report_options options;
    struct ft_model model;
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "one model is needed");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--machine is needed");
    if (!ft_option_count(arguments, "at") && !ft_option_count(arguments, "check"))
        return ft_command_misuse(arguments, "--at is needed (or --check, whose trace tells it)");
    int status = ft_report_options_read(arguments, &options, &diag);
    if (status != FT_OK)
        return ft_command_fail(arguments, &diag);
    if (ft_option_count(arguments, "dirty") && options.machine.dirty_memory_latency_cycles == 0)
        status = ft_fail(&diag, FT_ERROR_USAGE, "--dirty: %s has no dirty_latency_cycles",
                         options.machine.name);
    if (status == FT_OK)
        status = ft_model_read(ft_operands(arguments)[0], ft_option_last(arguments, "model"),
                               &model, &diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(ft_operands(arguments)[0],
                         "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         &diag);
    if (status == FT_OK) {
        status = predict(arguments, &model, &options, &diag);
        ft_model_fini(&model);
    }
    ft_report_options_fini(&options);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option predict_options[] = {
    {"at", 0, "NAME=VALUE",
     "the size to forecast; of several parameters N=160,M=5; or s=BYTES of data"},
    {"model", 0, "NAME", "the one of the file's models (required if there are several)"},
    {"check", 0, "TRACE", "simulate this trace of the same size exactly and show both"},
    {"dirty", 0, NULL, "charge every miss to memory the write-back of a modified line"},
    FT_REPORT_OPTIONS("that take most time"),
    FT_QUIET_OPTION,
};

const struct ft_command ft_predict_command = {
    .name = "predict",
    .synopsis = "predict [options] --at NAME=VALUE --machine MACHINE MODEL",
    .summary = "misses and time of every loop, for a size and a machine that never ran",
    .details =
        "Misses come from the model's reuse distances, fully associative (full) and with the\n"
        "binomial model of sets (set). Time is a lower bound of the schedule (instructions over\n"
        "issue width, operations over units) plus the exposed share of each miss's latency.\n"
        "Figures have 95 % intervals; what the training sizes do not determine is unknown.\n"
        "\n"
        "  foretrace predict --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --check run-400.h5 --machine amd-zen5 --json model.h5\n",
    .options = predict_options,
    .option_count = sizeof predict_options / sizeof *predict_options,
    .run = run,
};
