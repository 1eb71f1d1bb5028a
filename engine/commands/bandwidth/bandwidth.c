/*
 * `foretrace bandwidth`: the bandwidth of a machine as a function of hit rates, trained on its
 * curves; and which hit rates of programs the curves cover (docs/convolver.md).
 *
 * In order: options; points and their hit rates; training by all methods; programs; the command.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "engine/commands/bandwidth/bandwidth_report.h"
#include "engine/simulate/hit-rates/point_hit_rates.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "machines/bandwidth/genetic.h"
#include "machines/bandwidth/multistart.h"
#include "machines/commands/report_options.h"

#define FUNCTIONS_MAX 8

struct request {
    const struct ft_arguments *arguments;
    struct ft_report_options options;
    struct ft_genetic_options genetic;
    uint32_t starts;
    enum ft_penalty penalty; /* of the genetic algorithm */
    bool is_genetic, is_multistart;
    unsigned kinds; /* of points: enum ft_point_kind */
    struct ft_bandwidth_report report;
};

/* ---- options ---- */

static int read_number(const struct ft_arguments *arguments, const char *name, uint32_t low,
                       uint32_t high, uint32_t *value, struct ft_diag *diag)
{
    uint64_t number;
    FT_TRY(ft_option_u64(arguments, name, *value, low, high, &number, diag));
    *value = (uint32_t)number;
    return FT_OK;
}

static int read_penalty(struct request *request, struct ft_diag *diag)
{
    const char *name = ft_option_last(request->arguments, "penalty");
    for (size_t i = 0; i < FT_PENALTY_NONE; i++)
        if (strcmp(name, ft_penalty_names[i]) == 0) {
            request->penalty = (enum ft_penalty)i;
            return FT_OK;
        }
    return ft_fail(diag, FT_ERROR_USAGE, "--penalty %s: must be printed, growing or saturating",
                   name);
}

static int read_method(struct request *request, struct ft_diag *diag)
{
    const char *name = ft_option_last(request->arguments, "method");
    const bool both = strcmp(name, "both") == 0;
    request->is_genetic = both || strcmp(name, "genetic") == 0;
    request->is_multistart = both || strcmp(name, "multistart") == 0;
    return request->is_genetic || request->is_multistart
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE, "--method %s: must be genetic, multistart or both",
                         name);
}

static int read_kinds(struct request *request, struct ft_diag *diag)
{
    const char *name = ft_option_last(request->arguments, "points");
    const bool both = strcmp(name, "both") == 0;
    request->kinds = (both || strcmp(name, "multimaps") == 0 ? FT_POINTS_MULTIMAPS : 0) |
                     (both || strcmp(name, "apex-map") == 0 ? FT_POINTS_APEX_MAP : 0);
    return request->kinds ? FT_OK
                          : ft_fail(diag, FT_ERROR_USAGE,
                                    "--points %s: must be multimaps, apex-map or both", name);
}

static int read_options(struct request *request, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    struct ft_genetic_options *genetic = &request->genetic;
    request->options.form = ft_report_form_read(arguments);
    FT_TRY(read_penalty(request, diag));
    FT_TRY(read_method(request, diag));
    FT_TRY(read_kinds(request, diag));
    FT_TRY(read_number(arguments, "entities", 12, 10000000, &genetic->entities, diag));
    FT_TRY(read_number(arguments, "generations", 1, 1000000, &genetic->generations, diag));
    FT_TRY(ft_option_u64(arguments, "seed", genetic->seed, 0, INT64_MAX, &genetic->seed, diag));
    FT_TRY(read_number(arguments, "starts", 1, 1000000, &request->starts, diag));
    FT_TRY(ft_report_machines_read(arguments, &request->options, diag));
    request->report.machine = request->options.machines;
    request->report.path = ft_option_last(arguments, "output");
    return ft_bandwidth_model_set_machine(&request->report.model, request->report.machine, diag);
}

/* ---- points ---- */

static int read_points(struct request *request, struct ft_diag *diag)
{
    struct ft_bandwidth_points *points = &request->report.model.points;
    struct ft_progress_line progress;
    for (size_t i = 0; i < ft_option_count(request->arguments, "curves"); i++)
        FT_TRY(ft_bandwidth_points_read(points, ft_option_at(request->arguments, "curves", i),
                                        request->kinds, diag));
    ft_progress_line_init(&progress, "simulate");
    const int status =
        ft_point_hit_rates_find(request->report.machine, points, &progress.base, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK)
        ft_hit_rate_coverage_add_points(&request->report.coverage, points);
    return status;
}

/* ---- training ---- */

