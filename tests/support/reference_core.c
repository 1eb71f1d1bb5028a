/*
 * What operations wait for; ports; memory and its buffers; stores that loads read from; then what
 * happens in a cycle, from its end to its beginning: retiring, accounts, starts, dispatch, fetch.
 */
#include "tests/support/reference_core.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/reference_op_cache.h"

#define NEVER     INT64_MAX
#define LINES_MAX 6000
#define PRODUCERS 64

struct operation {
    const struct ft_core_operation *code;
    const struct ft_executed *executed;
    uint32_t instruction;
    uint32_t producers[PRODUCERS], producer_count;
    int64_t fetched, dispatched, start, own_done, tlb_cycle;
    int64_t store; /* loads: the store that they meet, an operation; -1: none */
    bool covers;   /* it has all of the load's bytes */
    int64_t drained, arrival;
    unsigned source, supply;
    int ports[FT_OPERATION_USES_MAX];
};

struct core {
    const struct ft_core_model *model;
    struct operation *operations;
    uint32_t count, fetched, dispatched, retired;
    const struct ft_executed *executed;
    uint32_t instruction_count, next;
    struct reference_op_cache op_cache;
    int64_t cycle, fetch_cycle, owed;
    int64_t branch; /* operation that fetch waits for; -1: none */
    bool behind_branch, has_waited, store_bound, was_store_bound;
    double port_free[64], source_free[FT_CORE_SOURCES_MAX];
    int64_t buffers[64], walkers[64];
    struct line {
        uint64_t line;
        int64_t arrival;
        unsigned source;
    } lines[LINES_MAX];
    uint32_t line_count;
    double credit;
    double *accounts;
};

/* ---- what waits for what ---- */

static void add_producer(struct operation *operation, uint32_t number)
{
    if (operation->producer_count == PRODUCERS)
        abort();
    operation->producers[operation->producer_count++] = number;
}

/* The last instruction before one that writes a place. */
static void find_producer(struct core *core, const uint32_t *first, uint32_t instruction,
                          unsigned place, struct operation *operation)
{
    for (uint32_t i = instruction; i-- > 0;) {
        const struct ft_core_instruction *code = core->executed[i].code;
        if (code->operation_count > 0 && code->written >> place & 1) {
            add_producer(operation, first[i] + code->result);
            return;
        }
    }
}

static void make_operations(struct core *core)
{
    uint32_t *first = calloc(core->instruction_count + 1U, sizeof *first);
    for (uint32_t i = 0; i < core->instruction_count; i++) {
        const struct ft_core_instruction *code = core->executed[i].code;
        first[i] = core->count;
        for (unsigned o = 0; o < code->operation_count; o++) {
            struct operation *operation = &core->operations[core->count++];
            *operation = (struct operation){.code = &code->operations[o],
                                            .executed = &core->executed[i],
                                            .instruction = i,
                                            .dispatched = NEVER,
                                            .start = NEVER,
                                            .drained = NEVER,
                                            .store = -1};
            for (unsigned place = 0; place < 64; place++)
                if (operation->code->reads >> place & 1)
                    find_producer(core, first, i, place, operation);
            if (o > 0)
                add_producer(operation, core->count - 2);
        }
    }
    free(first);
}

static bool is_store(const struct operation *operation)
{
    return operation->code->part == FT_PART_STORE;
}

static bool is_load(const struct operation *operation)
{
    return operation->code->part == FT_PART_LOAD;
}

/* When a load has what a store gives. */
static int64_t forwarded(const struct core *core, const struct operation *load)
{
    const struct operation *store = &core->operations[load->store];
    if (load->covers) {
        const bool is_renamed = store->code->is_direct && load->code->is_direct;
        return store->start == NEVER ? NEVER
                                     : store->start + (is_renamed ? 0 : load->code->forward_cycles);
    }
    return store->drained == NEVER ? NEVER : store->drained + load->code->latency_cycles;
}

static int64_t done(const struct core *core, const struct operation *operation)
{
    if (operation->start == NEVER)
        return NEVER;
    if (operation->store < 0)
        return operation->own_done;
    const int64_t from_store = forwarded(core, operation);
    return from_store > operation->own_done ? from_store : operation->own_done;
}

