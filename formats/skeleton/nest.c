/*
 * Appending to nests, and counting their accesses: iterations whose inner trip counts do not change
 * are counted at once, others one by one.
 */
#include "formats/skeleton/nest.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_nest_fini(struct ft_nest *nest)
{
    free(nest->tokens);
    free(nest->numbers);
    *nest = (struct ft_nest){0};
}

struct ft_nest_span ft_nest_span(const struct ft_nest *nest)
{
    return (struct ft_nest_span){nest->tokens, nest->token_count, nest->numbers,
                                 nest->number_count};
}

size_t ft_nest_element_numbers(const struct ft_nest_element *element, const uint32_t *tokens)
{
    if (element->kind == FT_NEST_ACCESS)
        return 1;
    if (element->kind == FT_NEST_IRREGULAR)
        return 0;
    if (element->kind == FT_NEST_REPEAT)
        return 1 + 2 * element->body;
    size_t numbers = 0;
    for (size_t at = 0; at < element->length;) {
        const uint32_t *inner = tokens + element->head + at;
        struct ft_nest_element next = ft_nest_element(inner);
        numbers += ft_nest_element_numbers(&next, inner);
        at += next.head + next.length;
    }
    return numbers;
}

size_t ft_nest_element_count(const uint32_t *tokens, size_t token_count)
{
    size_t count = 0;
    for (size_t at = 0; at < token_count; count++) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        at += element.head + element.length;
    }
    return count;
}

/* ---- appending ---- */

static bool reserve(struct ft_nest *nest, size_t tokens, size_t numbers)
{
    return FT_RESERVE(nest->tokens, nest->token_capacity, nest->token_count + tokens) &&
           FT_RESERVE(nest->numbers, nest->number_capacity, nest->number_count + numbers);
}

bool ft_nest_add_access(struct ft_nest *nest, uint32_t reference, uint64_t address)
{
    if (!reserve(nest, 1, 1))
        return false;
    nest->tokens[nest->token_count++] = ft_nest_token(FT_NEST_ACCESS, reference);
    nest->numbers[nest->number_count++] = address;
    return true;
}

bool ft_nest_add_irregular(struct ft_nest *nest, uint32_t id)
{
    if (!reserve(nest, 1, 0))
        return false;
    nest->tokens[nest->token_count++] = ft_nest_token(FT_NEST_IRREGULAR, id);
    return true;
}

bool ft_nest_add(struct ft_nest *nest, const struct ft_nest_span *span)
{
    if (!reserve(nest, span->token_count, span->number_count))
        return false;
    if (span->token_count)
        memcpy(nest->tokens + nest->token_count, span->tokens,
               span->token_count * sizeof *nest->tokens);
    if (span->number_count)
        memcpy(nest->numbers + nest->number_count, span->numbers,
               span->number_count * sizeof *nest->numbers);
    nest->token_count += span->token_count;
    nest->number_count += span->number_count;
    return true;
}

bool ft_nest_open(struct ft_nest *nest, enum ft_nest_kind kind, uint32_t id, size_t *ret_place)
{
    if (!reserve(nest, 2, 0))
        return false;
    *ret_place = nest->token_count;
    nest->tokens[nest->token_count++] = ft_nest_token(kind, id);
    nest->tokens[nest->token_count++] = 0;
    return true;
}

void ft_nest_close(struct ft_nest *nest, size_t place)
{
    size_t length = nest->token_count - place - 2;
    if (length == 0)
        nest->token_count = place;
    else
        nest->tokens[place + 1] = (uint32_t)length;
}

bool ft_nest_add_repeat(struct ft_nest *nest, const struct ft_nest_span *body, uint64_t count,
                        const uint64_t *steps)
{
    if (!reserve(nest, body->token_count + 3, 2 * body->number_count + 1))
        return false;
    bool once = count == 1;
    nest->tokens[nest->token_count++] = ft_nest_token(once ? FT_NEST_ONCE : FT_NEST_REPEAT, 0);
    nest->tokens[nest->token_count++] = (uint32_t)body->token_count;
    if (!once) {
        nest->tokens[nest->token_count++] = (uint32_t)body->number_count;
        nest->numbers[nest->number_count++] = count;
    }
    ft_nest_add(nest, body); /* there is room */
    if (!once && body->number_count) {
        memcpy(nest->numbers + nest->number_count, steps, body->number_count * sizeof *steps);
        nest->number_count += body->number_count;
    }
    return true;
}

/* ---- counting ---- */

struct counting {
    ft_nest_counter *add;
    void *context;
};

static int count_span(const struct counting *counting, const uint32_t *tokens, size_t token_count,
                      const uint64_t *numbers, uint64_t times, struct ft_diag *diag);

/* Whether iterations run inner loops a different number of times; steps: of the body's numbers. */
static bool inner_counts_change(const uint32_t *tokens, size_t token_count, const uint64_t *steps)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_REPEAT) {
            const uint32_t *body = tokens + at + element.head;
            if (steps[0] || inner_counts_change(body, element.length, steps + 1) ||
                inner_counts_change(body, element.length, steps + 1 + element.body))
                return true;
            steps += 1 + 2 * element.body;
            at += element.head + element.length;
        } else if (element.kind == FT_NEST_ACCESS) {
            steps++;
            at++;
        } else {
            at += element.head; /* into the brackets */
        }
    }
    return false;
}

static int count_repeat(const struct counting *counting, const struct ft_nest_element *element,
                        const uint32_t *body, const uint64_t *numbers, uint64_t times,
                        struct ft_diag *diag)
{
    const uint64_t iterations = numbers[0], *first = numbers + 1, *steps = first + element->body;
    if (!inner_counts_change(body, element->length, steps))
        return count_span(counting, body, element->length, first, times * iterations, diag);
    uint64_t *now = malloc(element->body * sizeof *now);
    if (!now)
        return ft_fail_memory(diag, "a loop nest");
    memcpy(now, first, element->body * sizeof *now);
    int status = FT_OK;
    for (uint64_t i = 0; !status && i < iterations; i++) {
        status = count_span(counting, body, element->length, now, times, diag);
        for (size_t k = 0; k < element->body; k++)
            now[k] += steps[k];
    }
    free(now);
    return status;
}

static int count_span(const struct counting *counting, const uint32_t *tokens, size_t token_count,
                      const uint64_t *numbers, uint64_t times, struct ft_diag *diag)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_REPEAT) {
            FT_TRY(
                count_repeat(counting, &element, tokens + at + element.head, numbers, times, diag));
            numbers += 1 + 2 * element.body;
            at += element.head + element.length;
            continue;
        }
        if (element.kind == FT_NEST_ACCESS) {
            counting->add(counting->context, tokens + at, times);
            numbers++;
        }
        at += element.head;
    }
    return FT_OK;
}

int ft_nest_count(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                  struct ft_diag *diag)
{
    struct counting counting = {add, context};
    return count_span(&counting, span->tokens, span->token_count, span->numbers, 1, diag);
}
