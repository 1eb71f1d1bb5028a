/*
 * `foretrace study`: all from a program to a forecast, checked, in one command. Its steps are
 * ordinary commands (predict/study/), done one after the other, or as jobs of Slurm; those that are
 * done already are not repeated:
 *
 * 1. What is asked is read, and compared with what the folder holds.
 * 2. Without a size one is looked for, with native runs.
 * 3. The plan, on which all further steps depend, and the script that repeats these.
 * 4. The steps, or their submission; then the answer.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/number_text.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/study_question.h"
#include "predict/commands/study_slurm.h"
#include "predict/commands/study_text.h"
#include "predict/study/program_file.h"
#include "predict/study/step_run.h"
#include "predict/study/target_choice.h"

struct work {
    struct ft_study study;
    struct ft_study_plan plan;
    bool has_plan;
    struct ft_study_steps steps;
    struct ft_step_cost total; /* of the steps so far */
    struct ft_held_signals signals;
    int lock; /* the folder, open; -1 */
};

static void fini(struct work *work)
{
    ft_study_steps_fini(&work->steps);
    ft_study_fini(&work->study);
    if (work->lock >= 0)
        (void)close(work->lock);
    ft_held_signals_fini(&work->signals); /* does not return if one has come */
}

/* ---- the folder ---- */

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool empty = true;
    while (folder && empty && (entry = readdir(folder)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder)
        (void)closedir(folder);
    return empty;
}

/* The program's words, as they are typed; NULL without memory. */
static char *command_of(const struct ft_study *study)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < study->program.count; i++) {
        fputs(i > 0 ? " " : "", stream);
        ft_print_shell_word(study->program.items[i], stream);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Whether there is more in the folder than a question. */
static bool has_plan(const struct ft_study *study)
{
    char *record = ft_study_path(study, "steps/plan");
    const bool there = !record || access(record, F_OK) == 0;
    free(record);
    return there;
}

/* That of the same program, begun in the same place: what differs otherwise makes steps be repeated
 * that depend on it. */
static int compare(const struct ft_study *study, const struct ft_study *before,
                   struct ft_diag *diag)
{
    if (strcmp(study->cwd, before->cwd) != 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: its study was begun in %s; go on there, or name another folder with -o",
                       study->folder, before->cwd);
    if (ft_words_equal(&study->program, &before->program) &&
        strcmp(study->parameter, before->parameter) == 0)
        return FT_OK;
    char *command = command_of(before);
    const int status =
        ft_fail(diag, FT_ERROR_USAGE,
                "%s: holds the study of another command, %.300s; name another folder with -o",
                study->folder, command ? command : before->program.items[0]);
    free(command);
    return status;
}

/* Takes the size from there where none is given, and source files where they are kept. */
static int meet_study(struct ft_study *study, struct ft_diag *diag)
{
    struct ft_study before;
    FT_TRY(ft_study_load(study->folder, &before, diag));
    const bool is_same = compare(study, &before, diag) == FT_OK;
    const int status = is_same || !has_plan(study) ? FT_OK : FT_ERROR_USAGE;
    if (is_same && study->target == 0)
        study->target = before.target;
    if (is_same && before.keep_sources)
        study->keep_sources = true;
    ft_study_fini(&before);
    return status;
}

static int meet_folder(struct ft_study *study, struct ft_diag *diag)
{
    struct stat there;
    if (stat(study->folder, &there) != 0)
        return errno == ENOENT
                   ? FT_OK
                   : ft_fail(diag, FT_ERROR_IO, "%s: %s", study->folder, strerror(errno));
    if (!S_ISDIR(there.st_mode))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: is a file, not a folder for a study; name another one with -o",
                       study->folder);
    if (ft_study_is_there(study->folder))
        return meet_study(study, diag);
    return is_empty(study->folder)
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE,
                         "%s: is a folder with other files; name another one with -o",
                         study->folder);
}

static int make_folder(const char *path, struct ft_diag *diag)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? FT_OK : ft_output_fail(path, errno, diag);
}

