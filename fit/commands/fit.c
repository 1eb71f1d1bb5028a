/*
 * foretrace fit: reads histogram files, fits, writes the model, and reports what a user needs to
 * judge it: how much was matched, how well the training sizes are met, and whether they mix
 * residues.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/commands/advice.h"
#include "fit/commands/counted_traces.h"
#include "fit/commands/fit_report.h"
#include "fit/fit_model.h"
#include "fit/functions/shape.h"
#include "fit/matching/build_names.h"
#include "fit/methods/methods.h"
#include "fit/skeletons/synthesis.h"
#include "formats/base/array.h"
#include "formats/base/clock.h"
#include "formats/cli/commands.h"
#include "formats/cli/style.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_values.h"

#define MATCHED_WELL    0.95
#define STRANGE_MIN     0.01
#define UNTRACED_MIN    0.01
#define PARAMETERS_TEXT 512 /* bytes for the names of all */

static const struct ft_option options[] = {
    {"output", 'o', "MODEL", "the model file to write (required, except with --report or --advise)",
     .writes = FT_FILE_MODEL},
    {"parameter", 'p', "NAME",
     "the model's parameter; for several: -p N -p M (default: all that vary)", .repeats = true},
    {"without", 0, "NAME",
     "leave out a parameter that varies, as it follows from the model's: N of a run beside the "
     "block that a rank has of it",
     .repeats = true},
    {"from-name", 0, "PATTERN",
     "read the (first) parameter of -p from the program's path: the number at the #, as in "
     "ssor-#"},
    {"data-size", 0, NULL, "model over the data size, s in bytes, instead of a parameter",
     .excludes = "parameter"},
    {"counts", 0, "TRACE",
     "a trace of capture --counts, of a further size: executions are fitted over these sizes, too",
     .excludes = "data-size from-name", .reads = true, .repeats = true},
    {"method", 0, "NAME",
     "how histograms are fitted: ensemble (default), modes, split, split-2004 or patterns"},
    {"whole", 0, NULL,
     "one histogram for the whole program instead of one per group, as published in 2007"},
    {"basis", 0, "TERMS",
     "the terms of functions, besides a constant, such as N,N^2*log2(N) or sqrt(N)"},
    {"shape", 0, "SHAPE",
     "the shape of functions: convex or concave, rising or falling (or one of each: "
     "rising,convex), or any (default: rising or falling as the values are, and convex or "
     "concave)"},
    {"name", 'n', "NAME", "the model's name (default: the program's)"},
    {"model", 0, "NAME", "--advise: which of the models in a model file"},
    {"report", 0, NULL,
     "how well the model fits the training sizes: errors with each of them, and without it"},
    {"advise", 0, "NAME=SIZE",
     "which groups are poorly known at that size, and which further training size would help "
     "most"},
    {"groups", 'g', "COUNT", "--report, --advise: how many groups to show (default: 10)"},
    {"csv", 0, NULL, "--report: all groups as CSV, and nothing else"},
    {"threads", 't', "COUNT", "threads (default: OMP_NUM_THREADS, else all processors)"},
    FT_WIDE_OPTION,
};

/* What the options ask for. */
struct request {
    struct ft_fit_options fit;
    char parameters[PARAMETERS_TEXT];
    const char *output, *from_name, *advise; /* NULL: not given */
    bool reports, csv;
    uint64_t groups;
};

/* The entries of all files, moved together. */
struct entries {
    struct ft_histograms *items;
    size_t count, capacity;
};

static void entries_fini(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        ft_histograms_fini(&entries->items[i]);
    free(entries->items);
}

