/*
 * `foretrace structure`: the routines and loops of the traced program with their executions and
 * trip counts; a routine's flow graph; a routine's code; matches between two builds.
 *
 * In this order: options, what each form shows, matches of two traces, the command.
 */
#include <stdlib.h>

#include "engine/commands/structure/data_by_scope.h"
#include "engine/commands/structure/match_report.h"
#include "engine/commands/structure/mix_report.h"
#include "engine/commands/structure/skeleton_report.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"

#define LOOPS_SHOWN 40

struct question {
    bool json, csv, all, trips, mix, groups, dependences, assumed, data, skeleton;
    const char *dot, *code; /* routines, or NULL */
    const char *match;      /* a second trace, or NULL */
    const char *machine;    /* of schedules; NULL: none are asked for */
    uint64_t loops, callers;
    struct ft_mix_question of_mix;
};

/* What belongs to the mix alone, and what does not go with it. */
static int read_mix(const struct ft_arguments *arguments, struct question *question,
                    struct ft_diag *diag)
{
    int status = ft_mix_question_read(arguments, &question->of_mix, diag);
    if (status)
        return status;
    question->csv = ft_option_count(arguments, "csv") > 0;
    question->mix = ft_option_count(arguments, "mix") > 0;
    if (question->mix && (question->trips || question->groups || question->dependences ||
                          question->dot || question->code))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--mix can be combined with --loops, --json and --csv only");
    return FT_OK;
}

/* What belongs to data alone, and what does not go with it. */
static int read_data(const struct ft_arguments *arguments, struct question *question,
                     struct ft_diag *diag)
{
    question->data = ft_option_count(arguments, "data") > 0;
    if (question->data && (question->trips || question->groups || question->dependences ||
                           question->dot || question->code || question->match || question->mix))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--data can be combined with --callers, --loops and --json only");
    return ft_option_u64(arguments, "callers", FT_DATA_CALLERS, 1, FT_DATA_CALLERS_MAX,
                         &question->callers, diag);
}

/* What does not go with a skeleton. */
static int read_skeleton(const struct ft_arguments *arguments, struct question *question,
                         struct ft_diag *diag)
{
    question->skeleton = ft_option_count(arguments, "skeleton") > 0;
    if (question->skeleton &&
        (question->trips || question->groups || question->dependences || question->dot ||
         question->code || question->match || question->mix || question->data))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--skeleton can be combined with --all, --loops and --json only");
    return FT_OK;
}

static int read_options(const struct ft_arguments *arguments, struct question *question,
                        struct ft_diag *diag)
{
    question->json = ft_option_count(arguments, "json") > 0;
    question->all = ft_option_count(arguments, "all") > 0;
    question->trips = ft_option_count(arguments, "trips") > 0;
    question->groups = ft_option_count(arguments, "groups") > 0;
    question->dependences = ft_option_count(arguments, "dependences") > 0;
    question->assumed = ft_option_count(arguments, "assumed") > 0;
    question->dot = ft_option_last(arguments, "dot");
    question->code = ft_option_last(arguments, "code");
    question->match = ft_option_last(arguments, "match");
    if (ft_option_count(arguments, "schedule") > 0)
        question->machine = ft_option_count(arguments, "machine") > 0
                                ? ft_option_last(arguments, "machine")
                                : "host";
    int status = read_mix(arguments, question, diag);
    if (!status)
        status = read_data(arguments, question, diag);
    if (!status)
        status = read_skeleton(arguments, question, diag);
    if (status)
        return status;
    if (question->assumed && (!question->dependences || !(question->json || question->dot)))
        return ft_fail(diag, FT_ERROR_USAGE, "--assumed needs --dependences, and --json or --dot");
    if (question->json + (question->dot != NULL) + (question->code != NULL) > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--json, --dot and --code exclude each other: give one");
    if (question->machine && (question->mix || question->data || question->skeleton ||
                              question->match || question->dot || question->code))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--schedule can be combined with --trips, --groups, --dependences, --loops "
                       "and --json only");
    if (question->match && (question->dot || question->code || question->trips || question->mix ||
                            question->dependences))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--match can be combined with --groups, --loops and --json only");
    status = ft_option_u64(arguments, "loops",
                           question->json || question->csv ? UINT64_MAX : LOOPS_SHOWN, 1,
                           UINT64_MAX, &question->loops, diag);
    question->of_mix.rows = question->loops;
    return status;
}

