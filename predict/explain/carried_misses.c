/*
 * The nest is interpreted: each element runs with its numbers in the iteration at hand. Time
 * advances when a scope is entered and with each iteration of a loop, so that the carrying scope is
 * the deepest one that had been entered by the time of a block's last touch. In innermost loops
 * iterations that touch the blocks of the one before are skipped, where these fit into any set.
 * When enough was made outside of the scope asked about, loops that do not have it inside are left
 * out.
 */
#include "predict/explain/carried_misses.h"

#include <stdlib.h>

#include "engine/simulate/warping/full_list.h"
#include "engine/simulate/warping/set_rows.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "predict/explain/explanation.h"
#include "predict/explain/last_touches.h"

#define ACTIVE_MAX 256U
#define NESTED_MAX 64U

struct level {
    unsigned shift;
    bool is_full;
    struct ft_set_rows rows;
    struct ft_full_list list;
    size_t table; /* of last touches, of its block size */
};

struct table {
    unsigned shift;
    struct ft_last_touches touches;
    struct ft_last_touch before; /* the block at hand */
};

struct active {
    uint32_t scope;
    bool is_loop;
    uint64_t entered, iterated;
};

/* The numbers of a body in the iteration at hand. */
struct numbers {
    uint64_t *items;
    size_t capacity;
};

struct walk {
    const struct ft_carrying_task *task;
    struct ft_carried_misses *carried;
    struct ft_hash_table rows;
    struct level *levels;
    struct table *tables;
    size_t table_count;
    struct active active[ACTIVE_MAX];
    size_t depth;
    struct numbers nested[NESTED_MAX];
    uint64_t time, inside, outside; /* iterations, of the scope and outside of it */
    bool *is_inside;                /* [reference] */
    bool *has_inside;               /* [token]: an access inside is in it */
    bool left_out;                  /* something was */
    uint64_t fewest_ways;           /* of all levels */
    unsigned least_shift;
    bool is_over;
    struct ft_diag *diag;
    int status;
};

static void stop(struct walk *walk, int status)
{
    walk->is_over = true;
    walk->status = status;
}

/* ---- misses ---- */

static const struct active *carrier_of(const struct walk *walk, uint64_t time)
{
    size_t depth = walk->depth;
    while (depth > 1 && walk->active[depth - 1].entered > time)
        depth--;
    return &walk->active[depth - 1];
}

/* The row of a miss; SIZE_MAX: out of memory. */
static size_t row_of(struct walk *walk, const struct ft_carried *wanted)
{
    struct ft_carried_misses *carried = walk->carried;
    const uint64_t hash = ft_hash_add(ft_hash_mix((uint64_t)wanted->sink << 32 | wanted->source),
                                      (uint64_t)wanted->scope << 1 | wanted->across);
    uint32_t row;
    for (size_t probe = hash; ft_hash_next(&walk->rows, hash, &probe, &row);) {
        const struct ft_carried *here = &carried->rows[row];
        if (here->sink == wanted->sink && here->source == wanted->source &&
            here->scope == wanted->scope && here->across == wanted->across)
            return row;
    }
    const size_t numbers = (carried->count + 1) * carried->level_count;
    if (!FT_RESERVE(carried->rows, carried->capacity, carried->count + 1) ||
        !FT_RESERVE(carried->misses, carried->misses_capacity, numbers) ||
        !ft_hash_table_add(&walk->rows, hash, (uint32_t)carried->count))
        return SIZE_MAX;
    for (size_t i = numbers - carried->level_count; i < numbers; i++)
        carried->misses[i] = 0;
    carried->rows[carried->count] = *wanted;
    return carried->count++;
}

static void count_miss(struct walk *walk, uint32_t reference, size_t level)
{
    const struct ft_last_touch *before = &walk->tables[walk->levels[level].table].before;
    if (!before->block)
        return; /* cold */
    const struct active *carrier = carrier_of(walk, before->time);
    const struct ft_carried wanted = {reference, before->reference, carrier->scope,
                                      carrier->is_loop && before->time < carrier->iterated};
    const size_t row = row_of(walk, &wanted);
    if (row == SIZE_MAX)
        stop(walk, ft_fail_memory(walk->diag, "the misses of a nest"));
    else
        walk->carried->misses[row * walk->carried->level_count + level]++;
}

