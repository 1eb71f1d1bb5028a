/*
 * Whether a load meets a store in the buffer is mostly answered by counts of stores by hash of the
 * lines that they touch; else the stores are compared with it, the youngest first.
 */
#include "engine/simulate/core/core_state.h"

#define LINE_SHIFT  6
#define LINE_HASHES (sizeof((struct ft_core_simulation *)0)->store_lines / sizeof(uint32_t))

static struct ft_buffered_store *store_at(struct ft_core_simulation *simulation, uint64_t number)
{
    return &simulation->stores[number & (simulation->store_ring - 1)];
}

static uint64_t last_byte(const struct ft_executed_access *access)
{
    return access->address + (access->size_bytes ? access->size_bytes - 1 : 0);
}

static void count_lines(struct ft_core_simulation *simulation,
                        const struct ft_buffered_store *store, uint32_t change)
{
    for (uint32_t a = 0; a < store->access_count; a++) {
        const struct ft_executed_access *access =
            ft_core_access(simulation, store->first_access + a);
        const uint64_t lines = (last_byte(access) >> LINE_SHIFT) - (access->address >> LINE_SHIFT);
        for (uint64_t l = 0; access->stores && !access->prefetches && l <= lines; l++)
            simulation->store_lines[((access->address >> LINE_SHIFT) + l) % LINE_HASHES] += change;
    }
}

static bool may_meet(const struct ft_core_simulation *simulation,
                     const struct ft_executed_access *load)
{
    const uint64_t lines = (last_byte(load) >> LINE_SHIFT) - (load->address >> LINE_SHIFT);
    for (uint64_t l = 0; l <= lines; l++)
        if (simulation->store_lines[((load->address >> LINE_SHIFT) + l) % LINE_HASHES] > 0)
            return true;
    return false;
}

void ft_core_add_store(struct ft_core_simulation *simulation, struct ft_op *op)
{
    op->store = simulation->stored++;
    struct ft_buffered_store *store = store_at(simulation, op->store);
    *store = (struct ft_buffered_store){.first_access = op->first_access,
                                        .access_count = op->access_count,
                                        .is_direct = op->code->is_direct,
                                        .start = FT_NEVER,
                                        .waiting = FT_NO_LINK};
    count_lines(simulation, store, 1);
}

/* Whether a store and a load touch the same bytes; *ret_covers: the store has all of the load's. */
static bool meets(const struct ft_core_simulation *simulation,
                  const struct ft_buffered_store *store, const struct ft_op *load, bool *ret_covers)
{
    bool met = false;
    uint32_t loads = 0;
    *ret_covers = false;
    for (uint32_t l = 0; l < load->access_count; l++) {
        const struct ft_executed_access *of_load =
            ft_core_access(simulation, load->first_access + l);
        if (of_load->stores || of_load->prefetches)
            continue;
        loads++;
        for (uint32_t s = 0; s < store->access_count; s++) {
            const struct ft_executed_access *of_store =
                ft_core_access(simulation, store->first_access + s);
            if (!of_store->stores || of_store->prefetches ||
                last_byte(of_store) < of_load->address || last_byte(of_load) < of_store->address)
                continue;
            met = true;
            *ret_covers |=
                of_store->address <= of_load->address && last_byte(of_store) >= last_byte(of_load);
        }
    }
    *ret_covers &= loads == 1;
    return met;
}

static int64_t forward_cycles(const struct ft_buffered_store *store, const struct ft_op *load)
{
    return store->is_direct && load->code->is_direct ? 0 : load->code->forward_cycles;
}

void ft_core_find_store(struct ft_core_simulation *simulation, uint32_t place)
{
    struct ft_op *op = &simulation->ops[place];
    bool may = false, covers;
    for (uint32_t a = 0; a < op->access_count && !may; a++) {
        const struct ft_executed_access *access = ft_core_access(simulation, op->first_access + a);
        may = !access->stores && !access->prefetches && may_meet(simulation, access);
    }
    for (uint64_t s = simulation->stored; may && s-- > simulation->drained;) {
        struct ft_buffered_store *store = store_at(simulation, s);
        if (!meets(simulation, store, op, &covers))
            continue;
        if (covers && store->start != FT_NEVER) {
            op->forwarded = store->start + forward_cycles(store, op);
            return;
        }
        op->forwarded = FT_NEVER;
        op->waits_for_drain = !covers;
        op->next_of_store = store->waiting;
        store->waiting = place;
        return;
    }
}

/* Tells loads that wait for a store, those that wait until it is drained or the others, a cycle. */
static void tell_loads(struct ft_core_simulation *simulation, struct ft_buffered_store *store,
                       bool drained)
{
    uint32_t place = store->waiting;
    store->waiting = FT_NO_LINK;
    while (place != FT_NO_LINK) {
        struct ft_op *op = &simulation->ops[place];
        const uint32_t next = op->next_of_store;
        if (op->waits_for_drain == drained) {
            ft_core_forward(simulation, place,
                            simulation->cycle +
                                (drained ? op->code->latency_cycles : forward_cycles(store, op)));
        } else {
            op->next_of_store = store->waiting;
            store->waiting = place;
        }
        place = next;
    }
}

void ft_core_store_started(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    struct ft_buffered_store *store = store_at(simulation, op->store);
    store->start = store->arrival = simulation->cycle;
    for (uint32_t a = 0; a < op->access_count; a++) {
        const struct ft_executed_access *access = ft_core_access(simulation, op->first_access + a);
        struct ft_arrival arrival;
        if (!access->stores)
            continue;
        if (access->prefetches) {
            simulation->out_of_memory |=
                !ft_core_memory_prefetch(&simulation->memory, access, simulation->cycle, 0);
            continue;
        }
        if (!ft_core_memory_access(&simulation->memory, access, simulation->cycle, 0, &arrival))
            simulation->out_of_memory = true;
        else if (arrival.cycle > store->arrival)
            store->arrival = arrival.cycle;
    }
    tell_loads(simulation, store, false);
}

/* Of the first line that a store touches; 0: it stores nothing. */
static uint64_t line_of(const struct ft_core_simulation *simulation,
                        const struct ft_buffered_store *store)
{
    for (uint32_t a = 0; a < store->access_count; a++) {
        const struct ft_executed_access *access =
            ft_core_access(simulation, store->first_access + a);
        if (access->stores && !access->prefetches)
            return access->address >> LINE_SHIFT;
    }
    return 0;
}

void ft_core_drain_stores(struct ft_core_simulation *simulation)
{
    uint64_t line = 0;
    for (unsigned i = 0; i < FT_CORE_STORES && simulation->drained < simulation->stored; i++) {
        struct ft_buffered_store *store = store_at(simulation, simulation->drained);
        if (!store->is_retired || store->arrival > simulation->cycle)
            return;
        if (simulation->model->commits_lines) {
            if (i > 0 && line_of(simulation, store) != line)
                return;
            line = line_of(simulation, store);
        }
        tell_loads(simulation, store, true);
        count_lines(simulation, store, UINT32_MAX);
        simulation->drained++;
        simulation->is_busy = true;
    }
}
