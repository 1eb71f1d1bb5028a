/*
 * Folding (as Noeth et al., "ScalaTrace", JPDC 69, 2009, compress the calls of a rank): calls are
 * appended to a list. Where its end repeats what stands before, both become a loop; where a loop
 * with that body stands before, it gets an iteration more. Loops are told apart by their bodies,
 * not by how often these ran.
 *
 * In order: loops; folding; matching.
 */
#include "predict/ranks/laws/call_shape.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define BODY_MAX 1024U /* calls and loops of a body */
#define LOOP_BIT (UINT32_C(1) << 31)

/* ---- loops ---- */

struct body {
    size_t first, count; /* in `parts` */
};
struct folding {
    struct body *bodies;
    size_t body_count, body_capacity;
    uint32_t *parts;
    size_t part_count, part_capacity;
    uint32_t *list; /* keys, and bodies with LOOP_BIT */
    size_t count, capacity;
    const uint32_t *symbol_of; /* [key] */
};

static bool find_body(struct folding *folding, const uint32_t *parts, size_t count, uint32_t *ret)
{
    for (size_t i = 0; i < folding->body_count; i++)
        if (folding->bodies[i].count == count &&
            memcmp(folding->parts + folding->bodies[i].first, parts, count * sizeof *parts) == 0) {
            *ret = (uint32_t)i | LOOP_BIT;
            return true;
        }
    if (!FT_RESERVE(folding->bodies, folding->body_capacity, folding->body_count + 1) ||
        !FT_RESERVE(folding->parts, folding->part_capacity, folding->part_count + count))
        return false;
    memcpy(folding->parts + folding->part_count, parts, count * sizeof *parts);
    folding->bodies[folding->body_count] = (struct body){folding->part_count, count};
    folding->part_count += count;
    *ret = (uint32_t)folding->body_count++ | LOOP_BIT;
    return true;
}

/* ---- folding ---- */

/* Whether the end of the list is the body of the loop before it. */
static bool ends_with_iteration(const struct folding *folding, size_t length)
{
    if (folding->count <= length)
        return false;
    const uint32_t loop = folding->list[folding->count - length - 1];
    if (!(loop & LOOP_BIT))
        return false;
    const struct body *body = &folding->bodies[loop & ~LOOP_BIT];
    return body->count == length &&
           memcmp(folding->parts + body->first, folding->list + folding->count - length,
                  length * sizeof *folding->list) == 0;
}

static bool ends_with_repetition(const struct folding *folding, size_t length)
{
    const uint32_t *end = folding->list + folding->count;
    return folding->count >= 2 * length &&
           memcmp(end - length, end - 2 * length, length * sizeof *end) == 0;
}

/* One step; *ret_folds: there may be more. */
static bool fold_end(struct folding *folding, bool *ret_folds)
{
    *ret_folds = false;
    for (size_t length = 1; length <= BODY_MAX && length < folding->count; length++) {
        if (ends_with_iteration(folding, length)) {
            folding->count -= length;
            *ret_folds = true;
            return true;
        }
        if (ends_with_repetition(folding, length)) {
            uint32_t loop;
            if (!find_body(folding, folding->list + folding->count - length, length, &loop))
                return false;
            folding->count -= 2 * length;
            folding->list[folding->count++] = loop;
            *ret_folds = true;
            return true;
        }
    }
    return true;
}

static bool put_nodes(const struct folding *folding, const uint32_t *items, size_t count,
                      struct ft_call_shape *shape)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = shape->count;
        const bool is_loop = (items[i] & LOOP_BIT) != 0;
        if (!FT_RESERVE(shape->nodes, shape->capacity, shape->count + 1))
            return false;
        shape->nodes[shape->count++].symbol =
            is_loop ? FT_SHAPE_LOOP : folding->symbol_of[items[i]];
        if (is_loop) {
            const struct body *body = &folding->bodies[items[i] & ~LOOP_BIT];
            if (!put_nodes(folding, folding->parts + body->first, body->count, shape))
                return false;
        }
        shape->nodes[at].end = (uint32_t)shape->count;
    }
    return true;
}

static bool fold_all(struct folding *folding, const uint32_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!FT_RESERVE(folding->list, folding->capacity, folding->count + 1))
            return false;
        folding->list[folding->count++] = keys[i];
        for (bool folds = true; folds;)
            if (!fold_end(folding, &folds))
                return false;
    }
    return true;
}

