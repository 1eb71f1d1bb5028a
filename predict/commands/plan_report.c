/*
 * The table of sizes, as text and CSV; the rest of the text; JSON.
 */
#include "predict/commands/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/model_report.h"
#include "predict/commands/interval_text.h"
#include "predict/plan/command_words.h"

#define SIZE_TEXT  24 /* bytes for a blank and a size */
#define SIZES_TEXT (FT_PLAN_SIZES_MAX * SIZE_TEXT)

_Static_assert(FT_TRIALS_MAX <= FT_PLAN_SIZES_MAX, "a text of sizes has room for those of trials");

/* ---- the table of sizes, as text and as CSV ---- */

static void add_run(struct ft_table *table, const char *size, const struct ft_run_cost *run)
{
    ft_table_text(table, size);
    ft_table_count(table, run->accesses);
    ft_table_bytes(table, run->trace_bytes);
    ft_table_seconds(table, run->capture_seconds);
    ft_table_seconds(table, run->replay_seconds);
}

static int print_sizes(const struct ft_plan_report *report, bool csv, FILE *stream,
                       struct ft_diag *diag)
{
    const struct ft_training_plan *plan = report->plan;
    const char *name = report->program->parameter;
    char size[32];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, name, "size", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "trace", "trace_bytes", true);
    ft_table_column(table, "capture", "capture_seconds", true);
    ft_table_column(table, "replay", "replay_seconds", true);
    for (size_t i = 0; i < plan->count; i++) {
        snprintf(size, sizeof size, "%.15g", plan->sizes[i]);
        add_run(table, size, &plan->runs[i]);
    }
    if (!csv) {
        add_run(table, "together", &plan->total);
        snprintf(size, sizeof size, "(%.15g)", report->target);
        add_run(table, size, &plan->target);
    }
    int status = ft_table_write(table, stream, csv, diag);
    ft_table_destroy(table);
    return status;
}

int ft_plan_csv(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    return print_sizes(report, true, stream, diag);
}

/* ---- as text ---- */

