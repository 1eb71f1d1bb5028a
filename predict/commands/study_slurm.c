/*
 * Steps are numbered as they are printed, so the task of an array has the number of its step, and
 * job.sh passes it on. Stages are submitted in their order, each to begin when those before have
 * ended well; a stage without steps left has no job. Jobs that are submitted are noted at once, so
 * that a later failure does not forget them. Commands of Slurm are run with a limit on their time.
 */
#include "predict/commands/study_slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/parse.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/text_output.h"
#include "predict/commands/study_text.h"
#include "predict/plan/child_run.h"

#define LIMIT_SECONDS 120 /* for a command of Slurm */
#define LINE_BYTES    400

/* ---- commands of Slurm ---- */

/* The first line of what it prints. *ret_code: 0, or that of its failure; then the line is of its
 * standard error. */
static int run_slurm(const struct ft_study *study, const struct ft_words *words,
                     const struct ft_held_signals *signals, char line[LINE_BYTES], int *ret_code,
                     struct ft_diag *diag)
{
    char *output = ft_study_path(study, "slurm.output"),
         *errors = ft_study_path(study, "slurm.errors");
    struct ft_child_run run = {0};
    int status = output && errors && !words->failed ? FT_OK : ft_fail_memory(diag, "a job");
    if (status == FT_OK) {
        const struct ft_child_terms terms = {.errors_path = errors,
                                             .limit_seconds = LIMIT_SECONDS,
                                             .signals = signals,
                                             .is_native = true,
                                             .output_path = output};
        status = ft_child_run(words->items, &terms, &run, diag);
    }
    if (status == FT_OK && !run.ended)
        status = ft_fail(diag, FT_ERROR_FAILURE, "%s did not answer within %d s", words->items[0],
                         LIMIT_SECONDS);
    if (status == FT_OK) {
        ft_child_last_line(run.exit_code == 0 ? output : errors, line, LINE_BYTES);
        *ret_code = run.exit_code;
    }
    if (output)
        (void)unlink(output);
    if (errors)
        (void)unlink(errors);
    free(output);
    free(errors);
    return status;
}

/* ---- jobs of an earlier submission ---- */

/* squeue fails where it has forgotten the job, and where Slurm's controller does not answer. */
static int look_at_job(const struct ft_study *study, uint64_t job,
                       const struct ft_held_signals *signals, bool *ret_waits, struct ft_diag *diag)
{
    struct ft_words words = {0};
    char line[LINE_BYTES] = "";
    int code = 0;
    ft_words_add(&words, "squeue");
    ft_words_add(&words, "-h");
    ft_words_add(&words, "-o");
    ft_words_add(&words, "%%T");
    ft_words_add(&words, "-j");
    ft_words_add(&words, "%" PRIu64, job);
    const int status = run_slurm(study, &words, signals, line, &code, diag);
    ft_words_fini(&words);
    if (status == FT_OK && code == FT_CHILD_NOT_STARTED)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "jobs of this study were submitted to Slurm, but there is no squeue to ask "
                       "for them: go on where they were submitted, or remove %s/jobs",
                       study->folder);
    if (status == FT_OK && code != 0 && !strstr(line, "Invalid job id"))
        return ft_fail(diag, FT_ERROR_FAILURE,
                       "squeue does not tell whether job %" PRIu64 " is still at work: %s", job,
                       line);
    if (status == FT_OK)
        *ret_waits = code == 0 && line[0];
    return status;
}

int ft_study_jobs_find(const struct ft_study *study, const struct ft_held_signals *signals,
                       struct ft_study_jobs *ret_jobs, struct ft_diag *diag)
{
    struct ft_study_jobs jobs = {.are_waiting = false};
    char *path = ft_study_path(study, "jobs");
    FILE *file = path ? fopen(path, "re") : NULL;
    int status = path ? FT_OK : ft_fail_memory(diag, "the jobs");
    if (file) {
        if (!fgets(jobs.list, sizeof jobs.list, file))
            jobs.list[0] = 0;
        jobs.list[strcspn(jobs.list, "\n")] = 0;
        (void)fclose(file); /* it was only read */
    }
    for (const char *at = jobs.list; status == FT_OK && *at && !jobs.are_waiting;) {
        uint64_t job;
        if (!ft_read_u64(&at, &job) || (*at && *at != ','))
            status = ft_fail(diag, FT_ERROR_DATA, "%s: is no list of jobs; remove it", path);
        else
            status = look_at_job(study, job, signals, &jobs.are_waiting, diag);
        at += *at == ',';
    }
    free(path);
    if (status == FT_OK)
        *ret_jobs = jobs;
    return status;
}

/* ---- submission ---- */

/* FOLDER/job.sh, which does the steps that it is given, or the one of its array's task. */
static int write_job(const struct ft_study *study, const char *path, struct ft_diag *diag)
{
    char program[PATH_MAX];
    struct ft_text_output output;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return ft_fail(diag, FT_ERROR_IO, "/proc/self/exe: %s", strerror(errno));
    program[length] = 0;
    FT_TRY(ft_text_output_create(path, &output, diag));
    fputs("#!/bin/sh\n# A job of 'foretrace study --slurm'.\ncd ", output.stream);
    ft_print_shell_word(study->cwd, output.stream);
    fputs(" && exec ", output.stream);
    ft_print_shell_word(program, output.stream);
    fputs(" study -o ", output.stream);
    ft_print_shell_word(study->folder, output.stream);
    fputs(" --step \"${SLURM_ARRAY_TASK_ID:-$1}\"\n", output.stream);
    return ft_text_output_finish(&output, FT_OK, diag);
}

