/*
 * capture -o FOLDER/trial.h5, then replay and simulation of the trace with most accesses: if the
 * program starts others (a shell script, say) there are several, and that one is modelled.
 */
#include "predict/plan/trial.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/temporary_path.h"
#include "formats/histograms/histograms.h"
#include "formats/trace/trace_reader.h"
#include "predict/plan/child_run.h"
#include "predict/plan/command_words.h"

#define TRACE             "trial"
#define HISTOGRAMS        "histograms"
#define ERRORS            "errors"
#define EXIT_NOT_CAPTURED 125 /* and above: also no such program, and signals */
#define SUFFIX            ".h5"

/* ---- the command ---- */

char **ft_trial_words(const struct ft_trial_program *program, double n)
{
    const struct ft_word_value value = {program->parameter, n};
    return ft_command_words_fill(program->words, &value, 1);
}

/* ---- the folder ---- */

int ft_trial_program_init(struct ft_trial_program *program, char **words, const char *parameter,
                          const char *block_list, const char *machine, struct ft_diag *diag)
{
    *program = (struct ft_trial_program){
        .words = words, .parameter = parameter, .block_list = block_list, .machine = machine};
    if (!ft_command_words_have(words, parameter))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "the command has no {%s}: write it in place of %s's value, as in "
                       "'./matmul {%s}'",
                       parameter, parameter, parameter);
    int status = ft_held_signals_init(&program->signals, diag);
    if (status < 0)
        return status;
    status = ft_temporary_path(program->folder, sizeof program->folder, "plan", diag);
    if (status == FT_OK && !mkdtemp(program->folder))
        status = ft_fail(diag, FT_ERROR_IO, "%s: cannot create a folder for the trials: %s",
                         program->folder, strerror(errno));
    if (status != FT_OK)
        program->folder[0] = 0;
    return status;
}

/* Of all files but those whose names begin with `kept`; NULL: of all. */
static void empty_folder(const char *path, const char *kept)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && !(kept && strncmp(entry->d_name, kept, strlen(kept)) == 0))
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
}

void ft_trial_program_fini(struct ft_trial_program *program)
{
    if (program->folder[0]) {
        empty_folder(program->folder, NULL);
        (void)rmdir(program->folder);
        program->folder[0] = 0;
    }
    ft_held_signals_fini(&program->signals);
}

/* FOLDER/NAMESUFFIX; ft_trial_program_init has left room for it. */
static char *file_in(const struct ft_trial_program *program, const char *name, const char *suffix,
                     char path[FT_TRIAL_PATH_MAX])
{
    snprintf(path, FT_TRIAL_PATH_MAX, "%s/%s%s", program->folder, name, suffix);
    return path;
}

char *ft_trial_histograms(const struct ft_trial_program *program, double n,
                          char path[FT_TRIAL_PATH_MAX])
{
    char size[32];
    snprintf(size, sizeof size, "-%.15g", n);
    return file_in(program, HISTOGRAMS, size, path);
}

/* ---- what is in the files ---- */

/* A trace that has more accesses than those before takes their place. arrays: or NULL. */
static int take_trace(const char *path, const char *suffix, struct ft_trial *trial,
                      struct ft_arrays *arrays, struct ft_diag *diag)
{
    struct ft_trace *trace;
    const struct ft_trace_options options = {.allow_incomplete = false};
    int status = ft_trace_open(path, &options, &trace, diag);
    if (status < 0)
        return status;
    double accesses = (double)ft_trace_metadata(trace)->accesses, records = 0;
    for (size_t i = 0; i < ft_trace_chunk_count(trace); i++)
        records += (double)ft_trace_chunk(trace, i)->totals.records;
    trial->trace_bytes += (double)ft_trace_file_bytes(trace);
    if (trial->trace_count++ == 0 || accesses > trial->accesses) {
        trial->accesses = accesses;
        trial->records = records;
        snprintf(trial->suffix, sizeof trial->suffix, "%s", suffix);
        if (arrays)
            status = ft_arrays_read(trace, arrays, diag);
    }
    ft_trace_close(trace);
    return status;
}

