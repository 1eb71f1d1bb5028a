/*
 * An iteration either continues the last term or starts one. Two iterations of one shape always
 * make a term; if the third does not continue it, the first was not of it and is split off. But a
 * pair in which loops run as often is as sure as three: a third in which they run more or less
 * often is not of it. And a pair in which they do not is none if nothing continues it, as any two
 * counts are on a line: such as of a last tile, or of a remainder. Before a term is started those
 * before it are final: if the last w of them continue the repetition before them they join it; if
 * the last 3w are w terms three times, each number changing by the same amount, they become one.
 */
#include "engine/skeleton/folding.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/cycles.h"
#include "engine/skeleton/geometric.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"

void ft_fold_scratch_fini(struct ft_fold_scratch *scratch)
{
    for (size_t i = 0; i < 3; i++)
        ft_nest_fini(&scratch->blocks[i]);
}

static void drop_terms(struct ft_folding *folding, size_t first)
{
    for (size_t i = first; i < folding->term_count; i++) {
        folding->words -= ft_fold_term_words(&folding->terms[i]);
        free(folding->terms[i].first);
    }
    folding->term_count = first;
}

void ft_folding_clear(struct ft_folding *folding)
{
    drop_terms(folding, 0);
}

void ft_folding_fini(struct ft_folding *folding)
{
    drop_terms(folding, 0);
    free(folding->terms);
    *folding = (struct ft_folding){0};
}

/* ---- terms ---- */

static void hash_term(struct ft_fold_term *term)
{
    uint64_t hash = ft_hash_mix(term->token_count + (term->count > 1) + 2 * term->is_geometric);
    for (uint32_t i = 0; i < term->token_count; i++)
        hash = ft_hash_mix(hash ^ term->tokens[i]);
    term->hash = hash;
}

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the iterations of a loop");
}

/* A term of one iteration. */
static int push_term(struct ft_folding *folding, const struct ft_nest_span *body, uint32_t block,
                     struct ft_diag *diag)
{
    size_t numbers = body->number_count, tokens = body->token_count;
    uint64_t *memory = malloc((2 * numbers + 1) * sizeof *memory + tokens * sizeof(uint32_t));
    if (!memory || !FT_RESERVE(folding->terms, folding->capacity, folding->term_count + 1)) {
        free(memory);
        return no_memory(diag);
    }
    struct ft_fold_term *term = &folding->terms[folding->term_count++];
    *term = (struct ft_fold_term){.count = 1,
                                  .tokens = (uint32_t *)(memory + 2 * numbers + 1),
                                  .first = memory,
                                  .steps = memory + numbers,
                                  .token_count = (uint32_t)tokens,
                                  .number_count = (uint32_t)numbers,
                                  .block = block};
    memcpy(term->tokens, body->tokens, tokens * sizeof *term->tokens);
    if (numbers)
        memcpy(memory, body->numbers, numbers * sizeof *memory);
    hash_term(term);
    folding->words += tokens + 2 * numbers;
    return FT_OK;
}

static struct ft_nest_span body_of(const struct ft_fold_term *term)
{
    return (struct ft_nest_span){term->tokens, term->token_count, term->first, term->number_count};
}

static bool has_shape(const struct ft_fold_term *term, const struct ft_nest_span *body)
{
    return term->token_count == body->token_count && term->number_count == body->number_count &&
           memcmp(term->tokens, body->tokens, body->token_count * sizeof *body->tokens) == 0;
}

/* Whether a body of the term's shape is its next iteration; of one iteration each is. */
static bool continues(const struct ft_fold_term *term, const struct ft_nest_span *body)
{
    if (term->count == 1)
        return true;
    for (uint32_t k = 0; k < term->number_count; k++)
        if (body->numbers[k] != ft_fold_number_at(term, k, term->count))
            return false;
    return true;
}

static void extend(struct ft_fold_term *term, const struct ft_nest_span *body)
{
    if (term->count++ > 1)
        return;
    for (uint32_t k = 0; k < term->number_count; k++)
        term->steps[k] = body->numbers[k] - term->first[k];
    hash_term(term);
}