enum stage { CAPTURES, REPLAYS, REST, STAGES, BEFORE };

static const char *const stage_names[] = {"capture", "replay", "fit"};

static enum stage stage_of(enum ft_step_kind kind)
{
    switch (kind) {
    case FT_STEP_HOST:
    case FT_STEP_PLAN:
        return BEFORE;
    case FT_STEP_CAPTURE:
    case FT_STEP_AGAIN:
        return CAPTURES;
    case FT_STEP_REPLAY:
        return REPLAYS;
    default:
        return REST;
    }
}

/* The numbers of the stage's steps that are to be done: "3,4,7"; empty: none. NULL without memory.
 */
static char *list_steps(const struct ft_study_steps *steps, const bool *done, enum stage stage)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < steps->count; i++)
        if (!done[i] && stage_of(steps->items[i].kind) == stage)
            fprintf(stream, "%s%zu", ftell(stream) > 0 ? "," : "", i + 1);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

struct submission {
    const struct ft_study *study;
    const struct ft_held_signals *signals;
    char *script;
    char after[256]; /* ":12:13", jobs so far */
    uint64_t jobs[STAGES];
};

static int submit_stage(struct submission *submission, enum stage stage, const char *list,
                        struct ft_diag *diag)
{
    const struct ft_study *study = submission->study;
    struct ft_words words = {0};
    char line[LINE_BYTES] = "";
    const char *at = line;
    int code = 0;
    ft_words_add(&words, "sbatch");
    ft_words_add(&words, "--parsable");
    ft_words_add(&words, "--job-name=study-%s", stage_names[stage]);
    ft_words_add(&words, "--kill-on-invalid-dep=yes");
    ft_words_add(&words, "--output=%s/job-%s", study->folder,
                 stage == REST ? "%j.txt" : "%A-%a.txt");
    if (stage != REST)
        ft_words_add(&words, "--array=%s", list);
    if (submission->after[0])
        ft_words_add(&words, "--dependency=afterok%s", submission->after);
    ft_words_add(&words, "%s", submission->script);
    if (stage == REST)
        ft_words_add(&words, "%s", list);
    int status = run_slurm(study, &words, submission->signals, line, &code, diag);
    ft_words_fini(&words);
    if (status == FT_OK && code == FT_CHILD_NOT_STARTED && !line[0])
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--slurm: there is no sbatch; without --slurm the steps are done here");
    if (status == FT_OK && code != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "sbatch ended with %d: %s", code, line);
    if (status == FT_OK && !ft_read_u64(&at, &submission->jobs[stage]))
        return ft_fail(diag, FT_ERROR_FAILURE, "sbatch names no job: %s", line);
    const size_t used = strlen(submission->after);
    if (status == FT_OK)
        snprintf(submission->after + used, sizeof submission->after - used, ":%" PRIu64,
                 submission->jobs[stage]);
    return status;
}

/* Numbers of jobs, which the next call of `study` asks for. */
static int note_jobs(const struct submission *submission, struct ft_diag *diag)
{
    struct ft_text_output output;
    char *path = ft_study_path(submission->study, "jobs");
    int status = path ? ft_text_output_create(path, &output, diag) : ft_fail_memory(diag, "jobs");
    if (status == FT_OK) {
        const char *comma = "";
        for (size_t i = 0; i < STAGES; i++)
            if (submission->jobs[i]) {
                fprintf(output.stream, "%s%" PRIu64, comma, submission->jobs[i]);
                comma = ",";
            }
        fputc('\n', output.stream);
        status = ft_text_output_finish(&output, FT_OK, diag);
    }
    free(path);
    return status;
}

static void print_steps(const struct submission *submission, const struct ft_study_steps *steps,
                        const bool *done, FILE *stream)
{
    for (size_t i = 0; i < steps->count; i++) {
        const enum stage stage = stage_of(steps->items[i].kind);
        if (done[i] || stage == BEFORE)
            continue;
        ft_study_step_print(&steps->items[i], i + 1, steps->count, stream);
        if (stage == REST)
            fprintf(stream, "    in job %" PRIu64 "\n", submission->jobs[stage]);
        else
            fprintf(stream, "    in job %" PRIu64 "_%zu\n", submission->jobs[stage], i + 1);
    }
}

int ft_study_jobs_submit(const struct ft_study *study, const struct ft_study_steps *steps,
                         const bool *done, const struct ft_held_signals *signals, FILE *stream,
                         struct ft_diag *diag)
{
    struct submission submission = {
        .study = study, .signals = signals, .script = ft_study_path(study, "job.sh")};
    int status = submission.script ? write_job(study, submission.script, diag)
                                   : ft_fail_memory(diag, "jobs");
    for (enum stage stage = CAPTURES; status == FT_OK && stage < STAGES; stage++) {
        char *list = list_steps(steps, done, stage);
        if (!list)
            status = ft_fail_memory(diag, "jobs");
        else if (list[0])
            status = submit_stage(&submission, stage, list, diag);
        free(list);
        if (submission.after[0]) { /* also where a later one fails: these are in the queue */
            const int noted = note_jobs(&submission, status == FT_OK ? diag : NULL);
            status = status == FT_OK ? noted : status;
        }
    }
    if (status == FT_OK)
        print_steps(&submission, steps, done, stream);
    free(submission.script);
    return status;
}
