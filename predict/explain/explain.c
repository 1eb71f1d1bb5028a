/*
 * Misses that no cache would avoid; what synthesis tells, where it has the loop; then groups,
 * onsets, time, and what is suggested, in the order in which they need each other.
 */
#include "predict/explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/synthetic_misses.h"
#include "predict/explain/change_forecasts.h"
#include "predict/explain/explained_groups.h"
#include "predict/explain/miss_onset.h"
#include "predict/explain/miss_patterns.h"
#include "predict/metrics/cycles.h"
#include "predict/synthetic_gaps.h"

#define ENDLESS_BLOCKS_MAX 16777216.0 /* of a cache that never evicts: 400 MB of tables */
#define FEW_MISSES         0.05       /* of a level's: the onset of fewer is not looked for */

struct explaining {
    const struct ft_prediction *prediction;
    const struct ft_explain_options *options;
    struct ft_explanation *explanation;
    struct ft_machine machine; /* with caches without end: a view but for its levels */
    size_t *endless;           /* [level] */
    struct ft_diag *diag;
};

/* ---- caches without end ---- */

/* Adds a cache for each block size that holds all that the program touches, so that it misses first
 * touches alone. False in *ret_fits where that is too much. */
static int add_endless(struct explaining *explaining, bool *ret_fits)
{
    const struct ft_prediction *prediction = explaining->prediction;
    const struct ft_machine *machine = prediction->machine;
    struct ft_machine *view = &explaining->machine;
    *view = *machine;
    view->levels = calloc(2 * machine->level_count + 1, sizeof *view->levels);
    explaining->endless = calloc(machine->level_count + 1, sizeof *explaining->endless);
    if (!view->levels || !explaining->endless)
        return ft_fail_memory(explaining->diag, "an explanation");
    memcpy(view->levels, machine->levels, machine->level_count * sizeof *view->levels);
    *ret_fits = true;
    for (size_t i = 0; i < machine->level_count; i++) {
        size_t *endless = &explaining->endless[i];
        const uint64_t bytes = machine->levels[i].block_bytes;
        for (*endless = machine->level_count; *endless < view->level_count; ++*endless)
            if (view->levels[*endless].block_bytes == bytes)
                break;
        if (*endless < view->level_count)
            continue;
        const size_t size = ft_model_block_size(prediction->model, bytes);
        const double blocks =
            2 * ft_function_at(&prediction->model->distinct_blocks[size], &prediction->at) + 4096;
        *ret_fits = *ret_fits && blocks <= ENDLESS_BLOCKS_MAX;
        view->levels[view->level_count] = machine->levels[i];
        view->levels[view->level_count].blocks = (uint64_t)blocks;
        view->levels[view->level_count++].ways = (uint64_t)blocks;
    }
    return FT_OK;
}

/* ---- by synthesis ---- */

static int follow(const struct explaining *explaining, const struct ft_synthesis *synthesis,
                  struct ft_carried_misses *ret_carried)
{
    const struct ft_places places = ft_synthesis_places(synthesis);
    const struct ft_carrying_task task = {.nest = &synthesis->nest,
                                          .places = &places,
                                          .skeleton = &synthesis->sized->largest,
                                          .machine = explaining->prediction->machine,
                                          .scope = explaining->explanation->scope,
                                          .iterations_max = explaining->options->iterations_max};
    return ft_carried_misses_find(&task, ret_carried, explaining->diag);
}

static int sum_up(struct ft_explanation *explanation, struct ft_diag *diag)
{
    const size_t levels = explanation->prediction->machine->level_count;
    explanation->misses = calloc(levels + 1, sizeof *explanation->misses);
    if (!explanation->misses)
        return ft_fail_memory(diag, "an explanation");
    for (size_t i = 0; i < explanation->group_count; i++) {
        explanation->accesses += explanation->groups[i].accesses;
        for (size_t level = 0; level < levels; level++)
            explanation->misses[level] += explanation->groups[i].levels[level].misses;
    }
    return FT_OK;
}

