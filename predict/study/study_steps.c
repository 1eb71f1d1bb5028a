/*
 * A step is begun with its kind and the words of its command; then files are added. A path that is
 * both a word and an input is put into both lists by one function, so that neither is forgotten. An
 * allocation that fails shows at the end of each step.
 */
#include "predict/study/study_steps.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/file_name.h"
#include "predict/plan/command_words.h"
#include "predict/study/program_file.h"

#define NAME_MAX_BYTES 48 /* of a machine, in the name of its forecast */

/* ---- files ---- */

char *ft_study_path(const struct ft_study *study, const char *format, ...)
{
    char *name = NULL, *path = NULL;
    va_list list;
    va_start(list, format);
    const int length = vasprintf(&name, format, list);
    va_end(list);
    if (length < 0)
        return NULL;
    if (asprintf(&path, "%s/%s", study->folder, name) < 0)
        path = NULL;
    free(name);
    return path;
}

static bool is_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

/* The program and files that are named in its words: what it does may depend on them. */
static void add_program_inputs(struct ft_study_step *step, char *const *words)
{
    char *program = ft_study_program_file(words[0]);
    if (program)
        ft_words_add(&step->inputs, "%s", program);
    free(program);
    for (size_t i = 1; words[i]; i++)
        if (is_file(words[i]))
            ft_words_add(&step->inputs, "%s", words[i]);
}

/* Machine files; a name of the list is none. */
static void add_machine(struct ft_study_step *step, const char *option, const char *machine)
{
    char *file = strndup(machine, strcspn(machine, ","));
    ft_words_add(&step->words, "%s", option);
    ft_words_add(&step->words, "%s", machine);
    if (!file)
        step->words.failed = true;
    else if (strchr(file, '/') ||
             (strlen(file) > 5 && strcmp(file + strlen(file) - 5, ".yaml") == 0))
        ft_words_add(&step->inputs, "%s", file);
    free(file);
}

/* All machines' texts: the host's file first. */
static struct ft_words list_machines(const struct ft_study *study)
{
    struct ft_words machines = {0};
    if (study->with_host)
        ft_words_add(&machines, "%s/" FT_STUDY_HOST, study->folder);
    ft_words_add_all(&machines, study->machines.items);
    return machines;
}

/* ---- steps ---- */

/* Its record is called `name`; NULL without memory. */
static struct ft_study_step *begin(struct ft_study_steps *steps, const struct ft_study *study,
                                   enum ft_step_kind kind, const char *name, const char *size)
{
    if (!FT_RESERVE(steps->items, steps->capacity, steps->count + 1))
        return NULL;
    struct ft_study_step *step = &steps->items[steps->count++];
    *step = (struct ft_study_step){.kind = kind, .size = size, .program_at = SIZE_MAX};
    step->record = ft_study_path(study, "steps/%s%s%s", name, size ? "-" : "", size ? size : "");
    return step->record ? step : NULL;
}

static int finish(const struct ft_study_step *step, struct ft_diag *diag)
{
    return step->words.failed || step->inputs.failed || step->outputs.failed
               ? ft_fail_memory(diag, "the steps")
               : FT_OK;
}

/* A file that the command is told to write. */
static void add_output(struct ft_study_step *step, char *path)
{
    if (path) {
        ft_words_add(&step->words, "-o");
        ft_words_add(&step->words, "%s", path);
        ft_words_add(&step->outputs, "%s", path);
    } else {
        step->words.failed = true;
    }
    free(path);
}

static void add_input(struct ft_study_step *step, char *path)
{
    if (path) {
        ft_words_add(&step->words, "%s", path);
        ft_words_add(&step->inputs, "%s", path);
    } else {
        step->words.failed = true;
    }
    free(path);
}

/* Standard output. */
static void send_output(struct ft_study_step *step, char *path, bool is_needed)
{
    step->output = path;
    if (!path)
        step->words.failed = true;
    else if (is_needed)
        ft_words_add(&step->outputs, "%s", path);
}

static int add_host(struct ft_study_steps *steps, const struct ft_study *study,
                    struct ft_diag *diag)
{
    if (!study->with_host)
        return FT_OK;
    struct ft_study_step *step = begin(steps, study, FT_STEP_HOST, "host", NULL);
    if (!step)
        return ft_fail_memory(diag, "the steps");
    ft_words_add(&step->words, "machine");
    ft_words_add(&step->words, "detect");
    add_output(step, ft_study_path(study, FT_STUDY_HOST));
    return finish(step, diag);
}

/* Behind "--", as the last words. */
static void add_program(struct ft_study_step *step, char *const *words)
{
    ft_words_add(&step->words, "--");
    step->program_at = step->words.count;
    ft_words_add_all(&step->words, words);
    add_program_inputs(step, words);
}