bool ft_call_shape_fold(const uint32_t *keys, const uint32_t *symbols, size_t count,
                        struct ft_call_shape *ret_shape)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = keys[i] > largest ? keys[i] : largest;
    uint32_t *symbol_of = calloc((size_t)largest + 1, sizeof *symbol_of);
    struct folding folding = {.symbol_of = symbol_of};
    struct ft_call_shape shape = {0};
    for (size_t i = 0; symbol_of && i < count; i++)
        symbol_of[keys[i]] = symbols[i];
    const bool is_folded = symbol_of && fold_all(&folding, keys, count) &&
                           put_nodes(&folding, folding.list, folding.count, &shape);
    free(symbol_of);
    free(folding.bodies);
    free(folding.parts);
    free(folding.list);
    if (is_folded)
        *ret_shape = shape;
    else
        ft_call_shape_fini(&shape);
    return is_folded;
}

bool ft_call_shape_copy(const struct ft_call_shape *shape, struct ft_call_shape *ret_copy)
{
    struct ft_call_shape copy = {.count = shape->count, .capacity = shape->count + 1};
    copy.nodes = malloc(copy.capacity * sizeof *copy.nodes);
    if (!copy.nodes)
        return false;
    if (shape->count)
        memcpy(copy.nodes, shape->nodes, shape->count * sizeof *copy.nodes);
    *ret_copy = copy;
    return true;
}

void ft_call_shape_fini(struct ft_call_shape *shape)
{
    free(shape->nodes);
    *shape = (struct ft_call_shape){0};
}

bool ft_call_shape_equal(const struct ft_call_shape *a, const struct ft_call_shape *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->nodes, b->nodes, a->count * sizeof *a->nodes) == 0);
}

/* ---- matching ---- */

struct matching {
    const struct ft_call_shape *shape;
    const uint32_t *symbols;
    size_t count, at;
    uint32_t iterations[FT_SHAPE_DEPTH];
    uint32_t depth;
    struct ft_shape_visits *visits;
    bool is_out_of_memory;
};

static void visit(struct matching *matching, uint32_t node, uint64_t value, size_t at)
{
    struct ft_shape_visit item = {.node = node, .depth = matching->depth, .value = value};
    memcpy(item.iterations, matching->iterations, sizeof item.iterations);
    matching->visits->items[at] = item;
}

static bool reserve_visit(struct matching *matching)
{
    struct ft_shape_visits *visits = matching->visits;
    if (!FT_RESERVE(visits->items, visits->capacity, visits->count + 1))
        matching->is_out_of_memory = true;
    return !matching->is_out_of_memory;
}

static bool match_nodes(struct matching *matching, uint32_t first, uint32_t end);

static bool match_loop(struct matching *matching, uint32_t node)
{
    const uint32_t end = matching->shape->nodes[node].end;
    const size_t place = matching->visits->count;
    uint64_t trips = 0;
    if (matching->depth == FT_SHAPE_DEPTH || !reserve_visit(matching))
        return false;
    matching->visits->count++;
    for (;; trips++) {
        const size_t at = matching->at, count = matching->visits->count;
        matching->iterations[matching->depth++] = (uint32_t)trips;
        const bool is_whole = match_nodes(matching, node + 1, end) && matching->at > at;
        matching->depth--;
        if (!is_whole) {
            matching->at = at;
            matching->visits->count = count;
            break;
        }
    }
    matching->iterations[matching->depth] = 0;
    if (!matching->is_out_of_memory)
        visit(matching, node, trips, place);
    return !matching->is_out_of_memory;
}

static bool match_nodes(struct matching *matching, uint32_t first, uint32_t end)
{
    const struct ft_shape_node *nodes = matching->shape->nodes;
    for (uint32_t node = first; node < end; node = nodes[node].end) {
        if (nodes[node].symbol == FT_SHAPE_LOOP) {
            if (!match_loop(matching, node))
                return false;
            continue;
        }
        if (matching->at == matching->count ||
            matching->symbols[matching->at] != nodes[node].symbol || !reserve_visit(matching))
            return false;
        visit(matching, node, matching->at++, matching->visits->count++);
    }
    return true;
}

bool ft_call_shape_match(const struct ft_call_shape *shape, const uint32_t *symbols, size_t count,
                         struct ft_shape_visits *visits, bool *ret_is_out_of_memory)
{
    struct matching matching = {
        .shape = shape, .symbols = symbols, .count = count, .visits = visits};
    visits->count = 0;
    const bool matches = match_nodes(&matching, 0, (uint32_t)shape->count) && matching.at == count;
    *ret_is_out_of_memory = matching.is_out_of_memory;
    return matches;
}