/* When an operation may start, for all that one of its producers says. */
static int64_t done_for(const struct core *core, const struct operation *producer,
                        const struct operation *operation)
{
    const bool is_chained =
        producer->code->chained_cycles > 0 && operation->code->chained_cycles > 0;
    if (is_chained && producer->start != NEVER)
        return producer->start + producer->code->chained_cycles;
    return done(core, producer);
}

static bool is_ready(const struct core *core, const struct operation *operation)
{
    for (uint32_t p = 0; p < operation->producer_count; p++)
        if (done_for(core, &core->operations[operation->producers[p]], operation) > core->cycle)
            return false;
    return true;
}

/* ---- ports ---- */

static uint64_t pressure(const struct core *core, int port)
{
    uint64_t sum = 0;
    for (uint32_t o = core->retired; o < core->dispatched; o++)
        for (unsigned u = 0; u < core->operations[o].code->use_count; u++)
            if (core->operations[o].code->uses[u].ports >> port & 1)
                sum += core->operations[o].code->uses[u].pressure;
    return sum;
}

static double queued(const struct core *core, int port)
{
    double sum = 0;
    for (uint32_t o = core->retired; o <= core->dispatched && o < core->count; o++)
        for (unsigned u = 0; u < core->operations[o].code->use_count; u++)
            if (core->operations[o].dispatched != NEVER && core->operations[o].start == NEVER &&
                core->operations[o].ports[u] == port)
                sum += core->operations[o].code->uses[u].cycles;
    return sum;
}

/* What the operation presses itself is counted from its first use on. */
static uint64_t own_pressure(const struct operation *operation, unsigned uses, int port)
{
    uint64_t sum = 0;
    for (unsigned u = 0; u <= uses; u++)
        if (operation->code->uses[u].ports >> port & 1)
            sum += operation->code->uses[u].pressure;
    return sum;
}

static double own_queued(const struct operation *operation, unsigned uses, int port)
{
    double sum = 0;
    for (unsigned u = 0; u < uses; u++)
        if (operation->ports[u] == port)
            sum += operation->code->uses[u].cycles;
    return sum;
}

/* Called before the operation counts as dispatched. */
static void choose_ports(const struct core *core, struct operation *operation)
{
    uint64_t taken = 0;
    for (unsigned u = 0; u < operation->code->use_count; u++) {
        const uint64_t ports = operation->code->uses[u].ports;
        operation->ports[u] = -1;
        if (__builtin_popcountll(ports) > 2)
            continue;
        const uint64_t allowed = ports & ~taken ? ports & ~taken : ports;
        double best_queued = INFINITY;
        uint64_t best_pressure = 0;
        for (int port = 0; port < 64; port++) {
            if (!(allowed >> port & 1))
                continue;
            const double queue = queued(core, port) + own_queued(operation, u, port);
            const uint64_t press = pressure(core, port) + own_pressure(operation, u, port);
            if (queue < best_queued || (queue == best_queued && press < best_pressure)) {
                operation->ports[u] = port;
                best_queued = queue;
                best_pressure = press;
            }
        }
        taken |= UINT64_C(1) << operation->ports[u];
    }
}

static bool take_ports(struct core *core, const struct operation *operation)
{
    int ports[FT_OPERATION_USES_MAX];
    uint64_t taken = 0;
    for (unsigned u = 0; u < operation->code->use_count; u++) {
        ports[u] = operation->ports[u];
        for (int port = 0; operation->ports[u] < 0 && port < 64; port++)
            if ((operation->code->uses[u].ports & ~taken) >> port & 1 &&
                core->port_free[port] < (double)core->cycle + 1 &&
                (ports[u] < 0 || pressure(core, port) < pressure(core, ports[u])))
                ports[u] = port;
        if (ports[u] < 0 || core->port_free[ports[u]] >= (double)core->cycle + 1)
            return false;
        taken |= UINT64_C(1) << ports[u];
    }
    for (unsigned u = 0; u < operation->code->use_count; u++)
        core->port_free[ports[u]] =
            fmax(core->port_free[ports[u]], (double)core->cycle) + operation->code->uses[u].cycles;
    return true;
}

/* ---- memory ---- */

static int64_t *first_free(int64_t *servers, uint32_t count)
{
    int64_t *best = servers;
    for (uint32_t i = 1; i < count; i++)
        if (servers[i] < *best)
            best = &servers[i];
    return best;
}