static int add_plan(struct ft_study_steps *steps, const struct ft_study *study,
                    const struct ft_words *machines, struct ft_diag *diag)
{
    struct ft_study_step *step = begin(steps, study, FT_STEP_PLAN, "plan", NULL);
    if (!step)
        return ft_fail_memory(diag, "the steps");
    ft_words_add(&step->words, "plan");
    ft_words_add(&step->words, "--at");
    ft_words_add(&step->words, "%s=%.15g", study->parameter, study->target);
    add_machine(step, "--machine", machines->items[0]);
    ft_words_add_all(&step->words, study->plan_options.items);
    ft_words_add(&step->words, "--json");
    add_program(step, study->program.items);
    send_output(step, ft_study_path(study, "plan.json"), true);
    return finish(step, diag);
}

/* again: the same once more, to see whether the program does the same. */
static int add_capture(struct ft_study_steps *steps, const struct ft_study *study, const char *size,
                       const char *suffix, bool again, struct ft_diag *diag)
{
    const struct ft_word_value value = {.name = study->parameter, .text = size};
    char **words = ft_command_words_fill(study->program.items, &value, 1);
    char *trace = ft_study_path(study, "%s-%s.h5", again ? "again" : "trace", size);
    struct ft_study_step *step = begin(steps, study, again ? FT_STEP_AGAIN : FT_STEP_CAPTURE,
                                       again ? "again" : "capture", size);
    if (!words || !trace || !step) {
        ft_command_words_free(words);
        free(trace);
        return ft_fail_memory(diag, "the steps");
    }
    ft_words_add(&step->words, "capture");
    if (study->keep_sources && !again)
        ft_words_add(&step->words, "--source");
    ft_words_add(&step->words, "-D");
    ft_words_add(&step->words, "%s=%s", study->parameter, size);
    for (size_t i = 0; i < study->defines.count; i++) {
        ft_words_add(&step->words, "-D");
        ft_words_add(&step->words, "%s", study->defines.items[i]);
    }
    ft_words_add(&step->words, "-o");
    ft_words_add(&step->words, "%s", trace);
    ft_words_add(&step->outputs, "%.*s%s", (int)(strlen(trace) - strlen(".h5")), trace, suffix);
    add_program(step, words);
    send_output(step, ft_study_path(study, "output-%s%s.txt", again ? "again-" : "", size), false);
    step->is_noisy = true;
    ft_command_words_free(words);
    free(trace);
    return finish(step, diag);
}

static int add_captures(struct ft_study_steps *steps, const struct ft_study *study,
                        const struct ft_study_plan *plan, struct ft_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++)
        FT_TRY(add_capture(steps, study, plan->sizes[i], plan->trace_suffix, false, diag));
    if (plan->held_out[0])
        FT_TRY(add_capture(steps, study, plan->held_out, plan->trace_suffix, false, diag));
    return add_capture(steps, study, plan->sizes[0], plan->trace_suffix, true, diag);
}

static int add_replays(struct ft_study_steps *steps, const struct ft_study *study,
                       const struct ft_study_plan *plan, struct ft_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct ft_study_step *step = begin(steps, study, FT_STEP_REPLAY, "replay", plan->sizes[i]);
        if (!step)
            return ft_fail_memory(diag, "the steps");
        ft_words_add(&step->words, "replay");
        ft_words_add(&step->words, "-b");
        ft_words_add(&step->words, "%s", study->block_list);
        add_output(step, ft_study_path(study, "histograms-%s.h5", plan->sizes[i]));
        add_input(step, ft_study_path(study, "trace-%s%s", plan->sizes[i], plan->trace_suffix));
        FT_TRY(finish(step, diag));
    }
    return FT_OK;
}

static int add_fit(struct ft_study_steps *steps, const struct ft_study *study,
                   const struct ft_study_plan *plan, struct ft_diag *diag)
{
    struct ft_study_step *step = begin(steps, study, FT_STEP_FIT, "fit", NULL);
    if (!step)
        return ft_fail_memory(diag, "the steps");
    ft_words_add(&step->words, "fit");
    add_output(step, ft_study_path(study, "model.h5"));
    for (size_t i = 0; i < plan->count; i++)
        add_input(step, ft_study_path(study, "histograms-%s.h5", plan->sizes[i]));
    send_output(step, ft_study_path(study, "fit.txt"), true);
    return finish(step, diag);
}

/* "host" of FOLDER/host.yaml, "amd-zen5-L2-2M" of amd-zen5,L2=2M. */
static char *machine_name(const char *machine)
{
    char *name = strndup(ft_file_name(machine), NAME_MAX_BYTES);
    if (name && strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".yaml") == 0)
        name[strlen(name) - 5] = 0;
    for (char *at = name; at && *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '.' && *at != '-')
            *at = '-';
    return name;
}

static bool has_record(const struct ft_study_steps *steps, const char *record)
{
    for (size_t i = 0; i + 1 < steps->count; i++)
        if (strcmp(steps->items[i].record, record) == 0)
            return true;
    return false;
}

