/*
 * Appending to nests, what iterations run, and counting their accesses: iterations whose inner trip
 * counts do not change are counted at once, others one by one.
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
    if (element->counts)
        return ft_nest_repeat_numbers(element);
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

bool ft_nest_add_cycle(struct ft_nest *nest, const struct ft_nest_cycle *cycle)
{
    const size_t numbers = cycle->parts.number_count;
    if (!reserve(nest, cycle->parts.token_count + 3, 2 * numbers + 2))
        return false;
    nest->tokens[nest->token_count++] = ft_nest_token(FT_NEST_CYCLE, cycle->from);
    nest->tokens[nest->token_count++] = (uint32_t)cycle->parts.token_count;
    nest->tokens[nest->token_count++] = (uint32_t)numbers;
    nest->numbers[nest->number_count++] = cycle->count;
    nest->numbers[nest->number_count++] = cycle->left_out;
    ft_nest_add(nest, &cycle->parts); /* there is room */
    if (numbers)
        memcpy(nest->numbers + nest->number_count, cycle->steps, numbers * sizeof *cycle->steps);
    nest->number_count += numbers;
    return true;
}

bool ft_nest_add_geometric(struct ft_nest *nest, const struct ft_nest_span *body, uint64_t count,
                           const uint64_t *rows)
{
    const size_t numbers = FT_NEST_GEOMETRIC_ROWS * body->number_count;
    if (!reserve(nest, body->token_count + 3, numbers + 1))
        return false;
    nest->tokens[nest->token_count++] = ft_nest_token(FT_NEST_GEOMETRIC, 0);
    nest->tokens[nest->token_count++] = (uint32_t)body->token_count;
    nest->tokens[nest->token_count++] = (uint32_t)body->number_count;
    nest->numbers[nest->number_count++] = count;
    const struct ft_nest_span all = {body->tokens, body->token_count, rows, numbers};
    return ft_nest_add(nest, &all);
}

/* ---- iterations ---- */

/* number * 2^exponent */
static uint64_t scaled(uint64_t number, int64_t exponent)
{
    if (exponent >= 0)
        return exponent < 64 ? number << exponent : 0;
    return (uint64_t)((int64_t)number >> (exponent > -64 ? -exponent : 63));
}

uint64_t ft_nest_growth(uint64_t power, uint64_t exponent, uint64_t i)
{
    uint64_t sum = 0;
    for (uint64_t m = 0; m < i && power; m++) {
        sum += power;
        power = scaled(power, (int64_t)exponent);
        if (power == UINT64_MAX && (int64_t)exponent < 0) /* it stays so */
            return sum - (i - m - 1);
    }
    return sum;
}

/* The tokens, and numbers, of the first parts of a body. */
static size_t count_parts(const uint32_t *tokens, size_t token_count, uint64_t parts,
                          size_t *ret_numbers)
{
    size_t at = 0;
    *ret_numbers = 0;
    for (uint64_t part = 0; part < parts && at < token_count; part++) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        *ret_numbers += ft_nest_element_numbers(&element, tokens + at);
        at += element.head + element.length;
    }
    return at;
}

struct ft_nest_time ft_nest_time(const struct ft_nest_element *element, const uint32_t *body,
                                 const uint64_t *numbers, uint64_t i)
{
    struct ft_nest_time time = {0, element->length, 0};
    size_t unused;
    if (element->kind != FT_NEST_CYCLE || numbers[1] == 0)
        return time;
    if (element->id == FT_NEST_FROM_LAST && i == 0) {
        time.at = count_parts(body, element->length, numbers[1], &time.number);
    } else if (element->id == FT_NEST_FROM_FIRST && i + 1 == numbers[0]) {
        const size_t parts = ft_nest_element_count(body, element->length);
        time.end = count_parts(body, element->length, numbers[1] < parts ? parts - numbers[1] : 0,
                               &unused);
    }
    return time;
}

/* ---- counting ---- */

struct counting {
    ft_nest_counter *add;
    void *context;
    bool is_of_all; /* elements, not accesses alone */
};

static int count_span(const struct counting *counting, const uint32_t *tokens, size_t token_count,
                      const uint64_t *numbers, uint64_t times, struct ft_diag *diag);