/* When the data of an access are there. */
static int64_t access_memory(struct core *core, const struct ft_executed_access *access,
                             int64_t latency, unsigned *ret_source, int64_t *ret_tlb)
{
    int64_t translated = core->cycle + access->tlb_cycles;
    if (access->walks) {
        int64_t *walker = first_free(core->walkers, core->model->page_walks);
        *walker = (*walker > core->cycle ? *walker : core->cycle) + access->tlb_cycles;
        translated = *walker;
    }
    *ret_tlb = translated;
    *ret_source = 0;
    for (uint32_t l = core->line_count; l-- > 0;)
        if (core->lines[l].line == access->line && core->lines[l].arrival > translated + latency) {
            *ret_source = core->lines[l].source;
            return core->lines[l].arrival;
        }
    if (access->source == 0)
        return translated + latency;
    *ret_source = access->source;
    const struct ft_core_source *source = &core->model->sources[access->source];
    int64_t *buffer = first_free(core->buffers, core->model->miss_buffers);
    const double begin =
        fmax(fmax((double)*buffer, (double)translated), core->source_free[access->source]);
    core->source_free[access->source] =
        begin + (access->stores ? source->store_line_cycles : source->load_line_cycles);
    *buffer = (int64_t)ceil(begin) + latency + source->more_cycles;
    if (core->line_count == LINES_MAX)
        abort();
    core->lines[core->line_count++] = (struct line){access->line, *buffer, access->source};
    return *buffer;
}

static void prefetch(struct core *core, const struct ft_executed_access *access, int64_t latency)
{
    const struct ft_core_source *source = &core->model->sources[access->source];
    for (uint32_t l = 0; l < core->line_count; l++)
        if (core->lines[l].line == access->line && core->lines[l].arrival > core->cycle)
            return;
    if (access->source == 0)
        return;
    const double begin = fmax((double)core->cycle, core->source_free[access->source]);
    core->source_free[access->source] = begin + source->load_line_cycles;
    if (core->line_count == LINES_MAX)
        abort();
    core->lines[core->line_count++] = (struct line){
        access->line, (int64_t)ceil(begin) + latency + source->more_cycles, access->source};
}

static void access_all(struct core *core, struct operation *operation)
{
    const struct ft_executed *executed = operation->executed;
    const int64_t latency = is_store(operation) ? 0 : operation->code->latency_cycles;
    int64_t last = core->cycle + latency;
    operation->tlb_cycle = core->cycle;
    for (uint32_t a = 0; a < executed->access_count; a++) {
        unsigned source;
        int64_t tlb;
        if (executed->accesses[a].stores != is_store(operation))
            continue;
        if (executed->accesses[a].prefetches) {
            prefetch(core, &executed->accesses[a], latency);
            continue;
        }
        const int64_t arrival = access_memory(core, &executed->accesses[a], latency, &source, &tlb);
        if (arrival > last) {
            last = arrival;
            operation->source = source;
            operation->tlb_cycle = tlb;
        }
    }
    operation->arrival = last;
}

/* ---- stores and loads ---- */

static bool overlaps(const struct ft_executed_access *a, const struct ft_executed_access *b)
{
    return a->address < b->address + b->size_bytes && b->address < a->address + a->size_bytes;
}

static bool contains(const struct ft_executed_access *a, const struct ft_executed_access *b)
{
    return a->address <= b->address && b->address + b->size_bytes <= a->address + a->size_bytes;
}

static void find_store(const struct core *core, struct operation *load)
{
    const struct ft_executed *of_load = load->executed;
    for (uint32_t o = core->dispatched; o-- > 0;) {
        const struct operation *store = &core->operations[o];
        bool met = false, covers = false;
        uint32_t loads = 0;
        if (!is_store(store) || store->drained != NEVER)
            continue;
        for (uint32_t l = 0; l < of_load->access_count; l++) {
            loads += !of_load->accesses[l].stores && !of_load->accesses[l].prefetches;
            for (uint32_t s = 0; s < store->executed->access_count; s++) {
                const struct ft_executed_access *from = &store->executed->accesses[s];
                if (!from->stores || of_load->accesses[l].stores || from->prefetches ||
                    of_load->accesses[l].prefetches)
                    continue;
                met |= overlaps(from, &of_load->accesses[l]);
                covers |= contains(from, &of_load->accesses[l]);
            }
        }
        if (met) {
            load->store = o;
            load->covers = covers && loads == 1;
            return;
        }
    }
}

