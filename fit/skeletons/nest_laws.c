/*
 * A leaf is written with, for each of its numbers, where it is at each size: in the nest there, or
 * known without, as the trip count of a part that does not run is 0; or not known. Then a law is
 * searched for each number. Where one has none, and more than few accesses depend on it, the leaf
 * is taken back, and written as it is at the largest size alone.
 */
#include "fit/skeletons/nest_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/level_laws.h"
#include "fit/skeletons/level_writing.h"
#include "fit/skeletons/nest_writing.h"
#include "fit/skeletons/size_law.h"
#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"

/* The share of a leaf's accesses, at the largest size, whose numbers may be without laws: they stay
 * as they are there. Such as those of malloc to the heads of its blocks. */
#define STRAYS_MAX 0.01
/* Likewise, of a leaf with lists of levels, of which there are few at each size. */
#define LEVEL_STRAYS_MAX 0.05
/* Sizes that a law is learned from, though there are smaller ones, which run the part at most once:
 * their loops of one iteration or none have other parts. */
#define NUMBER_SIZES_MIN 3

/* Of a number of levels: what was found for the first of them that was written. */
struct level_memo {
    bool is_known, is_found;
    uint64_t base; /* which the law is added to */
    struct ft_level_law law;
};

struct learner {
    struct ft_nest_writing writing; /* into the laws' nest */
    struct ft_law_search *search;
    struct ft_nest_laws *laws;
    size_t is_sized_capacity;
    bool *is_stray; /* [number of the leaf]: has no law */
    size_t is_stray_capacity;
    struct level_memo *memos; /* [number of the leaf] */
    size_t memo_capacity;
    struct ft_nest_executions executions[FT_SIZED_SIZES_MAX]; /* [size] */
    double foreign[FT_SIZED_SIZES_MAX];
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of loop nests");
}

void ft_nest_laws_fini(struct ft_nest_laws *laws)
{
    ft_nest_fini(&laws->nest);
    free(laws->is_sized);
    free(laws->numbers);
    *laws = (struct ft_nest_laws){0};
}

static uint64_t largest_of(const struct learner *learner)
{
    return UINT64_C(1) << (learner->writing.tree->size_count - 1);
}

/* ---- laws ---- */

static bool changes(const struct ft_size_law *law)
{
    bool changes = law->quotients[0].period != 0 || ft_law_is_of_doubling(law);
    for (size_t k = 0; k < FT_SIZED_COEFFICIENTS; k++)
        changes = changes || law->powers[k] != 0;
    return changes;
}

/* Of the sizes that are known, with the smallest or without those that run the part at most once.
 */
static int find_law(struct learner *learner, uint64_t known, const double *changes_from,
                    int64_t largest, struct ft_size_law *ret_law, bool *ret_found)
{
    for (uint64_t some = known;; some &= some - 1) {
        const double smallest = (double)largest + changes_from[__builtin_ctzll(some)];
        FT_TRY(ft_law_search_find(learner->search, some, changes_from, ret_law, ret_found,
                                  learner->writing.diag));
        if (*ret_found || fabs(smallest) > 1 || __builtin_popcountll(some) <= NUMBER_SIZES_MIN)
            return FT_OK;
    }
}

/* Adds the next number of a leaf to the nest, as the largest size has it, and its law. */
static int add_number(struct learner *learner, uint64_t value, const struct ft_size_law *law)
{
    struct ft_nest_laws *laws = learner->laws;
    struct ft_nest *nest = &laws->nest;
    const struct ft_sized_number sized = {nest->number_count, *law};
    if (!FT_RESERVE(nest->numbers, nest->number_capacity, nest->number_count + 1) ||
        !FT_RESERVE(laws->numbers, laws->number_capacity, laws->number_count + 1))
        return no_memory(learner->writing.diag);
    nest->numbers[nest->number_count++] = value;
    if (changes(law))
        laws->numbers[laws->number_count++] = sized;
    return FT_OK;
}

static uint64_t value_of(const struct learner *learner, const struct ft_origin *origin, size_t size)
{
    return origin->kind == FT_ORIGIN_NUMBER ? learner->writing.nests[size].numbers[origin->at]
                                            : origin->at;
}

/* The next number of a leaf, as the largest size that knows it has it, and its law: of all sizes,
 * or of those that are large enough. */