/* One study at a time; jobs work side by side. */
static int lock_folder(struct work *work, int kind, struct ft_diag *diag)
{
    const char *folder = work->study.folder;
    work->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work->lock < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", folder, strerror(errno));
    return flock(work->lock, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK
               ? ft_fail(diag, FT_ERROR_USAGE,
                         "%s: another 'foretrace study' is at work there; wait for its end", folder)
               : FT_OK;
}

static int open_folder(struct work *work, struct ft_diag *diag)
{
    char *records = ft_study_path(&work->study, "steps");
    int status = records ? make_folder(work->study.folder, diag) : ft_fail_memory(diag, "a study");
    if (status == FT_OK)
        status = make_folder(records, diag);
    free(records);
    return status == FT_OK ? lock_folder(work, LOCK_EX, diag) : status;
}

/* ---- steps ---- */

/* Whether the program did the same again. Of jobs side by side the first capture may be another's,
 * which is not done yet: who collects them compares. */
static int check_repetition(const struct work *work, struct ft_diag *diag)
{
    const struct ft_study_step *first = ft_study_steps_find(&work->steps, FT_STEP_CAPTURE);
    const struct ft_study_step *again = ft_study_steps_find(&work->steps, FT_STEP_AGAIN);
    struct ft_repetition repetition;
    struct ft_step_cost cost;
    char why[FT_STEP_WHY];
    if (!ft_step_is_done(first, &cost, why))
        return FT_OK;
    FT_TRY(ft_repetition_read(first->outputs.items[0], again->outputs.items[0], first->output,
                              again->output, &repetition, diag));
    ft_study_repetition_warn(&work->study, first->size, &repetition);
    return FT_OK;
}

/* A step, unless it is done; with what it took. */
static int do_step(struct work *work, size_t index, struct ft_diag *diag)
{
    const struct ft_study_step *step = &work->steps.items[index];
    struct ft_step_cost cost = {0};
    char why[FT_STEP_WHY];
    const bool is_done = ft_step_is_done(step, &cost, why);
    ft_study_step_print(step, index + 1, work->has_plan ? work->steps.count : 0, stdout);
    if (why[0])
        ft_print_wrapped(stdout, 4, "    once more: %s\n", why);
    ft_stdout_flush(); /* before what the child says */
    if (!is_done) {
        struct ft_diag inner = {0};
        const int status = ft_study_step_run(&work->study, step, &work->signals, &cost, &inner);
        if (status != FT_OK)
            return ft_fail(diag, status, "step %zu: %s", index + 1, inner.message);
    }
    ft_study_cost_print(&cost, is_done ? " (done before)" : "", stdout);
    work->total.seconds += cost.seconds;
    work->total.bytes += cost.bytes;
    if (step == ft_study_steps_find(&work->steps, FT_STEP_CAPTURE))
        ft_study_sources_warn(&work->study, step);
    return step->kind == FT_STEP_AGAIN ? check_repetition(work, diag) : FT_OK;
}

static int read_plan(struct work *work, struct ft_diag *diag)
{
    const struct ft_study_step *step = ft_study_steps_find(&work->steps, FT_STEP_PLAN);
    const struct ft_study_plan_terms terms = {work->study.target, work->study.budget_seconds,
                                              ft_study_has_listed_sizes(&work->study)};
    struct ft_study_steps steps;
    FT_TRY(ft_study_plan_read(step->output, &terms, &work->plan, diag));
    FT_TRY(ft_study_steps_make(&work->study, &work->plan, &steps, diag));
    ft_study_steps_fini(&work->steps);
    work->steps = steps;
    work->has_plan = true;
    return FT_OK;
}

static bool reads_of(const struct ft_study_step *step, const struct ft_study_step *before)
{
    for (size_t i = 0; i < step->inputs.count; i++)
        if (ft_words_have(&before->outputs, step->inputs.items[i]))
            return true;
    return false;
}

/* Of each step whether it is done, and needs not be done again after those before it; NULL without
 * memory. */
static bool *list_done(const struct work *work, size_t *ret_left)
{
    const struct ft_study_steps *steps = &work->steps;
    bool *done = calloc(steps->count + 1, sizeof *done);
    *ret_left = 0;
    for (size_t i = 0; done && i < steps->count; i++) {
        struct ft_step_cost cost;
        char why[FT_STEP_WHY];
        done[i] = ft_step_is_done(&steps->items[i], &cost, why);
        for (size_t j = 0; done[i] && j < i; j++)
            done[i] = done[j] || !reads_of(&steps->items[i], &steps->items[j]);
        *ret_left += !done[i];
    }
    return done;
}

/* For traces above all. */
static int check_space(const struct work *work, struct ft_diag *diag)
{
    const char *folder = work->study.folder;
    struct statvfs space;
    char free_text[FT_NUMBER_TEXT], need_text[FT_NUMBER_TEXT];
    if (statvfs(folder, &space) != 0)
        return FT_OK;
    const double free_bytes = (double)space.f_bavail * (double)space.f_frsize;
    if (free_bytes >= work->plan.trace_bytes)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_IO,
                   "%s: %s are free there, and the traces take about %s: name a folder elsewhere "
                   "with -o, or limit them with --max-size",
                   folder, ft_text_bytes(free_text, free_bytes),
                   ft_text_bytes(need_text, work->plan.trace_bytes));
}

