/*
 * `foretrace plan`: trials of a program at small sizes, then the sizes to train a model with for a
 * target and a machine, and what capturing and replaying them will cost.
 */
#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/common_divisor.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/style.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/plan_report.h"
#include "predict/commands/plan_target.h"
#include "predict/machine_blocks.h"

#define LINE_CHARACTERS_MAX 256 /* bytes: larger blocks are pages */
#define ROUGH               0.1 /* error of the accesses at the trials, from which on estimates are rough */
#define PERIOD_MAX          (UINT64_C(1) << 20)
#define ELEMENT_BYTES       8

/* What was asked for. */
struct question {
    struct ft_plan_target at;
    uint64_t count, element_bytes, tile;
    double trial_seconds, budget_seconds;
    enum ft_report_form form;
    uint64_t bytes_max; /* 0: any */
    uint64_t block_bytes[FT_TRIAL_BLOCKS_MAX];
    size_t size_count;
    char block_list[256];
    double *available; /* NULL: any */
    size_t available_count;
    struct ft_machine machine;
};

static int compare_sizes(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* --available 12,16,20: integers above 0. */
static int read_available(const struct ft_arguments *arguments, struct question *question,
                          struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, "available");
    if (!text)
        return FT_OK;
    question->available = calloc(strlen(text) / 2 + 2, sizeof *question->available);
    if (!question->available)
        return ft_fail_memory(diag, "sizes");
    for (const char *at = text;; at++) {
        double value;
        if (!ft_read_double(&at, &value) || (*at && *at != ',') || value < 1 ||
            value != floor(value))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--available %s: expected positive integers, separated by commas", text);
        question->available[question->available_count++] = value;
        if (!*at)
            break;
    }
    qsort(question->available, question->available_count, sizeof *question->available,
          compare_sizes);
    return FT_OK;
}

/* --halving: the target's, and halves of these, ascending. */
static int list_halves(const struct ft_arguments *arguments, struct question *question,
                       struct ft_diag *diag)
{
    if (!ft_option_count(arguments, "halving"))
        return FT_OK;
    size_t count = 0;
    for (uint64_t n = (uint64_t)question->at.size; n % 2 == 0; n /= 2)
        count++;
    if (count + 1 < FT_PLAN_SIZES_MIN)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--halving: %.15g can be halved only %zu times; choose a multiple of "
                       "a larger power of 2",
                       question->at.size, count);
    question->available = calloc(count, sizeof *question->available);
    if (!question->available)
        return ft_fail_memory(diag, "sizes");
    for (size_t i = 0; i < count; i++)
        question->available[i] = ldexp(question->at.size, (int)i - (int)count);
    question->available_count = count;
    return FT_OK;
}

static int list_blocks(struct question *question, struct ft_diag *diag)
{
    FT_TRY(ft_block_list_add_machine(question->block_bytes, &question->size_count,
                                     FT_TRIAL_BLOCKS_MAX, &question->machine, diag));
    ft_block_list_text(question->block_list, sizeof question->block_list, question->block_bytes,
                       question->size_count);
    return FT_OK;
}

static int read_seconds(const struct ft_arguments *arguments, const char *name, double fallback,
                        double *ret_seconds, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, name);
    struct ft_diag inner = {0};
    *ret_seconds = fallback;
    return text && ft_parse_seconds(text, ret_seconds, &inner) < 0
               ? ft_fail(diag, FT_ERROR_USAGE, "--%s %s", name, inner.message)
               : FT_OK;
}

/* Before trials that take their time: capture would refuse them. */
static int check_defines(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_option_count(arguments, "define"); i++) {
        const char *text = ft_option_at(arguments, "define", i);
        size_t length;
        double value;
        if (!ft_parse_assignment(text, &length, &value))
            return ft_fail(diag, FT_ERROR_USAGE, "--define %s: must be NAME=NUMBER", text);
    }
    return FT_OK;
}

