/*
 * From outside to inside: a loop's body is written into a piece of its own, with the access that
 * each of its tokens is; how its numbers change with the loop then follows from the strides. The
 * last tile, which is shorter, is a second part of the loop.
 */
#include "predict/explain/loop_order.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

struct piece {
    struct ft_nest nest;
    uint32_t *accesses; /* [access token, in their order] */
    size_t count, capacity;
};

struct writing {
    const struct ft_rect_nest *nest;
    const struct ft_loop_order *order;
    uint64_t points[FT_RECT_LOOPS_MAX];  /* iterations of the tile at hand */
    uint64_t skipped[FT_RECT_LOOPS_MAX]; /* and those before it */
};

static void piece_fini(struct piece *piece)
{
    ft_nest_fini(&piece->nest);
    free(piece->accesses);
}

/* ---- numbers ---- */

static uint64_t step_of(const struct writing *writing, const struct ft_ordered_loop *loop,
                        uint32_t access)
{
    const uint64_t stride = (uint64_t)writing->nest->accesses[access].strides[loop->loop];
    return loop->role == FT_LOOP_TILES ? loop->tile * stride : stride;
}

/* By how much the numbers of tokens change with each iteration of a loop; returns how many they
 * are. */
static size_t find_steps(const struct writing *writing, const struct ft_ordered_loop *loop,
                         const uint32_t *tokens, size_t count, const uint32_t **accesses,
                         uint64_t *ret_steps)
{
    size_t k = 0;
    for (size_t at = 0; at < count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        if (element.kind == FT_NEST_ACCESS) {
            ret_steps[k++] = step_of(writing, loop, *(*accesses)++);
        } else {
            k += element.counts;
            k += find_steps(writing, loop, body, element.length, accesses, ret_steps + k);
            k += element.counts ? element.body : 0;
        }
        at += element.head + element.length;
    }
    return k;
}

/* ---- bodies ---- */

static bool is_open(const struct ft_loop_order *order, unsigned level, unsigned loop)
{
    for (unsigned i = 0; i <= level; i++)
        if (order->loops[i].loop == loop && order->loops[i].role != FT_LOOP_TILES)
            return true;
    return false;
}

/* Whether all loops around an access have begun at a level. */
static bool is_complete(const struct writing *writing, unsigned level,
                        const struct ft_rect_access *access)
{
    for (unsigned i = 0; i < access->depth; i++)
        if (!is_open(writing->order, level, i))
            return false;
    return true;
}

static bool write_access(const struct writing *writing, uint32_t index, struct piece *piece)
{
    const struct ft_rect_access *access = &writing->nest->accesses[index];
    uint64_t place = access->place;
    for (unsigned i = 0; i < access->depth; i++)
        place += writing->skipped[i] * (uint64_t)access->strides[i];
    if (!FT_RESERVE(piece->accesses, piece->capacity, piece->count + 1))
        return false;
    piece->accesses[piece->count++] = index;
    return ft_nest_add_access(&piece->nest, access->reference, place);
}

static bool write_accesses(const struct writing *writing, unsigned level, bool are_behind,
                           struct piece *piece)
{
    for (uint32_t i = 0; i < writing->nest->access_count; i++) {
        const struct ft_rect_access *access = &writing->nest->accesses[i];
        if (access->is_behind == are_behind && is_complete(writing, level, access) &&
            (level == 0 || !is_complete(writing, level - 1, access)) &&
            !write_access(writing, i, piece))
            return false;
    }
    return true;
}

static bool write_loop(struct writing *writing, unsigned level, struct piece *into);

static bool write_body(struct writing *writing, unsigned level, struct piece *piece)
{
    return write_accesses(writing, level, false, piece) &&
           (level + 1 == writing->order->count || write_loop(writing, level + 1, piece)) &&
           write_accesses(writing, level, true, piece);
}

static bool add_accesses(struct piece *into, const struct piece *from)
{
    if (!from->accesses)
        return true;
    if (!FT_RESERVE(into->accesses, into->capacity, into->count + from->count))
        return false;
    memcpy(into->accesses + into->count, from->accesses, from->count * sizeof *from->accesses);
    into->count += from->count;
    return true;
}