static int print_levels(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_training_plan *plan = report->plan;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "growing blocks", "growing_blocks", true);
    ft_table_column(table, "", "taught", false);
    for (size_t i = 0; i < plan->level_count; i++) {
        const struct ft_plan_level *level = &plan->levels[i];
        ft_table_text(table, report->machine->levels[i].name);
        ft_table_bytes(table, (double)report->machine->levels[i].block_bytes);
        ft_table_count(table, level->growing_blocks);
        if (!level->matters)
            ft_table_text(table, "the data that grow hardly matter there");
        else if (level->taught)
            ft_table_text(table, "enough blocks");
        else
            ft_table_format(table, "too few to show how distances grow; enough from %s = %.15g on",
                            report->program->parameter, level->taught_from);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* How far the forecast of the largest trial is off: what is promised, tried. */
static void print_verdict(struct ft_table *table, const struct ft_rehearsed_level *level)
{
    char text[FT_NUMBER_TEXT];
    if (!level->known)
        ft_table_text(table, level->testable ? "unknown" : "too few blocks there to test it");
    else if (level->misses == 0 || level->forecast == level->misses)
        ft_table_text(table, level->inside ? "known" : "known, outside its interval");
    else
        ft_table_format(table, "known, %s off%s",
                        ft_text_percent(text, fabs(level->forecast / level->misses - 1)),
                        level->inside ? "" : ", outside its interval");
}

static void add_size(char text[SIZES_TEXT], double size)
{
    const size_t length = strlen(text);
    snprintf(text + length, SIZES_TEXT - length, " %.15g", size);
}

static int print_rehearsal(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_rehearsal *rehearsal = report->rehearsal;
    char share[FT_NUMBER_TEXT], sizes[SIZES_TEXT] = "";
    if (!rehearsal->done) {
        ft_print_wrapped(stream, 0, "\nNot tested on the trials: %s.\n", rehearsal->why_not);
        return FT_OK;
    }
    for (size_t i = 0; i < rehearsal->count; i++)
        add_size(sizes, rehearsal->sizes[i]);
    ft_print_wrapped(
        stream, 0,
        "\nTested on the trials: the same plan for the largest one, of sizes%s.\n"
        "%s of the accesses are in code that is the same at all of them. Misses, fully "
        "associative, at %s = %.15g:\n\n",
        sizes, ft_text_share(share, rehearsal->matched_share), report->program->parameter,
        rehearsal->largest);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "forecast", "forecast", true);
    ft_table_column(table, "replayed", "misses", true);
    ft_table_column(table, "", "verdict", false);
    for (size_t i = 0; i < rehearsal->level_count; i++) {
        const struct ft_rehearsed_level *level = &rehearsal->levels[i];
        ft_table_text(table, report->machine->levels[i].name);
        ft_table_estimate(table, level->forecast, &level->interval, ft_text_count);
        ft_table_count(table, level->misses);
        print_verdict(table, level);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* What it costs to see whether the forecast is right. */
static void print_check(const struct ft_plan_report *report, FILE *stream)
{
    const struct ft_run_cost *target = &report->plan->target;
    char capture[FT_NUMBER_TEXT], check[FT_NUMBER_TEXT];
    if (target->check_seconds > 0)
        ft_print_wrapped(
            stream, 0,
            "\npredict --check at %s = %.15g takes its capture, %s, and a simulation of %s.\n",
            report->program->parameter, report->target,
            ft_text_seconds(capture, target->capture_seconds),
            ft_text_seconds(check, target->check_seconds));
}

static void print_mapping(const struct ft_plan_report *report, FILE *stream)
{
    const struct ft_training_plan *plan = report->plan;
    if (plan->mapped_from == 0)
        return;
    ft_print_wrapped(
        stream, 0,
        "\nArrays exceed 128 KiB from %s = %.15g on, where the C library maps each separately: "
        "these sizes are %s.\n",
        report->program->parameter, plan->mapped_from,
        plan->mixes_mapped                    ? "on both sides"
        : plan->mapped_from <= plan->sizes[0] ? "all beyond"
                                              : "all below");
}

static int print_commands(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_training_plan *plan = report->plan;
    const struct ft_trial *largest = &report->trials->items[report->trials->count - 1];
    for (size_t i = 0; i < plan->count; i++) {
        char **words = ft_trial_words(report->program, plan->sizes[i]);
        if (!words)
            return ft_fail_memory(diag, "a command");
        fprintf(stream, "foretrace capture -D %s=%.15g", report->program->parameter,
                plan->sizes[i]);
        for (char *const *define = report->defines; *define; define++)
            fprintf(stream, " -D %s", *define);
        fprintf(stream, " -o %.15g.h5 --", plan->sizes[i]);
        for (char **word = words; *word; word++) {
            fputc(' ', stream);
            ft_print_shell_word(*word, stream);
        }
        fputc('\n', stream);
        ft_command_words_free(words);
    }
    fprintf(stream, "foretrace replay -b %s -o histograms.h5", report->program->block_list);
    for (size_t i = 0; i < plan->count; i++)
        fprintf(stream, " %.15g%s", plan->sizes[i], largest->suffix);
    fprintf(stream, "\nforetrace fit -o model.h5 histograms.h5\nforetrace predict --at %s=%.15g ",
            report->program->parameter, report->target);
    fputs("--machine ", stream);
    ft_print_shell_word(report->machine_name, stream);
    fputs(" model.h5\n", stream);
    return FT_OK;
}

static void print_head(const struct ft_plan_report *report, FILE *stream)
{
    char text[FT_FORMULA_TEXT], share[FT_NUMBER_TEXT], sizes[SIZES_TEXT] = "";
    const struct ft_training_plan *plan = report->plan;
    const char *name = report->program->parameter;
    double seconds = report->rehearsal->cpu_seconds;
    ft_print_wrapped(stream, 2, "%s at %s = %.15g on %s\n", report->program->words[0], name,
                     report->target, report->machine->name);
    for (size_t i = 0; i < report->trials->count; i++) {
        const struct ft_trial *trial = &report->trials->items[i];
        add_size(sizes, trial->n);
        seconds += trial->capture_seconds + trial->replay_seconds + trial->check_seconds;
    }
    ft_print_wrapped(stream, 2, "trials at%s took %s of CPU time\n", sizes,
                     ft_text_seconds(share, seconds));
    ft_print_wrapped(stream, 2, "accesses: %s, within %s at the trials\n\n",
                     ft_formula_text(text, &report->costs->accesses, &report->costs->basis),
                     ft_text_percent(share, report->costs->residual));
    fprintf(stream, "Training sizes that agree with %.15g modulo %" PRIu64 ":\n\n", report->target,
            plan->period);
}

int ft_plan_text(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    print_head(report, stream);
    int status = print_sizes(report, false, stream, diag);
    if (status == FT_OK) {
        print_check(report, stream);
        print_mapping(report, stream);
        fputs("\nWhat the largest one shows of each level:\n\n", stream);
        status = print_levels(report, stream, diag);
    }
    if (status == FT_OK)
        status = print_rehearsal(report, stream, diag);
    if (status == FT_OK) {
        fputc('\n', stream);
        status = print_commands(report, stream, diag);
    }
    return status;
}

/* ---- JSON ---- */

static json_t *run_json(double n, const struct ft_run_cost *run)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "size", ft_json_number(n), "accesses",
                     ft_json_number(run->accesses), "trace_bytes", ft_json_number(run->trace_bytes),
                     "capture_seconds", ft_json_number(run->capture_seconds), "replay_seconds",
                     ft_json_number(run->replay_seconds), "check_seconds",
                     ft_json_number(run->check_seconds));
}