static int read_entries(struct entries *entries, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    int status = ft_histogram_file_read(path, &file, diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(path, "'foretrace replay -o HIST' makes the histograms of traces", diag);
    if (status < 0)
        return status;
    if (!FT_RESERVE(entries->items, entries->capacity, entries->count + file.count)) {
        ft_histogram_file_fini(&file);
        return ft_fail_memory(diag, "histograms");
    }
    for (size_t i = 0; i < file.count; i++) {
        entries->items[entries->count++] = file.entries[i];
        file.entries[i] = (struct ft_histograms){0};
    }
    ft_histogram_file_fini(&file);
    return FT_OK;
}

/* Whether an earlier training size has the same value of a parameter. */
static bool is_repeated(const struct ft_model *model, size_t size, size_t parameter)
{
    for (size_t i = 0; i < size; i++)
        if (ft_model_training(model, i)[parameter] == ft_model_training(model, size)[parameter])
            return true;
    return false;
}

static void warn_of_residues(const struct ft_model *model, size_t parameter)
{
    const char *name = model->basis.parameters[parameter];
    uint64_t modulus = ft_fit_mixed_residues(model, parameter);
    if (modulus == 0)
        return;
    fprintf(stderr,
            "foretrace fit: %s the sizes of %s differ modulo %" PRIu64
            ", the elements of 8 bytes in a line of %" PRIu64 " bytes: rows then start at changing "
            "offsets in their lines, and counts scatter. Sizes that agree, also with the target, "
            "predict better (%s =",
            ft_style_warning(stderr), name, modulus, modulus * 8, name);
    for (size_t i = 0; i < model->training_count; i++)
        if (!is_repeated(model, i, parameter))
            fprintf(stderr, " %g", ft_model_training(model, i)[parameter]);
    fputs(")\n", stderr);
}

static void warn_of_differences(const struct ft_model *model)
{
    char text[FT_NUMBER_TEXT];
    if (model->matched_share >= MATCHED_WELL)
        return;
    fprintf(stderr,
            "foretrace fit: %s only %s of the accesses at %s = %.15g are in references that "
            "all sizes have: the program took other paths at some sizes, or was built otherwise. "
            "The model of the rest is worth little; leave out the sizes that differ ('foretrace "
            "info' shows command and modules, 'foretrace structure --match' two builds)\n",
            ft_style_warning(stderr), ft_text_share(text, model->matched_share), model->parameter,
            ft_model_training(model, model->training_count - 1)[0]);
}

/* Strides that are no function of the size. */
static void warn_of_strides(const struct ft_model *model, const struct ft_series_strides *strides)
{
    char share[FT_NUMBER_TEXT];
    if (strides->strange < STRANGE_MIN)
        return;
    fprintf(stderr,
            "foretrace fit: %s the strides of %s of the accesses do not follow %s, as when "
            "arrays are padded at some sizes or keep their dimensions: most of them in %s, line "
            "%" PRIu32 ", with",
            ft_style_warning(stderr), ft_text_share(share, strides->strange), model->parameter,
            strides->scope->name, strides->line);
    for (size_t i = 0; i < model->training_count; i++)
        fprintf(stderr, " %" PRId64, strides->strides[i]);
    fprintf(stderr, " bytes at %s =", model->parameter);
    for (size_t i = 0; i < model->training_count; i++)
        fprintf(stderr, " %g", ft_model_training(model, i)[0]);
    fputs(". Builds that are padded alike predict better\n", stderr);
}

/* Code that ran at counted sizes alone. */
static void warn_of_untraced(const struct ft_model *model, const struct ft_counted_notes *counted)
{
    char share[FT_NUMBER_TEXT];
    if (counted->untraced_share < UNTRACED_MIN)
        return;
    fprintf(stderr,
            "foretrace fit: %s %s of the instructions at %s = %.15g are in code that no trace with "
            "addresses has, most of them in %s: they are counted, but nothing is known of their "
            "accesses and misses. Capture and replay a size that runs this code\n",
            ft_style_warning(stderr), ft_text_share(share, counted->untraced_share),
            model->parameter, ft_model_counted_size(model, counted->run)[0], counted->scope->name);
}

/* Where executions were counted alone, and what that says of laws. */
static void print_counted(const struct ft_model *model, const struct ft_counted_notes *counted)
{
    char sizes[FT_TRAINING_TEXT];
    if (model->counted.count == 0)
        return;
    printf("counts: also at %s; of %zu exact laws of the traces' sizes %zu hold there, %zu do "
           "not\n",
           ft_model_counted_text(sizes, model), counted->confirmed + counted->contradicted,
           counted->confirmed, counted->contradicted);
}

static void print_summary(const struct ft_model *model, const struct ft_series_notes *series,
                          const struct ft_counted_notes *counted, double seconds)
{
    char text[FT_NUMBER_TEXT];
    size_t rest = 0, bins = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        rest += model->groups[i].rest;
        for (size_t j = 0; j < model->size_count; j++)
            bins += ft_member_bins_count(model->groups[i].histograms[j].members[0].bins);
    }
    char sizes[FT_TRAINING_TEXT];
    printf("%s over %s", model->program, ft_model_training_text(sizes, model));
    printf(", method %s\n", model->method);
    if (series->builds > 1)
        printf("builds: %zu, matched by source and structure\n", series->builds);
    print_counted(model, counted);
    printf("matched: %s of the accesses, in references found at all sizes\n",
           ft_text_share(text, model->matched_share));
    printf("groups: %zu, %zu of them routine remainders; %zu bins\n", model->group_count, rest,
           bins);
    for (size_t j = 0; j < model->size_count; j++) {
        char bytes[FT_NUMBER_TEXT];
        printf("%s%s %s", j > 0 ? ", " : "largest training residual: ",
               ft_text_bytes(bytes, (double)model->block_bytes[j]),
               ft_text_percent(text, ft_fit_residual(model, j)));
    }
    putchar('\n');
    (void)fflush(stdout);
    if (isatty(STDERR_FILENO)) /* no part of the result, which is the same each time */
        fprintf(stderr, "time: %s\n", ft_text_seconds(text, seconds));
}

