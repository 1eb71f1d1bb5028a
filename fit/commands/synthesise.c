/*
 * `foretrace synthesise`: skeletons of traces of several sizes, what they say about another size,
 * and the misses there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/simulate/alone_report.h"
#include "engine/skeleton/trace_skeleton.h"
#include "fit/skeletons/synthesis.h"
#include "formats/base/number_text.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_values.h"

/* Scopes named as not synthetic, at the most; and their share of accesses at the least. */
#define NAMED_MAX 5
#define NAMED_MIN 0.001

/* ---- traces ---- */

struct traces {
    struct ft_skeleton *skeletons;
    double *sizes;
    size_t count;
    char *parameter;
    char *hash;                  /* of the largest one */
    struct ft_metadata metadata; /* likewise */
};

static void close_traces(struct traces *traces)
{
    for (size_t i = 0; traces->skeletons && i < traces->count; i++)
        ft_skeleton_fini(&traces->skeletons[i]);
    free(traces->skeletons);
    free(traces->sizes);
    free(traces->parameter);
    free(traces->hash);
    ft_metadata_fini(&traces->metadata);
}

/* What is kept of the largest trace. */
static int keep_largest(struct traces *traces, const struct ft_trace *trace, struct ft_diag *diag)
{
    for (size_t i = 0; i + 1 < traces->count; i++)
        if (traces->sizes[i] > traces->sizes[traces->count - 1])
            return FT_OK;
    ft_metadata_fini(&traces->metadata);
    free(traces->hash);
    traces->hash = strdup(ft_trace_content_hash(trace));
    if (!traces->hash)
        return ft_fail_memory(diag, "the skeleton of a trace");
    return ft_metadata_copy(ft_trace_metadata(trace), &traces->metadata, diag);
}

static int find_size(struct traces *traces, const struct ft_trace *trace, double *ret_size,
                     struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, traces->parameter) == 0) {
            *ret_size = metadata->parameters[i].value;
            return FT_OK;
        }
    return ft_fail(diag, FT_ERROR_USAGE, "%s has no %s: capture with -D %s=VALUE",
                   ft_trace_path(trace), traces->parameter, traces->parameter);
}

static int add_trace(struct traces *traces, struct ft_trace *trace, struct ft_diag *diag)
{
    const struct ft_skeleton_options options = {.places = true};
    struct ft_progress_line progress;
    FT_TRY(ft_trace_require_addresses(trace, diag));
    FT_TRY(find_size(traces, trace, &traces->sizes[traces->count], diag));
    ft_progress_line_init(&progress, "synthesise");
    int status =
        ft_trace_skeleton(trace, &options, &progress.base, &traces->skeletons[traces->count], diag);
    ft_progress_line_fini(&progress);
    if (status)
        return status;
    traces->count++;
    if (!traces->skeletons[traces->count - 1].has_calls)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s has no calls of allocation functions, which say where arrays are: "
                       "capture with --allocations",
                       ft_trace_path(trace));
    return keep_largest(traces, trace, diag);
}

static int read_traces(const struct ft_arguments *arguments, struct traces *traces,
                       struct ft_diag *diag)
{
    const size_t count = ft_operand_count(arguments);
    traces->skeletons = calloc(count, sizeof *traces->skeletons);
    traces->sizes = calloc(count, sizeof *traces->sizes);
    if (!traces->skeletons || !traces->sizes)
        return ft_fail_memory(diag, "the skeletons of traces");
    for (size_t i = 0; i < count; i++) {
        struct ft_trace *trace;
        FT_TRY(ft_trace_open_operand_at(arguments, i, &trace, diag));
        int status = add_trace(traces, trace, diag);
        ft_trace_close(trace);
        if (status)
            return status;
    }
    return FT_OK;
}

static int learn(const struct traces *traces, struct ft_sized_skeleton *ret_sized,
                 struct ft_diag *diag)
{
    const struct ft_skeleton **skeletons = malloc(traces->count * sizeof *skeletons);
    if (!skeletons)
        return ft_fail_memory(diag, "the skeletons of traces");
    for (size_t i = 0; i < traces->count; i++)
        skeletons[i] = &traces->skeletons[i];
    int status = ft_sized_skeleton_learn(skeletons, traces->sizes, traces->count, ret_sized, diag);
    free(skeletons);
    return status;
}

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
    const struct traces *traces;
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
    for (size_t s = 0; s < largest->scopes.scope_count; s++) {
        report->total.accesses += report->shares[s].accesses;
        report->total.sized += report->shares[s].sized;
        report->total.recorded += report->shares[s].recorded;
        report->total.irregular += report->shares[s].irregular;
    }
    for (uint32_t b = 0; b < largest->blocks.block_count; b++)
        report->unconfirmed += !report->sized->blocks.is_confirmed[b];
    return FT_OK;
}