static int show_routine(const struct ft_structure_report *report, const struct question *question,
                        struct ft_diag *diag)
{
    uint32_t routine;
    const char *name = question->dot ? question->dot : question->code;
    FT_TRY(ft_structure_report_routine(report, name, &routine, diag));
    if (routine == FT_NO_ROUTINE && question->dot)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s ran only inlined in other routines: --code %s shows where", name, name);
    if (routine == FT_NO_ROUTINE)
        return ft_structure_inlined_code(report, name, stdout, diag);
    if (question->dot && question->dependences)
        return ft_structure_dependences_dot(report, routine, stdout, diag);
    return question->dot ? ft_structure_dot(report, routine, stdout, diag)
                         : ft_structure_code(report, routine, stdout, diag);
}

static int show_tree(struct ft_structure_report *report, const struct question *question,
                     struct ft_diag *diag)
{
    if (!question->all)
        FT_TRY(ft_structure_fold_startup(report, (size_t)question->loops, diag));
    FT_TRY(ft_structure_text(report, question->trips, stdout, diag));
    if (question->groups) {
        FT_TRY(ft_structure_groups_text(report, (size_t)question->loops, stdout, diag));
        FT_TRY(ft_structure_group_sizes_text(report, stdout, diag));
    }
    if (question->dependences)
        FT_TRY(ft_structure_dependences_text(report, stdout, diag));
    if (question->machine)
        FT_TRY(ft_structure_schedules_text(report, stdout, diag));
    return FT_OK;
}

static int make_report(struct ft_trace *trace, const struct question *question,
                       struct ft_structure_report *ret_report, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "structure");
    int status =
        ft_structure_report_make(trace, (size_t)question->loops, &progress.base, ret_report, diag);
    ft_progress_line_fini(&progress);
    if (status)
        return status;
    if (question->groups)
        status = ft_structure_find_groups(ret_report, diag);
    if (!status && question->dependences)
        status = ft_structure_find_dependences(ret_report, question->assumed, diag);
    if (!status && question->machine)
        status = ft_structure_find_schedules(ret_report, question->machine, diag);
    if (status)
        ft_structure_report_fini(ret_report);
    return status;
}

static int show_mix(const struct ft_structure_report *structure, const struct question *question,
                    struct ft_diag *diag)
{
    struct ft_mix_report report;
    int status = ft_mix_report_make(structure, &question->of_mix, &report, diag);
    if (status)
        return status;
    status = question->json  ? ft_mix_json(&report, stdout, diag)
             : question->csv ? ft_mix_csv(&report, stdout, diag)
                             : ft_mix_text(&report, stdout, diag);
    ft_mix_report_fini(&report);
    return status;
}

static int show_data(struct ft_trace *trace, const struct question *question, struct ft_diag *diag)
{
    struct ft_data_by_scope report;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "structure");
    int status = ft_data_by_scope_make(trace, (unsigned)question->callers, (size_t)question->loops,
                                       &progress.base, &report, diag);
    ft_progress_line_fini(&progress);
    if (status)
        return status;
    if (!question->json && !question->all)
        status = ft_data_by_scope_fold_startup(&report, (size_t)question->loops, diag);
    if (!status)
        status = question->json ? ft_data_by_scope_json(&report, stdout, diag)
                                : ft_data_by_scope_text(&report, stdout, diag);
    ft_data_by_scope_fini(&report);
    return status;
}