/* ---- what the model knows ---- */

static int print_skeleton(const struct ft_model *model, const struct ft_fit_notes *notes,
                          struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    struct ft_synthetic_share share;
    if (!model->skeleton) {
        printf("no skeleton: %s\n", notes->no_skeleton.message);
        return FT_OK;
    }
    FT_TRY(ft_synthetic_share_sum(model->skeleton, &share, diag));
    printf(
        "skeleton: %s of the accesses follow laws of %s\n",
        ft_text_share(text, share.accesses > 0 ? (share.sized + share.single) / share.accesses : 0),
        model->parameter);
    return FT_OK;
}

static int report(const struct request *request, const struct ft_model *model,
                  const struct ft_match *match, const struct entries *entries, struct ft_diag *diag)
{
    struct ft_fit_report table = {0};
    int status = ft_fit_report_make(model, match, entries->items, entries->count, &table, diag);
    if (status == FT_OK && !request->csv)
        fputs("\nErrors of misses over all capacities, and overlap of histograms:\n\n", stdout);
    if (status == FT_OK)
        status = ft_fit_report_print(&table, model, request->csv, request->groups, stdout, diag);
    ft_fit_report_fini(&table);
    return status;
}

static int advise(const struct request *request, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_advice advice = {0};
    struct ft_diag inner = {0};
    double target[FT_PARAMETERS_MAX] = {0};
    if (ft_model_read_parts(model, request->advise, ft_model_read_value, target, &inner) < 0)
        return ft_fail(diag, FT_ERROR_USAGE, "--advise %s", inner.message);
    int status = ft_advise(model, target[0], &advice, diag);
    if (status == FT_OK)
        status = ft_advice_print(&advice, model, request->groups, stdout, diag);
    ft_advice_fini(&advice);
    return status;
}

/* fit --advise MODEL: nothing is fitted. */
static int advise_file(const struct ft_arguments *arguments, const struct request *request,
                       struct ft_diag *diag)
{
    struct ft_model model;
    int status =
        ft_model_read(ft_operands(arguments)[0], ft_option_last(arguments, "model"), &model, diag);
    if (status < 0)
        return status;
    status = advise(request, &model, diag);
    ft_model_fini(&model);
    return status;
}

/* ---- options ---- */

static int misuse_method(const struct ft_arguments *arguments, const char *method)
{
    char names[256] = "";
    for (size_t i = 0; ft_fit_methods[i]; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                 ft_fit_methods[i]->name);
    }
    return ft_command_misuse(arguments, "unknown method '%s': must be one of %s", method, names);
}

/* Those of all -p, with commas between; NULL where there are none. */
static const char *join_parameters(const struct ft_arguments *arguments, char text[PARAMETERS_TEXT])
{
    const size_t count = ft_option_count(arguments, "parameter");
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, PARAMETERS_TEXT - length, "%s%s", i > 0 ? "," : "",
                 ft_option_at(arguments, "parameter", i));
    }
    return count > 0 ? text : NULL;
}