static void touch_tables(struct walk *walk, uint32_t reference, uint64_t address)
{
    for (size_t i = 0; i < walk->table_count; i++) {
        struct table *table = &walk->tables[i];
        const uint64_t block = address >> table->shift;
        struct ft_last_touch *slot = ft_last_touch_of(&table->touches, block);
        table->before = *slot;
        *slot = (struct ft_last_touch){block + 1, walk->time, reference};
        table->touches.count += table->before.block == 0;
        if (ft_last_touches_is_full(&table->touches)) {
            int status = ft_last_touches_grow(&table->touches, walk->diag);
            if (status)
                stop(walk, status);
        }
    }
}

/* A block of the smallest size, or a part of larger ones. */
static void touch(struct walk *walk, uint32_t reference, uint64_t address)
{
    touch_tables(walk, reference, address);
    for (size_t i = 0; i < walk->carried->level_count; i++) {
        struct level *level = &walk->levels[i];
        const uint64_t block = address >> level->shift;
        if (level->is_full ? ft_full_list_touch(&level->list, block)
                           : ft_set_rows_touch(&level->rows, block))
            count_miss(walk, reference, i);
    }
}

static void access(struct walk *walk, uint32_t reference, uint64_t place)
{
    const uint64_t address = ft_place_address(walk->task->places, place);
    const uint32_t size = walk->task->skeleton->references[reference].size_bytes;
    const uint64_t last = (address + (size ? size - 1 : 0)) >> walk->least_shift;
    touch(walk, reference, address);
    for (uint64_t block = (address >> walk->least_shift) + 1; block <= last; block++)
        touch(walk, reference, block << walk->least_shift);
}

static void count_iteration(struct walk *walk, uint32_t reference)
{
    if (!walk->is_inside[reference])
        walk->outside++;
    else if (++walk->inside >= walk->task->iterations_max)
        walk->is_over = true;
}

/* Whether an element outside of the scope is not run any more. */
static bool leave_out(struct walk *walk, const uint32_t *tokens)
{
    const bool is_left_out = walk->outside >= walk->task->iterations_max &&
                             !walk->has_inside[tokens - walk->task->nest->tokens];
    walk->left_out = walk->left_out || is_left_out;
    return is_left_out;
}

/* ---- scopes ---- */

static void enter(struct walk *walk, uint32_t scope, bool is_loop)
{
    if (walk->depth == ACTIVE_MAX) {
        stop(walk, ft_fail(walk->diag, FT_ERROR_UNSUPPORTED, "the nest is too deep"));
        return;
    }
    walk->time++;
    walk->active[walk->depth++] = (struct active){scope, is_loop, walk->time, walk->time};
}

static void iterate(struct walk *walk)
{
    struct active *innermost = &walk->active[walk->depth - 1];
    if (innermost->is_loop)
        innermost->iterated = ++walk->time;
}

/* ---- innermost loops ---- */

static bool is_innermost(const uint32_t *tokens, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (ft_nest_kind(tokens[at]) != FT_NEST_ACCESS)
            return false;
    return count > 0;
}

/* How many iterations behind one touch the same blocks. */
static uint64_t stays_for(const struct walk *walk, const uint32_t *tokens, size_t count,
                          const uint64_t *numbers, const uint64_t *steps)
{
    uint64_t least = UINT64_MAX - 1;
    const uint64_t mask = (UINT64_C(1) << walk->least_shift) - 1;
    for (size_t k = 0; k < count; k++) {
        const int64_t step = (int64_t)steps[k];
        const uint32_t size = walk->task->skeleton->references[ft_nest_id(tokens[k])].size_bytes;
        const uint64_t address = ft_place_address(walk->task->places, numbers[k]);
        const uint64_t end = address + (size ? size - 1 : 0);
        if (step == 0)
            continue;
        const uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
        const uint64_t at_start = step < 0 ? address & mask : mask - (address & mask);
        const uint64_t at_end = step < 0 ? end & mask : mask - (end & mask);
        const uint64_t room = (at_start < at_end ? at_start : at_end) / stride;
        least = room < least ? room : least;
    }
    return least;
}

