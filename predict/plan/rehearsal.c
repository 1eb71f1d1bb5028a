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

static size_t find_size(const struct ft_histograms *entry, uint64_t block_bytes)
{
    size_t size = 0;
    while (size < entry->size_count && entry->block_bytes[size] != block_bytes)
        size++;
    return size;
}

/* Of a fully associative cache of a level's capacity. */
static double misses_of(const struct ft_histograms *entry, const struct ft_level *level)
{
    const size_t size = find_size(entry, level->block_bytes);
    const uint32_t first = ft_bin_of(level->blocks);
    uint64_t misses = 0;
    for (size_t r = 0; size < entry->size_count && r < entry->reference_count; r++) {
        const struct ft_histogram *histogram = &entry->histograms[r * entry->size_count + size];
        misses += histogram->cold;
        for (size_t b = histogram->bin_count; b-- > 0 && histogram->bins[b].bin >= first;)
            misses += histogram->bins[b].count;
    }
    return (double)misses;
}

/* ---- forecast ---- */

static void judge(const struct ft_prediction *prediction, const struct ft_histograms *truth,
                  struct ft_rehearsal *rehearsal)
{
    const struct ft_machine *machine = prediction->machine;
    for (size_t i = 0; i < rehearsal->level_count; i++) {
        const size_t column = ft_fully_assoc_column(i);
        struct ft_rehearsed_level *level = &rehearsal->levels[i];
        level->misses = misses_of(truth, &machine->levels[i]);
        level->forecast = prediction->inclusive[column];
        level->interval = prediction->intervals[column];
        level->known = !isnan(level->interval.low) && level->interval.known;
        level->inside = level->known && level->misses >= level->interval.low &&
                        level->misses <= level->interval.high;
    }
}

static int forecast(struct ft_model *model, const struct ft_machine *machine,
                    const struct ft_histograms *truth, struct ft_rehearsal *rehearsal,
                    struct ft_diag *diag)
{
    struct ft_query_values asked = {.values = {rehearsal->largest}};
    struct ft_query_point point;
    struct ft_prediction prediction;
    FT_TRY(ft_query_point_resolve(model, &asked, &point, diag));
    FT_TRY(ft_predict(model, machine, &point, false, &prediction, diag));
    judge(&prediction, truth, rehearsal);
    ft_prediction_fini(&prediction);
    return FT_OK;
}

/* The last entry from those before it. The model goes through its file, as it does between fit and
 * predict. */
static int hold_out(struct entries *entries, const struct ft_trial_program *program,
                    const struct ft_machine *machine, struct ft_rehearsal *rehearsal,
                    struct ft_diag *diag)
{
    const struct ft_fit_options options = {.parameter = program->parameter};
    struct ft_fit_notes notes = {0};
    struct ft_model fitted = {0}, model = {0};
    char path[FT_TRIAL_PATH_MAX];
    int status;
    ft_trial_model(program, path);
    FT_TRY_TO(done, status,
              ft_fit_model(entries->items, entries->count - 1, &options, &fitted, &notes, diag));
    FT_TRY_TO(done, status, ft_model_write(path, &fitted, diag));
    FT_TRY_TO(done, status, ft_model_read(path, NULL, &model, diag));
    rehearsal->matched_share = notes.match.matched_share;
    status = forecast(&model, machine, &entries->items[entries->count - 1], rehearsal, diag);
done:
    ft_match_fini(&notes.match);
    ft_model_fini(&fitted);
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
