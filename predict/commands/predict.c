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
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/annotation.h"
#include "predict/commands/comparison_options.h"
#include "predict/commands/forecasts.h"
#include "predict/commands/hierarchy_report.h"
#include "predict/commands/measuring.h"
#include "predict/commands/profile_csv.h"
#include "predict/commands/report.h"
#include "predict/commands/source_file.h"
#include "predict/commands/time_model.h"

struct request {
    struct ft_forecasts forecasts;
    bool compares; /* what follows is set */
    struct ft_comparison comparison;
    size_t *bases;
    struct ft_shown_metric *shown;
    double *work;
    bool measures;
    struct ft_measuring measuring;
};

static void fini(struct request *request)
{
    ft_forecasts_fini(&request->forecasts);
    ft_measuring_fini(&request->measuring);
    free(request->bases);
    free(request->shown);
    free(request->work);
}

/* ---- the command ---- */

/* What is compared, before it is forecast: a mistake must not take long to show. */
static int start_comparison(struct request *request, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->forecasts.arguments;
    struct ft_comparison *comparison = &request->comparison;
    request->compares =
        !request->measures &&
        (request->forecasts.points.count * request->forecasts.options.machine_count > 1 ||
         ft_option_count(arguments, "compare") || ft_option_count(arguments, "per"));
    if (!request->compares)
        return FT_OK;
    FT_TRY(
        ft_comparison_machines_add(arguments, &request->forecasts.options, &request->bases, diag));
    FT_TRY(ft_comparison_shown_read(arguments, &request->forecasts.options, &request->shown,
                                    &comparison->shown_count, diag));
    FT_TRY(ft_comparison_work_read(arguments, &request->forecasts.points, &request->work, diag));
    comparison->point_count = request->forecasts.points.count;
    comparison->machine_count = request->forecasts.options.machine_count;
    comparison->bases = request->bases;
    comparison->shown = request->shown;
    comparison->per = ft_option_last(arguments, "per");
    comparison->work = request->work;
    return FT_OK;
}

static int print_comparison(struct request *request, struct ft_diag *diag)
{
    struct ft_comparison *comparison = &request->comparison;
    comparison->reports = request->forecasts.reports;
    return request->forecasts.options.form == FT_REPORT_JSON
               ? ft_comparison_json(comparison, stdout, diag)
           : request->forecasts.options.form == FT_REPORT_CSV
               ? ft_comparison_csv(comparison, stdout, diag)
               : ft_comparison_text(comparison, stdout, diag);
}

/* What is measured, natively or in files; before the forecasts, which may take long. */
static int start_measuring(struct request *request, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    request->measures = ft_measuring_is_asked(request->forecasts.arguments);
    if (!request->measures)
        return FT_OK;
    FT_TRY(ft_measuring_start(request->forecasts.arguments,
                              request->forecasts.options.machine_count, &request->forecasts.points,
                              &request->measuring, diag));
    if (request->measuring.file_count > 0)
        return FT_OK;
    ft_progress_line_init(&progress, "measure");
    int status = ft_measuring_run(&request->measuring, &progress.base, diag);
    ft_progress_line_fini(&progress);
    return status;
}

static int print(struct request *request, struct ft_diag *diag)
{
    const struct ft_report *reports = request->forecasts.reports;
    const size_t count = request->forecasts.report_count;
    const bool each = !request->compares || request->forecasts.checked.trace ||
                      ft_option_count(request->forecasts.arguments, "annotate") ||
                      ft_option_count(request->forecasts.arguments, "each");
    if (ft_option_count(request->forecasts.arguments, "profile"))
        return ft_profiles_csv(reports, count, stdout, diag);
    if (request->measures)
        return ft_measuring_print(&request->measuring, reports, request->forecasts.options.form,
                                  stdout, diag);
    request->comparison.without_note = each;
    if (!each)
        return print_comparison(request, diag);
    if (request->forecasts.options.form == FT_REPORT_JSON)
        return ft_reports_json(reports, count, stdout, diag);
    if (request->forecasts.options.form == FT_REPORT_CSV)
        return ft_reports_csv(reports, count, stdout, diag);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            putchar('\n');
        FT_TRY(ft_report_text(&reports[i], stdout, diag));
        if (ft_option_count(request->forecasts.arguments, "annotate"))
            FT_TRY(ft_annotation_text(reports[i].prediction,
                                      ft_option_last(request->forecasts.arguments, "sources"),
                                      stdout, diag));
    }
    if (request->compares)
        putchar('\n');
    return request->compares ? print_comparison(request, diag) : FT_OK;
}