/* numbers: a copy of those of the first iteration. */
static void run_innermost(struct walk *walk, const uint32_t *tokens, size_t count,
                          uint64_t *numbers, const uint64_t *steps, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations && !walk->is_over;) {
        if (leave_out(walk, tokens))
            return;
        iterate(walk);
        count_iteration(walk, ft_nest_id(tokens[0]));
        for (size_t k = 0; k < count; k++)
            access(walk, ft_nest_id(tokens[k]), numbers[k]);
        uint64_t next = 1;
        if (2 * count <= walk->fewest_ways) /* an access may span two blocks */
            next += stays_for(walk, tokens, count, numbers, steps);
        next = next < iterations - i ? next : iterations - i;
        for (size_t k = 0; k < count; k++)
            numbers[k] += next * steps[k];
        i += next;
    }
}

/* ---- the nest ---- */

static const uint64_t *run_span(struct walk *walk, const uint32_t *tokens, size_t count,
                                const uint64_t *numbers, size_t nested);

static void run_repeat(struct walk *walk, const struct ft_nest_element *element,
                       const uint32_t *body, const uint64_t *numbers, size_t nested)
{
    struct numbers *here = &walk->nested[nested];
    if (nested + 1 == NESTED_MAX || !FT_RESERVE(here->items, here->capacity, element->body + 1)) {
        stop(walk, ft_fail_memory(walk->diag, "the numbers of a nest"));
        return;
    }
    if (leave_out(walk, body - element->head))
        return;
    for (uint64_t i = 0; i < numbers[0] && !walk->is_over; i++) {
        const struct ft_nest_time time = ft_nest_time(element, body, numbers, i);
        for (size_t k = 0; k < element->body; k++)
            here->items[k] = ft_nest_number_at(element, numbers, k, i);
        if (element->kind == FT_NEST_REPEAT && is_innermost(body, element->length)) {
            run_innermost(walk, body, element->length, here->items,
                          numbers + element->counts + FT_NEST_STEPS * element->body, numbers[0]);
            return;
        }
        if (element->kind != FT_NEST_CYCLE)
            iterate(walk);
        run_span(walk, body + time.at, time.end - time.at, here->items + time.number, nested + 1);
    }
}

/* Elements with their numbers; returns what is behind these. */
static const uint64_t *run_span(struct walk *walk, const uint32_t *tokens, size_t count,
                                const uint64_t *numbers, size_t nested)
{
    const struct ft_skeleton *skeleton = walk->task->skeleton;
    for (size_t at = 0; at < count && !walk->is_over;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        if (element.kind == FT_NEST_ACCESS) {
            count_iteration(walk, element.id);
            access(walk, element.id, *numbers++);
        } else if (element.counts) {
            run_repeat(walk, &element, body, numbers, nested);
            numbers += ft_nest_repeat_numbers(&element);
        } else if (element.kind == FT_NEST_ONCE) {
            iterate(walk);
            numbers = run_span(walk, body, element.length, numbers, nested);
        } else if (element.kind != FT_NEST_IRREGULAR) {
            const bool is_loop = element.kind == FT_NEST_LOOP;
            enter(walk,
                  is_loop ? skeleton->loop_scopes[element.id]
                          : skeleton->routine_scopes[element.id],
                  is_loop);
            numbers = run_span(walk, body, element.length, numbers, nested);
            walk->depth--;
        }
        at += element.head + element.length;
    }
    return numbers;
}

/* ---- what is inside ---- */

/* Marks the elements that have an access inside the scope; whether one of them has. */
static bool mark_inside(struct walk *walk, size_t at, size_t end)
{
    bool any = false;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(walk->task->nest->tokens + at);
        const size_t body = at + element.head;
        walk->has_inside[at] = element.kind == FT_NEST_ACCESS
                                   ? walk->is_inside[element.id]
                                   : mark_inside(walk, body, body + element.length);
        any = any || walk->has_inside[at];
        at = body + element.length;
    }
    return any;
}

