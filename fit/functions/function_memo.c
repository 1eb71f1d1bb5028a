/*
 * A table with one place a hash value; the newest question takes the place. Bits are compared, not
 * values: a hit gives what a new fit would.
 */
#include "fit/functions/function_memo.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash_table.h"

#define PLACES 512U /* a power of two; more than one histogram asks */

struct place {
    bool used;
    size_t first, count;
    struct ft_expectation expectation;
    struct ft_function function;
};

struct ft_function_memo {
    size_t count_max;
    uint64_t hashes[PLACES]; /* most questions are new: these alone tell, and are near */
    struct place places[PLACES];
    double values[]; /* [place * count_max + i]: of sizes from the first on */
};

struct ft_function_memo *ft_function_memo_create(size_t count_max)
{
    struct ft_function_memo *memo =
        calloc(1, sizeof *memo + PLACES * count_max * sizeof *memo->values);
    if (memo)
        memo->count_max = count_max;
    return memo;
}

void ft_function_memo_destroy(struct ft_function_memo *memo)
{
    free(memo);
}

static uint64_t hash_of(const struct ft_fit_question *question)
{
    uint64_t hash = question->first;
    for (size_t i = question->first; i < question->count; i++) {
        uint64_t bits;
        memcpy(&bits, &question->y[i], sizeof bits);
        hash = ft_hash_add(hash, bits);
    }
    return hash;
}

static bool same_expectation(const struct ft_expectation *a, const struct ft_expectation *b)
{
    return a->terms == b->terms && a->further == b->further && a->faster == b->faster &&
           a->scattered == b->scattered && a->rounding == b->rounding && a->leading == b->leading;
}

bool ft_function_memo_find(const struct ft_function_memo *memo,
                           const struct ft_fit_question *question, struct ft_function *ret_function)
{
    const uint64_t hash = hash_of(question);
    const size_t at = hash & (PLACES - 1);
    const struct place *place = &memo->places[at];
    if (memo->hashes[at] != hash || !place->used || place->first != question->first ||
        place->count != question->count ||
        !same_expectation(&place->expectation, question->expectation) ||
        memcmp(memo->values + at * memo->count_max, question->y + question->first,
               (question->count - question->first) * sizeof *question->y) != 0)
        return false;
    *ret_function = place->function;
    return true;
}

void ft_function_memo_keep(struct ft_function_memo *memo, const struct ft_fit_question *question,
                           const struct ft_function *function)
{
    const uint64_t hash = hash_of(question);
    const size_t at = hash & (PLACES - 1);
    memo->hashes[at] = hash;
    memo->places[at] =
        (struct place){true, question->first, question->count, *question->expectation, *function};
    memcpy(memo->values + at * memo->count_max, question->y + question->first,
           (question->count - question->first) * sizeof *question->y);
}
