/*
 * `foretrace explain`: why a routine or loop takes its time at a size on a machine, and what would
 * change that.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "machines/commands/report_options.h"
#include "predict/commands/explain_report.h"
#include "predict/explain/explain.h"
#include "predict/query/scope_choice.h"

struct request {
    const struct ft_arguments *arguments;
    struct ft_machine machine;
    struct ft_model model;
    struct ft_query_point size;
    uint32_t scope;
};

/* All --at together; the model becomes one over its first parameter. */
static int read_point(struct request *request, struct ft_diag *diag)
{
    struct ft_query_values asked = {0};
    struct ft_diag inner = {0};
    struct ft_model *model = &request->model;
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < ft_option_count(request->arguments, "at"); i++)
        status =
            ft_query_point_read(model, ft_option_at(request->arguments, "at", i), &asked, &inner);
    if (status == FT_OK)
        status = ft_model_restrict_to(model, &asked, &request->size, &inner);
    return status == FT_OK ? FT_OK : ft_fail(diag, status, "--at %s", inner.message);
}

static int read_model(struct request *request, struct ft_diag *diag)
{
    char **operands = ft_operands(request->arguments);
    int status = ft_model_read(operands[0], ft_option_last(request->arguments, "model"),
                               &request->model, diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(operands[0],
                         "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         diag);
    if (status == FT_OK)
        status = ft_model_find_scope(&request->model, operands[1], &request->scope, diag);
    return status == FT_OK ? read_point(request, diag) : status;
}

static int explain(const struct request *request, const struct ft_prediction *prediction,
                   struct ft_progress *progress, struct ft_explanation *ret_explanation,
                   struct ft_diag *diag)
{
    const bool without_limit = ft_option_count(request->arguments, "all") > 0;
    const struct ft_explain_options options = {
        .simulated_max = without_limit ? INFINITY : FT_SYNTHESIS_ACCESSES,
        .iterations_max = without_limit ? UINT64_MAX : FT_EXPLAIN_ITERATIONS,
        .without_forecasts = ft_option_count(request->arguments, "no-changes") > 0,
        .progress = progress};
    return ft_explain(prediction, request->scope, &options, ret_explanation, diag);
}

static int print(const struct request *request, const struct ft_prediction *prediction,
                 struct ft_diag *diag)
{
    struct ft_explanation explanation;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "explain");
    int status = explain(request, prediction, &progress.base, &explanation, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK)
        return status;
    status = ft_option_count(request->arguments, "json") > 0
                 ? ft_explanation_json(&explanation, stdout, diag)
                 : ft_explanation_text(&explanation, stdout, diag);
    ft_explanation_fini(&explanation);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int answer(struct request *request, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    struct ft_prediction prediction;
    FT_TRY(read_model(request, diag));
    const struct ft_predict_options options = {
        .misses = ft_option_count(request->arguments, "all") ? FT_MISSES_SYNTHESIS : FT_MISSES_BEST,
        .progress = &progress.base};
    ft_progress_line_init(&progress, "synthesise");
    int status =
        ft_predict(&request->model, &request->machine, &request->size, &options, &prediction, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK)
        return status;
    status = print(request, &prediction, diag);
    ft_prediction_fini(&prediction);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct request request = {.arguments = arguments};
    if (ft_operand_count(arguments) != 2)
        return ft_command_misuse(arguments, "give a model file, and a routine or loop: FUNCTION or "
                                            "FILE:LINE, such as 'foretrace predict' lists");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, FT_MACHINE_NEEDED);
    if (!ft_option_count(arguments, "at"))
        return ft_command_misuse(arguments, "--at is needed");
    int status = ft_machine_load(ft_option_last(arguments, "machine"), &request.machine, &diag);
    if (status == FT_OK) {
        status = answer(&request, &diag);
        ft_model_fini(&request.model);
        ft_machine_fini(&request.machine);
    }
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option explain_options[] = {
    {"at", 0, "NAME=VALUE", "the size; N=160,M=5 for several parameters", .repeats = true},
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP},
    {"model", 0, "NAME", "which of the file's models (required if there are several)"},
    {"no-changes", 0, NULL, "do not simulate changes of the code"},
    {"all", 0, NULL, "make all accesses, however long it takes"},
    {"json", 0, NULL, "as JSON (docs/json.md)"},
    FT_WIDE_OPTION,
    FT_QUIET_OPTION,
};

const struct ft_command ft_explain_command = {
    .name = "explain",
    .synopsis = "explain [options] --at NAME=VALUE --machine MACHINE MODEL LOOP",
    .summary = "why a loop misses and takes its time, and what would change that",
    .details =
        "LOOP is a routine's name, or FILE:LINE of a loop, as predict prints them. For each line\n"
        "whose accesses miss: how they move in the loops around, how many misses are cold, of\n"
        "capacity or conflicts, in which loop the data come back, from which size on they are\n"
        "gone by then. Then changes of the code that remove such misses: other orders of loops,\n"
        "tiles, padding and shifted arrays are simulated, with the accesses that the model's\n"
        "skeleton makes. Whether a change keeps the program's results no trace proves.\n"
        "\n"
        "  foretrace explain --at N=320 --machine amd-zen5 model.h5 matmul.c:20\n",
    .options = explain_options,
    .option_count = sizeof explain_options / sizeof *explain_options,
    .run = run,
};