/* `count` iterations as a part of a loop. */
static bool write_part(struct writing *writing, unsigned level, uint64_t count, struct piece *into)
{
    struct piece body = {0};
    bool is_written = write_body(writing, level, &body);
    uint64_t *steps = calloc(body.nest.number_count + 1, sizeof *steps);
    const struct ft_nest_span span = ft_nest_span(&body.nest);
    const uint32_t *accesses = body.accesses;
    is_written = is_written && steps;
    if (is_written && accesses) /* else all numbers stay */
        find_steps(writing, &writing->order->loops[level], span.tokens, span.token_count, &accesses,
                   steps);
    is_written = is_written && ft_nest_add_repeat(&into->nest, &span, count, steps) &&
                 add_accesses(into, &body);
    free(steps);
    piece_fini(&body);
    return is_written;
}

static bool write_tiles(struct writing *writing, unsigned level, struct piece *into)
{
    const struct ft_ordered_loop *loop = &writing->order->loops[level];
    const uint64_t iterations = writing->nest->iterations[loop->loop];
    const uint64_t tiles = iterations / loop->tile, left = iterations % loop->tile;
    bool is_written = true;
    writing->points[loop->loop] = loop->tile;
    if (tiles > 0)
        is_written = write_part(writing, level, tiles, into);
    if (is_written && left > 0) {
        writing->points[loop->loop] = left;
        writing->skipped[loop->loop] = tiles * loop->tile;
        is_written = write_part(writing, level, 1, into);
        writing->skipped[loop->loop] = 0;
    }
    return is_written;
}

static bool write_loop(struct writing *writing, unsigned level, struct piece *into)
{
    const struct ft_ordered_loop *loop = &writing->order->loops[level];
    size_t place;
    if (!ft_nest_open(&into->nest, FT_NEST_LOOP, writing->nest->loops[loop->loop], &place))
        return false;
    const bool is_written =
        loop->role == FT_LOOP_TILES ? write_tiles(writing, level, into)
        : loop->role == FT_LOOP_POINTS
            ? write_part(writing, level, writing->points[loop->loop], into)
            : write_part(writing, level, writing->nest->iterations[loop->loop], into);
    ft_nest_close(&into->nest, place);
    return is_written;
}

int ft_loop_order_write(const struct ft_rect_nest *nest, const struct ft_loop_order *order,
                        struct ft_nest *into, struct ft_diag *diag)
{
    struct writing writing = {.nest = nest, .order = order};
    struct piece piece = {0};
    bool is_written = write_loop(&writing, 0, &piece);
    const struct ft_nest_span span = ft_nest_span(&piece.nest);
    is_written = is_written && ft_nest_add(into, &span);
    piece_fini(&piece);
    return is_written ? FT_OK : ft_fail_memory(diag, "a loop nest");
}

/* ---- orders ---- */

static void add(struct ft_loop_order *order, unsigned loop, enum ft_loop_role role, uint64_t tile)
{
    order->loops[order->count++] = (struct ft_ordered_loop){loop, role, tile};
}

struct ft_loop_order ft_loop_order_innermost(const struct ft_rect_nest *nest, unsigned loop)
{
    struct ft_loop_order order = {.count = 0};
    for (unsigned i = 0; i < nest->loop_count; i++)
        if (i != loop)
            add(&order, i, FT_LOOP_WHOLE, 0);
    add(&order, loop, FT_LOOP_WHOLE, 0);
    return order;
}

struct ft_loop_order ft_loop_order_tiled(const struct ft_rect_nest *nest, unsigned around,
                                         uint32_t tiled, uint64_t tile)
{
    struct ft_loop_order order = {.count = 0};
    for (unsigned i = 0; i < around; i++)
        add(&order, i, FT_LOOP_WHOLE, 0);
    for (unsigned i = around + 1; i < nest->loop_count; i++)
        if (tiled >> i & 1)
            add(&order, i, FT_LOOP_TILES, tile);
    add(&order, around, FT_LOOP_WHOLE, 0);
    for (unsigned i = around + 1; i < nest->loop_count; i++)
        add(&order, i, tiled >> i & 1 ? FT_LOOP_POINTS : FT_LOOP_WHOLE, tile);
    return order;
}