/* ---- the study ---- */

static int find_target(struct work *work, struct ft_diag *diag)
{
    struct ft_study *study = &work->study;
    struct ft_target_choice choice;
    char seconds[FT_NUMBER_TEXT];
    char *errors = study->target == 0 ? ft_study_path(study, "errors") : NULL;
    if (study->target != 0)
        return FT_OK;
    if (!errors)
        return ft_fail_memory(diag, "a study");
    const int status = ft_target_choose(study->program.items, study->parameter, errors,
                                        &work->signals, &choice, diag);
    free(errors);
    if (status != FT_OK)
        return status;
    study->target = choice.size;
    ft_print_wrapped(
        stdout, 2, "%s takes %s at %s = %.15g: that is forecast; another size with --at %s=SIZE\n",
        study->program.items[0], ft_text_seconds(seconds, choice.seconds), study->parameter,
        choice.size, study->parameter);
    return FT_OK;
}

/* Up to the plan. */
static int begin(struct work *work, struct ft_diag *diag)
{
    FT_TRY(ft_study_save(&work->study, diag)); /* so that the folder is known as ours */
    FT_TRY(find_target(work, diag));
    FT_TRY(ft_study_save(&work->study, diag));
    FT_TRY(ft_study_steps_make(&work->study, NULL, &work->steps, diag));
    for (size_t i = 0; i < work->steps.count; i++)
        FT_TRY(do_step(work, i, diag));
    FT_TRY(read_plan(work, diag));
    ft_study_plan_print(&work->study, &work->plan, stdout);
    return ft_study_script_write(&work->study, &work->steps, diag);
}

static size_t first_behind_plan(const struct ft_study_steps *steps)
{
    size_t index = 0;
    while (index < steps->count && steps->items[index].kind <= FT_STEP_PLAN)
        index++;
    return index;
}

static int finish(struct work *work, struct ft_diag *diag)
{
    for (size_t i = first_behind_plan(&work->steps); i < work->steps.count; i++)
        FT_TRY(do_step(work, i, diag));
    return ft_study_end_print(&work->study, &work->steps, &work->total, stdout, diag);
}

static int submit(struct work *work, const struct ft_study_jobs *jobs, const bool *done,
                  struct ft_diag *diag)
{
    if (jobs->list[0])
        fprintf(
            stderr,
            "foretrace study: warning: jobs %s ended without having done all steps (%s/job-*.txt "
            "say why); the others are submitted again\n",
            jobs->list, work->study.folder);
    FT_TRY(ft_study_jobs_submit(&work->study, &work->steps, done, &work->signals, stdout, diag));
    ft_print_wrapped(stdout, 0,
                     "Submitted. When the jobs have ended, the same command shows the answer.\n");
    return FT_OK;
}

