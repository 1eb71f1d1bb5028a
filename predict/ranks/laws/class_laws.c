/*
 * Ranks that all have a shape are one class; else they are told apart by the first key that gives
 * each class a shape. Shapes are tried from the shortest on, until one has laws.
 *
 * In order: the ranks of a class; their laws; all classes.
 */
#include "predict/ranks/laws/class_laws.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* What is left open says more than a law that is missing, of a grid that is wrong. */
#define OPEN_FIRST (SIZE_MAX / 2)

/* ---- the ranks of a class ---- */

struct class_ranks {
    struct ft_shaped_rank *items;
    size_t count, capacity;
};

static void class_ranks_fini(struct class_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        free(ranks->items[i].visits.items);
        free(ranks->items[i].first_visit);
    }
    free(ranks->items);
    *ranks = (struct class_ranks){0};
}

static uint32_t category_of(const struct ft_job_learner *learner, const struct ft_job_laws *laws,
                            const struct ft_value_source *source)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, &learner->runs[source->run]);
    return ft_rank_category(laws->key, &grid, source->rank);
}

/* Each call gets the one before it. */
static void link_calls(const struct ft_call_shape *shape, struct ft_shape_visits *visits)
{
    uint32_t from = FT_SHAPE_LOOP;
    for (size_t i = 0; i < visits->count; i++) {
        struct ft_shape_visit *visit = &visits->items[i];
        visit->from = from;
        if (shape->nodes[visit->node].symbol != FT_SHAPE_LOOP)
            from = visit->node;
    }
}

/* Visits by node, in each in order. */
static bool sort_visits(const struct ft_call_shape *shape, struct ft_shaped_rank *rank)
{
    const size_t count = rank->visits.count;
    struct ft_shape_visit *sorted = calloc(count + 1, sizeof *sorted);
    size_t *next = calloc(shape->count + 2, sizeof *next);
    rank->first_visit = calloc(shape->count + 2, sizeof *rank->first_visit);
    const bool is_there = sorted && next && rank->first_visit;
    link_calls(shape, &rank->visits);
    for (size_t i = 0; is_there && i < count; i++)
        rank->first_visit[rank->visits.items[i].node + 1]++;
    for (size_t n = 0; is_there && n < shape->count; n++)
        rank->first_visit[n + 1] += rank->first_visit[n];
    if (is_there)
        memcpy(next, rank->first_visit, (shape->count + 1) * sizeof *next);
    for (size_t i = 0; is_there && i < count; i++)
        sorted[next[rank->visits.items[i].node]++] = rank->visits.items[i];
    free(next);
    if (!is_there) {
        free(sorted);
        return false;
    }
    free(rank->visits.items);
    rank->visits.items = sorted;
    return true;
}

/* The ranks of a category, which must all have the shape. */
static int match_class(struct ft_job_learner *learner, const struct ft_job_laws *laws,
                       uint32_t category, const struct ft_call_shape *shape,
                       struct class_ranks *ranks, bool *ret_matches)
{
    *ret_matches = true;
    for (size_t i = 0; i < learner->symbols.rank_count && *ret_matches; i++) {
        const struct ft_symbol_rank *of = &learner->symbols.ranks[i];
        bool is_out_of_memory = false;
        if (category_of(learner, laws, &of->source) != category)
            continue;
        if (!FT_RESERVE(ranks->items, ranks->capacity, ranks->count + 1))
            return ft_fail_memory(learner->diag, "the calls of ranks");
        struct ft_shaped_rank *rank = &ranks->items[ranks->count++];
        *rank = (struct ft_shaped_rank){.calls = &of->calls, .source = of->source};
        *ret_matches = ft_call_shape_match(shape, of->symbols, of->calls.count, &rank->visits,
                                           &is_out_of_memory);
        if (is_out_of_memory || (*ret_matches && !sort_visits(shape, rank)))
            return ft_fail_memory(learner->diag, "the calls of ranks");
    }
    return FT_OK;
}

