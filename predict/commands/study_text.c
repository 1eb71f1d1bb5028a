/*
 * Commands are printed once for the screen and once for the script: there the study's folder is
 * "$out", so that a repetition writes elsewhere. Answers are taken from the text of `predict`: its
 * first paragraph.
 */
#include "predict/commands/study_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "predict/study/study_check.h"

#define EXACT 0.0005 /* relative: "0.0 %" */

/* ---- commands ---- */

/* What follows "FOLDER/" in a path of the study; NULL: it is none. */
static const char *below_folder(const struct ft_study *study, const char *word)
{
    const size_t length = strlen(study->folder);
    return strncmp(word, study->folder, length) == 0 && word[length] == '/' ? word + length + 1
                                                                            : NULL;
}

/* study: for the script; NULL: for the screen. */
static void print_word(const struct ft_study *study, const char *word, FILE *stream)
{
    const char *below = study ? below_folder(study, word) : NULL;
    if (below)
        fputs("\"$out\"/", stream);
    ft_print_shell_word(below ? below : word, stream);
}

static void print_command(const struct ft_study *study, const struct ft_study_step *step,
                          FILE *stream)
{
    fputs("foretrace", stream);
    for (size_t i = 0; i < step->words.count; i++) {
        fputc(' ', stream);
        print_word(i < step->program_at ? study : NULL, step->words.items[i], stream);
    }
    if (step->is_noisy)
        fputs(" </dev/null", stream);
    if (step->output) {
        fputs(" >", stream);
        print_word(study, step->output, stream);
    }
    if (step->is_noisy)
        fputs(" 2>&1", stream);
    fputc('\n', stream);
}

void ft_study_step_print(const struct ft_study_step *step, size_t number, size_t total,
                         FILE *stream)
{
    if (total > 0)
        fprintf(stream, "[%zu/%zu] ", number, total);
    else
        fprintf(stream, "[%zu] ", number);
    print_command(NULL, step, stream);
}

