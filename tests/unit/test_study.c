/* Steps of a study: which commands they are, and when one counts as done. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "predict/study/step_record.h"
#include "predict/study/study_check.h"
#include "predict/study/target_choice.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0)
        _exit(99);
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        _exit(99);
    return copy;
}

static struct ft_study a_study(void)
{
    struct ft_study study = {.folder = copy_of("folder"),
                             .cwd = copy_of("/somewhere"),
                             .parameter = copy_of("N"),
                             .target = 160,
                             .budget_seconds = 120,
                             .block_list = copy_of("64,4K")};
    ft_words_add(&study.program, "./program");
    ft_words_add(&study.program, "in-{N}.txt");
    ft_words_add(&study.machines, "caches=L1:32K:64:8@4,memory@100");
    ft_words_add(&study.machines, "./own.yaml,L2=2M");
    ft_words_add(&study.plan_options, "--tile");
    ft_words_add(&study.plan_options, "8");
    return study;
}

/* The words of a step, with blanks between them. */
static const char *text_of(const struct ft_study_step *step)
{
    static char text[1024];
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; step && i < step->words.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                                 step->words.items[i]);
    return text;
}

static void check_text(const struct ft_study_steps *steps, enum ft_step_kind kind,
                       const char *expected)
{
    const char *text = text_of(ft_study_steps_find(steps, kind));
    tap_ok(strcmp(text, expected) == 0, "foretrace %s", text);
}

/* ---- the plan ---- */

static const char plan_text[] =
    "{\"kind\": \"plan\", \"trace_suffix\": \".2.h5\", \"period\": 8,"
    " \"target\": {\"size\": 160, \"capture_seconds\": 2, \"replay_seconds\": 3,"
    "              \"check_seconds\": 8, \"trace_bytes\": 6400},"
    " \"sizes\": [{\"size\": 16, \"capture_seconds\": 0.1, \"replay_seconds\": 0.2,"
    "              \"check_seconds\": 0.1, \"trace_bytes\": 100},"
    "             {\"size\": 80, \"capture_seconds\": 0.5, \"replay_seconds\": 0.7,"
    "              \"check_seconds\": 2, \"trace_bytes\": 1600}]}";

static const char *held_out(double budget_seconds, bool listed)
{
    static struct ft_study_plan plan;
    static struct ft_diag diag;
    const struct ft_study_plan_terms terms = {160, budget_seconds, listed};
    if (ft_study_plan_read("plan.json", &terms, &plan, &diag) != FT_OK)
        return diag.message;
    return plan.held_out;
}

static void check_plan(void)
{
    struct ft_study_plan plan;
    struct ft_diag diag;
    struct ft_study_plan_terms terms = {160, 120, false};
    write_file("plan.json", plan_text);
    tap_ok(ft_study_plan_read("plan.json", &terms, &plan, &diag) == FT_OK && plan.count == 2 &&
               strcmp(plan.sizes[0], "16") == 0 && strcmp(plan.sizes[1], "80") == 0 &&
               strcmp(plan.trace_suffix, ".2.h5") == 0,
           "the training sizes of a plan");
    /* Between 80 and 160 capture, check and bytes double twice; at 112 they have half of that. */
    const double ratio = 112.0 / 80, bytes = 1700 + 1600 * ratio * ratio;
    tap_ok(strcmp(plan.held_out, "112") == 0, "checked at %s, which agrees modulo 8",
           plan.held_out);
    tap_ok(plan.trace_bytes > 0.999 * bytes && plan.trace_bytes < 1.001 * bytes,
           "%.0f bytes of traces, with those of the check", plan.trace_bytes);
    tap_ok(strcmp(held_out(3.5, false), "88") == 0, "a smaller one where that costs too much");
    tap_ok(held_out(2, false)[0] == 0, "none where all are");
    tap_ok(strcmp(held_out(120, true), "160") == 0, "of a list only the target is known to run");
    tap_ok(held_out(9, true)[0] == 0, "unless that costs too much");
    terms.target = 200;
    tap_ok(ft_study_plan_read("plan.json", &terms, &plan, &diag) == FT_ERROR_DATA,
           "not the plan for another target: %s", diag.message);
    write_file("plan.json", "{\"kind\": ");
    tap_ok(ft_study_plan_read("plan.json", &terms, &plan, &diag) == FT_ERROR_DATA,
           "nor half of one: %s", diag.message);
}

