/*
 * The stores that clear a block are those of the routine that is the first to touch it, if it is
 * memset. How far they reach at the largest training size is compared with what
 * the model of the allocator says; where both agree, they are made to reach as far as it says at
 * the size in question: the loop runs as often, and what is stored at the end moves there.
 */
#include "fit/skeletons/cleared_blocks.h"

#include <stdlib.h>

#include "fit/skeletons/block_laws.h"

#define SLACK_BYTES 64 /* vectors at the end overlap */

/* The activation in which a block is cleared; no tokens: none. */
struct clearing {
    size_t token, length; /* of its body */
    size_t number;
};

struct finding {
    const struct ft_skeleton *largest;
    const struct ft_placed_block *blocks; /* [block], at the largest size */
    struct clearing *clearings;           /* [block] */
    bool *is_touched;                     /* [block]: by what came before */
};

/* UINT32_MAX: of none. Heads of chunks, before and behind them, are not theirs. */
static uint32_t block_of(const struct finding *finding, uint64_t number)
{
    const uint64_t place = number - FT_PLACE_BLOCKS, block = place / FT_PLACE_STEP;
    return ft_is_in_block(number) && block < finding->largest->blocks.block_count &&
                   place % FT_PLACE_STEP < finding->blocks[block].bytes
               ? (uint32_t)block
               : UINT32_MAX;
}

static bool is_clearing_routine(const struct ft_skeleton *largest, uint32_t routine)
{
    return ft_scope_is_memset(&largest->scopes.scopes[largest->routine_scopes[routine]]);
}

/* ---- where blocks are cleared ---- */

/* Numbers of an element, of which those that are in blocks are addresses. clearing: the activation
 * that it is in. */
static void touch(struct finding *finding, size_t number, size_t count,
                  const struct clearing *clearing)
{
    const uint64_t *numbers = finding->largest->threads[0].nest.numbers;
    for (size_t k = number; k < number + count; k++) {
        const uint32_t block = block_of(finding, numbers[k]);
        if (block == UINT32_MAX)
            continue;
        if (!finding->is_touched[block])
            finding->clearings[block] = *clearing;
        finding->is_touched[block] = true;
    }
}

/* Parts that other sizes have run 0 times. */
static void find_clearings(struct finding *finding)
{
    const struct ft_nest *nest = &finding->largest->threads[0].nest;
    struct clearing clearing = {0};
    for (size_t at = 0, number = 0; at < nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const size_t body = at + element.head;
        if (at >= clearing.token + clearing.length)
            clearing = (struct clearing){0};
        if (element.kind == FT_NEST_ROUTINE && clearing.length == 0 &&
            is_clearing_routine(finding->largest, element.id))
            clearing = (struct clearing){body, element.length, number};
        at = body;
        if (!element.counts && element.kind != FT_NEST_ACCESS)
            continue; /* its body comes next */
        const size_t count = ft_nest_element_numbers(&element, nest->tokens + body - element.head);
        if (!element.counts || nest->numbers[number] > 0)
            touch(finding, number, count, &clearing);
        number += count;
        at += element.length;
    }
}

/* ---- how far stores reach ---- */

/* One store of a clearing, alone or in a loop. */
struct store {
    uint64_t *count; /* NULL: alone */
    uint64_t *place;
    uint64_t step, bytes;
};

typedef void store_visitor(void *context, const struct store *store);

/* The stores of a loop of nothing else. False: it is another one. */
static bool visit_loop(const struct ft_skeleton *largest, const struct ft_nest_element *element,
                       const uint32_t *body, uint64_t *numbers, store_visitor *visit, void *context)
{
    size_t k = 0;
    if (element->kind != FT_NEST_REPEAT)
        return false;
    for (size_t at = 0; at < element->length;) {
        const struct ft_nest_element inner = ft_nest_element(body + at);
        if (inner.counts || inner.kind == FT_NEST_IRREGULAR)
            return false;
        if (inner.kind == FT_NEST_ACCESS) {
            const struct store store = {numbers, &numbers[1 + k], numbers[1 + element->body + k],
                                        largest->references[inner.id].size_bytes};
            visit(context, &store);
            k++;
        }
        at += inner.head;
    }
    return true;
}

/* False: there are other loops. */
static bool visit_stores(const struct ft_skeleton *largest, const struct clearing *clearing,
                         struct ft_nest *nest, store_visitor *visit, void *context)
{
    uint64_t *number = nest->numbers + clearing->number;
    for (size_t at = clearing->token; at < clearing->token + clearing->length;) {
        const uint32_t *tokens = nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        at += element.head;
        if (element.kind == FT_NEST_IRREGULAR)
            return false;
        if (element.kind == FT_NEST_ACCESS) {
            const struct store store = {NULL, number++, 0,
                                        largest->references[element.id].size_bytes};
            visit(context, &store);
        } else if (element.counts) {
            if (!visit_loop(largest, &element, tokens + element.head, number, visit, context))
                return false;
            number += ft_nest_repeat_numbers(&element);
            at += element.length;
        }
    }
    return true;
}

/* Where the stores into a block end, and how many loops take more than a few. */
struct reach {
    const struct finding *finding;
    uint32_t block;
    uint64_t end;
    uint64_t *loop; /* its trip count */
    bool has_several;
};

static void add_reach(void *context, const struct store *store)
{
    struct reach *reach = context;
    if (block_of(reach->finding, *store->place) != reach->block)
        return;
    const uint64_t times = store->count ? *store->count : 1;
    uint64_t end = (*store->place - FT_PLACE_BLOCKS) % FT_PLACE_STEP + store->bytes;
    if (times == 0)
        return;
    end += (times - 1) * store->step;
    if (end > reach->end && end < FT_PLACE_STEP)
        reach->end = end;
    reach->has_several = reach->has_several ||
                         (store->count && reach->loop && reach->loop != store->count) ||
                         (store->count && (store->step == 0 || store->step >= FT_PLACE_STEP));
    if (store->count)
        reach->loop = store->count;
}