static int learn_number(struct learner *learner, const struct ft_origin *origins, bool *ret_has_law)
{
    struct ft_size_law law = {0};
    double changes_from[FT_SIZED_SIZES_MAX] = {0};
    uint64_t known = 0, base = 0;
    for (size_t s = learner->writing.tree->size_count; s-- > 0;) {
        if (origins[s].kind == FT_ORIGIN_UNKNOWN)
            continue;
        const uint64_t value = value_of(learner, &origins[s], s);
        base = known ? base : value;
        changes_from[s] = (double)(int64_t)(value - base);
        known |= UINT64_C(1) << s;
    }
    *ret_has_law = known == 0; /* no size ever needs it */
    if (known)
        FT_TRY(find_law(learner, known, changes_from, (int64_t)base, &law, ret_has_law));
    return add_number(learner, base, *ret_has_law ? &law : &(const struct ft_size_law){0});
}

/* ---- levels ---- */

/* Which level the n-th that was written is, counted from the size's own. */
static unsigned level_written(const struct ft_written_levels *levels, size_t n)
{
    return (unsigned)(levels->fine + (levels->falls ? levels->copies - 1 - n : n));
}

/* One more than so many levels have their size: the smallest that has them. */
static double size_with(const struct learner *learner, const struct ft_written_levels *levels,
                        size_t level)
{
    const double *sizes = learner->writing.sizes;
    const double largest = sizes[learner->writing.tree->size_count - 1];
    const double more = (double)level + 1 - (double)levels->largest;
    return largest * exp2(ceil(more / (double)levels->rate));
}

/* Of all levels that sizes have; memo: of the number. */
static void search_level_law(const struct learner *learner, const struct ft_written_levels *levels,
                             size_t within, struct level_memo *memo)
{
    const struct ft_nest_writing *writing = &learner->writing;
    const size_t sizes = writing->tree->size_count, each = 1 + 2 * levels->body;
    struct ft_level_sample samples[FT_SIZED_SIZES_MAX];
    size_t count = 0;
    bool fits = true;
    *memo = (struct level_memo){.is_known = true};
    for (size_t s = 0; s < sizes; s++)
        for (size_t n = 0; n < levels->copies; n++) {
            const size_t number = levels->first + n * each + within;
            const struct ft_origin *origin = &writing->origins[number * sizes + s];
            if (origin->kind == FT_ORIGIN_UNKNOWN)
                continue;
            fits = fits && count < FT_SIZED_SIZES_MAX;
            const uint64_t value = value_of(learner, origin, s);
            memo->base = count ? memo->base : value;
            if (fits)
                samples[count++] =
                    (struct ft_level_sample){writing->sizes[s], level_written(levels, n),
                                             (double)(int64_t)(value - memo->base)};
        }
    memo->is_found = count == 0 || (fits && ft_level_law_find(samples, count, &memo->law));
}

/* Of a level, or the next one that the largest size has; it has no law. */
static uint64_t largest_value(const struct learner *learner, const struct ft_written_levels *levels,
                              size_t level, size_t within)
{
    const size_t sizes = learner->writing.tree->size_count, each = 1 + 2 * levels->body;
    for (size_t i = level - levels->fine + 1; i-- > 0;) {
        const size_t n = levels->falls ? levels->copies - 1 - i : i;
        const size_t number = levels->first + n * each + within;
        const struct ft_origin *origin = &learner->writing.origins[(number + 1) * sizes - 1];
        if (origin->kind != FT_ORIGIN_UNKNOWN)
            return value_of(learner, origin, sizes - 1);
    }
    return 0;
}

/* Whether a level runs: where there are so many; in all iterations of what is around it. */
static int add_level_count(struct learner *learner, const struct ft_written_levels *levels,
                           size_t level)
{
    const bool is_run = level < levels->largest;
    struct ft_size_law law = {0};
    if (levels->are_steps)
        return add_number(learner, 0, &law);
    law.powers[0] = is_run ? -1 : 0;
    law.steps[0] = (struct ft_law_step){size_with(learner, levels, level), 1};
    return add_number(learner, is_run, &law);
}