/* Jobs of an earlier submission must have ended: they hold the folder, too. */
static int meet_jobs(const struct work *work, struct ft_study_jobs *ret_jobs, struct ft_diag *diag)
{
    if (!ft_study_is_there(work->study.folder))
        return FT_OK;
    FT_TRY(ft_study_jobs_find(&work->study, &work->signals, ret_jobs, diag));
    if (ret_jobs->are_waiting)
        return ft_fail(
            diag, FT_ERROR_FAILURE,
            "jobs %s are still waiting or running (squeue -j %s): the same command shows "
            "the answer when they have ended",
            ret_jobs->list, ret_jobs->list);
    return FT_OK;
}

static int study(struct work *work, bool with_slurm, struct ft_diag *diag)
{
    struct ft_study_jobs jobs = {.are_waiting = false};
    size_t left;
    FT_TRY(meet_jobs(work, &jobs, diag));
    FT_TRY(open_folder(work, diag));
    FT_TRY(begin(work, diag));
    bool *done = list_done(work, &left);
    int status = done ? FT_OK : ft_fail_memory(diag, "the steps");
    if (status == FT_OK && left > 0)
        status = check_space(work, diag);
    if (status == FT_OK)
        status = with_slurm && left > 0 ? submit(work, &jobs, done, diag) : finish(work, diag);
    free(done);
    return status;
}

/* The steps that would be done; before there is a plan with SIZE in the place of its sizes. */
static int print_dry(struct work *work, struct ft_diag *diag)
{
    const struct ft_study_plan unknown = ft_study_plan_unknown();
    struct ft_step_cost cost;
    char why[FT_STEP_WHY];
    size_t left = 0;
    if (work->study.target == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--dry-run: give the size to forecast with --at %s=SIZE: to find one the "
                       "program has to run",
                       work->study.parameter);
    FT_TRY(ft_study_steps_make(&work->study, NULL, &work->steps, diag));
    const struct ft_study_step *plan = ft_study_steps_find(&work->steps, FT_STEP_PLAN);
    if (ft_step_is_done(plan, &cost, why)) {
        FT_TRY(read_plan(work, diag));
    } else {
        ft_study_steps_fini(&work->steps);
        FT_TRY(ft_study_steps_make(&work->study, &unknown, &work->steps, diag));
    }
    bool *done = list_done(work, &left);
    for (size_t i = 0; done && i < work->steps.count; i++) {
        ft_study_step_print(&work->steps.items[i], i + 1, work->has_plan ? work->steps.count : 0,
                            stdout);
        if (done[i])
            fputs("    done before\n", stdout);
    }
    free(done);
    if (work->has_plan)
        ft_study_plan_print(&work->study, &work->plan, stdout);
    else
        fputs("The plan chooses each SIZE to learn from, and a LARGER one for the check.\n",
              stdout);
    return FT_OK;
}

/* --step FIRST[-LAST] or a list of them, as jobs call it: the folder says of what study. */
static int do_listed_steps(struct work *work, const char *list, struct ft_diag *diag)
{
    FT_TRY(ft_study_steps_make(&work->study, NULL, &work->steps, diag));
    FT_TRY(read_plan(work, diag));
    for (const char *at = list; *at; at += *at == ',') {
        uint64_t first, last;
        if (!ft_read_range(&at, &first, &last) || (*at && *at != ',') || first < 1 ||
            last > work->steps.count)
            return ft_fail(diag, FT_ERROR_USAGE, "--step %s: must be numbers from 1 to %zu", list,
                           work->steps.count);
        for (uint64_t i = first; i <= last; i++)
            FT_TRY(do_step(work, (size_t)i - 1, diag));
    }
    return FT_OK;
}

/* ---- the command ---- */

static int run_listed(const struct ft_arguments *arguments, struct work *work, struct ft_diag *diag)
{
    const char *folder = ft_option_last(arguments, "output");
    if (!ft_study_is_there(folder))
        return ft_fail(diag, FT_ERROR_USAGE, "%s: there is no study", folder);
    FT_TRY(ft_study_load(folder, &work->study, diag));
    FT_TRY(ft_held_signals_init(&work->signals, diag));
    FT_TRY(lock_folder(work, LOCK_SH, diag));
    return do_listed_steps(work, ft_option_last(arguments, "step"), diag);
}

