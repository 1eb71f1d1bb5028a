/*
 * The terms that a repetition consists of are taken apart into single iterations. Terms behind it,
 * and, if it is counted from its end, before it, join it as long as all of their iterations go on
 * with the cycle; then it is turned so that it begins, or ends, with what joined.
 */
#include "engine/skeleton/cycles.h"

#include <stdlib.h>
#include <string.h>

#define ITERATIONS_MAX FT_FOLD_BLOCK_MAX /* of a cycle */
#define RUN_MAX        16U               /* of one term in it */

/* An iteration of a cycle: its numbers the first time, and by how much they change from one time
 * to the next. */
struct cycle_part {
    const uint32_t *tokens;
    size_t token_count, number_count;
    uint64_t *first, *steps;
};

struct cycle {
    struct cycle_part parts[ITERATIONS_MAX];
    size_t count;
    uint64_t *numbers; /* of the parts */
    size_t number_count;
    uint64_t times;          /* all of it */
    uint64_t before, behind; /* iterations that joined it */
};

/* ---- taking terms apart ---- */

/* Adds `iterations` of a body; numbers and steps are those of a REPEAT with it, or, of one, of the
 * body. */
static bool add_parts(struct cycle *cycle, const uint32_t *body, size_t length, size_t count,
                      uint64_t iterations, const uint64_t *numbers, const uint64_t *steps)
{
    if (iterations > RUN_MAX || cycle->count + iterations > ITERATIONS_MAX)
        return false;
    for (uint64_t i = 0; i < iterations; i++) {
        struct cycle_part *part = &cycle->parts[cycle->count++];
        *part =
            (struct cycle_part){body, length, count, cycle->numbers + cycle->number_count, NULL};
        part->steps = part->first + count;
        cycle->number_count += 2 * count;
        for (size_t k = 0; k < count; k++) {
            part->first[k] = numbers[k] + (i ? i * numbers[count + k] : 0);
            part->steps[k] = steps[k] + (i ? i * steps[count + k] : 0);
        }
    }
    return true;
}

/* False where parts are too many, or not as many each time, or a run that is kept. */
static bool take_apart(const struct ft_fold_term *term, bool keeps_runs, struct cycle *cycle)
{
    const uint64_t *numbers = term->first, *steps = term->steps;
    for (size_t at = 0; at < term->token_count;) {
        const struct ft_nest_element part = ft_nest_element(term->tokens + at);
        const uint32_t *body = term->tokens + at + part.head;
        const size_t all = ft_nest_element_numbers(&part, term->tokens + at);
        const bool repeats = part.kind == FT_NEST_REPEAT;
        if ((!repeats && part.kind != FT_NEST_ONCE) || (repeats && (keeps_runs || steps[0] != 0)) ||
            !add_parts(cycle, body, part.length, repeats ? part.body : all,
                       repeats ? numbers[0] : 1, numbers + repeats, steps + repeats))
            return false;
        numbers += all;
        steps += all;
        at += part.head + part.length;
    }
    return true;
}

/* The cycle of a repetition; false in *ret_is_one: it stays as it is. */
static bool make_cycle(const struct ft_fold_term *term, bool keeps_runs, struct cycle *cycle,
                       bool *ret_is_one)
{
    *cycle = (struct cycle){.times = term->count};
    *ret_is_one = false;
    if (term->block < 2)
        return true;
    cycle->numbers = calloc(2 * RUN_MAX * (term->number_count + (size_t)1), sizeof *cycle->numbers);
    if (!cycle->numbers)
        return false;
    *ret_is_one = take_apart(term, keeps_runs, cycle) && cycle->count > 0;
    return true;
}

/* ---- what joins ---- */

/* Whether an iteration is the one of the cycle that is `from` iterations behind its start. */
static bool goes_on(const struct cycle *cycle, const struct ft_fold_term *term, uint64_t iteration,
                    int64_t from)
{
    const int64_t period = (int64_t)cycle->count;
    const int64_t time = from >= 0 ? from / period : -((period - 1 - from) / period);
    const struct cycle_part *part = &cycle->parts[from - time * period];
    if (part->token_count != term->token_count || part->number_count != term->number_count ||
        memcmp(part->tokens, term->tokens, term->token_count * sizeof *term->tokens) != 0)
        return false;
    for (size_t k = 0; k < part->number_count; k++)
        if (term->first[k] + (iteration ? iteration * term->steps[k] : 0) !=
            part->first[k] + (uint64_t)time * part->steps[k])
            return false;
    return true;
}

/* Whether all iterations of a term go on with the cycle, from one on. */
static bool joins(const struct cycle *cycle, const struct ft_fold_term *term, int64_t from)
{
    if (term->block || term->is_geometric || term->count > cycle->count)
        return false;
    for (uint64_t i = 0; i < term->count; i++)
        if (!goes_on(cycle, term, i, from + (int64_t)i))
            return false;
    return true;
}