static int read_question(const struct ft_arguments *arguments, struct question *question,
                         struct ft_diag *diag)
{
    const char *bytes = ft_option_last(arguments, "max-size");
    struct ft_diag inner = {0};
    FT_TRY(ft_plan_target_read(ft_option_last(arguments, "at"), &question->at, diag));
    FT_TRY(read_available(arguments, question, diag));
    FT_TRY(list_halves(arguments, question, diag));
    FT_TRY(ft_option_u64(arguments, "count", 5, FT_PLAN_SIZES_MIN, FT_PLAN_SIZES_MAX,
                         &question->count, diag));
    FT_TRY(ft_option_u64(arguments, "element", ELEMENT_BYTES, 1, PERIOD_MAX,
                         &question->element_bytes, diag));
    FT_TRY(ft_option_u64(arguments, "tile", 1, 1, PERIOD_MAX, &question->tile, diag));
    FT_TRY(read_seconds(arguments, "trial-cpu", 1, &question->trial_seconds, diag));
    FT_TRY(read_seconds(arguments, "budget", 120, &question->budget_seconds, diag));
    if (bytes && ft_parse_bytes(bytes, &question->bytes_max, &inner) < 0)
        return ft_fail(diag, FT_ERROR_USAGE, "--max-size %s", inner.message);
    FT_TRY(check_defines(arguments, diag));
    question->form = ft_report_form_read(arguments);
    FT_TRY(ft_machine_load(ft_option_last(arguments, "machine"), &question->machine, diag));
    return list_blocks(question, diag);
}

/* Rows of so many elements begin at the same places of their lines and tiles. */
static uint64_t period_of(const struct question *question)
{
    uint64_t line = 1;
    for (size_t i = 0; i < question->size_count; i++)
        if (question->block_bytes[i] <= LINE_CHARACTERS_MAX)
            line = question->block_bytes[i];
    uint64_t elements = line / (uint64_t)ft_common_divisor(line, question->element_bytes);
    return elements / (uint64_t)ft_common_divisor(elements, question->tile) * question->tile;
}

/* Of what the test on the trials shows; what would help is the user's to say. */
static void warn_of_rehearsal(const struct ft_plan_report *report)
{
    const struct ft_rehearsal *rehearsal = report->rehearsal;
    char share[FT_NUMBER_TEXT];
    if (!rehearsal->done)
        fprintf(stderr, "foretrace plan: %s the plan is not tested on its trials: %s\n",
                ft_style_warning(stderr), rehearsal->why_not);
    else if (rehearsal->matched_share < FT_REHEARSAL_MATCHED)
        fprintf(stderr,
                "foretrace plan: %s only %s of the accesses are in code that is the same at "
                "the sizes of its test: most of a model will be unknown. Sizes that agree modulo "
                "more take the same code: give --tile the elements of a tile or vector loop, times "
                "those of "
                "a line where two parameters lay out the data; or capture %s = %.15g itself\n",
                ft_style_warning(stderr), ft_text_share(share, rehearsal->matched_share),
                report->program->parameter, report->target);
    else if (!ft_rehearsal_is_good(rehearsal))
        fprintf(stderr,
                "foretrace plan: %s in its test on the trials (table) the plan did not "
                "determine all levels: more or larger sizes may (--count, --budget), or sizes "
                "that agree modulo more (--tile)\n",
                ft_style_warning(stderr));
}

