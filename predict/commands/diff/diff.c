/*
 * `foretrace diff`: two files, or one at two sizes or on two machines, or two commands that are
 * captured first; scope by scope, and against limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/base/number_text.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/style.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/diff/document.h"
#include "predict/commands/diff/option_sides.h"
#include "predict/commands/diff/runs.h"
#include "predict/commands/page/page.h"
#include "predict/commands/source_file.h"

#define LIMIT_HOLDS 4 /* the exit code */

struct request {
    const struct ft_arguments *arguments;
    struct ft_report_options options;
    struct ft_diff_source sources[2];
    struct ft_diff_metrics metrics;
    struct ft_diff_side sides[2];
    struct ft_diff diff;
    struct ft_diff_limit *limits;
    struct ft_verdict *verdicts;
    uint32_t *rows;
};

static void fini(struct request *request)
{
    ft_diff_fini(&request->diff);
    for (unsigned side = 0; side < 2; side++) {
        ft_diff_side_fini(&request->sides[side]);
        ft_diff_source_fini(&request->sources[side]);
    }
    ft_diff_metrics_fini(&request->metrics);
    ft_report_options_fini(&request->options);
    free(request->limits);
    free(request->verdicts);
    free(request->rows);
}

/* ---- what is asked ---- */

static int read_limits(struct request *request, struct ft_diag *diag)
{
    const size_t count = ft_option_count(request->arguments, "fail-if");
    struct ft_diag inner = {0};
    request->limits = calloc(count + 1, sizeof *request->limits);
    request->verdicts = calloc(count + 1, sizeof *request->verdicts);
    if (!request->limits || !request->verdicts)
        return ft_fail_memory(diag, "limits");
    for (size_t i = 0; i < count; i++) {
        int status = ft_diff_limit_read(ft_option_at(request->arguments, "fail-if", i),
                                        &request->metrics, &request->limits[i], &inner);
        if (status != FT_OK)
            return ft_fail(diag, status, "--fail-if %s", inner.message);
    }
    return FT_OK;
}

/* The metric of --sort; their count where it is not given. */
static int read_sort(const struct request *request, size_t *ret_metric, struct ft_diag *diag)
{
    const char *name = ft_option_last(request->arguments, "sort");
    char names[FT_DIFF_METRICS_TEXT];
    *ret_metric = name ? ft_diff_metric_find(&request->metrics, name) : request->metrics.count;
    if (!name || *ret_metric < request->metrics.count)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE, "--sort %s: must be one of %s", name,
                   ft_diff_metrics_text(names, &request->metrics));
}

static int open_sources(struct request *request, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    for (unsigned side = 0; side < 2; side++) {
        struct ft_diff_source *source = &request->sources[side];
        source->path = ft_operands(arguments)[ft_operand_count(arguments) > 1 ? side : 0];
        source->at = ft_option_of_side(arguments, "at", side);
        source->model_name = ft_option_of_side(arguments, "model", side);
        FT_TRY(ft_diff_source_open(source, diag));
    }
    return ft_diff_sources_check(request->sources, diag);
}

/* Machines, files, metrics, limits: all that can be wrong, before anything that takes long. Files
 * of commands are yet to be made. */
static int read_request(struct request *request, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    size_t metric;
    bool is_of_models = ft_option_count(arguments, "train");
    FT_TRY(ft_report_options_read(arguments, &request->options, diag));
    for (unsigned side = 0; side < 2; side++) {
        struct ft_diff_source *source = &request->sources[side];
        source->machine_text = ft_option_of_side(arguments, "machine", side);
        source->label = ft_option_of_side(arguments, "label", side);
        FT_TRY(ft_diff_source_read_machine(source, diag));
        FT_TRY(ft_sources_check(ft_option_of_side(arguments, "sources", side), diag));
    }
    if (!ft_operands_behind_dashes(arguments)) {
        FT_TRY(open_sources(request, diag));
        is_of_models = request->sources[0].kind == FT_FILE_MODEL;
    }
    const struct ft_machine *const machines[2] = {ft_diff_machine(&request->sources[0]),
                                                  ft_diff_machine(&request->sources[1])};
    FT_TRY(ft_diff_metrics_make(machines, is_of_models, &request->metrics, diag));
    FT_TRY(read_limits(request, diag));
    return read_sort(request, &metric, diag);
}