void ft_study_cost_print(const struct ft_step_cost *cost, const char *note, FILE *stream)
{
    char seconds[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    fprintf(stream, "    %s, %s%s\n", ft_text_seconds(seconds, cost->seconds),
            ft_text_bytes(bytes, cost->bytes), note);
}

static void print_sizes(const struct ft_study_plan *plan, FILE *stream)
{
    for (size_t i = 0; i < plan->count; i++)
        fprintf(stream, " %s", plan->sizes[i]);
}

void ft_study_plan_print(const struct ft_study *study, const struct ft_study_plan *plan,
                         FILE *stream)
{
    char seconds[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT], *sizes = NULL;
    size_t length;
    FILE *list = open_memstream(&sizes, &length);
    if (!list)
        return;
    print_sizes(plan, list);
    if (fclose(list) == 0)
        ft_print_wrapped(stream, 4,
                         "    learns from %s =%s%s%s; captures and replays take about %s of CPU "
                         "time, and %s\n",
                         study->parameter, sizes,
                         plan->held_out[0] ? ", is checked at "
                                           : ", is not checked, which would cost too much",
                         plan->held_out, ft_text_seconds(seconds, plan->seconds),
                         ft_text_bytes(bytes, plan->trace_bytes));
    free(sizes);
}

void ft_study_repetition_warn(const struct ft_study *study, const char *size,
                              const struct ft_repetition *repetition)
{
    if (ft_repetition_differs(repetition))
        ft_print_wrapped(stderr, 2,
                         "foretrace study: warning: %s does not do the same when it runs again at "
                         "%s = %s: %.15g accesses, then %.15g%s. No forecast is more exact than "
                         "that: fix random seeds, threads and whatever else depends on the time\n",
                         study->program.items[0], study->parameter, size, repetition->accesses,
                         repetition->accesses_again,
                         repetition->same_output ? "" : ", and other output");
}

/* What capture says goes where the program's words go. */
void ft_study_sources_warn(const struct ft_study *study, const struct ft_study_step *capture)
{
    static const char before[] = "foretrace capture: --source: ";
    char line[1200];
    bool any = false;
    FILE *file = study->keep_sources ? fopen(capture->output, "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, before, sizeof before - 1) == 0) {
            ft_print_wrapped(stderr, 2, "foretrace study: warning: %s", line + sizeof before - 1);
            any = true;
        }
    if (any)
        ft_print_wrapped(stderr, 2,
                         "foretrace study: once that is mended, remove %s/trace-*.h5: the same "
                         "command captures again\n",
                         study->folder);
    if (file)
        (void)fclose(file); /* it was only read */
}

/* ---- the script ---- */

static bool is_made_before(const struct ft_study_step *step)
{
    return step->kind == FT_STEP_HOST || step->kind == FT_STEP_PLAN;
}

static void print_script(const struct ft_study *study, const struct ft_study_steps *steps,
                         FILE *stream)
{
    fputs(
        "#!/bin/sh\n"
        "# usage: sh steps.sh [FOLDER]\n"
        "#\n"
        "# The steps of a study, as foretrace study made it, by hand. Files are written to FOLDER\n"
        "# (default: the folder 'repeated' in that of the study). foretrace must be in the PATH.\n"
        "# A program's environment lies on its stack, so its first accesses depend on it: results\n"
        "# are the same byte for byte if it is the same.\n"
        "set -eu\ncd ",
        stream);
    ft_print_shell_word(study->cwd, stream);
    fputs("\nunset OLDPWD # was not there in the study\nout=${1:-", stream);
    ft_print_shell_word(study->folder, stream);
    fputs("/repeated}\nmkdir -p \"$out\"\n\n# Machine and sizes were found by\n", stream);
    for (size_t i = 0; i < steps->count; i++)
        if (is_made_before(&steps->items[i])) {
            fputs("#     ", stream);
            print_command(NULL, &steps->items[i], stream);
        }
    if (study->with_host) {
        fputs("cp ", stream);
        ft_print_shell_word(study->folder, stream);
        fputs("/" FT_STUDY_HOST " \"$out\"\n", stream);
    }
    fputc('\n', stream);
    for (size_t i = 0; i < steps->count; i++)
        if (!is_made_before(&steps->items[i]))
            print_command(study, &steps->items[i], stream);
}

int ft_study_script_write(const struct ft_study *study, const struct ft_study_steps *steps,
                          struct ft_diag *diag)
{
    struct ft_text_output output;
    char *path = ft_study_path(study, "steps.sh");
    int status =
        path ? ft_text_output_create(path, &output, diag) : ft_fail_memory(diag, "the script");
    if (status == FT_OK) {
        print_script(study, steps, output.stream);
        status = ft_text_output_finish(&output, FT_OK, diag);
    }
    free(path);
    return status;
}

/* ---- the end ---- */

/* The first paragraph of a text; NULL without memory or file. */
static char *read_answer(const char *path)
{
    char line[512], *text = NULL;
    size_t bytes;
    FILE *file = fopen(path, "re");
    FILE *stream = file ? open_memstream(&text, &bytes) : NULL;
    while (stream && fgets(line, sizeof line, file) && line[0] != '\n')
        fputs(line, stream);
    if (file)
        (void)fclose(file); /* it was only read */
    if (stream && fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* What 'foretrace explain' is said to explain, as it is to be typed; NULL: nothing. */
static char *explained_scope(const char *answer)
{
    static const char before[] = "'foretrace explain' of ", after[] = " says why";
    char *line = strdup(answer), *scope = NULL;
    size_t used = 0;
    for (const char *at = answer; line && *at; at++) { /* lines were broken at blanks */
        const bool blank = *at == ' ' || *at == '\n';
        if (!blank || (used > 0 && line[used - 1] != ' '))
            line[used++] = blank ? ' ' : *at;
    }
    if (line)
        line[used] = 0;
    const char *start = line ? strstr(line, before) : NULL;
    const char *end = start ? strstr(start, after) : NULL;
    if (end) {
        start += sizeof before - 1;
        const bool quoted = *start == '\'' && end[-1] == '\'' && end - start > 2;
        scope = strndup(start + quoted, (size_t)(end - start) - 2U * quoted);
    }
    free(line);
    return scope;
}

/* "L1D 0.6 % too many, L2 exact, L3 unknown" */
static void print_levels(const struct ft_study_check *check, FILE *stream)
{
    for (size_t i = 0; i < check->count; i++) {
        const struct ft_checked_level *level = &check->levels[i];
        const double error = level->simulated > 0  ? level->forecast / level->simulated - 1
                             : level->forecast > 0 ? INFINITY
                                                   : 0;
        char text[FT_NUMBER_TEXT];
        fprintf(stream, "%s%s ", i ? ", " : "", level->name);
        if (!level->known)
            fputs("unknown", stream);
        else if (fabs(error) < EXACT)
            fputs("exact", stream);
        else if (isinf(error))
            fprintf(stream, "%s, and there are none", ft_text_count(text, level->forecast));
        else
            fprintf(stream, "%s too %s", ft_text_percent(text, fabs(error)),
                    error > 0 ? "many" : "few");
        if (level->known && !level->inside && fabs(error) >= EXACT)
            fputs(" (outside its interval)", stream);
    }
}

static int print_check(const struct ft_study *study, const struct ft_study_step *step, FILE *stream,
                       struct ft_diag *diag)
{
    struct ft_study_check check;
    char *levels = NULL;
    size_t bytes;
    FT_TRY(ft_study_check_read(step->output, &check, diag));
    FILE *list = open_memstream(&levels, &bytes);
    if (!list)
        return ft_fail_memory(diag, "a check");
    print_levels(&check, list);
    if (fclose(list) == 0)
        ft_print_wrapped(stream, 2,
                         "\nChecked at %s = %s, a size that it was not shown, against an exact "
                         "simulation; misses: %s.\n",
                         study->parameter, step->size, levels);
    free(levels);
    return FT_OK;
}

static void print_files(const struct ft_study *study, const struct ft_study_steps *steps,
                        const struct ft_step_cost *cost, FILE *stream)
{
    char seconds[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    fprintf(stream, "\n%zu steps took %s, and %s in %s:\n", steps->count,
            ft_text_seconds(seconds, cost->seconds), ft_text_bytes(bytes, cost->bytes),
            study->folder);
    fputs("  report.html            all of it as a page: open it in a browser\n", stream);
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].kind == FT_STEP_FORECAST)
            fprintf(stream, "  %-21s  the forecast, with all levels and loops\n",
                    below_folder(study, steps->items[i].output));
    fputs("  model.h5               the model, for predict, query, explain, at any size\n"
          "  steps.sh               the steps, to be repeated by hand\n",
          stream);
}

/* On the first machine. */
static void print_next(const struct ft_study_step *forecast, const char *answer, FILE *stream)
{
    char *scope = explained_scope(answer);
    fputs(scope ? "\nNext, why that is, and which changes of the code would help:\n  "
                : "\nNext, at which sizes each level stops holding the data:\n  ",
          stream);
    fputs(scope ? "foretrace explain" : "foretrace query", stream);
    for (size_t i = 1; i < forecast->words.count; i++) {
        const char *word = forecast->words.items[i];
        if (!scope && strcmp(word, "--at") == 0) {
            i++;
            continue;
        }
        fputc(' ', stream);
        ft_print_shell_word(word, stream);
    }
    if (scope) {
        fputc(' ', stream);
        ft_print_shell_word(scope, stream);
    }
    fputc('\n', stream);
    free(scope);
}

int ft_study_end_print(const struct ft_study *study, const struct ft_study_steps *steps,
                       const struct ft_step_cost *cost, FILE *stream, struct ft_diag *diag)
{
    const struct ft_study_step *first = ft_study_steps_find(steps, FT_STEP_FORECAST);
    const struct ft_study_step *check = ft_study_steps_find(steps, FT_STEP_CHECK);
    for (size_t i = 0; i < steps->count; i++) {
        const struct ft_study_step *step = &steps->items[i];
        char *answer = step->kind == FT_STEP_FORECAST ? read_answer(step->output) : NULL;
        if (answer)
            fprintf(stream, "\n%s", answer);
        free(answer);
    }
    if (check)
        FT_TRY(print_check(study, check, stream, diag));
    print_files(study, steps, cost, stream);
    char *answer = read_answer(first->output);
    if (answer)
        print_next(first, answer, stream);
    free(answer);
    return FT_OK;
}