static int show_skeleton(struct ft_trace *trace, const struct question *question,
                         struct ft_diag *diag)
{
    struct ft_skeleton_report report;
    struct ft_progress_line progress;
    FT_TRY(ft_trace_require_addresses(trace, diag));
    ft_progress_line_init(&progress, "structure");
    int status = ft_skeleton_report_make(trace, (size_t)question->loops, question->all,
                                         &progress.base, &report, diag);
    ft_progress_line_fini(&progress);
    if (status)
        return status;
    status = question->json ? ft_skeleton_json(&report, stdout, diag)
                            : ft_skeleton_text(&report, stdout, diag);
    ft_skeleton_report_fini(&report);
    return status;
}

/* What counts alone do not answer. */
static bool needs_addresses(const struct question *question)
{
    return question->trips || question->groups || question->dependences || question->match ||
           question->data;
}

static int show(struct ft_trace *trace, const struct question *question, struct ft_diag *diag)
{
    struct ft_structure_report report;
    int status = needs_addresses(question) ? ft_trace_require_addresses(trace, diag) : FT_OK;
    if (!status)
        status = make_report(trace, question, &report, diag);
    if (status)
        return status;
    if (question->mix)
        status = show_mix(&report, question, diag);
    else if (question->json)
        status = ft_structure_json(&report, stdout, diag);
    else if (question->dot || question->code)
        status = show_routine(&report, question, diag);
    else
        status = show_tree(&report, question, diag);
    ft_structure_report_fini(&report);
    return status;
}

static int show_matches(const struct ft_structure_report sides[2], const struct question *question,
                        struct ft_diag *diag)
{
    struct ft_match_report report;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "structure");
    int status = ft_match_report_make(sides, &progress.base, &report, diag);
    ft_progress_line_fini(&progress);
    if (status)
        return status;
    status = question->json ? ft_match_json(&report, (size_t)question->loops, stdout, diag)
                            : ft_match_text(&report, (size_t)question->loops, stdout, diag);
    ft_match_report_fini(&report);
    return status;
}

