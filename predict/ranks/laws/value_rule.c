/*
 * In order: samples; steps in the grid; rules of one class of ranks; of all classes; what rules
 * say.
 */
#include "predict/ranks/laws/value_rule.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define FAR_MAX 4 /* ranks that a step along one direction goes */

/* ---- samples ---- */

bool ft_value_samples_add(struct ft_value_samples *samples, const struct ft_law_point *point,
                          int64_t value, struct ft_value_source source)
{
    if (!FT_RESERVE(samples->points, samples->capacity, samples->count + 1) ||
        !FT_RESERVE(samples->values, samples->value_capacity, samples->count + 1) ||
        !FT_RESERVE(samples->sources, samples->source_capacity, samples->count + 1))
        return false;
    samples->points[samples->count] = *point;
    samples->values[samples->count] = value;
    samples->sources[samples->count++] = source;
    return true;
}

void ft_value_samples_fini(struct ft_value_samples *samples)
{
    free(samples->points);
    free(samples->values);
    free(samples->sources);
    *samples = (struct ft_value_samples){0};
}

/* ---- steps in the grid ---- */

static int64_t peer_at(const struct ft_rank_grid *grid, uint32_t rank,
                       const struct ft_rank_shift *shift)
{
    uint32_t to;
    return ft_rank_grid_shift(grid, rank, shift, &to) ? 2 + (int64_t)to : 0;
}

static bool shift_holds(const struct ft_value_task *task, const struct ft_value_samples *samples,
                        const struct ft_rank_shift *shift)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct ft_value_source *source = &samples->sources[i];
        const struct ft_rank_grid grid = ft_rank_space_grid(task->space, &task->runs[source->run]);
        if (peer_at(&grid, source->rank, shift) != samples->values[i])
            return false;
    }
    return true;
}

static bool differ_at_target(const struct ft_value_task *task, const struct ft_rank_shift *a,
                             const struct ft_rank_shift *b, const uint32_t *ranks, size_t count)
{
    if (!task->target)
        return false;
    const struct ft_rank_grid grid = ft_rank_space_grid(task->space, task->target);
    for (size_t i = 0; i < count; i++)
        if (peer_at(&grid, ranks[i], a) != peer_at(&grid, ranks[i], b))
            return true;
    return false;
}

/* How many steps to neighbours are tried, diagonal ones too, each with and without going around the
 * ends. */
static unsigned near_shifts(unsigned directions)
{
    unsigned near = 2;
    for (unsigned d = 0; d < directions; d++)
        near *= 3;
    return near;
}

/* Step number `index`: behind those to neighbours come farther ones along a direction. */
static bool shift_of(unsigned index, unsigned directions, struct ft_rank_shift *ret_shift)
{
    struct ft_rank_shift shift = {.wraps = index % 2 != 0};
    const unsigned near = near_shifts(directions) / 2;
    index /= 2;
    if (index < near) {
        for (unsigned d = directions; d-- > 0; index /= 3)
            shift.by[d] = (int32_t)(index % 3) - 1;
    } else {
        index -= near;
        const unsigned d = index / (2 * (FAR_MAX - 1)), far = index % (2 * (FAR_MAX - 1));
        if (d >= directions)
            return false;
        shift.by[d] = ((int32_t)(far / 2) + 2) * (far % 2 ? -1 : 1);
    }
    *ret_shift = shift;
    return true;
}

/* The rank itself, a step of 0, is no peer of its grid. */
static bool is_step(const struct ft_rank_shift *shift)
{
    for (unsigned d = 0; d < FT_GRID_DIRECTIONS_MAX; d++)
        if (shift->by[d] != 0)
            return true;
    return false;
}

static enum ft_value_answer find_shift(const struct ft_value_task *task,
                                       const struct ft_value_samples *samples,
                                       const uint32_t *ranks, size_t rank_count,
                                       struct ft_value_rule *ret_rule)
{
    const unsigned near = near_shifts(task->space->directions);
    struct ft_rank_shift shift;
    bool is_found = false;
    for (unsigned i = 0; shift_of(i, task->space->directions, &shift); i++) {
        if (is_found && i >= near)
            break; /* neighbours explain more than farther ranks do */
        if (!is_step(&shift) || !shift_holds(task, samples, &shift))
            continue;
        if (!is_found)
            *ret_rule = (struct ft_value_rule){.is_shift = true, .shift = shift};
        else if (differ_at_target(task, &ret_rule->shift, &shift, ranks, rank_count))
            return FT_VALUE_AMBIGUOUS;
        is_found = true;
    }
    return is_found ? FT_VALUE_FOUND : FT_VALUE_NO_LAW;
}