/* The last term, of one iteration, becomes the geometric one of `count`. */
static int make_geometric(struct ft_folding *folding, const uint64_t *rows, uint64_t count,
                          struct ft_diag *diag)
{
    struct ft_fold_term *term = &folding->terms[folding->term_count - 1];
    const size_t numbers = FT_NEST_GEOMETRIC_ROWS * (size_t)term->number_count;
    uint64_t *memory = malloc(numbers * sizeof *memory + term->token_count * sizeof(uint32_t));
    if (!memory)
        return no_memory(diag);
    memcpy(memory, rows, numbers * sizeof *memory);
    memcpy(memory + numbers, term->tokens, term->token_count * sizeof *term->tokens);
    folding->words -= ft_fold_term_words(term);
    free(term->first);
    term->first = memory;
    term->steps = memory + term->number_count;
    term->tokens = (uint32_t *)(memory + numbers);
    term->count = count;
    term->is_geometric = true;
    folding->words += ft_fold_term_words(term);
    hash_term(term);
    return FT_OK;
}

/* ---- repetitions of terms ---- */

static bool write_block(const struct ft_folding *folding, size_t first, size_t count,
                        struct ft_nest *into)
{
    ft_nest_clear(into);
    return ft_fold_write_terms(folding->terms + first, count, folding->keeps_runs, into);
}

/* Whether the last terms are the next repetition of what is before them; joins them if so. */
static int join_repetition(struct ft_folding *folding, struct ft_fold_scratch *scratch,
                           bool *ret_joined, struct ft_diag *diag)
{
    *ret_joined = false;
    for (size_t w = 1; w <= FT_FOLD_BLOCK_MAX && w < folding->term_count; w++) {
        struct ft_fold_term *term = &folding->terms[folding->term_count - 1 - w];
        if (term->block != w)
            continue;
        if (!write_block(folding, folding->term_count - w, w, &scratch->blocks[0]))
            return no_memory(diag);
        struct ft_nest_span body = ft_nest_span(&scratch->blocks[0]);
        if (!has_shape(term, &body) || !continues(term, &body))
            continue;
        extend(term, &body);
        drop_terms(folding, folding->term_count - w);
        *ret_joined = true;
        return FT_OK;
    }
    return FT_OK;
}

static bool numbers_progress(const uint64_t *a, const uint64_t *b, const uint64_t *c, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (c[k] - b[k] != b[k] - a[k])
            return false;
    return true;
}

static bool terms_progress(const struct ft_fold_term *a, const struct ft_fold_term *b,
                           const struct ft_fold_term *c)
{
    return c->count - b->count == b->count - a->count &&
           numbers_progress(a->first, b->first, c->first, a->number_count) &&
           (a->count == 1 ||
            numbers_progress(a->steps, b->steps, c->steps,
                             a->number_count *
                                 (a->is_geometric ? FT_NEST_GEOMETRIC_ROWS - 1U : 1U)));
}

bool ft_fold_same_shape(const struct ft_fold_term *a, const struct ft_fold_term *b)
{
    struct ft_nest_span body = body_of(b);
    return has_shape(a, &body);
}

static bool are_alike(const struct ft_fold_term *a, const struct ft_fold_term *b)
{
    return a->hash == b->hash && (a->count > 1) == (b->count > 1) &&
           a->is_geometric == b->is_geometric && ft_fold_same_shape(a, b);
}

/* Whether the last 3w terms are w terms three times. */
static bool repeats(const struct ft_folding *folding, size_t w)
{
    const struct ft_fold_term *terms = folding->terms + folding->term_count - 3 * w;
    if (w == 1 && terms[0].count == 1)
        return false; /* iterations that did not continue each other */
    for (size_t i = 0; i < 2 * w; i++)
        if (terms[i].hash != terms[i + w].hash)
            return false;
    for (size_t i = 0; i < w; i++)
        if (!are_alike(&terms[i], &terms[i + w]) || !are_alike(&terms[i], &terms[i + 2 * w]) ||
            !terms_progress(&terms[i], &terms[i + w], &terms[i + 2 * w]))
            return false;
    return true;
}