static int learn_level_number(struct learner *learner, const struct ft_written_levels *levels,
                              size_t n, size_t within, bool *ret_has_law)
{
    const double largest = learner->writing.sizes[learner->writing.tree->size_count - 1];
    const unsigned level = level_written(levels, n);
    struct ft_size_law law = {0};
    *ret_has_law = true;
    if (within == 0)
        return add_level_count(learner, levels, level - levels->fine);
    struct level_memo *memo = &learner->memos[levels->first + within];
    if (n == 0)
        search_level_law(learner, levels, within, memo);
    *ret_has_law = memo->is_found;
    if (!memo->is_found)
        return add_number(learner, largest_value(learner, levels, level, within), &law);
    ft_level_law_of(&memo->law, level, &law);
    for (size_t i = 0; i < FT_LAW_STEPS; i++) /* no size has such levels */
        if (law.steps[i].from > size_with(learner, levels, levels->copies - 1))
            law.steps[i] = (struct ft_law_step){0};
    const int64_t change = ft_law_at(&law, largest);
    law.powers[0] -= (double)change;
    return add_number(learner, memo->base + (uint64_t)change, &law);
}

/* The numbers of what was written, as the largest size has them. */
static int record_numbers(struct learner *learner)
{
    struct ft_nest *nest = &learner->laws->nest;
    const size_t sizes = learner->writing.tree->size_count;
    const uint64_t *numbers = learner->writing.nests[sizes - 1].numbers;
    if (!FT_RESERVE(nest->numbers, nest->number_capacity,
                    nest->number_count + learner->writing.origin_count / sizes))
        return no_memory(learner->writing.diag);
    for (size_t at = sizes - 1; at < learner->writing.origin_count; at += sizes)
        nest->numbers[nest->number_count++] = numbers[learner->writing.origins[at].at];
    return FT_OK;
}

/* What is repeated, and accesses outside of that, from a token on: whether they follow laws. */
static int mark_sized(struct learner *learner, size_t token, bool is_sized)
{
    struct ft_nest_laws *laws = learner->laws;
    const size_t former = learner->is_sized_capacity, end = laws->nest.token_count;
    if (!FT_RESERVE(laws->is_sized, learner->is_sized_capacity, end + 1))
        return no_memory(learner->writing.diag);
    memset(laws->is_sized + former, 0, learner->is_sized_capacity - former);
    for (size_t i = token; i < end; i++)
        laws->is_sized[i] = false;
    while (token < end) {
        const struct ft_nest_element element = ft_nest_element(laws->nest.tokens + token);
        const bool is_leaf = element.kind == FT_NEST_ACCESS || element.counts;
        laws->is_sized[token] = is_sized && is_leaf;
        token += element.head + (is_leaf ? element.length : 0);
    }
    return FT_OK;
}

/* ---- accesses whose numbers have no laws ---- */

struct strays {
    const uint32_t *tokens; /* the leaf's */
    bool *are;              /* [token] */
    double count, all;      /* of accesses */
};

static void count_access(void *context, const uint32_t *token, uint64_t count)
{
    struct strays *strays = context;
    strays->all += (double)count;
    if (strays->are[token - strays->tokens])
        strays->count += (double)count;
}

/* Marks tokens that numbers without laws are of; returns how many numbers the tokens have. */
static size_t mark_strays(const struct strays *strays, const uint32_t *tokens, size_t token_count,
                          const bool *is_stray)
{
    size_t number = 0;
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        if (element.kind == FT_NEST_ACCESS) {
            bool *is = &strays->are[tokens + at - strays->tokens];
            *is = *is || is_stray[number];
            number++;
        } else if (element.counts) {
            for (size_t i = 0; i < element.counts; i++)
                if (is_stray[number + i])
                    memset(strays->are + (body - strays->tokens), true,
                           element.length * sizeof *strays->are);
            for (size_t row = 0; row < element.rows; row++)
                mark_strays(strays, body, element.length,
                            is_stray + number + element.counts + row * element.body);
            number += ft_nest_repeat_numbers(&element);
        } else if (element.kind != FT_NEST_IRREGULAR) {
            number += mark_strays(strays, body, element.length, is_stray + number);
        }
        at += element.head + element.length;
    }
    return number;
}

/* Of a leaf that was written from these tokens and numbers on. */
static int share_strays(const struct learner *learner, size_t token, size_t number,
                        double *ret_share)
{
    const struct ft_nest *nest = &learner->laws->nest;
    const struct ft_nest_span span = {nest->tokens + token, nest->token_count - token,
                                      nest->numbers + number, nest->number_count - number};
    struct strays strays = {.tokens = span.tokens,
                            .are = calloc(span.token_count + 1, sizeof *strays.are)};
    if (!strays.are)
        return no_memory(learner->writing.diag);
    mark_strays(&strays, span.tokens, span.token_count, learner->is_stray);
    int status = ft_nest_count(&span, count_access, &strays, learner->writing.diag);
    *ret_share = strays.all > 0 ? strays.count / strays.all : 1;
    free(strays.are);
    return status;
}