/* ---- one class of ranks ---- */

struct chosen {
    struct ft_value_samples samples;
    struct ft_law_point *probes;
    uint32_t *probe_ranks;
    size_t probe_count;
};

static bool is_of_several_runs(const struct ft_value_task *task,
                               const struct ft_value_samples *samples)
{
    for (size_t i = 1; i < samples->count; i++)
        if (samples->sources[i].run != samples->sources[0].run)
            return true;
    return task->run_count == 1;
}

static bool is_always_nobody(const struct ft_value_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        if (samples->values[i] != 0)
            return false;
    return true;
}

static int find_rule(const struct ft_value_task *task, const struct chosen *chosen,
                     enum ft_law_effort effort, bool is_peer, enum ft_value_answer *ret_answer,
                     struct ft_value_rule *ret_rule, struct ft_diag *diag)
{
    const struct ft_value_samples *samples = &chosen->samples;
    const struct ft_law_question question = {.effort = is_peer ? FT_LAW_LINES : effort,
                                             .variables = &task->space->variables,
                                             .points = samples->points,
                                             .values = samples->values,
                                             .count = samples->count,
                                             .probes = chosen->probes,
                                             .probe_count = chosen->probe_count};
    enum ft_law_answer answer = FT_LAW_NONE;
    *ret_answer = FT_VALUE_NO_LAW;
    if (samples->count == 0 || !is_of_several_runs(task, samples))
        return FT_OK;
    if (is_peer && !is_always_nobody(samples)) {
        *ret_answer = find_shift(task, samples, chosen->probe_ranks, chosen->probe_count, ret_rule);
        if (*ret_answer != FT_VALUE_NO_LAW)
            return FT_OK;
    }
    FT_TRY(ft_exact_law_find(&question, &answer, &ret_rule->law, diag));
    ret_rule->is_shift = false;
    *ret_answer = answer == FT_LAW_FOUND       ? FT_VALUE_FOUND
                  : answer == FT_LAW_AMBIGUOUS ? FT_VALUE_AMBIGUOUS
                                               : FT_VALUE_NO_LAW;
    return FT_OK;
}

/* ---- all classes ---- */

static uint32_t category_in(const struct ft_value_task *task, enum ft_rank_key key,
                            const struct ft_rank_size *size, uint32_t rank)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(task->space, size);
    return ft_rank_category(key, &grid, rank);
}

static uint32_t category_of(const struct ft_value_task *task, enum ft_rank_key key,
                            const struct ft_value_source *source)
{
    return category_in(task, key, &task->runs[source->run], source->rank);
}

/* The samples and probes of one class. */
static bool choose(const struct ft_value_task *task, const struct ft_value_samples *samples,
                   enum ft_rank_key key, uint32_t category, struct chosen *chosen)
{
    chosen->probes = calloc(task->probe_count + 1, sizeof *chosen->probes);
    chosen->probe_ranks = calloc(task->probe_count + 1, sizeof *chosen->probe_ranks);
    if (!chosen->probes || !chosen->probe_ranks)
        return false;
    for (size_t i = 0; i < samples->count; i++)
        if (category_of(task, key, &samples->sources[i]) == category &&
            !ft_value_samples_add(&chosen->samples, &samples->points[i], samples->values[i],
                                  samples->sources[i]))
            return false;
    for (size_t i = 0; i < task->probe_count; i++)
        if (category_in(task, key, task->target, task->probe_ranks[i]) == category) {
            chosen->probes[chosen->probe_count] = task->probes[i];
            chosen->probe_ranks[chosen->probe_count++] = task->probe_ranks[i];
        }
    return true;
}

static void chosen_fini(struct chosen *chosen)
{
    ft_value_samples_fini(&chosen->samples);
    free(chosen->probes);
    free(chosen->probe_ranks);
}

static const struct ft_value_case *find_case(const struct ft_value_rules *rules, uint32_t category)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->cases[i].category == category)
            return &rules->cases[i];
    return NULL;
}

/* A class that the target does not have needs no law. */
static bool is_needed(const struct ft_value_task *task, enum ft_rank_key key, uint32_t category)
{
    for (size_t i = 0; i < task->probe_count; i++)
        if (category_in(task, key, task->target, task->probe_ranks[i]) == category)
            return true;
    return !task->target;
}