/* With the probes that are ranks of the category; arrays of its own. */
static int value_task(const struct ft_job_learner *learner, const struct ft_job_laws *laws,
                      uint32_t category, struct ft_value_task *ret_task)
{
    const struct ft_rank_size *target = learner->task->target;
    struct ft_law_point *probes = calloc(learner->probe_count + 1, sizeof *probes);
    uint32_t *ranks = calloc(learner->probe_count + 1, sizeof *ranks);
    size_t count = 0;
    if (!probes || !ranks) {
        free(probes);
        free(ranks);
        return ft_fail_memory(learner->diag, "laws");
    }
    for (size_t i = 0; i < learner->probe_count; i++) {
        const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, target);
        if (ft_rank_category(laws->key, &grid, learner->probe_ranks[i]) != category)
            continue;
        probes[count] = learner->probes[i];
        ranks[count++] = learner->probe_ranks[i];
    }
    *ret_task = (struct ft_value_task){.space = &laws->space,
                                       .runs = learner->runs,
                                       .run_count = learner->task->run_count,
                                       .target = target,
                                       .probes = probes,
                                       .probe_ranks = ranks,
                                       .probe_count = count};
    return FT_OK;
}

/* What an attempt lacked, if none got farther. */
static void note(struct ft_job_learner *learner, size_t known, const struct ft_diag *why)
{
    if (learner->best.message[0] && known < learner->known)
        return;
    learner->best = *why;
    learner->known = known;
}

/* A copy of the shape gets laws; *ret_is_learned: all of them. */
static int learn_shape(struct ft_job_learner *learner, const struct ft_value_task *task,
                       const struct class_ranks *ranks, const struct ft_call_shape *shape,
                       struct ft_call_laws *laws, bool *ret_is_learned)
{
    struct ft_diag inner = {0};
    struct ft_law_lack lack;
    if (!ft_call_shape_copy(shape, &laws->shape))
        return ft_fail_memory(learner->diag, "laws");
    const int status = ft_call_laws_learn(task, ranks->items, ranks->count, laws, &lack, &inner);
    *ret_is_learned = status == FT_OK;
    if (status == FT_OK)
        return FT_OK;
    ft_call_laws_fini(laws);
    if (status != FT_ERROR_DATA)
        return ft_fail(learner->diag, status, "%s", inner.message);
    learner->is_ambiguous |= lack.is_ambiguous;
    note(learner, lack.is_ambiguous ? OPEN_FIRST + lack.known : lack.known, &inner);
    return FT_OK;
}

static int try_shape(struct ft_job_learner *learner, struct ft_job_laws *laws,
                     struct ft_shape_case *one, const struct ft_call_shape *shape,
                     bool *ret_is_learned)
{
    struct ft_value_task task = {0};
    struct class_ranks ranks = {0};
    bool matches;
    *ret_is_learned = false;
    int status = match_class(learner, laws, one->category, shape, &ranks, &matches);
    if (status == FT_OK && matches)
        status = value_task(learner, laws, one->category, &task);
    if (status == FT_OK && matches)
        status = learn_shape(learner, &task, &ranks, shape, &one->laws, ret_is_learned);
    free((struct ft_law_point *)task.probes);
    free((uint32_t *)task.probe_ranks);
    class_ranks_fini(&ranks);
    return status;
}

/* ---- laws of all classes ---- */

static bool has_case(const struct ft_job_laws *laws, uint32_t category)
{
    for (size_t i = 0; i < laws->case_count; i++)
        if (laws->cases[i].category == category)
            return true;
    return false;
}

static bool is_needed(const struct ft_job_learner *learner, const struct ft_job_laws *laws,
                      uint32_t category)
{
    if (!learner->task->target)
        return true;
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, learner->task->target);
    for (uint32_t r = 0; r < grid.ranks; r++)
        if (ft_rank_category(laws->key, &grid, r) == category)
            return true;
    return false;
}

static int learn_class(struct ft_job_learner *learner, struct ft_job_laws *laws,
                       const struct ft_value_source *source, bool *ret_is_learned)
{
    struct ft_shape_case one = {.category = category_of(learner, laws, source),
                                .size = learner->runs[source->run],
                                .rank = source->rank};
    *ret_is_learned = false;
    for (size_t i = 0; i < learner->symbols.shape_count && !*ret_is_learned; i++)
        FT_TRY(try_shape(learner, laws, &one, &learner->symbols.shapes[i], ret_is_learned));
    if (!*ret_is_learned)
        return FT_OK;
    if (!FT_RESERVE(laws->cases, laws->case_capacity, laws->case_count + 1)) {
        ft_call_laws_fini(&one.laws);
        return ft_fail_memory(learner->diag, "laws");
    }
    laws->cases[laws->case_count++] = one;
    return FT_OK;
}