static struct ft_trained_function *add_function(struct request *request,
                                                enum ft_training_method method)
{
    struct ft_bandwidth_model *model = &request->report.model;
    struct ft_trained_function *trained = &model->functions[model->function_count++];
    *trained = (struct ft_trained_function){.method = (uint8_t)method};
    return trained;
}

/* By a method, of a reading of Eq. 6. */
static int train(struct request *request, enum ft_training_method method, enum ft_penalty penalty,
                 struct ft_diag *diag)
{
    const struct ft_bandwidth_points *points = &request->report.model.points;
    struct ft_training training;
    struct ft_progress_line progress;
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    FT_TRY(
        ft_training_init(points, request->report.model.cache_count + 1, penalty, &training, diag));
    request->report.error_min = ft_training_error_min(&training);
    ft_progress_line_init(&progress, "train");
    int status = method == FT_METHOD_GENETIC
                     ? ft_genetic_train(&training, &request->genetic, &progress.base, genes, diag)
                     : ft_multistart_train(&training, request->starts, genes, diag);
    ft_progress_line_fini(&progress);
    if (status == FT_OK) {
        struct ft_trained_function *trained = add_function(request, method);
        ft_training_function(&training, genes, &trained->function);
        trained->error = ft_bandwidth_error_of(&trained->function, points, UINT64_MAX);
        if (method == FT_METHOD_GENETIC) {
            trained->seed = request->genetic.seed;
            trained->entities = request->genetic.entities;
            trained->generations = request->genetic.generations;
        }
    }
    ft_training_fini(&training);
    return status;
}

static int compare_functions(const void *a, const void *b)
{
    const struct ft_trained_function *left = a, *right = b;
    if (left->error.mean != right->error.mean)
        return left->error.mean < right->error.mean ? -1 : 1;
    if (left->method != right->method)
        return left->method < right->method ? -1 : 1;
    return left->function.penalty < right->function.penalty ? -1 : 1;
}

static int train_all(struct request *request, struct ft_diag *diag)
{
    struct ft_bandwidth_model *model = &request->report.model;
    model->functions = calloc(FUNCTIONS_MAX, sizeof *model->functions);
    if (!model->functions)
        return ft_fail_memory(diag, "functions");
    if (request->is_genetic)
        FT_TRY(train(request, FT_METHOD_GENETIC, request->penalty, diag));
    for (enum ft_penalty penalty = 0; request->is_multistart && penalty < FT_PENALTY_COUNT;
         penalty++)
        FT_TRY(train(request, FT_METHOD_MULTISTART, penalty, diag));
    struct ft_trained_function *latencies = add_function(request, FT_METHOD_LATENCIES);
    ft_bandwidth_from_latencies(&model->points, request->report.machine, &latencies->function);
    latencies->error = ft_bandwidth_error_of(&latencies->function, &model->points, UINT64_MAX);
    qsort(model->functions, model->function_count, sizeof *model->functions, compare_functions);
    return FT_OK;
}

/* ---- programs ---- */

static int cover_program(struct request *request, size_t index, struct ft_diag *diag)
{
    struct ft_covered_program *program = &request->report.programs[index];
    const struct ft_machine caches = ft_machine_caches(request->report.machine);
    struct ft_simulated_trace simulated;
    struct ft_trace *trace;
    struct ft_progress_line progress;
    FT_TRY(ft_trace_open_operand_at(request->arguments, index, &trace, diag));
    ft_progress_line_init(&progress, "simulate");
    int status = ft_simulate_trace(trace, &caches, &progress.base, &simulated, diag);
    ft_progress_line_fini(&progress);
    ft_trace_close(trace);
    if (status != FT_OK)
        return status;
    program->path = ft_operands(request->arguments)[index];
    program->name = strdup(simulated.metadata.program);
    ft_hit_rate_coverage_add_trace(&program->coverage, &simulated, caches.cache_count);
    ft_simulated_trace_fini(&simulated);
    return program->name ? FT_OK : ft_fail_memory(diag, "a program");
}

static int cover_programs(struct request *request, struct ft_diag *diag)
{
    const size_t count = ft_operand_count(request->arguments);
    request->report.programs = calloc(count + 1, sizeof *request->report.programs);
    if (!request->report.programs)
        return ft_fail_memory(diag, "programs");
    for (; request->report.program_count < count; request->report.program_count++)
        FT_TRY(cover_program(request, request->report.program_count, diag));
    return FT_OK;
}

/* ---- the command ---- */

static int write_picture(const struct request *request, struct ft_diag *diag)
{
    const char *path = ft_option_last(request->arguments, "svg");
    struct ft_text_output output;
    if (!path)
        return FT_OK;
    FT_TRY(ft_text_output_create(path, &output, diag));
    ft_bandwidth_svg(&request->report, output.stream);
    return ft_text_output_finish(&output, FT_OK, diag);
}