/* ---- hierarchies ---- */

static int forecast_hierarchy(const struct request *request, const struct ft_prediction *prediction,
                              bool without_limit, struct ft_hierarchy_forecast *ret_forecast,
                              struct ft_diag *diag)
{
    struct ft_progress_line progress;
    struct ft_hierarchy_forecast_options options = {
        .causes = ft_option_count(request->forecasts.arguments, "causes") > 0,
        .accesses_max = without_limit ? INFINITY : FT_SYNTHESIS_ACCESSES,
        .progress = &progress.base};
    FT_TRY(
        ft_option_u64(request->forecasts.arguments, "seed", 1, 0, INT64_MAX, &options.seed, diag));
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_hierarchy_forecast(prediction, &options, ret_forecast, diag);
    ft_progress_line_fini(&progress);
    return status;
}

static int check_hierarchy(const struct ft_checked_trace *checked,
                           const struct ft_hierarchy_forecast *forecast,
                           struct ft_hierarchy_check *ret_check, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "simulate");
    int status = ft_hierarchy_check(checked->trace, forecast, &progress.base, ret_check, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        ft_warn_of_stranger(checked->path, ret_check->matched_share);
    return status;
}

/* The only point on the only machine. Histograms say what the synthesis lacks. */
static int predict_hierarchy(struct request *request, struct ft_diag *diag)
{
    const bool without_limit = request->forecasts.misses == FT_MISSES_SYNTHESIS;
    const bool is_checked = request->forecasts.checked.trace != NULL;
    struct ft_prediction prediction;
    struct ft_hierarchy_forecast hierarchy = {0};
    struct ft_hierarchy_check check = {0};
    if (request->forecasts.points.count > 1)
        return ft_fail(diag, FT_ERROR_USAGE, "--hierarchy: give one --at");
    request->forecasts.misses = FT_MISSES_HISTOGRAMS;
    FT_TRY(ft_forecast_point(&request->forecasts, &request->forecasts.points.items[0],
                             request->forecasts.options.machines, NULL, &prediction, diag));
    int status = forecast_hierarchy(request, &prediction, without_limit, &hierarchy, diag);
    if (status == FT_OK && is_checked)
        status = check_hierarchy(&request->forecasts.checked, &hierarchy, &check, diag);
    if (status == FT_OK)
        status = ft_hierarchy_forecast_print(&prediction, &hierarchy, is_checked ? &check : NULL,
                                             &request->forecasts.options, diag);
    ft_hierarchy_check_fini(&check);
    ft_hierarchy_forecast_fini(&hierarchy);
    ft_prediction_fini(&prediction);
    return status;
}

/* --sort; without it by time. */
static int read_sort(struct request *request, struct ft_diag *diag)
{
    const char *text = ft_option_last(request->forecasts.arguments, "sort");
    return text ? ft_shown_metric_read("sort", text, &request->forecasts.options,
                                       &request->forecasts.sort, diag)
                : FT_OK;
}

/* --time-model, and what its models need. */
static int read_time_model(struct ft_forecasts *forecasts, struct ft_diag *diag)
{
    FT_TRY(ft_time_model_read(forecasts->arguments, &forecasts->time_model, diag));
    if (forecasts->time_model == FT_TIME_MODEL_CONVOLVER)
        return ft_bandwidth_models_read(forecasts->arguments, &forecasts->options,
                                        &forecasts->bandwidths, diag);
    return ft_option_count(forecasts->arguments, "bandwidth-model")
               ? ft_fail(diag, FT_ERROR_USAGE, "--bandwidth-model needs --time-model convolver")
               : FT_OK;
}