/* ---- the diff ---- */

static int check_related(const struct request *request, struct ft_diag *diag)
{
    const struct ft_diff_source *sources = request->sources;
    char first[FT_NUMBER_TEXT], second[FT_NUMBER_TEXT];
    if (ft_diff_is_related(&request->diff) || ft_option_count(request->arguments, "unmatched"))
        return FT_OK;
    return ft_fail(
        diag, FT_ERROR_USAGE,
        "%s is of %s, %s of %s: only %s and %s of their accesses and instructions are in "
        "routines, loops or source files that both have; are these builds of one "
        "program? (--unmatched compares them all the same)",
        sources[0].path, ft_diff_source_program(&sources[0]), sources[1].path,
        ft_diff_source_program(&sources[1]), ft_text_share(first, request->diff.related[0]),
        ft_text_share(second, request->diff.related[1]));
}

static int make_diff(struct request *request, struct ft_diag *diag)
{
    for (unsigned side = 0; side < 2; side++) {
        FT_TRY(ft_diff_source_load(&request->sources[side], diag));
        FT_TRY(ft_diff_source_side(&request->sources[side], &request->metrics,
                                   &request->sides[side], diag));
    }
    const bool is_shared = ft_diff_sources_share(request->sources);
    const char *machines[2] = {request->sources[0].machine_text, request->sources[1].machine_text};
    const bool alike =
        is_shared || (machines[0] && machines[1] && strcmp(machines[0], machines[1]) == 0);
    if (is_shared) /* read twice, but one tree */
        request->sides[1].scopes = request->sides[0].scopes;
    FT_TRY(ft_diff_make(request->sides, &request->metrics, alike, &request->diff, diag));
    return check_related(request, diag);
}

/* ---- the page ---- */

static const char *label_of(const struct ft_diff_source *source)
{
    return source->label ? source->label : ft_file_name(source->path);
}

static int write_page(const struct request *request, const struct ft_diff_document *document,
                      const char *path, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    struct ft_text_output output;
    char title[512];
    const char *made_by = ft_option_last(arguments, "made-by");
    char *command = made_by ? strdup(made_by) : ft_command_text(&ft_diff_command, arguments);
    if (!command)
        return ft_fail_memory(diag, "a page");
    ft_terminal_widen(); /* sentences are for lines of any width */
    json_t *page = ft_diff_page(document, command, diag);
    free(command);
    int status = ft_text_output_create(path, &output, diag);
    if (status != FT_OK) {
        json_decref(page);
        return status;
    }
    snprintf(title, sizeof title, "%.100s: %.100s and %.100s",
             ft_file_name(ft_diff_source_program(&request->sources[1])),
             label_of(&request->sources[0]), label_of(&request->sources[1]));
    status = ft_page_write(page, FT_PAGE_DIFF, title, output.stream, diag);
    return ft_text_output_finish(&output, status, diag);
}

/* What is printed comes first: it has the terminal's width. */
static int print(const struct request *request, const struct ft_diff_document *document,
                 struct ft_diag *diag)
{
    const char *path = ft_option_last(request->arguments, "output");
    FT_TRY(request->options.form == FT_REPORT_JSON  ? ft_diff_json(document, stdout, diag)
           : request->options.form == FT_REPORT_CSV ? ft_diff_csv(document, stdout, diag)
                                                    : ft_diff_text(document, stdout, diag));
    if (path)
        FT_TRY(write_page(request, document, path, diag));
    if (path && request->options.form == FT_REPORT_TEXT)
        printf("\n%s: open it in a browser\n", path);
    return ft_stdout_finish(diag);
}

/* Says which limits hold; ret_code: 4 where one does. A limit that cannot be checked must not look
 * as if it were kept. */