static int find_case_rule(const struct ft_value_task *task, const struct ft_value_samples *samples,
                          bool is_peer, uint32_t category, struct ft_value_rules *rules,
                          enum ft_value_answer *ret_answer, struct ft_diag *diag)
{
    struct chosen chosen = {0};
    struct ft_value_case one = {.category = category};
    int status = choose(task, samples, rules->key, category, &chosen) &&
                         FT_RESERVE(rules->cases, rules->capacity, rules->count + 1)
                     ? FT_OK
                     : ft_fail_memory(diag, "laws");
    if (status == FT_OK)
        status =
            find_rule(task, &chosen, rules->key == FT_RANKS_ALIKE ? FT_LAW_ALL : FT_LAW_PRODUCTS,
                      is_peer, ret_answer, &one.rule, diag);
    chosen_fini(&chosen);
    if (status == FT_OK && *ret_answer == FT_VALUE_FOUND)
        rules->cases[rules->count++] = one;
    return status;
}

static int find_by_key(const struct ft_value_task *task, const struct ft_value_samples *samples,
                       bool is_peer, struct ft_value_rules *rules, enum ft_value_answer *ret_answer,
                       struct ft_diag *diag)
{
    *ret_answer = FT_VALUE_FOUND;
    for (size_t i = 0; i < samples->count; i++) {
        const uint32_t category = category_of(task, rules->key, &samples->sources[i]);
        if (find_case(rules, category) || !is_needed(task, rules->key, category))
            continue;
        FT_TRY(find_case_rule(task, samples, is_peer, category, rules, ret_answer, diag));
        if (*ret_answer != FT_VALUE_FOUND)
            return FT_OK;
    }
    for (size_t i = 0; i < task->probe_count; i++)
        if (!find_case(rules, category_in(task, rules->key, task->target, task->probe_ranks[i])))
            *ret_answer = FT_VALUE_UNSEEN;
    return FT_OK;
}

int ft_value_rules_find(const struct ft_value_task *task, const struct ft_value_samples *samples,
                        bool is_peer, enum ft_value_answer *ret_answer,
                        struct ft_value_rules *ret_rules, struct ft_diag *diag)
{
    enum ft_value_answer best = FT_VALUE_NO_LAW, answer = FT_VALUE_NO_LAW;
    for (unsigned key = 0; key < FT_RANK_KEYS; key++) {
        struct ft_value_rules rules = {.key = (enum ft_rank_key)key};
        if (!ft_rank_key_is_of(rules.key, task->space->directions) ||
            rules.key == FT_RANKS_BY_POSITION || rules.key == FT_RANKS_BY_PARITY_POSITION)
            continue; /* these two leave too few samples of each */
        const int status = find_by_key(task, samples, is_peer, &rules, &answer, diag);
        if (status == FT_OK && answer == FT_VALUE_FOUND) {
            *ret_rules = rules;
            *ret_answer = answer;
            return FT_OK;
        }
        ft_value_rules_fini(&rules);
        FT_TRY(status);
        if (answer == FT_VALUE_AMBIGUOUS && key == FT_RANKS_ALIKE) {
            best = answer;
            break; /* fewer samples would not tell more */
        }
        if (answer == FT_VALUE_UNSEEN)
            best = answer;
    }
    *ret_answer = best;
    return FT_OK;
}

void ft_value_rules_fini(struct ft_value_rules *rules)
{
    free(rules->cases);
    *rules = (struct ft_value_rules){0};
}

/* ---- what rules say ---- */

bool ft_value_rules_at(const struct ft_value_rules *rules, const struct ft_rank_space *space,
                       const struct ft_rank_size *size, uint32_t rank,
                       const struct ft_law_point *point, int64_t *ret_value)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(space, size);
    const struct ft_value_case *one = find_case(rules, ft_rank_category(rules->key, &grid, rank));
    if (!one)
        return false;
    if (!one->rule.is_shift)
        return ft_exact_law_at(&one->rule.law, point, ret_value);
    *ret_value = peer_at(&grid, rank, &one->rule.shift);
    return true;
}

void ft_value_rules_use(const struct ft_value_rules *rules, uint64_t *variables,
                        bool *has_positions)
{
    *has_positions |= rules->key > FT_RANKS_ROOT;
    for (size_t i = 0; i < rules->count; i++) {
        const struct ft_exact_law *law = &rules->cases[i].rule.law;
        *has_positions |= rules->cases[i].rule.is_shift;
        for (unsigned t = 0; !rules->cases[i].rule.is_shift && t < law->term_count; t++)
            for (unsigned f = 0; f < law->terms[t].factor_count; f++)
                *variables |= UINT64_C(1) << law->terms[t].factors[f];
    }
}