/* ---- commands ---- */

static void check_commands(const struct ft_study *study, const struct ft_study_plan *plan)
{
    struct ft_study_steps steps;
    struct ft_diag diag;
    size_t captures = 0, replays = 0;
    if (!tap_ok(ft_study_steps_make(study, NULL, &steps, &diag) == FT_OK && steps.count == 1 &&
                    steps.items[0].kind == FT_STEP_PLAN,
                "without a plan, and a host, there is one step"))
        return;
    check_text(&steps, FT_STEP_PLAN,
               "plan --at N=160 --machine caches=L1:32K:64:8@4,memory@100 --tile 8 --json -- "
               "./program in-{N}.txt");
    ft_study_steps_fini(&steps);
    if (!tap_ok(ft_study_steps_make(study, plan, &steps, &diag) == FT_OK, "then there are more"))
        return;
    for (size_t i = 0; i < steps.count; i++) {
        captures += steps.items[i].kind == FT_STEP_CAPTURE;
        replays += steps.items[i].kind == FT_STEP_REPLAY;
    }
    tap_ok(captures == 3 && replays == 2, "%zu captures, %zu replays", captures, replays);
    check_text(&steps, FT_STEP_CAPTURE,
               "capture -D N=16 -o folder/trace-16.h5 -- ./program in-16.txt");
    check_text(&steps, FT_STEP_AGAIN,
               "capture -D N=16 -o folder/again-16.h5 -- ./program in-16.txt");
    check_text(&steps, FT_STEP_REPLAY,
               "replay -b 64,4K -o folder/histograms-16.h5 folder/trace-16.2.h5");
    check_text(&steps, FT_STEP_FIT,
               "fit -o folder/model.h5 folder/histograms-16.h5 folder/histograms-80.h5");
    check_text(&steps, FT_STEP_CHECK,
               "predict --check folder/trace-112.2.h5 --machine caches=L1:32K:64:8@4,memory@100 "
               "--json folder/model.h5");
    check_text(&steps, FT_STEP_REPORT,
               "report --at N=160 --machine caches=L1:32K:64:8@4,memory@100 --machine "
               "./own.yaml,L2=2M --histograms folder/histograms-16.h5 --histograms "
               "folder/histograms-80.h5 -o folder/report.html folder/model.h5");
    const struct ft_study_step *capture = ft_study_steps_find(&steps, FT_STEP_CAPTURE);
    tap_ok(capture->inputs.count == 2 && strcmp(capture->inputs.items[0], "./program") == 0 &&
               strcmp(capture->inputs.items[1], "in-16.txt") == 0,
           "what a capture depends on: the program and the file that it is given");
    const struct ft_study_step *report = ft_study_steps_find(&steps, FT_STEP_REPORT);
    tap_ok(report->inputs.count == 4 && strcmp(report->inputs.items[0], "./own.yaml") == 0,
           "a report depends on the file of a machine, without its edits");
    ft_study_steps_fini(&steps);
}

/* ---- done or not ---- */

static struct ft_study_step a_step(void)
{
    struct ft_study_step step = {.kind = FT_STEP_FIT, .record = copy_of("folder/steps/fit")};
    ft_words_add(&step.words, "fit");
    ft_words_add(&step.inputs, "input");
    ft_words_add(&step.outputs, "output");
    return step;
}

static void check_state(const struct ft_study_step *step, bool expected, const char *expected_why,
                        const char *what)
{
    struct ft_step_cost cost = {0};
    char why[FT_STEP_WHY];
    const bool is_done = ft_step_is_done(step, &cost, why);
    tap_ok(is_done == expected && strcmp(why, expected_why) == 0 &&
               (!expected || (cost.seconds == 2 && cost.bytes == 5)),
           "%s: %s%s%s", what, is_done ? "done" : "to be done", why[0] ? ", as " : "", why);
}