/* The first line that a store touches; 0: none. */
static uint64_t line_of(const struct operation *store)
{
    for (uint32_t a = 0; a < store->executed->access_count; a++)
        if (store->executed->accesses[a].stores && !store->executed->accesses[a].prefetches)
            return store->executed->accesses[a].address / 64;
    return 0;
}

static void drain(struct core *core)
{
    unsigned drained = 0;
    uint64_t line = 0;
    for (uint32_t o = 0; o < core->dispatched && drained < FT_CORE_STORES; o++) {
        struct operation *store = &core->operations[o];
        if (!is_store(store) || store->drained != NEVER)
            continue;
        if (o >= core->retired || store->arrival > core->cycle)
            return;
        if (core->model->commits_lines && drained > 0 && line_of(store) != line)
            return;
        line = line_of(store);
        store->drained = core->cycle;
        drained++;
    }
}

/* ---- the steps of a cycle ---- */

static uint32_t slots_in_window(const struct core *core)
{
    uint32_t slots = 0;
    for (uint32_t o = core->retired; o < core->dispatched; o++)
        slots += core->operations[o].code->slots;
    return slots;
}

static uint32_t retire(struct core *core)
{
    uint32_t slots = 0;
    while (core->retired < core->dispatched && slots < core->model->retire &&
           done(core, &core->operations[core->retired]) <= core->cycle) {
        const struct operation *operation = &core->operations[core->retired++];
        slots += operation->code->slots;
        if (operation->executed->measured)
            core->accounts[operation->executed->account * (size_t)FT_CORE_REASONS +
                           FT_REASON_BASE] +=
                operation->code->slots * 1000.0 / (double)core->model->dispatch_milli;
    }
    return slots;
}

static unsigned reason_of(const struct core *core, const struct operation *oldest)
{
    if (oldest->start == NEVER)
        return oldest->supply && core->cycle <= oldest->dispatched + 1 ? oldest->supply
                                                                       : FT_REASON_EXECUTION;
    if (is_load(oldest) && core->cycle < oldest->tlb_cycle)
        return FT_REASON_TLB;
    const int64_t all = done(core, oldest);
    const bool from_store = all > oldest->own_done;
    if (oldest->supply && oldest->start == oldest->dispatched + 1 && oldest->source == 0 &&
        !(from_store && all != NEVER))
        return oldest->supply;
    if (!is_load(oldest) || from_store)
        return FT_REASON_EXECUTION;
    return FT_REASON_SOURCES + oldest->source;
}

static void account(struct core *core, uint32_t slots)
{
    const double rest = 1 - slots * 1000.0 / (double)core->model->dispatch_milli - core->credit;
    unsigned reason =
        core->branch >= 0 || core->behind_branch ? FT_REASON_BRANCH : FT_REASON_FRONT_END;
    const struct ft_executed *waiting = NULL;
    core->credit = fmax(-rest, 0);
    if (rest <= 0)
        return;
    if (core->retired < core->fetched) {
        const struct operation *oldest = &core->operations[core->retired];
        waiting = oldest->executed;
        reason = core->retired < core->dispatched ? reason_of(core, oldest)
                 : core->store_bound              ? FT_REASON_STORES
                                                  : oldest->supply;
    } else if (core->next < core->instruction_count) {
        waiting = &core->executed[core->next];
    }
    if (waiting && waiting->measured)
        core->accounts[waiting->account * (size_t)FT_CORE_REASONS + reason] += rest;
}

static void start_operations(struct core *core)
{
    for (uint32_t o = core->retired; o < core->dispatched; o++) {
        struct operation *operation = &core->operations[o];
        if (operation->start != NEVER || !is_ready(core, operation) || !take_ports(core, operation))
            continue;
        operation->start = core->cycle;
        operation->own_done = core->cycle + operation->code->latency_cycles;
        if (is_load(operation) || is_store(operation))
            access_all(core, operation);
        if (is_load(operation))
            operation->own_done = operation->arrival;
        else
            operation->source = 0;
    }
}