/* Those of the fit itself; 0 or an exit code. */
static int read_fit_options(const struct ft_arguments *arguments, struct request *request)
{
    struct ft_diag diag = {0};
    struct ft_fit_options *fit = &request->fit;
    const char *method = ft_option_last(arguments, "method");
    const char *shape = ft_option_last(arguments, "shape");
    const char *from_name = request->from_name = ft_option_last(arguments, "from-name");
    uint64_t threads = 0;
    fit->parameter = join_parameters(arguments, request->parameters);
    fit->name = ft_option_last(arguments, "name");
    fit->basis = ft_option_last(arguments, "basis");
    fit->whole = ft_option_count(arguments, "whole") > 0;
    fit->over_data_size = ft_option_count(arguments, "data-size") > 0;
    if (fit->name && !*fit->name)
        return ft_command_misuse(arguments, "--name: the name must not be empty");
    if (from_name && (!fit->parameter || !strchr(from_name, '#')))
        return ft_command_misuse(
            arguments,
            "--from-name %s: -p NAME is needed, and a # in the pattern where the "
            "number is",
            from_name);
    if (method && !(fit->method = ft_fit_method_find(method)))
        return misuse_method(arguments, method);
    if (shape && ft_shape_read(shape, &fit->shape, &diag) < 0)
        return ft_command_misuse(arguments, "--shape: %s", diag.message);
    if (ft_option_u64(arguments, "threads", 0, 1, 1024, &threads, &diag) < 0)
        return ft_command_fail(arguments, &diag);
    fit->threads = (int)threads;
    return 0;
}

/* All options, so that a mistake in one shows before anything that takes long. */
static int read_options(const struct ft_arguments *arguments, struct request *request)
{
    struct ft_diag diag = {0};
    request->output = ft_option_last(arguments, "output");
    request->advise = ft_option_last(arguments, "advise");
    request->reports = ft_option_count(arguments, "report") > 0;
    request->csv = ft_option_count(arguments, "csv") > 0;
    if (!request->output && !request->reports && !request->advise)
        return ft_command_misuse(arguments, "-o MODEL is needed (or --report or --advise alone)");
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "no histogram file was given");
    if (request->output && !*request->output)
        return ft_command_misuse(arguments, "-o: the file name must not be empty");
    if (request->csv && (!request->reports || request->advise))
        return ft_command_misuse(arguments, "--csv needs --report and excludes --advise");
    if (request->advise && !strchr(request->advise, '='))
        return ft_command_misuse(arguments, "--advise %s: must be NAME=SIZE", request->advise);
    if (ft_option_u64(arguments, "groups", 10, 0, UINT32_MAX, &request->groups, &diag) < 0)
        return ft_command_fail(arguments, &diag);
    return read_fit_options(arguments, request);
}

static bool drop_parameter(struct ft_metadata *metadata, const char *name)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0) {
            free(metadata->parameters[i].name);
            metadata->parameter_count--;
            memmove(metadata->parameters + i, metadata->parameters + i + 1,
                    (metadata->parameter_count - i) * sizeof *metadata->parameters);
            return true;
        }
    return false;
}

/* As if no trace had recorded those of --without. */
static int drop_parameters(const struct ft_arguments *arguments, struct entries *entries,
                           struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_option_count(arguments, "without"); i++) {
        const char *name = ft_option_at(arguments, "without", i);
        bool was_recorded = false;
        for (size_t p = 0; p < ft_option_count(arguments, "parameter"); p++)
            if (strcmp(ft_option_at(arguments, "parameter", p), name) == 0)
                return ft_fail(diag, FT_ERROR_USAGE, "-p %s and --without %s: give one", name,
                               name);
        for (size_t e = 0; e < entries->count; e++)
            was_recorded |= drop_parameter(&entries->items[e].metadata, name);
        if (!was_recorded)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--without %s: no trace recorded that parameter: leave it out", name);
    }
    return FT_OK;
}

/* ---- the command ---- */

static int read_all(const struct ft_arguments *arguments, const struct request *request,
                    struct entries *entries, struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_operand_count(arguments); i++)
        FT_TRY(read_entries(entries, ft_operands(arguments)[i], diag));
    FT_TRY(drop_parameters(arguments, entries, diag));
    return request->from_name ? ft_build_names_read(entries->items, entries->count,
                                                    ft_option_at(arguments, "parameter", 0),
                                                    request->from_name, diag)
                              : FT_OK;
}