static void touch(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    if (utimensat(AT_FDCWD, path, times, 0) != 0)
        _exit(99);
}

static void check_states(void)
{
    struct ft_study_step step = a_step();
    struct ft_file_marks inputs;
    struct ft_step_cost cost = {.seconds = 2};
    check_state(&step, false, "", "never begun");
    write_file("input", "abc");
    write_file("output", "12345");
    if (!tap_ok(ft_file_marks_take(&step.inputs, &inputs, NULL) == FT_OK &&
                    ft_step_record_write(&step, &inputs, &cost, NULL) == FT_OK && cost.bytes == 5,
                "a record"))
        return;
    check_state(&step, true, "", "recorded");
    touch("input", 1000);
    touch("output", 1000);
    check_state(&step, true, "", "other times, same contents");
    write_file("input", "abd");
    check_state(&step, false, "input has changed", "input of the same size");
    write_file("input", "abc");
    check_state(&step, true, "", "as it was");
    write_file("output", "1234");
    check_state(&step, false, "output has changed", "a shorter output");
    (void)unlink("output");
    check_state(&step, false, "output is not there", "no output");
    write_file("output", "12345");
    ft_words_add(&step.words, "--whole");
    check_state(&step, false, "the command has changed", "another option");
    free(step.words.items[--step.words.count]);
    ft_words_add(&step.inputs, "output");
    check_state(&step, false, "other files are read or written", "a further input");
    free(step.inputs.items[--step.inputs.count]);
    check_state(&step, true, "", "as it was");
    if (truncate(step.record, 40) != 0)
        _exit(99);
    check_state(&step, false, "", "a record that is cut");
    ft_file_marks_fini(&inputs);
    ft_words_fini(&step.words);
    ft_words_fini(&step.inputs);
    ft_words_fini(&step.outputs);
    free(step.record);
}

/* ---- the rest ---- */

/* Of a sealed file: behind 8 bytes of magic and 16 of its kind. */
static uint64_t version_of(const char *path)
{
    uint64_t version = 0;
    FILE *file = fopen(path, "re");
    if (!file || fseek(file, 24, SEEK_SET) != 0 || fread(&version, sizeof version, 1, file) != 1 ||
        fclose(file) != 0)
        _exit(99);
    return version;
}

static void check_saving(const struct ft_study *study)
{
    struct ft_study loaded;
    struct ft_diag diag;
    tap_ok(!ft_study_is_there("folder"), "a folder without a study");
    tap_ok(ft_study_save(study, &diag) == FT_OK && ft_study_is_there("folder"), "with one");
    if (!tap_ok(ft_study_load("folder", &loaded, &diag) == FT_OK, "it is read"))
        return;
    tap_ok(strcmp(loaded.cwd, study->cwd) == 0 && strcmp(loaded.parameter, "N") == 0 &&
               loaded.target == 160 && loaded.budget_seconds == 120 && !loaded.with_host &&
               strcmp(loaded.block_list, "64,4K") == 0 &&
               ft_words_equal(&loaded.program, &study->program) &&
               ft_words_equal(&loaded.machines, &study->machines) &&
               ft_words_equal(&loaded.defines, &study->defines) &&
               ft_words_equal(&loaded.plan_options, &study->plan_options),
           "as it was");
    tap_ok(version_of("folder/study.state") == 1 && !loaded.keep_sources,
           "version 1, as before captures could keep source files");
    ft_study_fini(&loaded);
    struct ft_study with_sources = *study;
    with_sources.keep_sources = true;
    if (!tap_ok(ft_study_save(&with_sources, &diag) == FT_OK &&
                    ft_study_load("folder", &loaded, &diag) == FT_OK,
                "with source files"))
        return;
    tap_ok(version_of("folder/study.state") == 2 && loaded.keep_sources &&
               ft_words_equal(&loaded.plan_options, &study->plan_options),
           "version 2, and all as it was");
    ft_study_fini(&loaded);
    if (truncate("folder/study.state", 60) != 0)
        _exit(99);
    tap_ok(ft_study_load("folder", &loaded, &diag) == FT_ERROR_DATA, "cut: %s", diag.message);
}