static void warn(const struct ft_plan_report *report)
{
    const struct ft_training_plan *plan = report->plan;
    const char *name = report->program->parameter;
    char text[FT_NUMBER_TEXT];
    if (report->costs->residual > ROUGH)
        fprintf(stderr,
                "foretrace plan: %s accesses are off by %s from the best formula in "
                "%s: estimates are rough, and models may be too\n",
                ft_style_warning(stderr), ft_text_percent(text, report->costs->residual), name);
    if (report->trials->dropped > 0)
        fprintf(stderr, "foretrace plan: %s the program fails at %s = %.15g and below\n",
                ft_style_warning(stderr), name, report->trials->dropped);
    if (plan->period < report->period)
        fprintf(stderr,
                "foretrace plan: %s too few sizes agree with %.15g modulo %" PRIu64
                ": these agree modulo %" PRIu64 ", counts may scatter\n",
                ft_style_warning(stderr), report->target, report->period, plan->period);
    if (plan->mixes_mapped)
        fprintf(stderr,
                "foretrace plan: %s from %s = %.15g on, between these sizes, the C "
                "library maps each array separately, which changes misses in pages and large "
                "lines\n",
                ft_style_warning(stderr), name, plan->mapped_from);
    if (plan->limited)
        fprintf(stderr,
                "foretrace plan: %s larger sizes would be better, but take more than "
                "--budget or --max-size allow\n",
                ft_style_warning(stderr));
    if (plan->target_cheaper)
        fprintf(stderr,
                "foretrace plan: note: capturing %s = %.15g itself takes less than all of "
                "these\n",
                name, report->target);
    warn_of_rehearsal(report);
}

static char *const *list_defines(const struct ft_arguments *arguments)
{
    size_t count = ft_option_count(arguments, "define");
    char **defines = calloc(count + 1, sizeof *defines);
    for (size_t i = 0; defines && i < count; i++)
        defines[i] = (char *)ft_option_at(arguments, "define", i);
    return defines;
}

