#include "predict/study/step_run.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/hdf5_output.h"
#include "predict/plan/child_run.h"

#define GRACE_SECONDS 5   /* for a command to remove its temporary files */
#define NOT_CAPTURED  125 /* exit codes of `capture` from here on are its own, or signals */
#define LINE_BYTES    400

/* ---- what an earlier attempt left ---- */

/* Traces of all processes of the program, and partial ones: trace-16.2.h5 of trace-16.h5. */
static void remove_traces(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash + 1, *dot = strchr(name, '.');
    char *folder_path = strndup(path, (size_t)(slash - path));
    DIR *folder = folder_path ? opendir(folder_path) : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, name, (size_t)(dot - name) + 1) == 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    free(folder_path);
}

static int remove_file(const char *path, const char *suffix, struct ft_diag *diag)
{
    char *name = NULL;
    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return ft_fail_memory(diag, path);
    const int status = unlink(name) == 0 || errno == ENOENT
                           ? FT_OK
                           : ft_fail(diag, FT_ERROR_IO, "%s: %s", name, strerror(errno));
    free(name);
    return status;
}

static int remove_leftovers(const struct ft_study_step *step, struct ft_diag *diag)
{
    FT_TRY(remove_file(step->record, "", diag));
    for (size_t i = 0; i < step->outputs.count; i++) {
        FT_TRY(remove_file(step->outputs.items[i], "", diag));
        FT_TRY(remove_file(step->outputs.items[i], ".partial", diag));
    }
    if (step->kind == FT_STEP_CAPTURE || step->kind == FT_STEP_AGAIN)
        remove_traces(step->outputs.items[0]);
    return FT_OK;
}

/* ---- failures ---- */

static const char *signal_of(int exit_code)
{
    return exit_code > 128 && exit_code < 128 + NSIG ? strsignal(exit_code - 128) : NULL;
}

/* Of a capture: by foretrace, or that the program ended with a failure. */
static int fail_capture(const struct ft_study *study, const struct ft_study_step *step,
                        const char *output, int exit_code, struct ft_diag *diag)
{
    char line[LINE_BYTES];
    const char *signal = signal_of(exit_code);
    ft_child_last_line(output, line, sizeof line);
    if (exit_code >= NOT_CAPTURED && !signal)
        return ft_fail(diag, FT_ERROR_FAILURE, "capture at %s = %s ended with %d%s%s",
                       study->parameter, step->size, exit_code, line[0] ? ": " : "", line);
    return ft_fail(
        diag, FT_ERROR_FAILURE,
        "%s at %s = %s ended with %d%s%s%s%s%s. Its output is in %s. If it does not take "
        "such sizes, list those that it does with --available",
        step->words.items[step->program_at], study->parameter, step->size, exit_code,
        signal ? " (" : "", signal ? signal : "", signal ? ")" : "", line[0] ? ": " : "", line,
        output);
}

static int fail_step(const struct ft_study *study, const struct ft_study_step *step,
                     const char *output, int exit_code, struct ft_diag *diag)
{
    const char *signal = signal_of(exit_code);
    if (step->is_noisy)
        return fail_capture(study, step, output, exit_code, diag);
    return ft_fail(diag,
                   exit_code == 2   ? FT_ERROR_USAGE
                   : exit_code == 3 ? FT_ERROR_DATA
                                    : FT_ERROR_FAILURE,
                   "%s ended with %d%s%s%s", step->words.items[0], exit_code, signal ? " (" : "",
                   signal ? signal : "", signal ? ")" : "");
}

/* ---- the run ---- */

static int check_outputs(const struct ft_study *study, const struct ft_study_step *step,
                         struct ft_diag *diag)
{
    for (size_t i = 0; i < step->outputs.count; i++) {
        if (access(step->outputs.items[i], F_OK) == 0)
            continue;
        return step->is_noisy
                   ? ft_fail(diag, FT_ERROR_FAILURE,
                             "%s at %s = %s ended well, but did not make %s: it starts fewer "
                             "processes there than at the sizes of the plan's trials",
                             step->words.items[step->program_at], study->parameter, step->size,
                             step->outputs.items[i])
                   : ft_fail(diag, FT_ERROR_FAILURE, "%s ended well, but did not make %s",
                             step->words.items[0], step->outputs.items[i]);
    }
    return FT_OK;
}

/* output: the temporary name, or NULL. */
static int run_child(const struct ft_study *study, const struct ft_study_step *step,
                     const char *output, const struct ft_held_signals *signals,
                     struct ft_step_cost *ret_cost, struct ft_diag *diag)
{
    struct ft_child_run run = {0};
    const struct ft_child_terms terms = {
        .errors_path = step->is_noisy ? output : NULL,
        .limit_seconds = INFINITY,
        .signals = signals,
        .output_path = output,
        /* A capture that gets SIGTERM would leave the program running. */
        .grace_seconds = step->is_noisy ? 0 : GRACE_SECONDS,
    };
    const uint64_t start_ns = ft_clock_ns();
    FT_TRY(ft_child_run(step->words.items, &terms, &run, diag));
    if (run.exit_code != 0)
        return fail_step(study, step, output, run.exit_code, diag);
    ret_cost->seconds = 1e-9 * (double)(ft_clock_ns() - start_ns);
    ret_cost->cpu_seconds = run.cpu_seconds;
    if (output && rename(output, step->output) != 0)
        return ft_output_fail(step->output, errno, diag);
    return check_outputs(study, step, diag);
}

int ft_study_step_run(const struct ft_study *study, const struct ft_study_step *step,
                      const struct ft_held_signals *signals, struct ft_step_cost *ret_cost,
                      struct ft_diag *diag)
{
    struct ft_file_marks inputs = {0};
    struct ft_step_cost cost = {0};
    char *output = NULL;
    if (step->output && asprintf(&output, "%s.partial", step->output) < 0)
        return ft_fail_memory(diag, step->output);
    int status = remove_leftovers(step, diag);
    if (status == FT_OK)
        status = ft_file_marks_take(&step->inputs, &inputs, diag);
    if (status == FT_OK)
        status = run_child(study, step, output, signals, &cost, diag);
    if (status == FT_OK)
        status = ft_step_record_write(step, &inputs, &cost, diag);
    ft_file_marks_fini(&inputs);
    free(output);
    if (status == FT_OK)
        *ret_cost = cost;
    return status;
}
