/*
 * `foretrace synthesise`: what skeletons of traces of several sizes say about another size: its
 * accesses as a trace, and the misses there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/simulate/alone_report.h"
#include "engine/commands/simulate/hierarchy_report.h"
#include "fit/commands/synthesis_input.h"
#include "fit/commands/synthesis_note.h"
#include "fit/commands/synthesised_trace.h"
#include "fit/skeletons/synthetic_hierarchy.h"
#include "fit/skeletons/synthetic_misses.h"
#include "formats/base/file_name.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/startup_fold.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_values.h"

/* ---- the size asked for ---- */

/* --at NAME=INTEGER */
static int read_at(const struct ft_arguments *arguments, char **ret_name, double *ret_size,
                   struct ft_diag *diag)
{
    const char *at = ft_option_last(arguments, "at");
    size_t length;
    double size;
    if (!ft_parse_assignment(at, &length, &size) || size != floor(size) || size < 1 ||
        size > FT_MODEL_SIZE_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: must be NAME=INTEGER, such as N=320", at);
    char *name = strndup(at, length);
    if (!name)
        return ft_fail_memory(diag, "a size");
    *ret_name = name;
    *ret_size = size;
    return FT_OK;
}

static int check_reach(const struct ft_sized_skeleton *sized, const char *name, double size,
                       struct ft_diag *diag)
{
    struct ft_unknown_residue unknown;
    if (ft_sized_skeleton_reaches(sized, size, &unknown))
        return FT_OK;
    if (unknown.is_no_doubled)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at %s=%.15g: its loops double something until it is the size, so their "
                       "laws are of sizes learned from times powers of two: give %s=%.15g",
                       name, size, name, unknown.near);
    if (size > unknown.last)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at %s=%.15g: it has more levels than are known, those of %s=%.15g: give "
                       "%s=%.15g",
                       name, size, name, unknown.last, name, unknown.near);
    return ft_fail(
        diag, FT_ERROR_USAGE,
        "--at %s=%.15g: no size learned from has its residue modulo %.15g, so remainders of "
        "loops are not known there: give %s=%.15g",
        name, size, unknown.modulus, name, unknown.near);
}

/* ---- misses ---- */

/* What is asked for: a size, and how the misses there are shown. */
struct request {
    char *parameter;
    double size;
    struct ft_report_options options;
    bool hierarchy;
    struct ft_hierarchy_options asked; /* of it */
};

/* What a report is about, with what it needs. */
struct made {
    const struct request *request;
    const struct ft_synthesis_input *input;
    const struct ft_synthesis *synthesis;
    struct ft_synthesis_note *note;
};

/* The members of a document are taken over. */
static json_t *take_members(const struct made *made)
{
    json_t *members = made->request->options.form == FT_REPORT_JSON ? made->note->members : NULL;
    if (members)
        made->note->members = NULL;
    return members;
}

static int report_alone(const struct made *made, struct ft_diag *diag)
{
    const struct ft_report_options *options = &made->request->options;
    const struct ft_synthesis_input *input = made->input;
    struct ft_simulation simulation = {0};
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_synthesis_simulate(made->synthesis, options->machines, &progress.base,
                                       &simulation, diag);
    ft_progress_line_fini(&progress);
    struct ft_simulated_trace simulated = {.content_hash = input->hash,
                                           .metadata = input->metadata,
                                           .thread_count = 1,
                                           .scopes = input->sized->largest.scopes};
    if (!status)
        status = ft_simulated_trace_sum(&simulation, options->machines, &simulated, diag);
    const struct ft_alone_report alone = {.options = options,
                                          .simulated = &simulated,
                                          .note = made->note->text,
                                          .members = status ? NULL : take_members(made)};
    if (!status)
        status = ft_alone_report(&alone, diag);
    free(simulated.own);
    free(simulated.blocks);
    free(simulated.references);
    ft_simulation_fini(&simulation);
    return status;
}