static int print(enum ft_report_form form, const struct ft_plan_report *report,
                 struct ft_diag *diag)
{
    warn(report);
    int status = form == FT_REPORT_JSON  ? ft_plan_json(report, stdout, diag)
                 : form == FT_REPORT_CSV ? ft_plan_csv(report, stdout, diag)
                                         : ft_plan_text(report, stdout, diag);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

/* From three small runs, which cost little. */
static int find_mapped(const struct question *question, const struct ft_trial_program *program,
                       const struct ft_trials *trials, double ret_sizes[FT_ARRAYS_MAX],
                       size_t *ret_count, struct ft_diag *diag)
{
    struct ft_arrays arrays[3];
    double n[3];
    for (size_t i = 0; i < 3; i++) {
        n[i] = trials->items[i].n;
        FT_TRY(ft_trial_arrays(program, n[i], FT_TRIAL_TOO_LONG * question->trial_seconds,
                               &arrays[i], diag));
    }
    *ret_count = ft_arrays_mapped_from(arrays, n, question->at.size, ret_sizes);
    return FT_OK;
}

static int plan(const struct ft_arguments *arguments, const struct question *question,
                const struct ft_trial_program *program, char *const *defines, struct ft_diag *diag)
{
    const struct ft_size_choice choice = {question->at.size, period_of(question),
                                          question->available, question->available_count};
    struct ft_trials trials;
    struct ft_run_costs costs;
    struct ft_training_plan training;
    struct ft_rehearsal rehearsal;
    double mapped_from[FT_ARRAYS_MAX];
    size_t mapped_count = 0;
    FT_TRY(ft_trials_run(program, &choice, question->trial_seconds, &trials, diag));
    FT_TRY(ft_run_costs_fit(&trials, question->at.name, question->block_bytes, question->size_count,
                            &costs, diag));
    FT_TRY(find_mapped(question, program, &trials, mapped_from, &mapped_count, diag));
    const struct ft_plan_request request = {
        .choice = choice,
        .count = question->count,
        .smallest = trials.items[0].n,
        .seconds_max = question->budget_seconds,
        .bytes_max = question->bytes_max > 0 ? (double)question->bytes_max : INFINITY,
        .machine = &question->machine,
        .mapped_from = mapped_from,
        .mapped_count = mapped_count,
    };
    FT_TRY(ft_training_plan_make(&request, &costs, &training, diag));
    FT_TRY(ft_rehearse(program, &trials, &costs, &request,
                       FT_TRIAL_TOO_LONG * question->trial_seconds, &rehearsal, diag));
    const struct ft_plan_report report = {
        .program = program,
        .machine = &question->machine,
        .machine_name = ft_option_last(arguments, "machine"),
        .trials = &trials,
        .costs = &costs,
        .plan = &training,
        .rehearsal = &rehearsal,
        .period = choice.period,
        .target = question->at.size,
        .defines = defines,
    };
    return print(question->form, &report, diag);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct question question = {0};
    struct ft_trial_program program = {0};
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give the program to plan for, after --");
    if (!ft_option_count(arguments, "at") || !ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--at NAME=SIZE and --machine are needed");
    gsl_set_error_handler_off(); /* the default one aborts the program */
    char *const *defines = list_defines(arguments);
    int status = defines ? read_question(arguments, &question, &diag)
                         : ft_fail_memory(&diag, "the parameters");
    if (status == FT_OK)
        status =
            ft_trial_program_init(&program, ft_operands(arguments), question.at.name,
                                  question.block_list, ft_option_last(arguments, "machine"), &diag);
    if (status == FT_OK)
        status = plan(arguments, &question, &program, defines, &diag);
    ft_trial_program_fini(&program);
    ft_machine_fini(&question.machine);
    free(question.available);
    free((void *)defines);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=SIZE", "the size to forecast, an integer (required)"},
    {"machine", 'm', "MACHINE",
     "the machine to forecast, as for predict (required): its block sizes are replayed"},
    {"count", 'n', "COUNT", "number of training sizes (default: 5)"},
    {"element", 0, "BYTES", "size of an element of the program's arrays (default: 8)"},
    {"tile", 0, "COUNT", "elements per tile: sizes are congruent modulo this too (default: 1)"},
    {"available", 0, "SIZES", "choose only from these sizes, such as those with a build: 12,16,20"},
    {"halving", 0, NULL,
     "choose only the target divided by powers of 2: for FFTs, merge sort, doubling tables",
     .excludes = "available"},
    {"trial-cpu", 0, "SECONDS",
     "CPU time for all trials together, without program start-up (default: 1); its test comes on "
     "top"},
    {"budget", 0, "SECONDS", "limit on the CPU time of all captures and replays (default: 120)"},
    {"max-size", 0, "BYTES", "limit on the size of all traces; K, M, G are powers of 1024"},
    {"define", 'D', "NAME=NUMBER", "a further parameter, passed on in the printed commands",
     .repeats = true},
    {"json", 0, NULL, "as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "the sizes as CSV"},
    FT_WIDE_OPTION,
};

const struct ft_command ft_plan_command = {
    .name = "plan",
    .synopsis = "plan [options] --at NAME=SIZE --machine MACHINE -- PROGRAM [ARGUMENT]...",
    .summary = "propose training sizes, and estimate the cost of their captures",
    .details =
        "{NAME} in the program's arguments is replaced by the size. A few short trials at small\n"
        "sizes show how accesses, data, traces and times grow. Proposed are a few sizes, up to "
        "one\n"
        "or two thirds of the target, that agree with it modulo the elements of a line and of\n"
        "a tile, whose data fill enough lines and pages of the machine, and at all or none of\n"
        "which the C library maps arrays; and the commands that train a model with them.\n"
        "The plan is tested: the same plan for the largest trial, whose misses are known.\n"
        "Times are CPU times: on two processors captures take less. The program's input is empty, "
        "its output is discarded.\n"
        "\n"
        "  foretrace plan --at N=1000 --machine amd-zen5 -- ./matmul {N} 1\n"
        "  foretrace plan --at N=64 --available 12,16,20,24,28,32 -m amd-zen5 -- ./ssor-{N}\n"
        "  foretrace plan --at ROWS=100000 -m amd-zen5 -- sh -c './load < rows-{ROWS}.sql'\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operands_end_options = true,
    .run = run,
};