/* A model that does not even repeat what it was fitted to. */
static void warn_of_misfit(const struct ft_model *model)
{
    char residual[FT_NUMBER_TEXT], share[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    size_t worst = 0;
    for (size_t i = 1; i < model->size_count; i++)
        if (ft_fit_misfit_share(model, i) > ft_fit_misfit_share(model, worst))
            worst = i;
    if (model->size_count == 0 || ft_fit_misfit_share(model, worst) < FT_MISFIT_MATTERS)
        return;
    fprintf(stderr,
            "foretrace fit: %s functions of %s of the touches (blocks of %s) miss training "
            "sizes by more than %.0f %%, at most by %s: the counts scatter, or follow another law. "
            "'foretrace fit --report' shows the groups; more sizes, or sizes of one kind, predict "
            "better\n",
            ft_style_warning(stderr), ft_text_share(share, ft_fit_misfit_share(model, worst)),
            ft_text_bytes(bytes, (double)model->block_bytes[worst]), 100 * FT_MISFIT,
            ft_text_percent(residual, ft_fit_residual(model, worst)));
}

static void warn(const struct ft_model *model, const struct ft_fit_notes *notes)
{
    warn_of_differences(model);
    warn_of_untraced(model, &notes->counted);
    warn_of_misfit(model);
    for (size_t i = 0; i < model->basis.parameter_count; i++)
        warn_of_residues(model, i);
    if (notes->series.builds > 1)
        warn_of_strides(model, &notes->series.strides);
}

static int fit_files(const struct ft_arguments *arguments, const struct request *request,
                     struct ft_diag *diag)
{
    const uint64_t start_ns = ft_clock_ns();
    struct ft_fit_notes notes = {0};
    struct entries entries = {0};
    struct ft_counted_traces counted = {0};
    struct ft_model model = {0};
    struct ft_fit_options with_counts = request->fit;
    int status;
    FT_TRY_TO(done, status, read_all(arguments, request, &entries, diag));
    FT_TRY_TO(done, status, ft_counted_traces_read(arguments, &counted, diag));
    with_counts.counted = counted.entries;
    with_counts.counted_paths = counted.paths;
    with_counts.counted_count = counted.count;
    FT_TRY_TO(done, status,
              ft_fit_model(entries.items, entries.count, &with_counts, &model, &notes, diag));
    if (request->output)
        FT_TRY_TO(done, status, ft_model_write(request->output, &model, diag));
    warn(&model, &notes);
    if (!request->csv) {
        print_summary(&model, &notes.series, &notes.counted,
                      1e-9 * (double)(ft_clock_ns() - start_ns));
        FT_TRY_TO(done, status, print_skeleton(&model, &notes, diag));
    }
    if (request->reports)
        FT_TRY_TO(done, status, report(request, &model, &notes.match, &entries, diag));
    if (request->advise) {
        fputc('\n', stdout);
        status = advise(request, &model, diag);
    }
done:
    entries_fini(&entries);
    ft_counted_traces_fini(&counted);
    ft_match_fini(&notes.match);
    ft_model_fini(&model);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct request request = {0};
    int code = read_options(arguments, &request);
    if (code != 0)
        return code;
    const bool is_fitted = request.advise && !request.reports && !request.output &&
                           ft_operand_count(arguments) == 1 &&
                           ft_model_file_is(ft_operands(arguments)[0]);
    int status =
        is_fitted ? advise_file(arguments, &request, &diag) : fit_files(arguments, &request, &diag);
    return status < 0 ? ft_command_fail(arguments, &diag) : 0;
}

const struct ft_command ft_fit_command = {
    .name = "fit",
    .synopsis = "fit [options] -o MODEL HIST...",
    .summary = "model how counts and reuse distances grow with a parameter",
    .details =
        "Uses all entries of all histogram files: one program at three or more sizes of one\n"
        "parameter (better five; --method patterns takes two), recorded by capture's -D "
        "NAME=VALUE,\n"
        "or at combinations of two or three parameters, with at least five and eight traces.\n"
        "\n"
        "Where the size is fixed at compile time, each size is a separate build: routines, loops "
        "and\n"
        "references are matched by source and structure. The size is recorded in the same way, or\n"
        "read from the paths of the builds with -p NAME --from-name PATTERN.\n"
        "\n"
        "  foretrace capture -D N=64 -o 64.h5 -- ./matmul 64     (and N = 80, 96, 112, 128)\n"
        "  foretrace replay -o histograms.h5 64.h5 80.h5 96.h5 112.h5 128.h5\n"
        "  foretrace fit -o model.h5 histograms.h5\n"
        "\n"
        "Executions at more and larger sizes, of cheap runs without addresses:\n"
        "\n"
        "  foretrace capture --counts -D N=512 -o 512.h5 -- ./matmul 512\n"
        "  foretrace fit -o model.h5 --counts 512.h5 histograms.h5\n"
        "\n"
        "How well the model fits its sizes, and which further size would help to forecast N = "
        "400:\n"
        "\n"
        "  foretrace fit --report --advise N=400 histograms.h5\n"
        "  foretrace fit --advise N=400 model.h5                 (of an existing model)\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