static int add_forecast(struct ft_study_steps *steps, const struct ft_study *study,
                        const char *machine, size_t number, struct ft_diag *diag)
{
    char *name = machine_name(machine), *numbered = NULL;
    struct ft_study_step *step =
        name ? begin(steps, study, FT_STEP_FORECAST, "forecast", name) : NULL;
    if (step && has_record(steps, step->record)) { /* two files of that name */
        free(step->record);
        step->record = asprintf(&numbered, "%s-%zu", name, number) < 0
                           ? NULL
                           : ft_study_path(study, "steps/forecast-%s", numbered);
    }
    if (!step || !step->record) {
        free(name);
        free(numbered);
        return ft_fail_memory(diag, "the steps");
    }
    step->size = NULL;
    ft_words_add(&step->words, "predict");
    ft_words_add(&step->words, "--at");
    ft_words_add(&step->words, "%s=%.15g", study->parameter, study->target);
    add_machine(step, "--machine", machine);
    add_input(step, ft_study_path(study, "model.h5"));
    send_output(step, ft_study_path(study, "forecast-%s.txt", numbered ? numbered : name), true);
    free(name);
    free(numbered);
    return finish(step, diag);
}

static int add_check(struct ft_study_steps *steps, const struct ft_study *study,
                     const struct ft_study_plan *plan, const char *machine, struct ft_diag *diag)
{
    if (!plan->held_out[0])
        return FT_OK;
    struct ft_study_step *step = begin(steps, study, FT_STEP_CHECK, "check", NULL);
    if (!step)
        return ft_fail_memory(diag, "the steps");
    step->size = plan->held_out;
    ft_words_add(&step->words, "predict");
    ft_words_add(&step->words, "--check");
    add_input(step, ft_study_path(study, "trace-%s%s", plan->held_out, plan->trace_suffix));
    add_machine(step, "--machine", machine);
    ft_words_add(&step->words, "--json");
    add_input(step, ft_study_path(study, "model.h5"));
    send_output(step, ft_study_path(study, "check.json"), true);
    return finish(step, diag);
}

/* With what the model was fitted to, which is shown beside it where it has one parameter. */
static int add_report(struct ft_study_steps *steps, const struct ft_study *study,
                      const struct ft_study_plan *plan, const struct ft_words *machines,
                      struct ft_diag *diag)
{
    struct ft_study_step *step = begin(steps, study, FT_STEP_REPORT, "report", NULL);
    if (!step)
        return ft_fail_memory(diag, "the steps");
    ft_words_add(&step->words, "report");
    ft_words_add(&step->words, "--at");
    ft_words_add(&step->words, "%s=%.15g", study->parameter, study->target);
    for (size_t i = 0; i < machines->count; i++)
        add_machine(step, "--machine", machines->items[i]);
    for (size_t i = 0; study->defines.count == 0 && i < plan->count; i++) {
        ft_words_add(&step->words, "--histograms");
        add_input(step, ft_study_path(study, "histograms-%s.h5", plan->sizes[i]));
    }
    add_output(step, ft_study_path(study, "report.html"));
    add_input(step, ft_study_path(study, "model.h5"));
    return finish(step, diag);
}

/* ---- all ---- */

static int add_all(struct ft_study_steps *steps, const struct ft_study *study,
                   const struct ft_study_plan *plan, const struct ft_words *machines,
                   struct ft_diag *diag)
{
    if (machines->failed)
        return ft_fail_memory(diag, "the steps");
    FT_TRY(add_host(steps, study, diag));
    FT_TRY(add_plan(steps, study, machines, diag));
    if (!plan)
        return FT_OK;
    FT_TRY(add_captures(steps, study, plan, diag));
    FT_TRY(add_replays(steps, study, plan, diag));
    FT_TRY(add_fit(steps, study, plan, diag));
    for (size_t i = 0; i < machines->count; i++)
        FT_TRY(add_forecast(steps, study, machines->items[i], i + 1, diag));
    FT_TRY(add_check(steps, study, plan, machines->items[0], diag));
    return add_report(steps, study, plan, machines, diag);
}

int ft_study_steps_make(const struct ft_study *study, const struct ft_study_plan *plan,
                        struct ft_study_steps *ret_steps, struct ft_diag *diag)
{
    struct ft_words machines = list_machines(study);
    struct ft_study_steps steps = {0};
    const int status = add_all(&steps, study, plan, &machines, diag);
    ft_words_fini(&machines);
    if (status == FT_OK)
        *ret_steps = steps;
    else
        ft_study_steps_fini(&steps);
    return status;
}

void ft_study_steps_fini(struct ft_study_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct ft_study_step *step = &steps->items[i];
        ft_words_fini(&step->words);
        ft_words_fini(&step->inputs);
        ft_words_fini(&step->outputs);
        free(step->output);
        free(step->record);
    }
    free(steps->items);
    *steps = (struct ft_study_steps){0};
}

const struct ft_study_step *ft_study_steps_find(const struct ft_study_steps *steps,
                                                enum ft_step_kind kind)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].kind == kind)
            return &steps->items[i];
    return NULL;
}
