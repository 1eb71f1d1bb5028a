/*
 * An operation counts the operands of which it isn't known when they are there. What gives such an
 * operand has a list of links to those that wait; when it starts, or for a load that gets its data
 * from a store when both have started, they learn the cycle. Whoever waits for nothing stands in
 * the wheel, a list for each of the next FT_WHEEL_CYCLES cycles, until its cycle, then in the
 * bitmap of those that are ready, by its place in the ring.
 */
#include "engine/simulate/core/core_state.h"

#include <string.h>

#include "formats/base/array.h"

/* ---- links ---- */

/* There is a free link. */
static void add_link(struct ft_core_simulation *simulation, struct ft_op *from, uint32_t to)
{
    const uint32_t link = simulation->free_link;
    simulation->free_link = simulation->links[link].next;
    simulation->links[link] = (struct ft_link){.op = to, .next = from->dependents};
    from->dependents = link;
}

static bool reserve_links(struct ft_core_simulation *simulation)
{
    if (simulation->free_link != FT_NO_LINK)
        return true;
    const uint32_t old = simulation->link_capacity;
    size_t capacity = old;
    if (!FT_RESERVE(simulation->links, capacity, old + (size_t)1))
        return false;
    for (uint32_t l = old; l < capacity; l++)
        simulation->links[l].next = l + 1 < capacity ? l + 1 : FT_NO_LINK;
    simulation->free_link = old;
    simulation->link_capacity = (uint32_t)capacity;
    return true;
}

/* ---- the wheel ---- */

static uint32_t place_of(const struct ft_core_simulation *simulation, const struct ft_op *op)
{
    return (uint32_t)(op - simulation->ops);
}

static void set_ready(struct ft_core_simulation *simulation, uint32_t place)
{
    const uint64_t bit = UINT64_C(1) << place % 64;
    simulation->ready[place / 64] |= bit;
    simulation->candidates[place / 64] |= bit;
    simulation->of_class[simulation->ops[place].class * (size_t)simulation->words + place / 64] |=
        bit;
    simulation->ready_count++;
}