/* Whether iterations run inner loops a different number of times; steps: of the body's numbers. */
static bool inner_counts_change(const uint32_t *tokens, size_t token_count, const uint64_t *steps)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.counts) {
            const uint32_t *body = tokens + at + element.head;
            if (steps[0] || steps[element.counts - 1])
                return true;
            for (size_t row = 0; row < element.rows; row++)
                if (inner_counts_change(body, element.length,
                                        steps + element.counts + row * element.body))
                    return true;
            steps += ft_nest_repeat_numbers(&element);
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

/* `iterations` of a body, whose numbers are `now` at first. */
static int count_iterations(const struct counting *counting, const struct ft_nest_element *element,
                            const uint32_t *body, uint64_t *now, const uint64_t *steps,
                            uint64_t iterations, uint64_t times, struct ft_diag *diag)
{
    if (!inner_counts_change(body, element->length, steps))
        return count_span(counting, body, element->length, now, times * iterations, diag);
    for (uint64_t i = 0; i < iterations; i++) {
        FT_TRY(count_span(counting, body, element->length, now, times, diag));
        for (size_t k = 0; k < element->body; k++)
            now[k] += steps[k];
    }
    return FT_OK;
}

/* The one time of a cycle that is not whole. */
static int count_rest(const struct counting *counting, const struct ft_nest_element *element,
                      const uint32_t *body, uint64_t *now, const uint64_t *numbers, uint64_t times,
                      struct ft_diag *diag)
{
    const uint64_t i = element->id == FT_NEST_FROM_FIRST ? numbers[0] - 1 : 0;
    const struct ft_nest_time time = ft_nest_time(element, body, numbers, i);
    for (size_t k = 0; k < element->body; k++)
        now[k] = ft_nest_number_at(element, numbers, k, i);
    return count_span(counting, body + time.at, time.end - time.at, now + time.number, times, diag);
}

/* Each iteration by itself. */
static int count_geometric(const struct counting *counting, const struct ft_nest_element *element,
                           const uint32_t *body, uint64_t *now, const uint64_t *numbers,
                           uint64_t times, struct ft_diag *diag)
{
    for (uint64_t i = 0; i < numbers[0]; i++) {
        for (size_t k = 0; k < element->body; k++)
            now[k] = ft_nest_number_at(element, numbers, k, i);
        FT_TRY(count_span(counting, body, element->length, now, times, diag));
    }
    return FT_OK;
}

static int count_repeat(const struct counting *counting, const struct ft_nest_element *element,
                        const uint32_t *body, const uint64_t *numbers, uint64_t times,
                        struct ft_diag *diag)
{
    const uint64_t *first = numbers + element->counts, *steps = first + element->body;
    const bool is_geometric = element->kind == FT_NEST_GEOMETRIC;
    const bool is_whole = element->kind != FT_NEST_CYCLE || numbers[1] == 0;
    if (numbers[0] == 0 || numbers[0] >> 63) /* a law's: less than none is none */
        return FT_OK;
    if (is_whole && !is_geometric && !inner_counts_change(body, element->length, steps))
        return count_span(counting, body, element->length, first, times * numbers[0], diag);
    uint64_t *now = malloc(element->body * sizeof *now + 1);
    if (!now)
        return ft_fail_memory(diag, "a loop nest");
    memcpy(now, first, element->body * sizeof *now);
    int status = is_geometric ? count_geometric(counting, element, body, now, numbers, times, diag)
                              : count_iterations(counting, element, body, now, steps,
                                                 numbers[0] - (is_whole ? 0 : 1), times, diag);
    if (!status && !is_whole)
        status = count_rest(counting, element, body, now, numbers, times, diag);
    free(now);
    return status;
}

static int count_span(const struct counting *counting, const uint32_t *tokens, size_t token_count,
                      const uint64_t *numbers, uint64_t times, struct ft_diag *diag)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_ACCESS || counting->is_of_all)
            counting->add(counting->context, tokens + at, times);
        if (element.counts) {
            FT_TRY(
                count_repeat(counting, &element, tokens + at + element.head, numbers, times, diag));
            numbers += ft_nest_repeat_numbers(&element);
            at += element.head + element.length;
            continue;
        }
        if (element.kind == FT_NEST_ACCESS)
            numbers++;
        at += element.head; /* into the brackets */
    }
    return FT_OK;
}

int ft_nest_count(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                  struct ft_diag *diag)
{
    const struct counting counting = {.add = add, .context = context};
    return count_span(&counting, span->tokens, span->token_count, span->numbers, 1, diag);
}

int ft_nest_count_elements(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                           struct ft_diag *diag)
{
    const struct counting counting = {add, context, true};
    return count_span(&counting, span->tokens, span->token_count, span->numbers, 1, diag);
}