static int run_all(const struct ft_arguments *arguments, struct work *work, struct ft_diag *diag)
{
    FT_TRY(ft_study_question_read(arguments, &work->study, diag));
    FT_TRY(meet_folder(&work->study, diag));
    FT_TRY(ft_study_program_check(work->study.program.items[0], diag));
    if (ft_option_count(arguments, "dry-run"))
        return print_dry(work, diag);
    FT_TRY(ft_held_signals_init(&work->signals, diag));
    return study(work, ft_option_count(arguments, "slurm") > 0, diag);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct work work = {.lock = -1};
    const bool is_listed = ft_option_count(arguments, "step") > 0;
    if (is_listed ? ft_operand_count(arguments) > 0 : ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, is_listed
                                                ? "--step: the folder knows the program"
                                                : "give the program to study, after --, with {N} "
                                                  "in the place of its size");
    int status = is_listed ? run_listed(arguments, &work, &diag) : run_all(arguments, &work, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    else
        (void)fflush(stdout);
    const int code = status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
    if (status != FT_OK && work.has_plan && !is_listed)
        fputs("what is done is kept: the same command goes on from there\n", stderr);
    fini(&work);
    return code;
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=SIZE",
     "the size to forecast, an integer (default: one at which the program takes a fifth of a "
     "second or more)"},
    {"machine", 'm', "MACHINE", "forecast for this machine, too, as predict takes it",
     .repeats = true},
    {"no-host", 0, NULL, "do not forecast for this host", .needs = "machine"},
    {"output", 'o', "FOLDER", "where all files go (default: PROGRAM-study)"},
    {"dry-run", 0, NULL, "show the steps, and do nothing"},
    {"slurm", 0, NULL,
     "submit the steps to Slurm; once more, when the jobs have ended: the answer"},
    {"step", 0, "NUMBERS", "do these steps of the study in -o alone, as its jobs do",
     .excludes = "at machine no-host dry-run slurm source count element tile available halving "
                 "trial-cpu budget max-size define",
     .needs = "output"},
    {"source", 0, NULL, "keep source files in the traces, and show their lines in the report"},
    {"count", 'n', "COUNT", "as of plan: number of training sizes (default: 5)"},
    {"element", 0, "BYTES", "as of plan: size of an element of the program's arrays (default: 8)"},
    {"tile", 0, "COUNT", "as of plan: elements per tile (default: 1)"},
    {"available", 0, "SIZES", "as of plan: choose only from these sizes"},
    {"halving", 0, NULL, "as of plan: choose only the target divided by powers of 2",
     .excludes = "available"},
    {"trial-cpu", 0, "SECONDS", "as of plan: CPU time of its trials (default: 1)"},
    {"budget", 0, "SECONDS",
     "as of plan: CPU time of captures and replays; likewise of the check (default: 120)"},
    {"max-size", 0, "BYTES", "as of plan: limit on the size of all traces"},
    {"define", 'D', "NAME=NUMBER", "a further parameter, noted in the traces", .repeats = true},
};

const struct ft_command ft_study_command = {
    .name = "study",
    .synopsis = "study [options] [--at NAME=SIZE] [-m MACHINE]... -- PROGRAM [ARGUMENT]...",
    .summary = "all in one: from a program to a checked forecast, and a report",
    .details =
        "{NAME} in the program's arguments is replaced by the size. The steps are ordinary\n"
        "commands, printed before they run, with what they took: plan chooses small sizes, "
        "capture\n"
        "and replay take the program at these, fit makes a model, predict forecasts the size\n"
        "asked for on this host and other machines, and is checked at a size between, which the\n"
        "model has not seen; report makes a page to look at.\n"
        "\n"
        "All files are in one folder. A study that was interrupted goes on where it was when the\n"
        "same command is given again; steps are repeated if what they read has changed. steps.sh\n"
        "there has the same commands, to be run by hand. The program's input is empty.\n"
        "\n"
        "  foretrace study -- ./matmul {N}\n"
        "  foretrace study --at N=2000 -m amd-zen5 -m itanium2 -o zen -- ./matmul {N} 1\n"
        "  foretrace study --slurm --at N=2000 -- ./matmul {N} 1\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operands_end_options = true,
    .run = run,
};