static int take_traces(const struct ft_trial_program *program, struct ft_trial *trial,
                       struct ft_arrays *arrays, struct ft_diag *diag)
{
    DIR *folder = opendir(program->folder);
    struct dirent *entry;
    int status =
        folder ? FT_OK : ft_fail(diag, FT_ERROR_IO, "%s: %s", program->folder, strerror(errno));
    while (status == FT_OK && (entry = readdir(folder))) {
        char path[FT_TRIAL_PATH_MAX];
        const char *suffix = entry->d_name + strlen(TRACE);
        size_t length = strlen(entry->d_name);
        if (strncmp(entry->d_name, TRACE, strlen(TRACE)) == 0 && length > strlen(SUFFIX) &&
            strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0)
            status = take_trace(file_in(program, TRACE, suffix, path), suffix, trial, arrays, diag);
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

static int take_blocks(const char *path, struct ft_trial *trial, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    int status = ft_histogram_file_read(path, &file, diag);
    if (status < 0)
        return status;
    const struct ft_histograms *entry = &file.entries[0];
    for (size_t i = 0; i < entry->size_count && i < FT_TRIAL_BLOCKS_MAX; i++)
        trial->blocks[i] = (double)entry->distinct_blocks[i];
    ft_histogram_file_fini(&file);
    return FT_OK;
}

/* ---- the runs ---- */

static int fail_run(const struct ft_trial_program *program, const char *what, double n,
                    const struct ft_child_run *run, struct ft_diag *diag)
{
    char path[FT_TRIAL_PATH_MAX], line[512];
    ft_child_last_line(file_in(program, ERRORS, "", path), line, sizeof line);
    return ft_fail(diag, FT_ERROR_FAILURE, "a trial at %s = %.15g: %s ended with %d%s%s",
                   program->parameter, n, what, run->exit_code, line[0] ? ": " : "", line);
}

static int capture(const struct ft_trial_program *program, bool allocations, double limit_seconds,
                   struct ft_trial *trial, struct ft_child_run *ret_run, struct ft_diag *diag)
{
    char trace[FT_TRIAL_PATH_MAX], errors[FT_TRIAL_PATH_MAX];
    char **words = ft_trial_words(program, trial->n);
    char parameter[128];
    size_t count = 0;
    while (words && words[count])
        count++;
    char **arguments = words ? calloc(count + 8, sizeof *arguments) : NULL;
    if (!arguments) {
        ft_command_words_free(words);
        return ft_fail_memory(diag, "a command");
    }
    size_t used = 0;
    arguments[used++] = "capture";
    if (allocations)
        arguments[used++] = "--allocations";
    snprintf(parameter, sizeof parameter, "%s=%.15g", program->parameter, trial->n);
    arguments[used++] = "-D";
    arguments[used++] = parameter;
    arguments[used++] = "-o";
    arguments[used++] = file_in(program, TRACE, SUFFIX, trace);
    arguments[used++] = "--";
    memcpy(arguments + used, words, count * sizeof *words);
    const struct ft_child_terms terms = {file_in(program, ERRORS, "", errors), limit_seconds,
                                         &program->signals};
    int status = ft_child_run(arguments, &terms, ret_run, diag);
    if (status == FT_OK && ret_run->ended && ret_run->exit_code >= EXIT_NOT_CAPTURED)
        status = fail_run(program, words[0], trial->n, ret_run, diag);
    trial->capture_seconds = ret_run->cpu_seconds;
    trial->exit_code = ret_run->exit_code;
    free(arguments);
    ft_command_words_free(words);
    return status;
}

static int replay(const struct ft_trial_program *program, double limit_seconds,
                  struct ft_trial *trial, struct ft_child_run *ret_run, struct ft_diag *diag)
{
    char trace[FT_TRIAL_PATH_MAX], histograms[FT_TRIAL_PATH_MAX], errors[FT_TRIAL_PATH_MAX];
    char *arguments[] = {"replay",
                         "-b",
                         (char *)program->block_list,
                         "-o",
                         ft_trial_histograms(program, trial->n, histograms),
                         file_in(program, TRACE, trial->suffix, trace),
                         NULL};
    const struct ft_child_terms terms = {file_in(program, ERRORS, "", errors), limit_seconds,
                                         &program->signals};
    int status = ft_child_run(arguments, &terms, ret_run, diag);
    if (status == FT_OK && ret_run->ended && ret_run->exit_code != 0)
        status = fail_run(program, "replay", trial->n, ret_run, diag);
    trial->replay_seconds = ret_run->cpu_seconds;
    return status == FT_OK && ret_run->ended ? take_blocks(histograms, trial, diag) : status;
}

/* What `predict --check` does with a trace. That it fails or takes too long costs the plan no more
 * than its price, which is 0 then. */
static int simulate(const struct ft_trial_program *program, double limit_seconds,
                    struct ft_trial *trial, struct ft_diag *diag)
{
    char trace[FT_TRIAL_PATH_MAX], errors[FT_TRIAL_PATH_MAX];
    char *arguments[] = {"simulate", "--machine", (char *)program->machine,
                         file_in(program, TRACE, trial->suffix, trace), NULL};
    const struct ft_child_terms terms = {file_in(program, ERRORS, "", errors), limit_seconds,
                                         &program->signals};
    struct ft_child_run run = {0};
    FT_TRY(ft_child_run(arguments, &terms, &run, diag));
    trial->check_seconds = run.ended && run.exit_code == 0 ? run.cpu_seconds : 0;
    return FT_OK;
}

static double seconds_left(double limit_seconds, uint64_t start_ns)
{
    return limit_seconds - 1e-9 * (double)(ft_clock_ns() - start_ns);
}

int ft_trial_run(const struct ft_trial_program *program, double n, double limit_seconds,
                 struct ft_trial *ret_trial, bool *ret_ended, struct ft_diag *diag)
{
    struct ft_trial trial = {.n = n};
    struct ft_child_run run = {0};
    const uint64_t start_ns = ft_clock_ns();
    int status = capture(program, false, limit_seconds, &trial, &run, diag);
    if (status == FT_OK && run.ended) {
        status = take_traces(program, &trial, NULL, diag);
        if (status == FT_OK)
            status = replay(program, seconds_left(limit_seconds, start_ns), &trial, &run, diag);
        if (status == FT_OK && run.ended)
            status = simulate(program, seconds_left(limit_seconds, start_ns), &trial, diag);
    }
    empty_folder(program->folder, HISTOGRAMS);
    if (status < 0)
        return status;
    if (run.ended)
        *ret_trial = trial;
    *ret_ended = run.ended;
    return FT_OK;
}

int ft_trial_arrays(const struct ft_trial_program *program, double n, double limit_seconds,
                    struct ft_arrays *ret_arrays, struct ft_diag *diag)
{
    struct ft_trial trial = {.n = n};
    struct ft_child_run run = {0};
    struct ft_arrays arrays = {.count = 0};
    int status = capture(program, true, limit_seconds, &trial, &run, diag);
    if (status == FT_OK && run.ended)
        status = take_traces(program, &trial, &arrays, diag);
    empty_folder(program->folder, HISTOGRAMS);
    if (status == FT_OK)
        *ret_arrays = arrays;
    return status;
}