static int check_limits(const struct ft_diff_document *document, int *ret_code,
                        struct ft_diag *diag)
{
    for (size_t i = 0; i < document->limit_count; i++) {
        const struct ft_verdict *verdict = &document->verdicts[i];
        char text[FT_VERDICT_TEXT];
        if (!verdict->holds)
            continue;
        fprintf(stderr, "%sforetrace diff:%s --fail-if %s: holds: %s%s\n",
                ft_style_begin(stderr, FT_STYLE_FAILURE), ft_style_end(stderr, FT_STYLE_FAILURE),
                document->limits[i].text, ft_verdict_text(text, document, i),
                ft_verdict_is_doubtful(verdict) ? "; not sure" : "");
        *ret_code = LIMIT_HOLDS;
    }
    for (size_t i = 0; i < document->limit_count; i++)
        if (!document->verdicts[i].is_known)
            return ft_fail(diag, FT_ERROR_FAILURE, "--fail-if %s: cannot be checked: is unknown",
                           document->limits[i].text);
    return FT_OK;
}

static int answer(struct request *request, int *ret_code, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    struct ft_diff_document document = {
        .diff = &request->diff,
        .sources = request->sources,
        .in = ft_option_last(arguments, "in"),
        .within = FT_NO_ROW,
        .limit_is_default = !ft_option_count(arguments, "loops"),
        .limit_count = ft_option_count(arguments, "fail-if"),
        .with_source = !ft_option_count(arguments, "no-source"),
        .source_folders = {ft_option_of_side(arguments, "sources", 0),
                           ft_option_of_side(arguments, "sources", 1)}};
    struct ft_diag inner = {0};
    FT_TRY(make_diff(request, diag));
    document.limit = request->options.loop_limit;
    document.limits = request->limits;
    document.verdicts = request->verdicts;
    int status =
        document.in ? ft_diff_find(&request->diff, document.in, &document.within, &inner) : FT_OK;
    if (status != FT_OK)
        return ft_fail(diag, status, "--in %s", inner.message);
    FT_TRY(read_sort(request, &document.sorted_by, diag));
    if (document.sorted_by == request->metrics.count)
        document.sorted_by = ft_diff_main_metric(&request->diff, document.within,
                                                 ft_diff_machine(&request->sources[1]));
    FT_TRY(ft_diff_sort(&request->diff, document.within, document.sorted_by, &request->rows,
                        &document.row_count, diag));
    document.rows = request->rows;
    for (size_t i = 0; i < document.limit_count; i++) {
        struct ft_compared_value values[2];
        ft_diff_inclusive(&request->diff, document.within, request->limits[i].metric, values);
        request->verdicts[i] =
            ft_diff_limit_judge(&request->limits[i], values, request->diff.alike);
    }
    FT_TRY(print(request, &document, diag));
    return check_limits(&document, ret_code, diag);
}

/* ---- the command ---- */

