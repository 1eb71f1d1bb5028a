/*
 * `foretrace predict`: a model, a value of its parameter and a machine give misses and time; with
 * --check, beside the exact simulation of a trace of that size.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/scope_report.h"
#include "formats/trace_operand.h"
#include "predict/commands.h"
#include "predict/report.h"

/* --at NAME=VALUE, or the trace of --check tells the value. */
static int find_value(const struct ft_arguments *arguments, const struct ft_model *model,
                      double *ret_value, struct ft_diag *diag)
{
    const char *at = ft_option_last(arguments, "at");
    const char *trace = ft_option_last(arguments, "check");
    double value = 0, traced = 0;
    if (at) {
        size_t length = strlen(model->parameter);
        char *end = NULL;
        if (strncmp(at, model->parameter, length) != 0 || at[length] != '=')
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--at %s: the model's parameter is %s, so --at %s=VALUE is needed", at,
                           model->parameter, model->parameter);
        value = strtod(at + length + 1, &end);
        if (end == at + length + 1 || *end || !(value > 0 && isfinite(value)))
            return ft_fail(diag, FT_ERROR_USAGE, "--at %s: a number above 0 is needed", at);
    }
    if (trace) {
        int status = ft_check_parameter(trace, model->parameter, &traced, diag);
        if (status != FT_OK)
            return status;
        if (at && traced != value)
            return ft_fail(diag, FT_ERROR_USAGE, "--at %s: %s has %s = %.15g", at, trace,
                           model->parameter, traced);
        value = traced;
    }
    *ret_value = value;
    return FT_OK;
}

/* Selects the scopes that take the most time and prints them. */
static int print(const struct ft_arguments *arguments, struct ft_report *report, uint64_t limit,
                 struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->prediction->model->scopes;
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    uint32_t *list;
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = ft_prediction_cycles(report->prediction, i);
    int status = ft_scopes_select(scopes, weights, limit, &list, &report->count, diag);
    free(weights);
    if (status != FT_OK)
        return status;
    report->list = list;
    status = ft_option_count(arguments, "json")  ? ft_report_json(report, stdout, diag)
             : ft_option_count(arguments, "csv") ? ft_report_csv(report, stdout, diag)
                                                 : ft_report_text(report, stdout, diag);
    free(list);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int predict(const struct ft_arguments *arguments, const struct ft_model *model,
                   const struct ft_machine *machine, uint64_t limit, struct ft_diag *diag)
{
    const char *trace = ft_option_last(arguments, "check");
    struct ft_prediction prediction = {0};
    struct ft_check check = {0};
    double value = 0;
    int status = find_value(arguments, model, &value, diag);
    if (status == FT_OK)
        status = ft_predict(model, machine, value, ft_option_count(arguments, "dirty") > 0,
                            &prediction, diag);
    if (status == FT_OK && trace)
        status = ft_check_trace(trace, &prediction, &check, diag);
    if (status == FT_OK) {
        struct ft_report report = {.prediction = &prediction, .check = trace ? &check : NULL};
        status = print(arguments, &report, limit, diag);
    }
    ft_check_fini(&check);
    ft_prediction_fini(&prediction);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_machine machine;
    struct ft_model model;
    uint64_t limit;
    bool people = !ft_option_count(arguments, "json") && !ft_option_count(arguments, "csv");
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "one model is needed");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--machine is needed");
    if (!ft_option_count(arguments, "at") && !ft_option_count(arguments, "check"))
        return ft_command_misuse(arguments, "--at is needed (or --check, whose trace tells it)");
    int status =
        ft_option_u64(arguments, "loops", people ? 20 : UINT64_MAX, 1, UINT64_MAX, &limit, &diag);
    if (status == FT_OK)
        status = ft_machine_load(ft_option_last(arguments, "machine"), &machine, &diag);
    if (status != FT_OK)
        return ft_command_fail(arguments, &diag);
    if (ft_option_count(arguments, "dirty") && machine.dirty_memory_latency_cycles == 0)
        status =
            ft_fail(&diag, FT_ERROR_USAGE, "--dirty: %s has no dirty_latency_cycles", machine.name);
    if (status == FT_OK)
        status = ft_model_read(ft_operands(arguments)[0], &model, &diag);
    if (status == FT_OK) {
        status = predict(arguments, &model, &machine, limit, &diag);
        ft_model_fini(&model);
    }
    ft_machine_fini(&machine);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=VALUE", "the size to forecast: the value of the model's parameter"},
    {"machine", 'm', "MACHINE", "a name from the machines folder, or a path to a YAML file"},
    {"check", 0, "TRACE", "simulate this trace of the same size exactly and show both"},
    {"dirty", 0, NULL, "charge every miss to memory the write-back of a modified line"},
    {"loops", 0, "COUNT", "show the COUNT routines and loops that take most time (20)"},
    {"json", 0, NULL, "as JSON (docs/json.md), all loops unless --loops is given"},
    {"csv", 0, NULL, "program, routines and loops as CSV, all unless --loops is given"},
};

const struct ft_command ft_predict_command = {
    .name = "predict",
    .synopsis = "predict [options] --at NAME=VALUE --machine MACHINE MODEL",
    .summary = "misses and time of every loop, for a size and a machine that never ran",
    .details =
        "Misses come from the model's reuse distances, fully associative (full) and with the\n"
        "binomial model of sets (set). Time is a lower bound of the schedule (instructions over\n"
        "issue width, operations over units) plus the exposed share of each miss's latency.\n"
        "\n"
        "  foretrace predict --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --check run-400.h5 --machine amd-zen5 --json model.h5\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