/* Whether trip counts in the parts fall from one time to the next, and none rises. */
static bool has_falling_counts(const uint32_t *tokens, size_t token_count, const uint64_t *steps,
                               bool *ret_rises)
{
    bool falls = false;
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        at += element.head;
        if (element.kind == FT_NEST_ACCESS)
            steps++;
        if (!element.counts)
            continue;
        falls = falls || (int64_t)steps[0] < 0 ||
                has_falling_counts(tokens + at, element.length, steps + element.counts, ret_rises);
        *ret_rises = *ret_rises || (int64_t)steps[0] > 0;
        steps += ft_nest_repeat_numbers(&element);
        at += element.length;
    }
    return falls;
}

static bool is_from_last(const struct cycle *cycle)
{
    bool falls = false, rises = false;
    for (size_t i = 0; i < cycle->count; i++) {
        const struct cycle_part *part = &cycle->parts[i];
        falls = has_falling_counts(part->tokens, part->token_count, part->steps, &rises) || falls;
    }
    return falls && !rises;
}

/* ---- writing ---- */

static bool write_term(const struct ft_fold_term *term, struct ft_nest *into)
{
    const struct ft_nest_span body = {term->tokens, term->token_count, term->first,
                                      term->number_count};
    return term->is_geometric ? ft_nest_add_geometric(into, &body, term->count, term->first)
                              : ft_nest_add_repeat(into, &body, term->count, term->steps);
}

/* The parts of a cycle that begins with the part `first`, with numbers as they are at the anchor;
 * last: the time at which the cycle's own first part runs last, if it is from there. */
static bool write_parts(const struct cycle *cycle, size_t first, uint64_t last, bool from_last,
                        struct ft_nest *parts, struct ft_nest *steps)
{
    for (size_t i = 0; i < cycle->count; i++) {
        const size_t at = (first + i) % cycle->count;
        const struct cycle_part *part = &cycle->parts[at];
        const uint64_t time = from_last ? last + (at < first) : 0;
        const struct ft_nest_span body = {part->tokens, part->token_count, part->first,
                                          part->number_count};
        const size_t number = parts->number_count;
        if (!ft_nest_add_repeat(parts, &body, 1, NULL) ||
            !ft_nest_add_repeat(steps, &body, 1, NULL))
            return false;
        for (size_t k = 0; k < part->number_count; k++) {
            parts->numbers[number + k] += time * part->steps[k];
            steps->numbers[number + k] = from_last ? 0 - part->steps[k] : part->steps[k];
        }
    }
    return true;
}

static bool write_cycle(const struct cycle *cycle, bool from_last, struct ft_nest *into)
{
    const uint64_t period = cycle->count ? cycle->count : 1;
    const uint64_t all = cycle->before + cycle->times * period + cycle->behind;
    const uint64_t count = (all + period - 1) / period;
    struct ft_nest parts = {0}, steps = {0};
    bool done = write_parts(cycle, from_last ? cycle->behind % period : 0,
                            cycle->times - 1 + cycle->behind / period, from_last, &parts, &steps);
    const struct ft_nest_cycle written = {.from =
                                              from_last ? FT_NEST_FROM_LAST : FT_NEST_FROM_FIRST,
                                          .count = count,
                                          .left_out = count * period - all,
                                          .parts = ft_nest_span(&parts),
                                          .steps = steps.numbers};
    done = done && ft_nest_add_cycle(into, &written);
    ft_nest_fini(&parts);
    ft_nest_fini(&steps);
    return done;
}

/* Takes in the terms around the i-th that go on with its cycle, but for those up to `written`;
 * *ret_first and *ret_end: those that are in it. */
static void join_terms(struct cycle *cycle, bool from_last, const struct ft_fold_term *terms,
                       size_t count, size_t i, size_t written, size_t *ret_first, size_t *ret_end)
{
    size_t first = i, end = i + 1;
    for (; end < count; end++) {
        const uint64_t from = cycle->times * cycle->count + cycle->behind;
        if (!joins(cycle, &terms[end], (int64_t)from))
            break;
        cycle->behind += terms[end].count;
    }
    for (; from_last && first > written; first--) {
        const struct ft_fold_term *term = &terms[first - 1];
        if (!joins(cycle, term, -(int64_t)(cycle->before + term->count)))
            break;
        cycle->before += term->count;
    }
    *ret_first = first;
    *ret_end = end;
}

bool ft_fold_write_terms(const struct ft_fold_term *terms, size_t count, bool keeps_runs,
                         struct ft_nest *into)
{
    size_t written = 0; /* terms */
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        struct cycle cycle;
        size_t first, end;
        bool is_one;
        done = make_cycle(&terms[i], keeps_runs, &cycle, &is_one);
        if (done && is_one) {
            const bool from_last = is_from_last(&cycle);
            join_terms(&cycle, from_last, terms, count, i, written, &first, &end);
            for (; done && written < first; written++)
                done = write_term(&terms[written], into);
            done = done && write_cycle(&cycle, from_last, into);
            written = end;
            i = end - 1;
        }
        free(cycle.numbers);
    }
    for (; done && written < count; written++)
        done = write_term(&terms[written], into);
    return done;
}