/* The last 3w terms as three nests; false in *ret_progress where these do not progress, as where a
 * cycle's trip count and strides both change. */
static int write_blocks(const struct ft_folding *folding, size_t w, struct ft_nest blocks[3],
                        bool *ret_progress, struct ft_diag *diag)
{
    const size_t first = folding->term_count - 3 * w;
    for (size_t i = 0; i < 3; i++)
        if (!write_block(folding, first + i * w, w, &blocks[i]))
            return no_memory(diag);
    *ret_progress = true;
    for (size_t i = 1; i < 3; i++)
        *ret_progress = *ret_progress && blocks[i].token_count == blocks[0].token_count &&
                        memcmp(blocks[i].tokens, blocks[0].tokens,
                               blocks[0].token_count * sizeof *blocks[0].tokens) == 0;
    *ret_progress = *ret_progress && numbers_progress(blocks[0].numbers, blocks[1].numbers,
                                                      blocks[2].numbers, blocks[0].number_count);
    return FT_OK;
}

/* Whether the last terms are a sequence three times; makes one term of them if so. */
static int find_repetition(struct ft_folding *folding, struct ft_fold_scratch *scratch,
                           bool *ret_found, struct ft_diag *diag)
{
    *ret_found = false;
    for (size_t w = 1; w <= FT_FOLD_BLOCK_MAX && 3 * w <= folding->term_count; w++) {
        size_t first = folding->term_count - 3 * w;
        bool progress = false;
        if (!repeats(folding, w))
            continue;
        FT_TRY(write_blocks(folding, w, scratch->blocks, &progress, diag));
        if (!progress)
            continue;
        drop_terms(folding, first);
        struct ft_nest_span bodies[3];
        for (size_t i = 0; i < 3; i++)
            bodies[i] = ft_nest_span(&scratch->blocks[i]);
        FT_TRY(push_term(folding, &bodies[0], (uint32_t)w, diag));
        extend(&folding->terms[first], &bodies[1]);
        extend(&folding->terms[first], &bodies[2]);
        *ret_found = true;
        return FT_OK;
    }
    return FT_OK;
}

/* ---- iterations that double ---- */

/* The last iterations, of one shape, in terms of one, the last of one or two. */
struct iterations {
    const uint64_t *numbers[FT_GEOMETRIC_MIN + 1]; /* of each */
    size_t count, terms;
};

/* FT_GEOMETRIC_MIN of them, or one more that would be left alone; none if there are fewer. two: the
 * numbers of the second iteration of the last term. */
static struct iterations last_iterations(const struct ft_folding *folding, const uint64_t *two)
{
    const struct ft_fold_term *last = folding->terms + folding->term_count - 1;
    const size_t most = FT_GEOMETRIC_MIN + last->count - 1;
    const uint64_t *backwards[FT_GEOMETRIC_MIN + 1];
    struct iterations found = {.count = 0};
    if (last->block || last->count > 2)
        return found;
    if (last->count == 2)
        backwards[found.count++] = two;
    for (const struct ft_fold_term *term = last; found.count < most; term--) {
        if (term->block || (term != last && term->count > 1) || !ft_fold_same_shape(term, last))
            break;
        backwards[found.count++] = term->first;
        found.terms++;
        if (term == folding->terms)
            break;
    }
    for (size_t i = 0; i < found.count; i++)
        found.numbers[i] = backwards[found.count - 1 - i];
    return found.count < FT_GEOMETRIC_MIN ? (struct iterations){.count = 0} : found;
}

/* Whether the iterations, from `first` on, are geometric: some determine the rows, the others must
 * go on with them. */