static int report_hierarchy(const struct made *made, struct ft_diag *diag)
{
    const struct ft_report_options *options = &made->request->options;
    const struct ft_machine machine = ft_machine_without_instructions(options->machines);
    const struct ft_hierarchy_options *asked = &made->request->asked;
    const struct ft_hierarchy_task task = {.machines = &machine,
                                           .machine_count = 1,
                                           .seed = asked->seed,
                                           .causes = asked->causes,
                                           .thread_count = 1};
    struct ft_hierarchy_run run;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_synthesis_hierarchy(made->synthesis, &task, &progress.base, &run, diag);
    ft_progress_line_fini(&progress);
    FT_TRY(status);
    struct ft_hierarchy_report report = {.machine = &machine,
                                         .run = &run,
                                         .metadata = &made->input->metadata,
                                         .content_hash = made->input->hash,
                                         .scopes = &made->input->sized->largest.scopes,
                                         .seed = asked->seed,
                                         .note = made->note->text,
                                         .members = take_members(made)};
    status = ft_hierarchy_report(&report, options, asked->kind, diag);
    ft_hierarchy_run_fini(&run);
    return status;
}

/* ---- the trace ---- */

/* What is said where no misses are asked for. */
static int print_summary(const char *output, uint64_t accesses, const struct made *made,
                         struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    ft_print_wrapped(stdout, 0, "%s: %s accesses of %s at %s = %.15g\n", output,
                     ft_text_count(text, (double)accesses),
                     ft_file_name(made->input->metadata.program), made->request->parameter,
                     made->request->size);
    fputs(made->note->text, stdout);
    return ft_stdout_finish(diag);
}

static int write_trace(const struct ft_arguments *arguments, const struct made *made,
                       struct ft_diag *diag)
{
    struct ft_progress_line progress;
    uint64_t accesses;
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_synthesised_trace_write(arguments, made->synthesis, &made->input->metadata,
                                            &progress.base, &accesses, diag);
    ft_progress_line_fini(&progress);
    if (!status && made->request->options.machine_count == 0)
        status = print_summary(ft_option_last(arguments, "output"), accesses, made, diag);
    return status;
}

/* ---- all of it ---- */

/* Sets the parameter of the largest trace to the size asked for. */
static void set_size(struct ft_metadata *metadata, const char *name, double size)
{
    struct ft_parameter *parameter = ft_metadata_parameter(metadata, name);
    if (parameter)
        parameter->value = size;
}

static int report(const struct made *made, struct ft_diag *diag)
{
    return made->request->hierarchy ? report_hierarchy(made, diag) : report_alone(made, diag);
}

static int make_size(const struct ft_arguments *arguments, struct ft_synthesis_input *input,
                     const struct request *request, struct ft_diag *diag)
{
    struct ft_synthesis_note note = {0};
    struct ft_synthesis synthesis;
    const struct made made = {request, input, &synthesis, &note};
    FT_TRY(ft_synthesis_init(input->sized, request->size, &synthesis, diag));
    set_size(&input->metadata, request->parameter, request->size);
    int status = ft_synthesis_note_make(input->sized, request->parameter, &note, diag);
    if (!status && ft_option_count(arguments, "output"))
        status = write_trace(arguments, &made, diag);
    if (!status && request->options.machine_count > 0)
        status = report(&made, diag);
    ft_synthesis_note_fini(&note);
    ft_synthesis_fini(&synthesis);
    return status;
}

static int make(const struct ft_arguments *arguments, struct request *request, struct ft_diag *diag)
{
    struct ft_synthesis_input input = {0};
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "synthesise");
    int status =
        ft_synthesis_input_read(arguments, request->parameter, &progress.base, &input, diag);
    ft_progress_line_fini(&progress);
    if (!status)
        status = check_reach(input.sized, request->parameter, request->size, diag);
    if (!status)
        status = make_size(arguments, &input, request, diag);
    ft_synthesis_input_fini(&input);
    return status;
}