static int print(const struct request *request, struct ft_diag *diag)
{
    switch (request->options.form) {
    case FT_REPORT_JSON:
        return ft_bandwidth_json(&request->report, stdout, diag);
    case FT_REPORT_CSV:
        return ft_bandwidth_csv(&request->report, stdout, diag);
    default:
        return ft_bandwidth_text(&request->report, stdout, diag);
    }
}

static int make(struct request *request, struct ft_diag *diag)
{
    FT_TRY(read_options(request, diag));
    FT_TRY(read_points(request, diag));
    FT_TRY(cover_programs(request, diag));
    FT_TRY(train_all(request, diag));
    if (request->report.path)
        FT_TRY(ft_bandwidth_model_write(request->report.path, &request->report.model, diag));
    FT_TRY(write_picture(request, diag));
    FT_TRY(print(request, diag));
    return ft_stdout_finish(diag);
}

static void fini(struct request *request)
{
    for (size_t i = 0; i < ft_operand_count(request->arguments) && request->report.programs; i++)
        free(request->report.programs[i].name);
    free(request->report.programs);
    ft_bandwidth_model_fini(&request->report.model);
    ft_report_options_fini(&request->options);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct request request = {
        .arguments = arguments, .genetic = ft_genetic_published, .starts = FT_MULTISTART_STARTS};
    gsl_set_error_handler_off(); /* GSL's own handler aborts */
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, FT_MACHINE_NEEDED);
    if (!ft_option_count(arguments, "curves"))
        return ft_command_misuse(arguments, "--curves is needed: what 'foretrace machine probe' "
                                            "measured, or text");
    const int status = make(&request, &diag);
    fini(&request);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option bandwidth_options[] = {
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP, .reads = true},
    {"curves", 0, "FILE",
     "measured bandwidths: FILE.curves.h5 of 'machine probe', or text; several are runs of one "
     "probe, whose mean counts",
     .reads = true, .repeats = true},
    {"points", 0, "KIND",
     "of the curves: multimaps (default), passes by stride; apex-map, random runs; or both",
     .fallback = "multimaps"},
    {"output", 'o', "FILE",
     "keep the model; 'predict' looks for MACHINE.bandwidth.h5 beside MACHINE.yaml",
     .writes = FT_FILE_BANDWIDTH},
    {"penalty", 0, "READING",
     "how the genetic algorithm reads Eq. 6: printed (default), growing or saturating",
     .fallback = "printed"},
    {"method", 0, "METHOD", "genetic, multistart or both (default)", .fallback = "both"},
    {"entities", 0, "COUNT", "of the genetic algorithm, on six islands together (10000)"},
    {"generations", 0, "COUNT", "of the genetic algorithm (200)"},
    {"seed", 0, "NUMBER", "of the genetic algorithm (1)"},
    {"starts", 0, "COUNT", "of the least-squares searches (64)"},
    {"svg", 0, "FILE", "also draw measured and modelled bandwidths by size, a curve a stride",
     .writes = FT_FILE_SVG},
    {"json", 0, NULL, "as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "the points as CSV: measured, modelled, hit rates"},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_bandwidth_command = {
    .name = "bandwidth",
    .synopsis = "bandwidth [options] --machine MACHINE --curves FILE [-o FILE] [TRACE...]",
    .summary = "bandwidth of a machine as a function of hit rates, trained on its curves",
    .details =
        "Curves are bandwidths by size and stride, as MultiMAPS measures them. The hit rates of\n"
        "each point are found by simulating its accesses on the machine's caches; then a function\n"
        "of them is trained that gives the bandwidth (Tikir et al., SC 2007), by the published\n"
        "genetic algorithm and by least squares from many starts. The convolver of 'predict'\n"
        "takes it. Of traces it is said which of their basic blocks' hit rates the points cover.\n"
        "\n"
        "Text has lines of size_bytes,stride_bytes and one of gb_per_s, mb_per_s and ns (per\n"
        "access), with a first line that names the columns; with hit_rate_1 and so on nothing is\n"
        "simulated (docs/convolver.md).\n"
        "\n"
        "  foretrace machine probe -o host.yaml\n"
        "  foretrace bandwidth -m ./host.yaml --curves host.curves.h5 -o host.bandwidth.h5\n"
        "  foretrace bandwidth -m amd-zen5 --curves multimaps.csv --svg fit.svg matmul.h5\n",
    .options = bandwidth_options,
    .option_count = sizeof bandwidth_options / sizeof *bandwidth_options,
    .run = run,
};
