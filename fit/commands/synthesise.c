/*
 * `foretrace synthesise`: what skeletons of traces of several sizes say about another size, and the
 * misses there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/simulate/alone_report.h"
#include "fit/commands/synthesis_input.h"
#include "fit/skeletons/synthetic_misses.h"
#include "formats/base/number_text.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_values.h"

/* Scopes named as not synthetic, at the most; and their share of accesses at the least. */
#define NAMED_MAX 5
#define NAMED_MIN 0.001

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
    double near;
    if (ft_sized_skeleton_reaches(sized, size, &near))
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--at %s=%g: the sizes learned from differ by multiples of a number from which "
                   "%g is off; remainders of loops are not known there: give %s=%g",
                   name, size, size, name, near);
}

/* ---- the report ---- */

struct report {
    const struct ft_sized_skeleton *sized;
    const char *parameter;
    struct ft_synthetic_share *shares; /* [scope] */
    struct ft_synthetic_share total;
    size_t unconfirmed; /* blocks */
};

static int sum_shares(struct report *report, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &report->sized->largest;
    report->shares = calloc(largest->scopes.scope_count + 1, sizeof *report->shares);
    if (!report->shares)
        return ft_fail_memory(diag, "a report");
    FT_TRY(ft_synthetic_shares(report->sized, report->shares, diag));
    FT_TRY(ft_synthetic_share_sum(report->sized, &report->total, diag));
    for (uint32_t b = 0; b < largest->blocks.block_count; b++)
        report->unconfirmed += !report->sized->blocks.is_confirmed[b];
    return FT_OK;
}

static double missing(const struct ft_synthetic_share *share)
{
    return share->recorded + share->drawn + share->irregular;
}

/* The scopes with most accesses that are not synthetic. */
static void print_missing(const struct report *report, FILE *stream)
{
    const struct ft_scope *scopes = report->sized->largest.scopes.scopes;
    const size_t count = report->sized->largest.scopes.scope_count;
    double limit = INFINITY;
    for (unsigned named = 0; named < NAMED_MAX; named++) {
        size_t most = 0;
        for (size_t s = 1; s < count; s++)
            if (missing(&report->shares[s]) < limit &&
                missing(&report->shares[s]) > (most ? missing(&report->shares[most]) : 0))
                most = s;
        limit = most ? missing(&report->shares[most]) : 0;
        if (limit < NAMED_MIN * report->total.accesses)
            return;
        char text[FT_NUMBER_TEXT];
        fprintf(stream, "not synthetic: %s, %s of the accesses\n", scopes[most].name,
                ft_text_share(text, limit / report->total.accesses));
    }
}

static void print_note(const struct report *report, FILE *stream)
{
    char sized[FT_NUMBER_TEXT], recorded[FT_NUMBER_TEXT], drawn[FT_NUMBER_TEXT],
        irregular[FT_NUMBER_TEXT];
    const double all = report->total.accesses > 0 ? report->total.accesses : 1;
    fprintf(stream, "synthesised from %s =", report->parameter);
    for (size_t s = 0; s < report->sized->size_count; s++)
        fprintf(stream, " %g", report->sized->sizes[s]);
    fprintf(stream,
            "; at the largest %s follow laws,\n%s stay as recorded, %s are drawn at random, "
            "%s are left out\n",
            ft_text_share(sized, (report->total.sized + report->total.single) / all),
            ft_text_share(recorded, report->total.recorded / all),
            ft_text_share(drawn, report->total.drawn / all),
            ft_text_share(irregular, report->total.irregular / all));
    print_missing(report, stream);
    if (report->unconfirmed)
        fprintf(stream, "%zu heap blocks are where they were at the largest size\n",
                report->unconfirmed);
}

static json_t *note_json(const struct report *report)
{
    json_t *sizes = json_array();
    for (size_t s = 0; s < report->sized->size_count; s++)
        ft_json_append(&sizes, json_real(report->sized->sizes[s]));
    return json_pack("{s:{s:o, s:I, s:I, s:I, s:I, s:I, s:I}}", "synthesised", "sizes", sizes,
                     "training_accesses", (json_int_t)report->total.accesses, "sized",
                     (json_int_t)(report->total.sized + report->total.single), "recorded",
                     (json_int_t)report->total.recorded, "drawn", (json_int_t)report->total.drawn,
                     "irregular", (json_int_t)report->total.irregular, "unconfirmed_blocks",
                     (json_int_t)report->unconfirmed);
}