static int synthesise(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct request request = {.hierarchy = ft_option_count(arguments, "hierarchy") > 0};
    FT_TRY(ft_hierarchy_options_read(arguments, &request.asked, diag));
    FT_TRY(ft_report_options_read(arguments, &request.options, diag));
    request.options.folds_startup = ft_startup_is_folded(arguments);
    int status = read_at(arguments, &request.parameter, &request.size, diag);
    if (!status)
        status = make(arguments, &request, diag);
    free(request.parameter);
    ft_report_options_fini(&request.options);
    return status ? status : ft_stdout_finish(diag);
}

/* Blocks have executions, and data are objects, of a trace. */
static bool may_be_by(const char *by)
{
    return !by || strcmp(by, "loops") == 0 || strcmp(by, "references") == 0;
}

/* Options of the misses, which a machine has. */
static const char *const of_reports[] = {"loops", "json", "csv", "wide", "hierarchy"};

static int run(const struct ft_arguments *arguments)
{
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give a model, histograms, or traces of three sizes");
    if (!ft_option_count(arguments, "at"))
        return ft_command_misuse(arguments, "--at NAME=SIZE is needed");
    if (!ft_option_count(arguments, "machine")) {
        if (!ft_option_count(arguments, "output"))
            return ft_command_misuse(arguments,
                                     "give a --machine for misses, or -o FILE for a trace");
        for (size_t i = 0; i < sizeof of_reports / sizeof *of_reports; i++)
            if (ft_option_count(arguments, of_reports[i]))
                return ft_command_misuse(arguments, "--%s is of misses: give a --machine",
                                         of_reports[i]);
    }
    if (!may_be_by(ft_option_last(arguments, "by")))
        return ft_command_misuse(arguments,
                                 "--by %s: must be loops or references; no trace has "
                                 "executions of blocks, or data, at the size",
                                 ft_option_last(arguments, "by"));
    struct ft_diag diag = {0};
    int status = synthesise(arguments, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option synthesise_options[] = {
    {"at", 0, "NAME=SIZE", "the size to make the accesses of"},
    {"output", 'o', "FILE", "a trace of them, marked as synthetic", .writes = FT_FILE_TRACE},
    {"model", 0, "NAME", "which model of a file with several"},
    FT_REPORT_OPTIONS(false, "with most accesses"),
    FT_STARTUP_OPTION,
    {"hierarchy", 0, NULL, "each level sees what misses before it, behaving as described"},
    {"by", 0, "PLACES", "with --hierarchy: by loops (default) or references", .needs = "hierarchy"},
    {"causes", 0, NULL, "also misses by cause, cold, capacity and conflict", .needs = "hierarchy"},
    {"seed", 0, "NUMBER", "with --hierarchy: of random replacement (1)", .needs = "hierarchy"},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
};

const struct ft_command ft_synthesise_command = {
    .name = "synthesise",
    .synopsis = "synthesise [options] --at NAME=SIZE [--machine MACHINE] [-o FILE] "
                "MODEL|HIST...|TRACE...",
    .summary = "the accesses at a size that never ran, and their exact misses",
    .details =
        "Learns how the trip counts and addresses of all loops follow from the size, from traces\n"
        "of at least three sizes that were captured with calls of allocation functions and "
        "NAME=SIZE,\n"
        "or their histograms; a model has learned it (docs/skeleton.md). Makes the accesses at "
        "the\n"
        "size asked for, and prints their misses as `simulate` does for a trace, or writes them "
        "to\n"
        "one, without code. What depends on data, or has no law, is named.\n"
        "\n"
        "With --hierarchy the levels work together as `simulate --hierarchy` has them, but for\n"
        "instruction levels: no fetches are made.\n"
        "\n"
        "  foretrace synthesise --at N=320 -m amd-zen5 model.h5\n"
        "  foretrace synthesise --hierarchy --at N=320 -m amd-zen5 model.h5\n"
        "  foretrace synthesise --at N=320 -m amd-zen5 n24.h5 n32.h5 n40.h5 n48.h5 n56.h5\n"
        "  foretrace synthesise --at N=320 -o n320.h5 model.h5\n",
    .options = synthesise_options,
    .option_count = sizeof synthesise_options / sizeof *synthesise_options,
    .run = run,
};