/* A trace beside the one that --match names. */
static int match(struct ft_trace *first, bool partial, const struct question *question,
                 struct ft_diag *diag)
{
    struct ft_structure_report sides[2] = {0};
    struct ft_trace *second = NULL;
    int status = ft_trace_open_named(question->match, partial, &second, diag);
    if (!status)
        status = ft_trace_require_addresses(first, diag);
    if (!status)
        status = ft_trace_require_addresses(second, diag);
    if (!status)
        status = make_report(first, question, &sides[0], diag);
    if (!status)
        status = make_report(second, question, &sides[1], diag);
    if (!status)
        status = show_matches(sides, question, diag);
    ft_structure_report_fini(&sides[0]);
    ft_structure_report_fini(&sides[1]);
    ft_trace_close(second);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct question question = {0};
    struct ft_trace *trace = NULL;
    struct ft_diag diag = {0};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one trace");
    int status = read_options(arguments, &question, &diag);
    if (!status)
        status = ft_trace_open_operand(arguments, &trace, &diag);
    if (!status) {
        const bool partial = ft_option_count(arguments, "partial") > 0;
        status = question.match      ? match(trace, partial, &question, &diag)
                 : question.data     ? show_data(trace, &question, &diag)
                 : question.skeleton ? show_skeleton(trace, &question, &diag)
                                     : show(trace, &question, &diag);
        ft_trace_close(trace);
    }
    if (!status)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option structure_options[] = {
    {"loops", 0, "COUNT",
     "show the COUNT routines and loops with the most instructions (default: 40)"},
    {"all", 0, NULL,
     "list routines of start-up and exit one by one, however small; with --skeleton: all parts"},
    {"trips", 0, NULL,
     "add a histogram of the trip counts of each loop: 1, 2-3, 4-7, ... iterations"},
    {"groups", 0, NULL,
     "add groups of references with the same strides, their address formulas, and how many have "
     "how many references"},
    {"dependences", 0, NULL,
     "add the dependences of loops: recurrences, and loads that depend on other loads"},
    {"assumed", 0, NULL,
     "with --dependences and --json or --dot: include dependences that cannot be ruled out"},
    {"schedule", 0, NULL,
     "add the cycles that each path of a loop takes on a core if all accesses hit in L1, and what "
     "limits it"},
    {"machine", 'm', "MACHINE", "with --schedule: " FT_MACHINE_HELP " (default: host)",
     .needs = "schedule"},
    {"mix", 0, NULL,
     "show the instruction mix instead: instructions by class, operations by type and width, "
     "accesses by width"},
    {"scope", 0, "LEVEL",
     "with --mix: one row per program, module, routine, loop (default) or block", .needs = "mix"},
    {"by", 0, "ORDER",
     "with --mix: sort by frequency, most instructions first (default), or place (address)",
     .needs = "mix"},
    {"static", 0, NULL, "with --mix: count each executed instruction once, not its executions",
     .needs = "mix"},
    {"threshold", 0, "PERCENT",
     "with --mix: omit rows with a smaller share of all instructions (default: 0)", .needs = "mix"},
    {"data", 0, NULL,
     "show the variables, heap blocks and stack frames that they touch instead (docs/data.md)"},
    {"skeleton", 0, NULL,
     "show what runs as nests of loops with all addresses instead (docs/skeleton.md)"},
    {"callers", 0, "COUNT", "with --data: distinguish allocation sites by COUNT calls (default: 2)",
     .needs = "data"},
    {"json", 0, NULL, "print JSON (docs/json.md), with all loops unless --loops is given",
     .excludes = "csv"},
    {"csv", 0, NULL, "with --mix: print CSV, with all rows unless --loops is given",
     .needs = "mix"},
    {"dot", 0, "ROUTINE",
     "print the flow graph of a routine for Graphviz; with --dependences: the dependence graphs "
     "of its loops"},
    {"code", 0, "ROUTINE",
     "print the executed code of a routine with counts, source lines and address formulas"},
    {"match", 0, "SECOND",
     "match routines and loops with those of SECOND, the trace of another build; with --groups: "
     "groups of references, too",
     .reads = true},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_structure_command = {
    .name = "structure",
    .synopsis = "structure [options] TRACE",
    .summary = "routines and loops of a program: source lines, executions, trip counts, work",
    .details =
        "Recovers basic blocks, routines and loops from the code in the trace and prints the\n"
        "tree of routines and loops that were executed: source lines, calls of each routine,\n"
        "entries of each loop, its iterations in total and per entry (min, mean, max), and\n"
        "instructions and accesses, including nested loops but not callees. All counts are\n"
        "exact. 'inlined' names the inlined routine that a loop comes from and the call site.\n"
        "\n"
        "ROUTINE is a name as in the tree, without arguments, or as in the symbol table; if\n"
        "several routines have that name, ROUTINE@MODULE.\n"
        "\n"
        "  foretrace structure run.h5\n"
        "  foretrace structure --mix --scope routine --threshold 1 run.h5\n"
        "  foretrace structure --data run.h5\n"
        "  foretrace structure --schedule -m amd-zen5 run.h5\n"
        "  foretrace structure --skeleton run.h5\n"
        "  foretrace structure --dot multiply run.h5 | dot -Tsvg -o multiply.svg\n"
        "  foretrace structure --code multiply run.h5\n"
        "  foretrace structure --dependences --dot multiply run.h5 | dot -Tsvg -o multiply.svg\n"
        "  foretrace structure --match run-O3.h5 run.h5\n",
    .options = structure_options,
    .option_count = sizeof structure_options / sizeof *structure_options,
    .run = run,
};