static bool are_geometric(const struct iterations *iterations, size_t first, size_t number_count,
                          uint64_t *ret_rows)
{
    const struct ft_nest_element element = {.kind = FT_NEST_GEOMETRIC, .body = number_count};
    if (!ft_geometric_find(iterations->numbers + first, number_count, ret_rows))
        return false;
    for (size_t i = first + FT_GEOMETRIC_MIN; i < iterations->count; i++)
        for (size_t k = 0; k < number_count; k++)
            if (ft_nest_number_at(&element, ret_rows, k, i - first) != iterations->numbers[i][k])
                return false;
    return true;
}

/* Without inner loops iterations that double are few, and no more than chance. */
static bool has_loops(const struct ft_fold_term *term)
{
    bool found = false;
    for (size_t at = 0; at < term->token_count && !found;) {
        const struct ft_nest_element element = ft_nest_element(term->tokens + at);
        found = element.counts;
        at += element.head; /* into the brackets */
    }
    return found;
}

/* Makes one term of the last ones, in which each number doubles, halves or progresses. */
static int find_geometric(struct ft_folding *folding, bool *ret_found, struct ft_diag *diag)
{
    *ret_found = false;
    if (folding->term_count + 1 < FT_GEOMETRIC_MIN)
        return FT_OK;
    const struct ft_fold_term *last = &folding->terms[folding->term_count - 1];
    const size_t count = last->number_count;
    if (!has_loops(last))
        return FT_OK;
    uint64_t *rows = malloc((FT_NEST_GEOMETRIC_ROWS + 1) * count * sizeof *rows);
    if (!rows)
        return no_memory(diag);
    uint64_t *two = rows + FT_NEST_GEOMETRIC_ROWS * count;
    for (size_t k = 0; last->count == 2 && k < count; k++)
        two[k] = ft_fold_number_at(last, k, 1);
    const struct iterations iterations = last_iterations(folding, two);
    const size_t spare = iterations.count > FT_GEOMETRIC_MIN ? 1 : 0;
    size_t first = 0; /* iteration */
    while (iterations.count && first <= spare && !are_geometric(&iterations, first, count, rows))
        first++;
    int status = FT_OK;
    if (iterations.count && first <= spare) {
        drop_terms(folding, folding->term_count - iterations.terms + first + 1);
        status = make_geometric(folding, rows, iterations.count - first, diag);
        *ret_found = !status;
    }
    free(rows);
    return status;
}

/* Whether the iterations of the last term go on with those of the one before, which double; joins
 * them if so. */
static void join_geometric(struct ft_folding *folding, bool *ret_joined)
{
    *ret_joined = false;
    if (folding->term_count < 2)
        return;
    const struct ft_fold_term *last = &folding->terms[folding->term_count - 1];
    struct ft_fold_term *term = &folding->terms[folding->term_count - 2];
    if (!term->is_geometric || last->block || last->is_geometric || !ft_fold_same_shape(term, last))
        return;
    for (uint64_t i = 0; i < last->count; i++)
        for (uint32_t k = 0; k < term->number_count; k++)
            if (ft_fold_number_at(term, k, term->count + i) !=
                (i ? ft_fold_number_at(last, k, i) : last->first[k]))
                return;
    term->count += last->count;
    drop_terms(folding, folding->term_count - 1);
    *ret_joined = true;
}

/* All terms are final. */
static int fold_terms(struct ft_folding *folding, struct ft_fold_scratch *scratch,
                      struct ft_diag *diag)
{
    for (bool changed = true; changed;) {
        FT_TRY(join_repetition(folding, scratch, &changed, diag));
        if (!changed)
            FT_TRY(find_repetition(folding, scratch, &changed, diag));
        if (!changed)
            join_geometric(folding, &changed);
        if (!changed)
            FT_TRY(find_geometric(folding, &changed, diag));
    }
    return FT_OK;
}

/* ---- pairs ---- */

/* Whether a number of the second iteration of a pair is another one in the first; or, if there is
 * one, in a third. */