static double missing(const struct ft_synthetic_share *share)
{
    return share->recorded + share->irregular;
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
    char sized[FT_NUMBER_TEXT], recorded[FT_NUMBER_TEXT], irregular[FT_NUMBER_TEXT];
    const double all = report->total.accesses > 0 ? report->total.accesses : 1;
    fprintf(stream, "synthesised from %s =", report->traces->parameter);
    for (size_t s = 0; s < report->sized->size_count; s++)
        fprintf(stream, " %g", report->sized->sizes[s]);
    fprintf(stream, "; at the largest %s follow laws,\n%s stay as recorded, %s are left out\n",
            ft_text_share(sized, report->total.sized / all),
            ft_text_share(recorded, report->total.recorded / all),
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
    return json_pack(
        "{s:{s:o, s:I, s:I, s:I, s:I, s:I}}", "synthesised", "sizes", sizes, "training_accesses",
        (json_int_t)report->total.accesses, "sized", (json_int_t)report->total.sized, "recorded",
        (json_int_t)report->total.recorded, "irregular", (json_int_t)report->total.irregular,
        "unconfirmed_blocks", (json_int_t)report->unconfirmed);
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

struct opening {
    const struct ft_synthesis *synthesis;
    struct ft_run_source *source;
};

static int open_source(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct opening *opening = context;
    if (opening->source)
        opening->source->destroy(opening->source);
    opening->source = NULL;
    FT_TRY(ft_synthesis_source(opening->synthesis, &opening->source, diag));
    *ret_source = opening->source;
    return FT_OK;
}

static int simulate(const struct ft_synthesis *synthesis, const struct ft_machine *machine,
                    struct ft_simulation *ret_simulation, struct ft_diag *diag)
{
    struct opening opening = {.synthesis = synthesis};
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "synthesise");
    int status =
        ft_simulate(machine, 1, open_source, &opening, &progress.base, ret_simulation, diag);
    ft_progress_line_fini(&progress);
    if (opening.source)
        opening.source->destroy(opening.source);
    return status;
}

/* Sets the parameter of the largest trace to the size asked for. */
static void set_size(struct ft_metadata *metadata, const char *name, double size)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0)
            metadata->parameters[i].value = size;
}

static int report_size(const struct ft_sized_skeleton *sized, struct traces *traces, double size,
                       const struct ft_report_options *options, struct ft_diag *diag)
{
    struct report report = {.sized = sized, .traces = traces};
    struct ft_synthesis synthesis;
    struct ft_simulation simulation = {0};
    FT_TRY(ft_synthesis_init(sized, size, &synthesis, diag));
    set_size(&traces->metadata, traces->parameter, size);
    struct ft_simulated_trace simulated = {.content_hash = traces->hash,
                                           .metadata = traces->metadata,
                                           .thread_count = 1,
                                           .scopes = sized->largest.scopes};
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
    struct traces traces = {0};
    struct ft_sized_skeleton sized = {0};
    struct ft_report_options options;
    double size = 0;
    FT_TRY(ft_report_options_read(arguments, &options, diag));
    int status = read_at(arguments, &traces.parameter, &size, diag);
    if (!status)
        status = read_traces(arguments, &traces, diag);
    if (!status)
        status = learn(&traces, &sized, diag);
    if (!status)
        status = check_reach(&sized, traces.parameter, size, diag);
    if (!status)
        status = report_size(&sized, &traces, size, &options, diag);
    ft_sized_skeleton_fini(&sized);
    close_traces(&traces);
    ft_report_options_fini(&options);
    return status ? status : ft_stdout_finish(diag);
}

static int run(const struct ft_arguments *arguments)
{
    if (ft_operand_count(arguments) < 3)
        return ft_command_misuse(arguments, "give traces of three sizes or more");
    if (!ft_option_count(arguments, "at") || !ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--at NAME=SIZE and --machine are needed");
    struct ft_diag diag = {0};
    int status = synthesise(arguments, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option synthesise_options[] = {
    {"at", 0, "NAME=SIZE", "the size to make the accesses of"},
    FT_REPORT_OPTIONS(false, "with most accesses"),
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
};

const struct ft_command ft_synthesise_command = {
    .name = "synthesise",
    .synopsis = "synthesise [options] --at NAME=SIZE --machine MACHINE TRACE...",
    .summary = "the accesses at a size that never ran, and their exact misses",
    .details =
        "Learns from traces of at least three sizes, captured with calls of allocation\n"
        "functions and NAME=SIZE, how the trip counts and addresses of all loops follow from the "
        "size\n"
        "(docs/skeleton.md), makes the accesses at the size asked for, and prints their misses\n"
        "as `simulate` does for a trace. What depends on data, or has no law, is named.\n"
        "\n"
        "  foretrace synthesise --at N=320 -m amd-zen5 n24.h5 n32.h5 n40.h5 n48.h5 n56.h5\n",
    .options = synthesise_options,
    .option_count = sizeof synthesise_options / sizeof *synthesise_options,
    .run = run,
};