static bool has_room(struct core *core, const struct operation *operation)
{
    uint32_t loads = 0, stores = 0;
    for (uint32_t o = 0; o < core->dispatched; o++) {
        loads += is_load(&core->operations[o]) && o >= core->retired;
        stores += is_store(&core->operations[o]) && core->operations[o].drained == NEVER;
    }
    if (is_store(operation) && stores >= core->model->store_buffer)
        core->store_bound = true;
    else if (slots_in_window(core) < core->model->window)
        return !is_load(operation) || loads < core->model->load_buffer;
    return false;
}

static void dispatch(struct core *core)
{
    int64_t left = core->owed + core->model->dispatch_milli;
    core->was_store_bound = core->store_bound;
    core->store_bound = false;
    while (left > 0 && core->dispatched < core->fetched) {
        struct operation *operation = &core->operations[core->dispatched];
        if (operation->fetched >= core->cycle || !has_room(core, operation))
            break;
        left -= operation->code->slots * 1000;
        if (operation->fetched + 1 != core->cycle)
            operation->supply = core->was_store_bound ? FT_REASON_STORES : 0;
        choose_ports(core, operation);
        if (is_load(operation))
            find_store(core, operation);
        operation->dispatched = core->cycle;
        core->dispatched++;
    }
    core->owed = left < 0 ? left : 0;
}

/* One fetch, of so many instructions or places at most, up to a taken branch but from an op cache;
 * false: the cycle brings no more. */
static bool fetch(struct core *core, uint32_t most)
{
    const bool is_cached = core->model->op_cache.window_bytes > 0;
    for (uint32_t slots = 0; slots < core->model->fetch && most > 0; most--) {
        if (is_cached && reference_op_cache_is_between(&core->op_cache)) {
            core->op_cache.at++;
            continue;
        }
        uint32_t queue = 0;
        for (uint32_t o = core->dispatched; o < core->fetched; o++)
            queue += core->operations[o].code->slots;
        if (queue >= FT_CORE_QUEUE_SLOTS || core->next == core->instruction_count)
            return false;
        const struct ft_executed *executed = &core->executed[core->next];
        if (executed->fetch_cycles > 0 && !core->has_waited) {
            core->fetch_cycle = core->cycle + executed->fetch_cycles;
            core->has_waited = true;
            return false;
        }
        core->has_waited = false;
        for (unsigned o = 0; o < executed->code->operation_count; o++) {
            struct operation *operation = &core->operations[core->fetched++];
            operation->fetched = core->cycle;
            operation->supply = core->behind_branch ? FT_REASON_BRANCH : FT_REASON_FRONT_END;
            slots += operation->code->slots;
            if (executed->mispredicted && o == executed->code->result)
                core->branch = core->fetched - 1;
        }
        core->next++;
        core->op_cache.at++;
        if (executed->mispredicted)
            return false;
        if (executed->taken && !is_cached)
            return true;
    }
    return true;
}

static void fetch_all(struct core *core)
{
    if (core->branch >= 0 && done(core, &core->operations[core->branch]) != NEVER) {
        core->fetch_cycle =
            done(core, &core->operations[core->branch]) + core->model->mispredict_cycles - 1;
        core->branch = -1;
        core->behind_branch = true;
    }
    if (core->branch >= 0 || core->cycle < core->fetch_cycle)
        return;
    const uint32_t before = core->fetched;
    if (core->model->op_cache.window_bytes > 0)
        fetch(core, reference_op_cache_brings(&core->op_cache));
    else
        for (uint32_t i = 0; i < core->model->taken_branches && fetch(core, UINT32_MAX); i++)
            ;
    if (core->fetched > before)
        core->behind_branch = false;
}

int64_t reference_core_run(const struct ft_core_model *model, const struct ft_executed *executed,
                           uint32_t count, double *ret_accounts)
{
    struct core *core = calloc(1, sizeof *core);
    core->model = model;
    core->executed = executed;
    core->instruction_count = count;
    core->branch = -1;
    core->accounts = ret_accounts;
    core->operations = calloc(REFERENCE_OPERATIONS_MAX, sizeof *core->operations);
    make_operations(core);
    reference_op_cache_init(&core->op_cache, &model->op_cache, executed, count);
    while (core->retired < core->count || core->next < count) {
        core->cycle++;
        account(core, retire(core));
        drain(core);
        start_operations(core);
        dispatch(core);
        fetch_all(core);
    }
    const int64_t cycles = core->cycle;
    reference_op_cache_fini(&core->op_cache);
    free(core->operations);
    free(core);
    return cycles;
}