static bool is_changed(const struct ft_fold_term *pair, const uint64_t *third, size_t k)
{
    return third ? third[k] != pair->first[k] + pair->steps[k] : pair->steps[k] != 0;
}

/* Whether repetitions in tokens of a pair, whose numbers begin at *number, run another number of
 * times then; moves *number behind them. */
static bool counts_change(const struct ft_fold_term *pair, const uint64_t *third,
                          const uint32_t *tokens, size_t token_count, size_t *number)
{
    bool change = false;
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        for (size_t i = 0; i < element.counts; i++)
            change = is_changed(pair, third, (*number)++) || change;
        for (size_t row = 0; row < (element.counts ? element.rows : 1) && element.length > 0; row++)
            change = counts_change(pair, third, body, element.length, number) || change;
        *number += element.kind == FT_NEST_ACCESS;
        at += element.head + element.length;
    }
    return change;
}

static bool pair_counts_change(const struct ft_fold_term *pair, const uint64_t *third)
{
    size_t number = 0;
    return counts_change(pair, third, pair->tokens, pair->token_count, &number);
}

static bool is_pair(const struct ft_fold_term *term)
{
    return term->block == 0 && term->count == 2 && !term->is_geometric;
}

/* Whether a pair that nothing continues is none. third: the next iteration, if it has its shape, or
 * NULL: with that the second one may make a better pair. */
static bool is_loose(const struct ft_fold_term *pair, const uint64_t *third)
{
    return pair_counts_change(pair, NULL) || (third && !pair_counts_change(pair, third));
}

/* ---- iterations ---- */

/* The second iteration of the last term starts a term of its own. */
static int split_last(struct ft_folding *folding, struct ft_fold_scratch *scratch,
                      struct ft_diag *diag)
{
    struct ft_fold_term *last = &folding->terms[folding->term_count - 1];
    struct ft_nest *second = &scratch->blocks[0];
    struct ft_nest_span body = body_of(last);
    ft_nest_clear(second);
    if (!ft_nest_add(second, &body))
        return no_memory(diag);
    for (uint32_t k = 0; k < last->number_count; k++)
        second->numbers[k] += last->steps[k];
    last->count = 1;
    hash_term(last);
    struct ft_nest copy = *second; /* folding needs the scratch */
    *second = (struct ft_nest){0};
    int status = fold_terms(folding, scratch, diag);
    body = ft_nest_span(&copy);
    if (!status)
        status = push_term(folding, &body, 0, diag);
    ft_nest_fini(&copy);
    return status;
}

int ft_folding_add(struct ft_folding *folding, const struct ft_nest *iteration,
                   struct ft_fold_scratch *scratch, struct ft_diag *diag)
{
    struct ft_nest_span body = ft_nest_span(iteration);
    if (folding->term_count) {
        struct ft_fold_term *last = &folding->terms[folding->term_count - 1];
        const bool is_of_it = last->block == 0 && has_shape(last, &body);
        const uint64_t *third = is_of_it ? body.numbers : NULL;
        if (is_pair(last) && !(is_of_it && continues(last, &body)) && is_loose(last, third)) {
            FT_TRY(split_last(folding, scratch, diag));
            last = &folding->terms[folding->term_count - 1];
        }
        if (is_of_it && continues(last, &body)) {
            extend(last, &body);
            return FT_OK;
        }
        FT_TRY(fold_terms(folding, scratch, diag));
    }
    return push_term(folding, &body, 0, diag);
}

int ft_folding_end(struct ft_folding *folding, struct ft_nest *into,
                   struct ft_fold_scratch *scratch, struct ft_diag *diag)
{
    if (folding->term_count) {
        const struct ft_fold_term *last = &folding->terms[folding->term_count - 1];
        if (is_pair(last) && is_loose(last, NULL))
            FT_TRY(split_last(folding, scratch, diag));
    }
    FT_TRY(fold_terms(folding, scratch, diag));
    return ft_fold_write_terms(folding->terms, folding->term_count, folding->keeps_runs, into)
               ? FT_OK
               : no_memory(diag);
}
