/*
 * A loop of such a nest consists of one part that repeats. Its numbers stand in rows: those in the
 * first iterations, and for each loop around by how much they change with it; all other changes, of
 * trip counts and of changes, must be 0.
 */
#include "predict/explain/rect_nest.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

struct reading {
    struct ft_rect_nest *nest;
    bool is_one;
    struct ft_diag *diag;
};

/* The numbers of a body: in the first iterations, and by how much each loop around changes them. */
struct rows {
    const uint64_t *first;
    const uint64_t *steps[FT_RECT_LOOPS_MAX];
    unsigned count;
};

static void skip(struct rows *rows, size_t numbers)
{
    rows->first += numbers;
    for (unsigned i = 0; i < rows->count; i++)
        rows->steps[i] += numbers;
}

static int add_access(struct reading *reading, uint32_t reference, const struct rows *rows,
                      bool is_behind)
{
    struct ft_rect_nest *nest = reading->nest;
    if (nest->access_count == FT_RECT_ACCESSES_MAX) {
        reading->is_one = false;
        return FT_OK;
    }
    if (!FT_RESERVE(nest->accesses, nest->capacity, nest->access_count + 1))
        return ft_fail_memory(reading->diag, "a loop nest");
    struct ft_rect_access *access = &nest->accesses[nest->access_count++];
    *access = (struct ft_rect_access){.reference = reference,
                                      .place = rows->first[0],
                                      .depth = rows->count,
                                      .is_behind = is_behind};
    for (unsigned i = 0; i < rows->count; i++)
        access->strides[i] = (int64_t)rows->steps[i][0];
    return FT_OK;
}

static bool are_zero(const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != 0)
            return false;
    return true;
}

/* The rows of the body of what repeats, whose own numbers rows begin with; false: its trip count or
 * its strides change. */
static bool enter_body(const struct ft_nest_element *repeat, const struct rows *rows,
                       struct rows *ret_body)
{
    const size_t first = repeat->counts, steps = first + FT_NEST_STEPS * repeat->body;
    *ret_body = (struct rows){.first = rows->first + first, .count = rows->count + 1};
    for (unsigned i = 0; i < rows->count; i++) {
        if (rows->steps[i][0] != 0 || !are_zero(rows->steps[i] + steps, repeat->body))
            return false;
        ret_body->steps[i] = rows->steps[i] + first;
    }
    ret_body->steps[rows->count] = rows->first + steps;
    return true;
}

static int read_part(struct reading *reading, uint32_t loop, const uint32_t *tokens,
                     const struct rows *rows);

/* A loop of one part. */
static int read_loop(struct reading *reading, const uint32_t *tokens, const struct rows *rows)
{
    const struct ft_nest_element loop = ft_nest_element(tokens);
    const struct ft_nest_element part = ft_nest_element(tokens + loop.head);
    reading->is_one = reading->is_one && part.head + part.length == loop.length;
    return reading->is_one ? read_part(reading, loop.id, tokens + loop.head, rows) : FT_OK;
}

/* Accesses, and one loop at most. */
static int read_body(struct reading *reading, const uint32_t *tokens, size_t count,
                     struct rows *rows)
{
    bool is_behind = false;
    for (size_t at = 0; at < count && reading->is_one;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_ACCESS) {
            FT_TRY(add_access(reading, element.id, rows, is_behind));
        } else if (element.kind == FT_NEST_LOOP && !is_behind) {
            FT_TRY(read_loop(reading, tokens + at, rows));
            is_behind = true;
        } else {
            reading->is_one = false;
        }
        skip(rows, ft_nest_element_numbers(&element, tokens + at));
        at += element.head + element.length;
    }
    return FT_OK;
}

static int read_part(struct reading *reading, uint32_t loop, const uint32_t *tokens,
                     const struct rows *rows)
{
    struct ft_rect_nest *nest = reading->nest;
    const struct ft_nest_element part = ft_nest_element(tokens);
    struct rows body;
    reading->is_one = reading->is_one && rows->count < FT_RECT_LOOPS_MAX &&
                      part.kind == FT_NEST_REPEAT && enter_body(&part, rows, &body);
    if (!reading->is_one)
        return FT_OK;
    nest->loops[rows->count] = loop;
    nest->iterations[rows->count] = rows->first[0];
    nest->loop_count = body.count;
    return read_body(reading, tokens + part.head, part.length, &body);
}

int ft_rect_nest_read(uint32_t loop, const uint32_t *tokens, const uint64_t *numbers,
                      struct ft_rect_nest *ret_nest, bool *ret_is_one, struct ft_diag *diag)
{
    struct ft_rect_nest nest = {0};
    struct reading reading = {&nest, true, diag};
    const struct rows rows = {.first = numbers};
    int status = read_part(&reading, loop, tokens, &rows);
    if (status || !reading.is_one) {
        ft_rect_nest_fini(&nest);
        *ret_is_one = false;
        return status;
    }
    *ret_nest = nest;
    *ret_is_one = true;
    return FT_OK;
}

void ft_rect_nest_fini(struct ft_rect_nest *nest)
{
    free(nest->accesses);
    *nest = (struct ft_rect_nest){0};
}