static void check_checks(void)
{
    struct ft_study_check check;
    struct ft_diag diag;
    write_file("check.json",
               "{\"total\": {\"levels\": ["
               "{\"name\": \"L1D\", \"predicted_set_associative\": 110,"
               " \"set_associative_interval\": [100, 120], \"simulated_set_associative\": 99},"
               "{\"name\": \"L2\", \"predicted_set_associative\": null,"
               " \"set_associative_interval\": [null, null], \"simulated_set_associative\": 7},"
               "{\"name\": \"L3\", \"predicted_set_associative\": 5,"
               " \"set_associative_interval\": [4, null], \"simulated_set_associative\": 9}]}}");
    if (!tap_ok(ft_study_check_read("check.json", &check, &diag) == FT_OK && check.count == 3,
                "a check of three levels"))
        return;
    const struct ft_checked_level *level = check.levels;
    tap_ok(level[0].known && level[0].forecast == 110 && level[0].simulated == 99 &&
               !level[0].inside,
           "%s: known, and outside its interval", level[0].name);
    tap_ok(!level[1].known, "%s: unknown", level[1].name);
    tap_ok(level[2].known && level[2].inside, "%s: inside one that has no end", level[2].name);
    write_file("check.json", "{}");
    tap_ok(ft_study_check_read("check.json", &check, &diag) == FT_ERROR_DATA, "%s", diag.message);
}

static void check_folders(void)
{
    char *path[] = {(char *)"/usr/bin/matmul", NULL}, *build[] = {(char *)"./ssor-{N}", NULL};
    char *one = ft_study_default_folder(path), *other = ft_study_default_folder(build);
    tap_ok(one && strcmp(one, "matmul-study") == 0, "%s", one);
    tap_ok(other && strcmp(other, "ssor-N-study") == 0, "%s", other);
    free(one);
    free(other);
}

static double target_of(const char *script, struct ft_diag *diag)
{
    char *words[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    struct ft_held_signals signals = {0};
    struct ft_target_choice choice = {0};
    if (ft_held_signals_init(&signals, diag) == FT_OK)
        (void)ft_target_choose(words, "N", "errors", &signals, &choice, diag);
    ft_held_signals_fini(&signals);
    return choice.size;
}

static void check_targets(void)
{
    struct ft_diag diag = {.message = ""};
    tap_ok(target_of("test {N} -le 2000", &diag) == 2000, "the last size before it fails: 2000");
    tap_ok(target_of("test {N} -ge 100", &diag) == 0 && strstr(diag.message, "N = 80"),
           "none where it fails at the first: %s", diag.message);
    const double slow =
        target_of("i=0; while [ $((i += 1)) -lt $(({N} * {N} * 10)) ]; do :; done", &diag);
    tap_ok(slow >= 80 && slow <= 800, "one that takes long enough: %.0f", slow);
    tap_ok(access("errors", F_OK) != 0, "what the program says is not kept");
}

int main(void)
{
    struct ft_study study = a_study();
    struct ft_study_plan plan = {
        .sizes = {"16", "80"}, .count = 2, .held_out = "112", .trace_suffix = ".2.h5"};
    enter_temporary_folder();
    write_file("program", "#!/bin/sh\n");
    write_file("in-16.txt", "");
    if (mkdir("folder", 0777) != 0 || mkdir("folder/steps", 0777) != 0)
        return 99;
    check_plan();
    check_commands(&study, &plan);
    check_states();
    check_saving(&study);
    check_checks();
    check_folders();
    check_targets();
    ft_study_fini(&study);
    return tap_plan_done();
}