static int suggest_changes(const struct explaining *explaining)
{
    FT_TRY(sum_up(explaining->explanation, explaining->diag));
    ft_miss_patterns_find(explaining->explanation);
    return ft_changes_suggest(explaining->explanation, explaining->diag);
}

static int explain_simulated(const struct explaining *explaining,
                             const struct ft_synthesis *synthesis,
                             const struct ft_simulation *simulation)
{
    struct ft_carried_misses carried;
    FT_TRY(follow(explaining, synthesis, &carried));
    const struct ft_synthetic_evidence evidence = {.synthesis = synthesis,
                                                   .size = explaining->prediction->n,
                                                   .simulation = simulation,
                                                   .endless = explaining->endless,
                                                   .carried = &carried};
    explaining->explanation->carriers_complete = carried.is_complete;
    int status = ft_explained_groups_of(&evidence, explaining->explanation, explaining->diag);
    ft_carried_misses_fini(&carried);
    if (!status)
        status = suggest_changes(explaining);
    if (!status && !explaining->options->without_forecasts) {
        const struct ft_change_task task = {synthesis, explaining->prediction->n, simulation,
                                            explaining->options->progress};
        status = ft_changes_forecast(&task, explaining->explanation, explaining->diag);
    }
    return status;
}

static int explain_synthesis(const struct explaining *explaining,
                             const struct ft_synthetic_request *request)
{
    struct ft_synthesis synthesis;
    struct ft_simulation simulation;
    struct ft_diag inner = {0};
    FT_TRY(ft_synthetic_start(request, &synthesis, explaining->diag));
    int status = ft_synthesis_simulate(&synthesis, &explaining->machine,
                                       explaining->options->progress, &simulation, &inner);
    if (status == FT_ERROR_UNSUPPORTED) {
        explaining->explanation->not_synthetic = ft_synthetic_end(request);
        status = FT_OK;
    } else if (status) {
        status = ft_fail(explaining->diag, status, "%s", inner.message);
    } else {
        status = explain_simulated(explaining, &synthesis, &simulation);
        ft_simulation_fini(&simulation);
    }
    ft_synthesis_fini(&synthesis);
    return status;
}

/* ---- all of it ---- */

static int find_groups(struct explaining *explaining)
{
    const struct ft_prediction *prediction = explaining->prediction;
    const struct ft_synthetic_request request = {
        .model = prediction->model,
        .machine = prediction->machine,
        .size = prediction->n,
        .accesses = prediction->exclusive + FT_METRIC_ACCESSES,
        .width = prediction->width,
        .accesses_max = INFINITY,
        .simulated_max = explaining->options->simulated_max,
        .progress = explaining->options->progress};
    bool fits = false;
    explaining->explanation->not_synthetic = ft_synthetic_missing(&request);
    FT_TRY(add_endless(explaining, &fits));
    if (!explaining->explanation->not_synthetic && !fits)
        explaining->explanation->not_synthetic = "its data are too many";
    if (!explaining->explanation->not_synthetic)
        FT_TRY(explain_synthesis(explaining, &request));
    if (!explaining->explanation->not_synthetic)
        return FT_OK;
    FT_TRY(ft_explained_groups_of_model(explaining->explanation, explaining->diag));
    return suggest_changes(explaining);
}

static int find_onsets(const struct ft_explanation *explanation, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = explanation->prediction;
    for (size_t i = 0; i < explanation->group_count; i++)
        for (size_t level = 0; level < prediction->machine->level_count; level++) {
            const struct ft_explained_group *group = &explanation->groups[i];
            struct ft_explained_misses *misses = &group->levels[level];
            misses->since = NAN;
            if (misses->capacity > FEW_MISSES * explanation->misses[level])
                FT_TRY(ft_miss_onset(prediction->model, group->scope, group->line,
                                     &prediction->machine->levels[level], prediction->n,
                                     &misses->since, diag));
        }
    return FT_OK;
}

