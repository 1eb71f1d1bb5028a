/*
 * Sizes for the largest trial in the place of the target, as training_plan.h chooses them; their
 * histograms become entries, the largest trial's the last. fit and predict do the rest, as the
 * commands that the plan prints will.
 */
#include "predict/plan/rehearsal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fit/fit_model.h"
#include "predict/prediction.h"

/* ---- entries ---- */

struct entries {
    struct ft_histograms items[FT_PLAN_SIZES_MAX + 1];
    size_t count;
};

static void entries_fini(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        ft_histograms_fini(&entries->items[i]);
}

static int read_entry(const struct ft_trial_program *program, double n, struct entries *entries,
                      struct ft_diag *diag)
{
    char path[FT_TRIAL_PATH_MAX];
    struct ft_histogram_file file;
    ft_trial_histograms(program, n, path);
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    if (file.count > 0) {
        entries->items[entries->count++] = file.entries[0];
        file.entries[0] = (struct ft_histograms){0};
    }
    ft_histogram_file_fini(&file);
    return FT_OK;
}

static bool is_trial(const struct ft_trials *trials, double n)
{
    for (size_t i = 0; i < trials->count; i++)
        if (trials->items[i].n == n)
            return true;
    return false;
}

/* Runs the sizes that no trial had, and reads all. */
static int collect(const struct ft_trial_program *program, const struct ft_trials *trials,
                   const struct ft_training_plan *plan, double limit_seconds,
                   struct ft_rehearsal *rehearsal, struct entries *entries, struct ft_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        const double n = plan->sizes[i];
        struct ft_trial trial = {0};
        bool ended = is_trial(trials, n);
        if (!ended)
            FT_TRY(ft_trial_run(program, n, limit_seconds, &trial, &ended, diag));
        if (!ended)
            continue;
        rehearsal->cpu_seconds +=
            trial.capture_seconds + trial.replay_seconds + trial.check_seconds;
        rehearsal->sizes[rehearsal->count++] = n;
        FT_TRY(read_entry(program, n, entries, diag));
    }
    return read_entry(program, rehearsal->largest, entries, diag);
}

/* ---- forecast ---- */

/* truth: replayed at the model's block sizes. */
static void judge(const struct ft_prediction *prediction, const struct ft_histograms *truth,
                  struct ft_rehearsal *rehearsal)
{
    for (size_t i = 0; i < rehearsal->level_count; i++) {
        const struct ft_level *machine_level = &prediction->machine->levels[i];
        const size_t column = ft_fully_assoc_column(i);
        struct ft_rehearsed_level *level = &rehearsal->levels[i];
        level->misses = (double)ft_histograms_misses(
            truth, ft_model_block_size(prediction->model, machine_level->block_bytes),
            machine_level->blocks);
        level->forecast = prediction->inclusive[column];
        level->interval = prediction->intervals[column];
        level->known = !isnan(level->interval.low) && level->interval.known;
        level->inside = level->known && level->misses >= level->interval.low &&
                        level->misses <= level->interval.high;
    }
}

static int forecast(const struct ft_model *model, const struct ft_machine *machine,
                    const struct ft_histograms *truth, struct ft_rehearsal *rehearsal,
                    struct ft_diag *diag)
{
    struct ft_query_values asked = {.values = {rehearsal->largest}};
    struct ft_query_point point;
    const struct ft_predict_options options = {.misses = FT_MISSES_HISTOGRAMS};
    struct ft_prediction prediction;
    FT_TRY(ft_query_point_resolve(model, &asked, &point, diag));
    FT_TRY(ft_predict(model, machine, &point, &options, &prediction, diag));
    judge(&prediction, truth, rehearsal);
    ft_prediction_fini(&prediction);
    return FT_OK;
}

/* The last entry from those before it. */
static int hold_out(struct entries *entries, const struct ft_trial_program *program,
                    const struct ft_machine *machine, struct ft_rehearsal *rehearsal,
                    struct ft_diag *diag)
{
    const struct ft_fit_options options = {.parameter = program->parameter};
    struct ft_fit_notes notes = {0};
    struct ft_model model;
    FT_TRY(ft_fit_model(entries->items, entries->count - 1, &options, &model, &notes, diag));
    rehearsal->matched_share = notes.match.matched_share;
    int status = forecast(&model, machine, &entries->items[entries->count - 1], rehearsal, diag);
    ft_match_fini(&notes.match);
    ft_model_fini(&model);
    return status;
}

/* The plan of which the largest trial is the target. */
static int plan_largest(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                        struct ft_rehearsal *rehearsal, struct ft_training_plan *ret_plan,
                        struct ft_diag *diag)
{
    struct ft_plan_request smaller = *request;
    smaller.choice.target = rehearsal->largest;
    FT_TRY(ft_training_plan_make(&smaller, costs, ret_plan, diag));
    rehearsal->level_count = ret_plan->level_count;
    for (size_t i = 0; i < ret_plan->level_count; i++)
        rehearsal->levels[i].testable = ret_plan->levels[i].taught;
    return FT_OK;
}

int ft_rehearse(const struct ft_trial_program *program, const struct ft_trials *trials,
                const struct ft_run_costs *costs, const struct ft_plan_request *request,
                double limit_seconds, struct ft_rehearsal *ret_rehearsal, struct ft_diag *diag)
{
    struct ft_rehearsal rehearsal = {.largest = trials->items[trials->count - 1].n};
    struct ft_training_plan plan;
    struct ft_diag why = {0};
    struct entries *entries = calloc(1, sizeof *entries);
    if (!entries)
        return ft_fail_memory(diag, "histograms");
    int status = FT_OK;
    if (plan_largest(request, costs, &rehearsal, &plan, &why) == FT_OK) {
        status = collect(program, trials, &plan, limit_seconds, &rehearsal, entries, diag);
        rehearsal.done = status == FT_OK &&
                         hold_out(entries, program, request->machine, &rehearsal, &why) == FT_OK;
    }
    snprintf(rehearsal.why_not, sizeof rehearsal.why_not, "%.255s", why.message);
    entries_fini(entries);
    free(entries);
    if (status == FT_OK)
        *ret_rehearsal = rehearsal;
    return status;
}

bool ft_rehearsal_is_good(const struct ft_rehearsal *rehearsal)
{
    bool is_good = rehearsal->done && rehearsal->matched_share >= FT_REHEARSAL_MATCHED;
    for (size_t i = 0; is_good && i < rehearsal->level_count; i++)
        is_good = rehearsal->levels[i].known || !rehearsal->levels[i].testable;
    return is_good;
}