/* The largest share of a size's accesses in the nodes that was left out. */
static double share_foreign(const struct learner *learner, size_t first, size_t end, uint64_t sizes)
{
    double share = 0;
    for (size_t s = 0; s < learner->writing.tree->size_count; s++) {
        double all = 0;
        for (size_t node = first; node != end; node = ft_node_at(&learner->writing, node)->next)
            all += ft_node_accesses(&learner->writing, node, s);
        if ((sizes >> s & 1) && all > 0)
            share = fmax(share, learner->foreign[s] / all);
    }
    return share;
}

/* ---- leaves ---- */

/* Its numbers; which of them have no laws. */
static int learn_numbers(struct learner *learner, bool *ret_have_laws)
{
    const size_t sizes = learner->writing.tree->size_count,
                 count = learner->writing.origin_count / sizes;
    if (!FT_RESERVE(learner->is_stray, learner->is_stray_capacity, count + 1) ||
        !FT_RESERVE(learner->memos, learner->memo_capacity, count + 1))
        return no_memory(learner->writing.diag);
    *ret_have_laws = true;
    for (size_t i = 0; i < count; i++) {
        bool has_law;
        size_t level, within;
        const struct ft_written_levels *levels =
            ft_levels_of_number(&learner->writing, i, &level, &within);
        FT_TRY(levels ? learn_level_number(learner, levels, level, within, &has_law)
                      : learn_number(learner, learner->writing.origins + i * sizes, &has_law));
        learner->is_stray[i] = !has_law;
        *ret_have_laws = *ret_have_laws && has_law;
    }
    return FT_OK;
}

/* A leaf that was written from a token on follows laws, but for its strays, of which those in
 * repetitions are marked. */
static int mark_leaf(struct learner *learner, size_t token, bool has_strays)
{
    const struct ft_nest_laws *laws = learner->laws;
    const size_t count = laws->nest.token_count - token;
    const struct strays strays = {.tokens = laws->nest.tokens + token,
                                  .are = calloc(count + 1, sizeof *strays.are)};
    int status = strays.are ? mark_sized(learner, token, true) : no_memory(learner->writing.diag);
    if (!status && has_strays)
        mark_strays(&strays, strays.tokens, count, learner->is_stray);
    for (size_t i = 0; !status && i < count; i++)
        laws->is_sized[token + i] = laws->is_sized[token + i] || strays.are[i];
    free(strays.are);
    return status;
}

/* Nodes of a leaf, or of an option, as all the sizes have them; false: too many accesses have
 * numbers without laws. */
static int learn_leaf(struct learner *learner, size_t first, size_t end, uint64_t sizes,
                      bool *ret_has_laws)
{
    struct ft_nest_laws *laws = learner->laws;
    const size_t token = laws->nest.token_count, number = laws->nest.number_count;
    const size_t law = laws->number_count;
    double strays = 0;
    learner->writing.origin_count = learner->writing.levels_count = 0;
    memset(learner->foreign, 0, sizeof learner->foreign);
    FT_TRY(ft_nest_write_list(&learner->writing, first, end, sizes));
    FT_TRY(learn_numbers(learner, ret_has_laws));
    if (!*ret_has_laws)
        FT_TRY(share_strays(learner, token, number, &strays));
    *ret_has_laws = strays + share_foreign(learner, first, end, sizes) <=
                    (learner->writing.levels_count ? LEVEL_STRAYS_MAX : STRAYS_MAX);
    if (*ret_has_laws)
        return mark_leaf(learner, token, strays > 0);
    laws->nest.token_count = token;
    laws->nest.number_count = number;
    laws->number_count = law;
    return FT_OK;
}

static int record(struct learner *learner, size_t first, size_t end)
{
    const size_t token = learner->laws->nest.token_count;
    learner->writing.origin_count = learner->writing.levels_count = 0;
    FT_TRY(ft_nest_write_list(&learner->writing, first, end, largest_of(learner)));
    FT_TRY(record_numbers(learner));
    return mark_sized(learner, token, false);
}