/* False: this can't be told, or there is no one loop that could end elsewhere. */
static bool find_reach(const struct finding *finding, uint32_t block, struct ft_nest *nest,
                       struct reach *ret_reach)
{
    struct reach reach = {.finding = finding, .block = block};
    const struct clearing *clearing = &finding->clearings[block];
    if (!visit_stores(finding->largest, clearing, nest, add_reach, &reach) || !reach.loop ||
        reach.has_several)
        return false;
    *ret_reach = reach;
    return true;
}

struct moving {
    const struct reach *reach;
    uint64_t end;  /* the new one */
    bool is_moved; /* the loop's */
};

static void move_end(void *context, const struct store *store)
{
    struct moving *moving = context;
    const struct reach *reach = moving->reach;
    const uint64_t start = FT_PLACE_BLOCKS + reach->block * FT_PLACE_STEP;
    const int64_t change = (int64_t)(moving->end - reach->end);
    if (block_of(reach->finding, *store->place) != reach->block)
        return;
    if (store->count == reach->loop && !moving->is_moved) {
        const int64_t times = (int64_t)*store->count + change / (int64_t)store->step;
        *store->count = times > 0 ? (uint64_t)times : 0;
        moving->is_moved = true;
    } else if (!store->count && *store->place - start > reach->end / 2) {
        const int64_t offset = (int64_t)(*store->place - start) + change;
        *store->place = start + (offset > 0 ? (uint64_t)offset : 0);
    }
}

/* ---- all blocks ---- */

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Bytes of a block of which a law of the size says otherwise than the allocator. */
static uint64_t disputed_bytes(const struct ft_placed_block *largest,
                               const struct ft_placed_block *block)
{
    if (largest->bytes == 0)
        return block->cleared;
    const double share = (double)largest->cleared / (double)largest->bytes;
    const double as_before = share * (double)block->bytes;
    const double now = (double)block->cleared;
    return (uint64_t)(as_before > now ? as_before - now : now - as_before);
}

/* largest: the block as it is at the largest training size. Returns bytes that are cleared or not.
 */
static uint64_t clear_block(const struct finding *finding, uint32_t number,
                            const struct ft_placed_block *largest,
                            const struct ft_placed_block *block, struct ft_nest *nest)
{
    struct reach reach, at_largest;
    struct ft_nest recorded = finding->largest->threads[0].nest; /* which is not changed */
    if (finding->clearings[number].length == 0 && largest->cleared == 0)
        return block->cleared;
    if (finding->clearings[number].length == 0 ||
        !find_reach(finding, number, &recorded, &at_largest) ||
        apart(at_largest.end, largest->cleared) > SLACK_BYTES ||
        !find_reach(finding, number, nest, &reach)) {
        const uint64_t bytes = disputed_bytes(largest, block);
        return bytes > SLACK_BYTES ? bytes : 0;
    }
    struct moving moving = {.reach = &reach, .end = block->cleared};
    if (apart(reach.end, block->cleared) > SLACK_BYTES)
        visit_stores(finding->largest, &finding->clearings[number], nest, move_end, &moving);
    return 0;
}

/* largest: [block], at the largest training size. */
static uint64_t clear_all(const struct ft_sized_skeleton *sized, const struct finding *finding,
                          const struct ft_placed_block *largest,
                          const struct ft_placed_block *blocks, struct ft_nest *nest)
{
    uint64_t unknown = 0;
    for (size_t i = 0; i < sized->blocks.event_count; i++) {
        const struct ft_sized_block_event *event = &sized->blocks.events[i];
        const uint32_t b = event->block;
        if (!event->is_freed && event->clears && sized->blocks.is_confirmed[b] &&
            (blocks[b].bytes >= FT_CLEARED_BYTES_MIN || largest[b].bytes >= FT_CLEARED_BYTES_MIN))
            unknown += clear_block(finding, b, &largest[b], &blocks[b], nest);
    }
    return unknown;
}

static bool has_clears(const struct ft_block_laws *laws)
{
    for (size_t i = 0; i < laws->event_count; i++)
        if (laws->events[i].clears)
            return true;
    return false;
}

int ft_clear_blocks(const struct ft_sized_skeleton *sized, const struct ft_placed_block *blocks,
                    struct ft_nest *nest, uint64_t *ret_unknown, struct ft_diag *diag)
{
    const size_t count = sized->blocks.block_count + (size_t)1;
    *ret_unknown = 0;
    if (!has_clears(&sized->blocks) || ft_block_laws_are_renumbered(&sized->blocks))
        return FT_OK;
    struct finding finding = {.largest = &sized->largest,
                              .clearings = calloc(count, sizeof *finding.clearings),
                              .is_touched = calloc(count, sizeof *finding.is_touched)};
    struct ft_placed_block *largest = NULL;
    uint32_t block_count;
    int status =
        finding.clearings && finding.is_touched
            ? ft_block_laws_at(&sized->blocks, &sized->largest, sized->sizes[sized->size_count - 1],
                               &largest, &block_count, diag)
            : ft_fail_memory(diag, "the heap of a program");
    if (!status) {
        finding.blocks = largest;
        find_clearings(&finding);
        *ret_unknown = clear_all(sized, &finding, largest, blocks, nest);
    }
    free(largest);
    free(finding.is_touched);
    free(finding.clearings);
    return status;
}