static void find_time(struct ft_explanation *explanation)
{
    const struct ft_prediction *prediction = explanation->prediction;
    const struct ft_scopes *scopes = &prediction->model->scopes;
    double cycles = 0, core_cycles = 0, page_fault_cycles = 0;
    explanation->has_time = prediction->times != NULL;
    explanation->slowest = explanation->scope;
    for (uint32_t i = 0; explanation->has_time && i < scopes->scope_count; i++) {
        const struct ft_scope_time *time = &prediction->times[i];
        if (!ft_scope_is_inside(scopes, i, explanation->scope))
            continue;
        cycles += time->cycles;
        core_cycles += time->core.cycles + time->mispredicted;
        page_fault_cycles += time->page_faults;
        if (time->cycles > prediction->times[explanation->slowest].cycles)
            explanation->slowest = i;
    }
    explanation->seconds = ft_machine_seconds(prediction->machine, cycles);
    explanation->core_seconds = ft_machine_seconds(prediction->machine, core_cycles);
    explanation->page_fault_seconds = ft_machine_seconds(prediction->machine, page_fault_cycles);
    explanation->limited_by =
        explanation->has_time ? prediction->times[explanation->slowest].limit : NULL;
    explanation->limit = ft_explained_limit_of(explanation->limited_by);
}

static double cost_of(const struct ft_explanation *explanation,
                      const struct ft_explained_group *group)
{
    double cost = 0;
    for (size_t i = 0; i < explanation->prediction->machine->level_count; i++)
        cost += ft_explained_cost(explanation, &group->levels[i], i);
    return cost;
}

/* By cost; changes know groups by their place. */
static int sort_groups(struct ft_explanation *explanation, struct ft_diag *diag)
{
    const size_t count = explanation->group_count;
    struct ft_explained_group *groups = explanation->groups;
    size_t *places = calloc(count + 1, sizeof *places); /* [place]: where it was */
    size_t *now = calloc(count + 1, sizeof *now);
    struct ft_explained_group *sorted = malloc((count + 1) * sizeof *sorted);
    if (places && now && sorted) {
        for (size_t i = 0; i < count; i++) {
            size_t at = i;
            for (; at > 0 &&
                   cost_of(explanation, &groups[places[at - 1]]) < cost_of(explanation, &groups[i]);
                 at--)
                places[at] = places[at - 1];
            places[at] = i;
        }
        for (size_t i = 0; i < count; i++) {
            now[places[i]] = i;
            sorted[i] = groups[places[i]];
        }
        memcpy(groups, sorted, count * sizeof *groups);
        for (size_t i = 0; i < explanation->change_count; i++)
            explanation->changes[i].group = now[explanation->changes[i].group];
    }
    const bool is_sorted = places && now && sorted;
    free(places);
    free(now);
    free(sorted);
    return is_sorted ? FT_OK : ft_fail_memory(diag, "an explanation");
}

int ft_explain(const struct ft_prediction *prediction, uint32_t scope,
               const struct ft_explain_options *options, struct ft_explanation *ret_explanation,
               struct ft_diag *diag)
{
    struct ft_explanation explanation = {
        .prediction = prediction,
        .scope = scope,
        .changed_scope = ft_changed_scope_of(&prediction->model->scopes, scope)};
    struct explaining explaining = {
        .prediction = prediction, .options = options, .explanation = &explanation, .diag = diag};
    int status = find_groups(&explaining);
    free(explaining.machine.levels);
    free(explaining.endless);
    if (!status)
        status = find_onsets(&explanation, diag);
    if (!status)
        status = sort_groups(&explanation, diag);
    if (status) {
        ft_explanation_fini(&explanation);
        return status;
    }
    find_time(&explanation);
    *ret_explanation = explanation;
    return FT_OK;
}
