/*
 * A cycle: retire, drain stores, start, dispatch, fetch. Where nothing happened in one, nothing
 * will until the next operation becomes ready, the oldest one is done or has its page, a store may
 * be drained, or fetch goes on: the cycles up to there are skipped.
 */
#include "engine/simulate/core/core_simulation.h"

#include <stdlib.h>
#include <string.h>

#include "engine/simulate/core/core_state.h"

/* Instructions that are kept ahead of fetch, a power of two: a cycle fetches fewer. */
#define INPUT_AHEAD 2048U

/* ---- memory ---- */

static uint32_t power_of_two(uint64_t min)
{
    uint32_t power = 64;
    while (power < min)
        power *= 2;
    return power;
}

static bool allocate(struct ft_core_simulation *simulation, uint32_t account_count)
{
    const struct ft_core_model *model = simulation->model;
    const uint32_t in_flight = 3 * (model->window + FT_CORE_QUEUE_SLOTS + 4);
    simulation->ring = power_of_two(in_flight);
    simulation->words = simulation->ring / 64;
    simulation->input_capacity = INPUT_AHEAD;
    simulation->access_capacity =
        power_of_two((uint64_t)FT_EXECUTED_ACCESSES_MAX *
                     (in_flight + simulation->input_capacity + model->store_buffer));
    simulation->store_ring = power_of_two(model->store_buffer);
    simulation->ops = calloc(simulation->ring, sizeof *simulation->ops);
    simulation->ready = calloc(simulation->words, sizeof *simulation->ready);
    simulation->candidates = calloc(simulation->words, sizeof *simulation->candidates);
    simulation->input = calloc(simulation->input_capacity, sizeof *simulation->input);
    simulation->accesses = calloc(simulation->access_capacity, sizeof *simulation->accesses);
    simulation->stores = calloc(simulation->store_ring, sizeof *simulation->stores);
    simulation->accounts =
        calloc((size_t)account_count * FT_CORE_REASONS + 1, sizeof *simulation->accounts);
    return simulation->ops && simulation->ready && simulation->candidates && simulation->input &&
           simulation->accesses && simulation->stores && simulation->accounts;
}

int ft_core_simulation_create(const struct ft_core_model *model, uint32_t account_count,
                              struct ft_core_simulation **ret_simulation, struct ft_diag *diag)
{
    struct ft_core_simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return ft_fail_memory(diag, "a core");
    simulation->model = model;
    simulation->slot_cycles = 1000.0 / (double)model->dispatch_milli;
    int status = ft_core_memory_init(&simulation->memory, model, diag);
    if (status == FT_OK && !allocate(simulation, account_count))
        status = ft_fail_memory(diag, "a core");
    if (status != FT_OK) {
        ft_core_simulation_destroy(simulation);
        return status;
    }
    ft_core_simulation_reset(simulation);
    *ret_simulation = simulation;
    return FT_OK;
}

void ft_core_simulation_destroy(struct ft_core_simulation *simulation)
{
    if (!simulation)
        return;
    ft_core_memory_fini(&simulation->memory);
    free(simulation->ops);
    free(simulation->ready);
    free(simulation->candidates);
    free(simulation->of_class);
    free(simulation->classes);
    free(simulation->links);
    free(simulation->input);
    free(simulation->accesses);
    free(simulation->stores);
    free(simulation->accounts);
    free(simulation);
}

static void reset_wakeup(struct ft_core_simulation *simulation)
{
    const size_t bits = simulation->words * sizeof(uint64_t);
    memset(simulation->ready, 0, bits);
    if (simulation->class_count > 0)
        memset(simulation->of_class, 0, simulation->class_count * bits);
    simulation->ready_count = 0;
    for (uint32_t i = 0; i < FT_WHEEL_CYCLES; i++)
        simulation->wheel[i] = FT_NO_LINK;
    memset(simulation->wheel_bits, 0, sizeof simulation->wheel_bits);
    for (uint32_t l = 0; l < simulation->link_capacity; l++)
        simulation->links[l].next = l + 1 < simulation->link_capacity ? l + 1 : FT_NO_LINK;
    simulation->free_link = simulation->link_capacity > 0 ? 0 : FT_NO_LINK;
}

void ft_core_simulation_reset(struct ft_core_simulation *simulation)
{
    simulation->cycle = 0;
    simulation->input_first = simulation->input_end = 0;
    simulation->retired = simulation->dispatched = simulation->fetched = 0;
    simulation->slots_in_window = simulation->slots_in_queue = simulation->loads_in_window = 0;
    simulation->owed_milli = 0;
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++)
        simulation->writers[place] = FT_NO_NUMBER_64;
    simulation->waits_for_branch = simulation->is_behind_branch = simulation->has_waited = false;
    simulation->is_store_bound = simulation->was_store_bound = false;
    simulation->fetch_cycle = 0;
    simulation->run_count = simulation->brought = 0;
    simulation->fetch_place = simulation->run_end = (struct ft_fetch_place){0};
    simulation->falls_through = false;
    memset(simulation->port_free, 0, sizeof simulation->port_free);
    memset(simulation->queued, 0, sizeof simulation->queued);
    memset(simulation->pressure, 0, sizeof simulation->pressure);
    memset(simulation->store_lines, 0, sizeof simulation->store_lines);
    simulation->drained = simulation->stored = 0;
    simulation->credit = 0;
    reset_wakeup(simulation);
    ft_core_memory_reset(&simulation->memory);
}

/* ---- the steps of a cycle ---- */