static json_t *trial_json(const struct ft_trial *trial)
{
    const struct ft_run_cost run = {trial->accesses, trial->trace_bytes, trial->capture_seconds,
                                    trial->replay_seconds, trial->check_seconds};
    return run_json(trial->n, &run);
}

static json_t *level_json(const struct ft_level *level, const struct ft_plan_level *judged)
{
    return json_pack("{s:o, s:I, s:o, s:b, s:b, s:o}", "name", ft_json_text(level->name),
                     "block_bytes", (json_int_t)level->block_bytes, "growing_blocks",
                     ft_json_number(judged->growing_blocks), "matters", judged->matters, "taught",
                     judged->taught, "taught_from", ft_json_number(judged->taught_from));
}

static json_t *rehearsed_json(const struct ft_level *level, const struct ft_rehearsed_level *judged)
{
    return json_pack("{s:o, s:o, s:o, s:b, s:b, s:b}", "name", ft_json_text(level->name), "misses",
                     ft_json_number(judged->misses), "forecast",
                     judged->known ? ft_json_number(judged->forecast) : json_null(), "known",
                     judged->known, "inside", judged->inside, "testable", judged->testable);
}

/* null: not tested. */
static json_t *rehearsal_json(const struct ft_plan_report *report)
{
    const struct ft_rehearsal *rehearsal = report->rehearsal;
    if (!rehearsal->done)
        return json_null();
    json_t *levels = json_array(), *sizes = json_array();
    for (size_t i = 0; i < rehearsal->level_count; i++)
        ft_json_append(&levels, rehearsed_json(&report->machine->levels[i], &rehearsal->levels[i]));
    for (size_t i = 0; i < rehearsal->count; i++)
        ft_json_append(&sizes, ft_json_number(rehearsal->sizes[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "size", ft_json_number(rehearsal->largest),
                     "training_sizes", sizes, "matched_share",
                     ft_json_number(rehearsal->matched_share), "levels", levels);
}

int ft_plan_json(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_training_plan *plan = report->plan;
    json_t *trials = json_array(), *sizes = json_array(), *levels = json_array();
    for (size_t i = 0; i < report->trials->count; i++)
        ft_json_append(&trials, trial_json(&report->trials->items[i]));
    for (size_t i = 0; i < plan->count; i++)
        ft_json_append(&sizes, run_json(plan->sizes[i], &plan->runs[i]));
    for (size_t i = 0; i < plan->level_count; i++)
        ft_json_append(&levels, level_json(&report->machine->levels[i], &plan->levels[i]));
    return ft_json_write(
        json_pack(
            "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
            "kind", "plan", "trace_suffix", report->trials->items[report->trials->count - 1].suffix,
            "parameter", ft_json_text(report->program->parameter), "machine",
            ft_json_text(report->machine->name), "target", run_json(report->target, &plan->target),
            "accesses", ft_function_json(&report->costs->accesses, &report->costs->basis),
            "accesses_error", ft_json_number(report->costs->residual), "period",
            (json_int_t)plan->period, "period_wanted", (json_int_t)report->period, "mapped_from",
            plan->mapped_from > 0 ? ft_json_number(plan->mapped_from) : json_null(), "mixes_mapped",
            plan->mixes_mapped, "trials", trials, "sizes", sizes, "total",
            run_json(0, &plan->total), "levels", levels, "test", rehearsal_json(report)),
        stream, diag);
}