/* Whether a rank of the target is where no captured rank was: if ranks differ, how it behaves is
 * not known. */
static bool has_unseen_category(struct ft_job_learner *learner, const struct ft_job_laws *laws)
{
    char text[FT_CATEGORY_TEXT];
    struct ft_diag inner = {0};
    struct ft_job_laws by_place = {.space = laws->space, .key = laws->key};
    if (!learner->task->target || laws->key == FT_RANKS_ALIKE)
        return false;
    if (laws->key != FT_RANKS_BY_PARITY_POSITION)
        by_place.key = laws->space.directions == 1 ? FT_RANKS_BY_X : FT_RANKS_BY_POSITION;
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, learner->task->target);
    for (uint32_t r = 0; r < grid.ranks; r++) {
        bool is_seen = false;
        for (size_t i = 0; i < learner->symbols.rank_count && !is_seen; i++)
            is_seen = category_of(learner, &by_place, &learner->symbols.ranks[i].source) ==
                      ft_rank_category(by_place.key, &grid, r);
        if (is_seen)
            continue;
        (void)ft_fail(&inner, FT_ERROR_DATA,
                      "ranks differ in which calls they make, and none that was captured is %s of "
                      "its grid: capture more ranks",
                      ft_rank_category_text(text, by_place.key, &grid, r));
        note(learner, learner->known, &inner);
        return true;
    }
    return false;
}

/* Whether some shape has all calls of a category's ranks. */
static int has_shape(struct ft_job_learner *learner, const struct ft_job_laws *laws,
                     uint32_t category, bool *ret_has)
{
    *ret_has = false;
    for (size_t i = 0; i < learner->symbols.shape_count && !*ret_has; i++) {
        struct class_ranks ranks = {0};
        const int status =
            match_class(learner, laws, category, &learner->symbols.shapes[i], &ranks, ret_has);
        class_ranks_fini(&ranks);
        FT_TRY(status);
    }
    return FT_OK;
}

/* Whether no captured rank before it is of its category. */
static bool is_first_of_category(const struct ft_job_learner *learner,
                                 const struct ft_job_laws *laws, size_t index, uint32_t category)
{
    for (size_t i = 0; i < index; i++)
        if (category_of(learner, laws, &learner->symbols.ranks[i].source) == category)
            return false;
    return true;
}

/* The first key by which each category has a shape. */
static int find_key(struct ft_job_learner *learner, struct ft_job_laws *laws, bool *ret_is_found)
{
    *ret_is_found = false;
    for (unsigned key = 0; key < FT_RANK_KEYS && !*ret_is_found; key++) {
        laws->key = (enum ft_rank_key)key;
        if (!ft_rank_key_is_of(laws->key, laws->space.directions))
            continue;
        *ret_is_found = true;
        for (size_t i = 0; i < learner->symbols.rank_count && *ret_is_found; i++) {
            const uint32_t category = category_of(learner, laws, &learner->symbols.ranks[i].source);
            if (is_first_of_category(learner, laws, i, category) &&
                is_needed(learner, laws, category))
                FT_TRY(has_shape(learner, laws, category, ret_is_found));
        }
    }
    return FT_OK;
}

int ft_class_laws_learn(struct ft_job_learner *learner, struct ft_job_laws *laws,
                        bool *ret_is_learned)
{
    FT_TRY(find_key(learner, laws, ret_is_learned));
    if (*ret_is_learned && has_unseen_category(learner, laws))
        *ret_is_learned = false;
    for (size_t i = 0; i < learner->symbols.rank_count && *ret_is_learned; i++) {
        const struct ft_value_source *source = &learner->symbols.ranks[i].source;
        const uint32_t category = category_of(learner, laws, source);
        if (!has_case(laws, category) && is_needed(learner, laws, category))
            FT_TRY(learn_class(learner, laws, source, ret_is_learned));
    }
    laws->has_positions = laws->key > FT_RANKS_ROOT;
    for (size_t i = 0; i < laws->case_count; i++)
        ft_call_laws_use(&laws->cases[i].laws, &laws->variables, &laws->has_positions);
    return FT_OK;
}

void ft_class_laws_drop(struct ft_job_laws *laws)
{
    for (size_t i = 0; i < laws->case_count; i++)
        ft_call_laws_fini(&laws->cases[i].laws);
    laws->case_count = 0;
}