/* Whether a node is a bracket around leaves. */
static bool is_bracket(const struct learner *learner, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = ft_node_at(&learner->writing, node);
    if (at->kind == FT_NEST_ACCESS || at->kind == FT_NEST_IRREGULAR || at->kind == FT_LEVELS ||
        at->is_foreign)
        return false;
    return ft_tree_is_part(at) ? at->sizes == sizes && !at->repeated
                               : !ft_is_optional(&learner->writing, node, sizes);
}

/* Nodes outside of repetitions. */
static int learn_list(struct learner *learner, size_t first, uint64_t sizes)
{
    struct ft_nest *nest = &learner->laws->nest;
    for (size_t node = first; node != FT_TREE_END;) {
        const struct ft_tree_node *at = ft_node_at(&learner->writing, node);
        size_t next = at->next, place;
        bool has_laws = false;
        if (is_bracket(learner, node, sizes)) {
            if (!ft_nest_open(nest, at->kind, at->id, &place))
                return no_memory(learner->writing.diag);
            FT_TRY(mark_sized(learner, place, false));
            FT_TRY(learn_list(learner, at->child, sizes));
            ft_nest_close(nest, place);
        } else {
            if (ft_is_optional(&learner->writing, node, sizes) && !at->is_foreign)
                next = ft_end_of_option(&learner->writing, node, sizes);
            if (at->kind != FT_NEST_IRREGULAR)
                FT_TRY(learn_leaf(learner, node, next, sizes, &has_laws));
            if (!has_laws)
                FT_TRY(record(learner, node, next));
        }
        node = next;
    }
    return FT_OK;
}

static int learn(struct learner *learner)
{
    const uint64_t largest = largest_of(learner);
    learner->laws->nest.token_count = learner->laws->nest.number_count = 0;
    learner->laws->number_count = 0;
    FT_TRY(mark_sized(learner, 0, false));
    return learn_list(learner, learner->writing.tree->root, largest | (largest - 1));
}

int ft_nest_laws_learn(const struct ft_nest_tree *tree, const struct ft_nest *nests,
                       struct ft_law_search *search, struct ft_nest_laws *ret_laws,
                       struct ft_diag *diag)
{
    struct ft_nest_laws laws = {0};
    struct learner learner = {.search = search, .laws = &laws};
    int status = FT_OK;
    learner.writing = (struct ft_nest_writing){.write_levels = ft_levels_write,
                                               .tree = tree,
                                               .nests = nests,
                                               .sizes = ft_law_search_sizes(search),
                                               .into = &laws.nest,
                                               .executions = learner.executions,
                                               .foreign = learner.foreign,
                                               .diag = diag};
    for (size_t s = 0; !status && s < tree->size_count; s++)
        status = ft_nest_executions_make(&nests[s], &learner.executions[s], diag);
    if (!status)
        status = learn(&learner);
    if (!status && ft_law_search_widen(search))
        status = learn(&learner);
    for (size_t s = 0; s < tree->size_count; s++)
        ft_nest_executions_fini(&learner.executions[s]);
    ft_nest_writing_fini(&learner.writing);
    free(learner.is_stray);
    free(learner.memos);
    if (status) {
        ft_nest_laws_fini(&laws);
        return status;
    }
    *ret_laws = laws;
    return FT_OK;
}

/* ---- what follows laws ---- */

static double count_lawful(const struct ft_nest_laws *laws, const uint64_t *before, size_t at,
                           size_t end)
{
    double lawful = 0;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(laws->nest.tokens + at);
        const size_t next = at + element.head + element.length;
        if (laws->is_sized[at])
            lawful += (double)(before[next] - before[at]);
        else if (!element.counts)
            lawful += count_lawful(laws, before, at + element.head, next);
        at = next;
    }
    return lawful;
}

int ft_nest_laws_count(const struct ft_nest_laws *laws, struct ft_lawful_accesses *ret_accesses,
                       struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    const size_t end = laws->nest.token_count;
    FT_TRY(ft_nest_executions_make(&laws->nest, &executions, diag));
    ret_accesses->lawful = count_lawful(laws, executions.before, 0, end);
    ret_accesses->others = (double)executions.before[end] - ret_accesses->lawful;
    ft_nest_executions_fini(&executions);
    return FT_OK;
}