static uint32_t retire(struct ft_core_simulation *simulation)
{
    uint32_t slots = 0;
    while (simulation->retired < simulation->dispatched && slots < simulation->model->retire) {
        struct ft_op *op = ft_op_at(simulation, simulation->retired);
        if (op->done > simulation->cycle)
            break;
        slots += op->code->slots;
        simulation->slots_in_window -= op->code->slots;
        simulation->loads_in_window -= op->code->part == FT_PART_LOAD;
        if (op->code->part == FT_PART_STORE)
            simulation->stores[op->store & (simulation->store_ring - 1)].is_retired = true;
        ft_core_forget_ports(simulation, op);
        ft_core_account_retired(simulation, op);
        simulation->retired++;
        simulation->is_busy = true;
    }
    return slots;
}

static bool has_room(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    const struct ft_core_model *model = simulation->model;
    const bool stores_full = op->code->part == FT_PART_STORE &&
                             simulation->stored - simulation->drained >= model->store_buffer;
    simulation->is_store_bound |= stores_full;
    return !stores_full && simulation->slots_in_window < model->window &&
           !(op->code->part == FT_PART_LOAD && simulation->loads_in_window >= model->load_buffer);
}

/* What held an operation up that enters the window now: fetch, if the queue had not more. */
static uint8_t supply_of(const struct ft_core_simulation *simulation, const struct ft_op *op)
{
    if (op->fetched + 1 == simulation->cycle)
        return op->supply;
    return simulation->was_store_bound ? FT_REASON_STORES : 0;
}

static void dispatch(struct ft_core_simulation *simulation)
{
    int64_t left = simulation->owed_milli + simulation->model->dispatch_milli;
    simulation->was_store_bound = simulation->is_store_bound;
    simulation->is_store_bound = false;
    while (left > 0 && simulation->dispatched < simulation->fetched) {
        struct ft_op *op = ft_op_at(simulation, simulation->dispatched);
        if (op->fetched >= simulation->cycle || !has_room(simulation, op))
            break;
        left -= op->code->slots * 1000;
        simulation->slots_in_window += op->code->slots;
        simulation->slots_in_queue -= op->code->slots;
        simulation->loads_in_window += op->code->part == FT_PART_LOAD;
        op->supply = supply_of(simulation, op);
        ft_core_enter_window(simulation, simulation->dispatched++);
        simulation->is_busy = true;
    }
    simulation->owed_milli = left < 0 ? left : 0;
    simulation->is_busy |= left <= 0;
}

/* ---- cycles ---- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The next cycle in which something happens, in a core in which nothing did. */
static int64_t next_event(struct ft_core_simulation *simulation)
{
    int64_t next = ft_core_next_ready(simulation);
    if (simulation->retired < simulation->dispatched) {
        const struct ft_op *oldest = ft_op_at(simulation, simulation->retired);
        if (oldest->start != FT_NEVER && oldest->tlb_cycle > simulation->cycle)
            next = earlier(next, oldest->tlb_cycle);
        next = earlier(next, oldest->done);
    }
    if (simulation->drained < simulation->stored) {
        const struct ft_buffered_store *store =
            &simulation->stores[simulation->drained & (simulation->store_ring - 1)];
        if (store->is_retired)
            next = earlier(next, store->arrival);
    }
    if (!simulation->waits_for_branch && simulation->fetch_cycle > simulation->cycle)
        next = earlier(next, simulation->fetch_cycle);
    return next;
}

static void step(struct ft_core_simulation *simulation)
{
    simulation->cycle++;
    simulation->is_busy = false;
    const uint32_t slots = retire(simulation);
    ft_core_account(simulation, 1, slots);
    ft_core_drain_stores(simulation);
    ft_core_start_operations(simulation);
    dispatch(simulation);
    ft_core_fetch(simulation);
    if (simulation->is_busy || simulation->ready_count > 0)
        return;
    const int64_t next = next_event(simulation);
    if (next == FT_NEVER || next <= simulation->cycle + 1)
        return;
    const int64_t skipped = next - simulation->cycle - 1;
    simulation->cycle++;
    ft_core_account(simulation, skipped, 0);
    simulation->cycle = next - 1;
}

static int check(const struct ft_core_simulation *simulation, struct ft_diag *diag)
{
    return simulation->out_of_memory ? ft_fail_memory(diag, "a core") : FT_OK;
}

int ft_core_simulation_feed(struct ft_core_simulation *simulation,
                            const struct ft_executed *executed, struct ft_diag *diag)
{
    const uint32_t capacity = simulation->access_capacity;
    const uint32_t count = executed->access_count < FT_EXECUTED_ACCESSES_MAX
                               ? executed->access_count
                               : FT_EXECUTED_ACCESSES_MAX;
    /* The accesses of an instruction stand in one piece. */
    uint64_t first = simulation->access_end;
    if (first % capacity + count > capacity)
        first += capacity - first % capacity;
    simulation->access_end = first + count;
    struct ft_executed_access *accesses = &simulation->accesses[first % capacity];
    if (count > 0)
        memcpy(accesses, executed->accesses, count * sizeof *accesses);
    struct ft_executed *input = ft_core_input_at(simulation, simulation->input_end++);
    *input = *executed;
    input->accesses = accesses;
    input->access_count = count;
    while (simulation->input_end - simulation->input_first >= simulation->input_capacity)
        step(simulation);
    return check(simulation, diag);
}

int ft_core_simulation_finish(struct ft_core_simulation *simulation, struct ft_diag *diag)
{
    while (!simulation->out_of_memory && (simulation->input_first < simulation->input_end ||
                                          simulation->retired < simulation->fetched))
        step(simulation);
    return check(simulation, diag);
}

int64_t ft_core_simulation_cycles(const struct ft_core_simulation *simulation)
{
    return simulation->cycle;
}

double *ft_core_simulation_accounts(struct ft_core_simulation *simulation)
{
    return simulation->accounts;
}