static int check_operands(const struct ft_arguments *arguments)
{
    /* the first ones make two sides of one file */
    static const char *const of_sides[] = {"at", "machine", "model", "sources", "label"};
    const size_t operands = ft_operand_count(arguments);
    const size_t commands = ft_operands_behind_dashes(arguments);
    bool is_twice = false;
    for (size_t i = 0; i < sizeof of_sides / sizeof *of_sides; i++) {
        if (ft_option_count(arguments, of_sides[i]) > 2)
            return ft_command_misuse(arguments, "--%s: at most two, for the first and the second",
                                     of_sides[i]);
        is_twice = is_twice || (i < 3 && ft_option_count(arguments, of_sides[i]) == 2);
    }
    if (ft_option_count(arguments, "label") == 1)
        return ft_command_misuse(arguments, "--label: give two, for the first and the second");
    if (commands > 0 && (commands != 2 || operands != 2))
        return ft_command_misuse(arguments, "give two commands behind --, each as one word: "
                                            "-- \"./old {N}\" \"./new {N}\"");
    if (commands > 0 && ft_option_count(arguments, "model"))
        return ft_command_misuse(arguments,
                                 "--model goes with files; commands have one model each");
    if (commands == 0 &&
        (ft_option_count(arguments, "train") || ft_option_count(arguments, "keep")))
        return ft_command_misuse(arguments, "--train and --keep go with commands, behind --");
    if (commands > 0 && ft_option_count(arguments, "train") &&
        (!ft_option_count(arguments, "at") || !ft_option_count(arguments, "machine")))
        return ft_command_misuse(arguments, "--train: --at and --machine are needed");
    if (operands == 1 && is_twice)
        return 0;
    if (operands != 2)
        return ft_command_misuse(arguments, "give two files; or one and two --machine, --at or "
                                            "--model; or two commands, behind --");
    return 0;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct request request = {.arguments = arguments};
    int result = 0;
    const int code = check_operands(arguments);
    if (code != 0)
        return code;
    int status = read_request(&request, &diag);
    if (status == FT_OK)
        status = ft_operands_behind_dashes(arguments) > 0
                     ? ft_diff_runs(arguments, request.sources, &result, &diag)
                     : answer(&request, &result, &diag);
    fini(&request);
    return status == FT_OK ? result : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=VALUE", "the size of models, or of one trace in histograms, or of commands",
     .repeats = true},
    {"model", 0, "NAME", "which of the file's models (required if there are several)",
     .repeats = true},
    {"fail-if", 0, "LIMIT",
     "exit with 4 where a limit holds: \"misses.L2 > +5%\", \"time > +2ms\", \"accesses > 3M\"",
     .repeats = true},
    {"in", 0, "SCOPE", "only in a routine, or a loop at FILE:LINE: answer, limits and rows"},
    {"sort", 0, "METRIC",
     "by time, accesses, instructions, misses.LEVEL or full.LEVEL (what costs most)"},
    {"output", 'o', "FILE", "also as a page to look at, HTML", .writes = FT_FILE_PAGE},
    {"no-source", 0, NULL, "no lines of source files in the page", .needs = "output",
     .excludes = "sources"},
    {"sources", 0, "FOLDER", FT_SOURCES_HELP, .needs = "output", .repeats = true},
    {"label", 0, "TEXT", "what output calls a side in the place of its file; give two",
     .repeats = true},
    {"made-by", 0, "COMMAND", "the command that the page names, of a script that runs this one",
     .needs = "output"},
    {"unmatched", 0, NULL, "compare even if the programs have little in common"},
    {"train", 0, "NAME=SIZES", "of commands: learn a model of each at these sizes, N=24,32,40"},
    {"keep", 0, "FOLDER", "of commands: keep traces, histograms and models there"},
    FT_REPORT_OPTIONS(true, "that change most"),
    FT_QUIET_OPTION,
};

const struct ft_command ft_diff_command = {
    .name = "diff",
    .synopsis = "diff [options] FILE [FILE] | -- COMMAND COMMAND",
    .summary = "two builds, sizes or machines, loop by loop, and against limits",
    .details =
        "FILE is a trace, histograms or a model; both are of one kind. --at, --machine and "
        "--model\n"
        "given twice are of the first and the second: with one FILE, two sizes or machines. "
        "Traces\n"
        "are simulated exactly, if there is a machine; misses of histograms are those of "
        "`predict`,\n"
        "fully associative (full) and in sets (misses); models at a size are forecast, with\n"
        "times.\n"
        "\n"
        "Routines and loops are matched by source and structure, as `structure` does two builds:\n"
        "inlined, moved and renamed ones too. Values of routines and loops are exclusive of what\n"
        "is nested in them; JSON and CSV have both.\n"
        "\n"
        "A limit is METRIC > VALUE or METRIC < VALUE. VALUE with % or a sign is the change from\n"
        "the first to the second, without it the second's own. Estimates decide; where the "
        "interval\n"
        "of a forecast is on both sides of a limit, the output says \"not sure\".\n"
        "\n"
        "Two commands, each as one word, are captured with {NAME} replaced by the value of --at;\n"
        "with --train at several sizes, and models of both are compared at --at. Each step is a\n"
        "command of foretrace, and shown. No shell is involved.\n"
        "\n"
        "  foretrace diff -m amd-zen5 old.h5 new.h5\n"
        "  foretrace diff --at N=400 -m amd-zen5 old.model new.model\n"
        "  foretrace diff --at N=400 -m amd-zen5 -m amd-zen5,L2=2M run.model\n"
        "  foretrace diff --at N=100 --at N=200 -m amd-zen5 run.model\n"
        "  foretrace diff -m amd-zen5 -o diff.html old.h5 new.h5\n"
        "  foretrace diff -m amd-zen5 --fail-if \"misses.L2 > +5%\" old.h5 new.h5\n"
        "  foretrace diff -m amd-zen5 --at N=100 -- \"./old {N}\" \"./new {N}\"\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