static int find_inside(struct walk *walk, struct ft_diag *diag)
{
    const struct ft_skeleton *skeleton = walk->task->skeleton;
    walk->is_inside = calloc(skeleton->reference_count + (size_t)1, sizeof *walk->is_inside);
    walk->has_inside = calloc(walk->task->nest->token_count + 1, sizeof *walk->has_inside);
    if (!walk->is_inside || !walk->has_inside)
        return ft_fail_memory(diag, "a loop nest");
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        walk->is_inside[r] = ft_scope_is_inside(
            &skeleton->scopes, skeleton->scopes.references[r].scope, walk->task->scope);
    mark_inside(walk, 0, walk->task->nest->token_count);
    return FT_OK;
}

/* ---- caches ---- */

static int start_table(struct walk *walk, struct level *level, struct ft_diag *diag)
{
    for (level->table = 0; level->table < walk->table_count; level->table++)
        if (walk->tables[level->table].shift == level->shift)
            return FT_OK;
    walk->tables[level->table].shift = level->shift;
    FT_TRY(ft_last_touches_init(&walk->tables[level->table].touches, diag));
    walk->table_count++;
    return FT_OK;
}

static int start_levels(struct walk *walk, struct ft_diag *diag)
{
    const struct ft_machine *machine = walk->task->machine;
    walk->levels = calloc(machine->level_count + 1, sizeof *walk->levels);
    walk->tables = calloc(machine->level_count + 1, sizeof *walk->tables);
    if (!walk->levels || !walk->tables)
        return ft_fail_memory(diag, "caches");
    walk->fewest_ways = UINT64_MAX;
    walk->least_shift = 63;
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *from = &machine->levels[i];
        struct level *level = &walk->levels[i];
        level->shift = (unsigned)__builtin_ctzll(from->block_bytes);
        level->is_full = from->ways == from->blocks;
        if (level->is_full)
            FT_TRY(ft_full_list_init(&level->list, from->blocks, diag));
        else
            FT_TRY(ft_set_rows_init(&level->rows, ft_level_sets(from), from->ways, diag));
        FT_TRY(start_table(walk, level, diag));
        walk->fewest_ways = from->ways < walk->fewest_ways ? from->ways : walk->fewest_ways;
        walk->least_shift = level->shift < walk->least_shift ? level->shift : walk->least_shift;
    }
    return FT_OK;
}

static void walk_fini(struct walk *walk)
{
    for (size_t i = 0; walk->levels && i < walk->task->machine->level_count; i++) {
        ft_set_rows_fini(&walk->levels[i].rows);
        ft_full_list_fini(&walk->levels[i].list);
    }
    for (size_t i = 0; i < walk->table_count; i++)
        ft_last_touches_fini(&walk->tables[i].touches);
    for (size_t i = 0; i < NESTED_MAX; i++)
        free(walk->nested[i].items);
    ft_hash_table_fini(&walk->rows);
    free(walk->is_inside);
    free(walk->has_inside);
    free(walk->levels);
    free(walk->tables);
}

int ft_carried_misses_find(const struct ft_carrying_task *task,
                           struct ft_carried_misses *ret_carried, struct ft_diag *diag)
{
    struct ft_carried_misses carried = {.level_count = task->machine->level_count};
    struct walk walk = {.task = task, .carried = &carried, .diag = diag};
    walk.status = start_levels(&walk, diag);
    if (!walk.status)
        walk.status = find_inside(&walk, diag);
    if (!walk.status) {
        enter(&walk, 0, false);
        run_span(&walk, task->nest->tokens, task->nest->token_count, task->nest->numbers, 0);
        carried.is_complete = !walk.is_over && !walk.left_out;
    }
    walk_fini(&walk);
    if (walk.status) {
        ft_carried_misses_fini(&carried);
        return walk.status;
    }
    *ret_carried = carried;
    return FT_OK;
}

void ft_carried_misses_fini(struct ft_carried_misses *carried)
{
    free(carried->rows);
    free(carried->misses);
    *carried = (struct ft_carried_misses){0};
}