static int print_report(struct report *report, const struct ft_report_options *options,
                        const struct ft_simulated_trace *simulated, struct ft_diag *diag)
{
    char *note = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&note, &bytes);
    if (!stream)
        return ft_fail_memory(diag, "a report");
    print_note(report, stream);
    if (fclose(stream) != 0) {
        free(note);
        return ft_fail_memory(diag, "a report");
    }
    struct ft_alone_report alone = {.options = options,
                                    .simulated = simulated,
                                    .note = note,
                                    .members =
                                        options->form == FT_REPORT_JSON ? note_json(report) : NULL};
    int status = ft_alone_report(&alone, diag);
    free(note);
    return status;
}

/* ---- misses ---- */

static int simulate(const struct ft_synthesis *synthesis, const struct ft_machine *machine,
                    struct ft_simulation *ret_simulation, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "synthesise");
    int status = ft_synthesis_simulate(synthesis, machine, &progress.base, ret_simulation, diag);
    ft_progress_line_fini(&progress);
    return status;
}

/* Sets the parameter of the largest trace to the size asked for. */
static void set_size(struct ft_metadata *metadata, const char *name, double size)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0)
            metadata->parameters[i].value = size;
}

static int report_size(struct ft_synthesis_input *input, const char *parameter, double size,
                       const struct ft_report_options *options, struct ft_diag *diag)
{
    struct report report = {.sized = input->sized, .parameter = parameter};
    struct ft_synthesis synthesis;
    struct ft_simulation simulation = {0};
    FT_TRY(ft_synthesis_init(input->sized, size, &synthesis, diag));
    set_size(&input->metadata, parameter, size);
    struct ft_simulated_trace simulated = {.content_hash = input->hash,
                                           .metadata = input->metadata,
                                           .thread_count = 1,
                                           .scopes = input->sized->largest.scopes};
    int status = simulate(&synthesis, options->machines, &simulation, diag);
    if (!status)
        status = ft_simulated_trace_sum(&simulation, options->machines, &simulated, diag);
    if (!status)
        status = sum_shares(&report, diag);
    if (!status)
        status = print_report(&report, options, &simulated, diag);
    free(simulated.own);
    free(report.shares);
    ft_simulation_fini(&simulation);
    ft_synthesis_fini(&synthesis);
    return status;
}

/* ---- the command ---- */

static int synthesise(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_synthesis_input input = {0};
    struct ft_report_options options;
    struct ft_progress_line progress;
    char *parameter = NULL;
    double size = 0;
    FT_TRY(ft_report_options_read(arguments, &options, diag));
    int status = read_at(arguments, &parameter, &size, diag);
    ft_progress_line_init(&progress, "synthesise");
    if (!status)
        status = ft_synthesis_input_read(arguments, parameter, &progress.base, &input, diag);
    ft_progress_line_fini(&progress);
    if (!status)
        status = check_reach(input.sized, parameter, size, diag);
    if (!status)
        status = report_size(&input, parameter, size, &options, diag);
    ft_synthesis_input_fini(&input);
    free(parameter);
    ft_report_options_fini(&options);
    return status ? status : ft_stdout_finish(diag);
}

static int run(const struct ft_arguments *arguments)
{
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give a model, histograms, or traces of three sizes");
    if (!ft_option_count(arguments, "at") || !ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--at NAME=SIZE and --machine are needed");
    struct ft_diag diag = {0};
    int status = synthesise(arguments, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option synthesise_options[] = {
    {"at", 0, "NAME=SIZE", "the size to make the accesses of"},
    {"model", 0, "NAME", "which model of a file with several"},
    FT_REPORT_OPTIONS(false, "with most accesses"),
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
};

const struct ft_command ft_synthesise_command = {
    .name = "synthesise",
    .synopsis = "synthesise [options] --at NAME=SIZE --machine MACHINE MODEL|HIST...|TRACE...",
    .summary = "the accesses at a size that never ran, and their exact misses",
    .details =
        "Learns how the trip counts and addresses of all loops follow from the size, from traces\n"
        "of at least three sizes that were captured with calls of allocation functions and "
        "NAME=SIZE,\n"
        "or their histograms; a model has learned it (docs/skeleton.md). Makes the accesses at "
        "the\n"
        "size asked for, and prints their misses as `simulate` does for a trace. What depends on\n"
        "data, or has no law, is named.\n"
        "\n"
        "  foretrace synthesise --at N=320 -m amd-zen5 model.h5\n"
        "  foretrace synthesise --at N=320 -m amd-zen5 n24.h5 n32.h5 n40.h5 n48.h5 n56.h5\n",
    .options = synthesise_options,
    .option_count = sizeof synthesise_options / sizeof *synthesise_options,
    .run = run,
};