static int predict(struct request *request, struct ft_diag *diag)
{
    FT_TRY(ft_forecasts_check_dirty(&request->forecasts, diag));
    FT_TRY(read_time_model(&request->forecasts, diag));
    FT_TRY(ft_forecasts_resolve(&request->forecasts, diag));
    if (ft_option_count(request->forecasts.arguments, "hierarchy")) {
        FT_TRY(predict_hierarchy(request, diag));
        return ft_stdout_finish(diag);
    }
    if (request->forecasts.checked.trace && request->forecasts.points.count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--check: a trace is of one size; give --at once, or leave it out");
    FT_TRY(read_sort(request, diag));
    FT_TRY(start_measuring(request, diag));
    FT_TRY(start_comparison(request, diag));
    FT_TRY(ft_forecasts_make(&request->forecasts, diag));
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
    struct request request = {.forecasts = {.arguments = arguments,
                                            .dirty_memory = ft_option_count(arguments, "dirty") > 0,
                                            .checked.path = ft_option_last(arguments, "check")}};
    if (ft_option_count(arguments, "measure") && ft_operand_count(arguments) < 2)
        return ft_command_misuse(arguments, "--measure: give the command, after --");
    if (ft_operand_count(arguments) != 1 && !ft_option_count(arguments, "measure"))
        return ft_command_misuse(arguments, "give one model file");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, FT_MACHINE_NEEDED);
    if (!ft_option_count(arguments, "at") && !ft_option_count(arguments, "check"))
        return ft_command_misuse(arguments, "--at is needed (or --check, whose trace provides it)");
    const int code = read_misses(arguments, &request.forecasts.misses);
    if (code != 0)
        return code;
    if (ft_option_count(arguments, "hierarchy") && request.forecasts.misses == FT_MISSES_HISTOGRAMS)
        return ft_command_misuse(arguments, "--hierarchy: histograms tell nothing of it; "
                                            "--misses must be best or synthesis");
    if (ft_option_count(arguments, "hierarchy") && ft_option_count(arguments, "machine") > 1)
        return ft_command_misuse(arguments, "--hierarchy: give one --machine");
    int status = ft_sources_check(ft_option_last(arguments, "sources"), &diag);
    if (status == FT_OK)
        status = ft_report_options_read(arguments, &request.forecasts.options, &diag);
    request.forecasts.options.folds_startup = ft_startup_is_folded(arguments);
    if (status == FT_OK)
        status = predict(&request, &diag);
    fini(&request);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option predict_options[] = {
    {"at", 0, "NAME=VALUE",
     "a size to forecast; N=160,M=5 for several parameters; s=BYTES for a data size; sizes "
     "N=64,128, N=100..2000/50 or N=64..8192*2",
     .repeats = true},
    {"model", 0, "NAME", "which of the file's models (required if there are several)"},
    {"check", 0, "TRACE", "also simulate this trace, of the same size, exactly and show both",
     .reads = true},
    {"misses", 0, "METHOD",
     "how: synthesis, however long it takes; histograms; or the best (default)"},
    {"each", 0, NULL, "of several sizes or machines also the forecast of each"},
    {"compare", 0, "METRIC",
     "what a table over sizes shows: time (default), accesses, instructions, or misses of a level",
     .excludes = "hierarchy", .repeats = true},
    {"per", 0, "WORK", "times and misses per unit of work, such as \"N^3\" or \"2*N*log2(N)\"",
     .excludes = "hierarchy"},
    {"measure", 0, NULL,
     "run the command behind -- natively at each size, with {N} replaced, and show both",
     .excludes = "hierarchy check compare per each"},
    {"repeat", 0, "COUNT", "how often --measure runs it (5); the least CPU time counts",
     .needs = "measure"},
    {"measured", 0, "FILE",
     "show what perf, PAPI or LIKWID measured at that size, by routine, beside the forecast",
     .excludes = "hierarchy check compare per each measure", .reads = true, .repeats = true},
    FT_TIME_MODEL_OPTIONS,
    {"dirty", 0, NULL, "charge every miss to memory with the write-back of a modified line",
     .excludes = "hierarchy"},
    {"hierarchy", 0, NULL, "each level sees what misses before it, behaving as described"},
    {"causes", 0, NULL, "also misses by cause, cold, capacity and conflict", .needs = "hierarchy"},
    {"seed", 0, "NUMBER", "with --hierarchy: of random replacement (1)", .needs = "hierarchy"},
    FT_REPORT_OPTIONS(true, "that take most time"),
    FT_STARTUP_OPTION,
    {"sort", 0, "METRIC",
     "routines and loops by time (default), accesses, instructions, or misses of a level",
     .excludes = "hierarchy measure measured"},
    {"profile", 0, NULL,
     "as CSV, all scopes with their paths, metrics inclusive (I) and exclusive (E)",
     .excludes = "json csv hierarchy check measure measured compare per annotate"},
    {"annotate", 0, NULL, "also source lines, with their accesses and misses",
     .excludes = "json csv hierarchy measure measured"},
    {"sources", 0, "FOLDER", FT_SOURCES_HELP, .needs = "annotate"},
    FT_QUIET_OPTION,
};

const struct ft_command ft_predict_command = {
    .name = "predict",
    .synopsis = "predict [options] --at NAME=VALUE --machine MACHINE MODEL [-- COMMAND...]",
    .summary = "misses and time of every loop, for a size and a machine it never ran on",
    .details =
        "Misses come from the model's reuse distances, fully associative (full) and in sets\n"
        "(set), as blocks fell into sets at the training sizes, or else at random. Time is what\n"
        "the core takes for the code, or what misses take, whichever is longer, and chains of\n"
        "loads besides; where the machine has no description of its core, bounds: at least the\n"
        "schedule (instructions over issue width, operations over units), at most all latencies,\n"
        "one after the other.\n"
        "Values have 95 % intervals; what the training sizes do not determine is unknown.\n"
        "Of several threads the time is from begin to end, as long as the busiest thread of each\n"
        "loop takes; levels that cores share see their accesses interleaved, if the traces were\n"
        "replayed with --machine.\n"
        "\n"
        "With --hierarchy the levels work together as `simulate --hierarchy` has them, which\n"
        "--check then compares with: from the accesses that the model's skeleton makes, without\n"
        "times and fetches. A model without a skeleton has no such forecast.\n"
        "\n"
        "Several sizes or machines are compared: a row for each size, machines by their times, "
        "with\n"
        "the chance that two are in the wrong order, where the time goes, and what edits of a\n"
        "machine gain over the machine without them, which is forecast, too.\n"
        "\n"
        "--measure and --measured show errors of times, of misses relative to those measured, and\n"
        "how many values are inside of their intervals.\n"
        "\n"
        "  foretrace predict --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --at N=400 -m amd-zen5,L2=2M -m itanium2 model.h5\n"
        "  foretrace predict --at N=64,128,256 -m amd-zen5 model.h5\n"
        "  foretrace predict --at N=100..2000/50 -m amd-zen5 --per \"N^3\" model.h5\n"
        "  foretrace predict --hierarchy --at N=400 --machine amd-zen5 model.h5\n"
        "  foretrace predict --at N=100..400*2 -m host --measure model.h5 -- ./matmul {N}\n"
        "  foretrace predict --at N=400 -m host --measured stat.csv model.h5\n"
        "  foretrace predict --check run-400.h5 --machine amd-zen5 --json model.h5\n",
    .options = predict_options,
    .option_count = sizeof predict_options / sizeof *predict_options,
    .run = run,
};