/* All operands of an operation in the window are known. */
static void schedule(struct ft_core_simulation *simulation, struct ft_op *op)
{
    const int64_t first = op->dispatched + 1;
    int64_t cycle = op->ready > first ? op->ready : first;
    if (cycle <= simulation->cycle) {
        set_ready(simulation, place_of(simulation, op));
        return;
    }
    if (cycle >= simulation->cycle + FT_WHEEL_CYCLES)
        cycle = simulation->cycle + FT_WHEEL_CYCLES - 1;
    const uint32_t at = (uint32_t)(cycle % FT_WHEEL_CYCLES);
    op->next_in_wheel = simulation->wheel[at];
    simulation->wheel[at] = place_of(simulation, op);
    simulation->wheel_bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void turn_wheel(struct ft_core_simulation *simulation)
{
    const uint32_t at = (uint32_t)(simulation->cycle % FT_WHEEL_CYCLES);
    uint32_t place = simulation->wheel[at];
    simulation->wheel[at] = FT_NO_LINK;
    simulation->wheel_bits[at / 64] &= ~(UINT64_C(1) << at % 64);
    while (place != FT_NO_LINK) {
        struct ft_op *op = &simulation->ops[place];
        place = op->next_in_wheel;
        schedule(simulation, op);
    }
}

int64_t ft_core_next_ready(const struct ft_core_simulation *simulation)
{
    const uint32_t first = (uint32_t)((simulation->cycle + 1) % FT_WHEEL_CYCLES);
    const uint32_t words = FT_WHEEL_CYCLES / 64;
    for (uint32_t i = 0; i <= words; i++) {
        const uint32_t word = (first / 64 + i) % words;
        uint64_t bits = simulation->wheel_bits[word];
        if (i == 0)
            bits &= UINT64_MAX << first % 64;
        if (i == words)
            bits &= ~(UINT64_MAX << first % 64);
        if (bits) {
            const uint32_t at = 64 * word + (uint32_t)__builtin_ctzll(bits);
            return simulation->cycle + 1 + (at - first) % FT_WHEEL_CYCLES;
        }
    }
    return FT_NEVER;
}

/* ---- operands ---- */

/* When a result that is known is there for an operation. */
static int64_t done_for(const struct ft_op *from, const struct ft_op *to)
{
    const int32_t chained = from->code->chained_cycles;
    return chained > 0 && to->code->chained_cycles > 0
               ? from->done - (from->code->latency_cycles - chained)
               : from->done;
}

static void wait_for(struct ft_core_simulation *simulation, uint64_t number, struct ft_op *op)
{
    if (number == FT_NO_NUMBER_64 || number < simulation->retired)
        return;
    struct ft_op *from = ft_op_at(simulation, number);
    if (from->done != FT_NEVER) {
        const int64_t done = done_for(from, op);
        op->ready = done > op->ready ? done : op->ready;
        return;
    }
    if (!reserve_links(simulation)) {
        simulation->out_of_memory = true;
        return;
    }
    add_link(simulation, from, place_of(simulation, op));
    op->waits_for++;
}

void ft_core_rename(struct ft_core_simulation *simulation, uint64_t first,
                    const struct ft_core_instruction *code)
{
    for (unsigned i = 0; i < code->operation_count; i++) {
        struct ft_op *op = ft_op_at(simulation, first + i);
        for (uint64_t left = op->code->reads; left; left &= left - 1)
            wait_for(simulation, simulation->writers[__builtin_ctzll(left)], op);
        if (i > 0)
            wait_for(simulation, first + i - 1, op);
    }
    if (code->operation_count > 0)
        for (uint64_t left = code->written; left; left &= left - 1)
            simulation->writers[__builtin_ctzll(left)] = first + code->result;
}

void ft_core_enter_window(struct ft_core_simulation *simulation, uint64_t number)
{
    struct ft_op *op = ft_op_at(simulation, number);
    op->dispatched = simulation->cycle;
    ft_core_choose_ports(simulation, op);
    op->class = ft_core_class_of(simulation, op);
    if (op->code->part == FT_PART_LOAD)
        ft_core_find_store(simulation, place_of(simulation, op));
    if (op->code->part == FT_PART_STORE)
        ft_core_add_store(simulation, op);
    if (op->waits_for == 0)
        schedule(simulation, op);
}

/* ---- results ---- */

/* op->done is known. */
static void tell_dependents(struct ft_core_simulation *simulation, struct ft_op *op)
{
    uint32_t link = op->dependents;
    while (link != FT_NO_LINK) {
        const struct ft_link at = simulation->links[link];
        struct ft_op *to = &simulation->ops[at.op];
        const int64_t done = done_for(op, to);
        to->ready = done > to->ready ? done : to->ready;
        if (--to->waits_for == 0 && to->dispatched != FT_NEVER)
            schedule(simulation, to);
        simulation->links[link].next = simulation->free_link;
        simulation->free_link = link;
        link = at.next;
    }
    op->dependents = FT_NO_LINK;
    if (op->mispredicted) {
        simulation->fetch_cycle = op->done + simulation->model->mispredict_cycles - 1;
        simulation->waits_for_branch = false;
        simulation->is_behind_branch = true;
    }
}

static void resolve_load(struct ft_core_simulation *simulation, struct ft_op *op)
{
    op->done = op->ready;
    if (op->forwarded > op->ready) {
        op->done = op->forwarded;
        op->source = FT_FROM_STORE;
    }
    tell_dependents(simulation, op);
}

void ft_core_forward(struct ft_core_simulation *simulation, uint32_t place, int64_t cycle)
{
    struct ft_op *op = &simulation->ops[place];
    op->forwarded = cycle;
    if (op->start != FT_NEVER)
        resolve_load(simulation, op);
}

static void start_load(struct ft_core_simulation *simulation, struct ft_op *op)
{
    const int64_t now = simulation->cycle, latency = op->code->latency_cycles;
    struct ft_arrival last = {.cycle = now + latency, .tlb_cycle = now};
    for (uint32_t a = 0; a < op->access_count; a++) {
        const struct ft_executed_access *access = ft_core_access(simulation, op->first_access + a);
        struct ft_arrival arrival;
        if (access->stores)
            continue;
        if (access->prefetches) {
            simulation->out_of_memory |=
                !ft_core_memory_prefetch(&simulation->memory, access, now, latency);
            continue;
        }
        if (!ft_core_memory_access(&simulation->memory, access, now, latency, &arrival))
            simulation->out_of_memory = true;
        else if (arrival.cycle > last.cycle)
            last = arrival;
    }
    op->ready = last.cycle;
    op->tlb_cycle = last.tlb_cycle;
    op->source = last.source;
    if (op->forwarded != FT_NEVER)
        resolve_load(simulation, op);
}

/* ---- starting ---- */

static bool start(struct ft_core_simulation *simulation, uint32_t place)
{
    struct ft_op *op = &simulation->ops[place];
    if (!ft_core_take_ports(simulation, op))
        return false;
    const uint64_t bit = UINT64_C(1) << place % 64;
    simulation->ready[place / 64] &= ~bit;
    simulation->of_class[op->class * (size_t)simulation->words + place / 64] &= ~bit;
    simulation->ready_count--;
    simulation->is_busy = true;
    op->start = simulation->cycle;
    if (op->code->part == FT_PART_LOAD) {
        start_load(simulation, op);
        return true;
    }
    op->done = simulation->cycle + op->code->latency_cycles;
    if (op->code->part == FT_PART_STORE)
        ft_core_store_started(simulation, op);
    tell_dependents(simulation, op);
    return true;
}

/* A class of operations found no port. */
static void drop_class(struct ft_core_simulation *simulation, uint16_t class, uint32_t first,
                       uint32_t count)
{
    const uint64_t *same = &simulation->of_class[class * (size_t)simulation->words];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = (first + i) & (simulation->words - 1);
        simulation->candidates[word] &= ~same[word];
    }
}

/* Starts what can of a word's allowed places; count: words behind this one. */
static void start_word(struct ft_core_simulation *simulation, uint32_t word, uint64_t allowed,
                       uint32_t count)
{
    uint64_t *candidates = simulation->candidates;
    uint64_t left = candidates[word] & allowed;
    while (left) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(left), place = 64 * word + bit;
        candidates[word] &= ~(UINT64_C(1) << bit);
        if (!start(simulation, place))
            drop_class(simulation, simulation->ops[place].class, word, count + 1);
        /* What has started may have made younger ones ready. */
        left = bit == 63 ? 0 : candidates[word] & allowed & UINT64_MAX << (bit + 1);
    }
}

void ft_core_start_operations(struct ft_core_simulation *simulation)
{
    turn_wheel(simulation);
    if (simulation->ready_count == 0)
        return;
    /* The window's places, from `first` on; the ring has room for more. */
    const uint32_t first = (uint32_t)simulation->retired & (simulation->ring - 1);
    const uint32_t places = (uint32_t)(simulation->dispatched - simulation->retired);
    const uint32_t words = (first % 64 + places + 63) / 64;
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t word = (first / 64 + i) & (simulation->words - 1);
        simulation->candidates[word] = simulation->ready[word];
    }
    start_word(simulation, first / 64, UINT64_MAX << first % 64, words - 1);
    for (uint32_t i = 1; i < words; i++)
        start_word(simulation, (first / 64 + i) & (simulation->words - 1), UINT64_MAX,
                   words - 1 - i);
}
