/*
 * Operations are numbered on over iterations; a ring keeps when each of the last ones started.
 */
#include "engine/schedule/list_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/port_choice.h"

/* The steady state is looked for in the second half of so many operations and iterations. */
#define OPERATIONS_MIN 2000
#define ITERATIONS_MIN 32
/* Of bodies so long that these would be more operations. */
#define OPERATIONS_MAX      8192
#define LONG_ITERATIONS_MIN 4
#define CYCLES_MAX          200000

/* An operation in the window that has not started. */
struct waiting {
    uint64_t number;
    uint32_t index; /* of the body */
    double ready;   /* the cycle from which it has its operands; INFINITY: not known yet */
};

struct state {
    const struct ft_body *body;
    size_t *first_edge; /* per operation of the body, and the end: edges that lead to it */
    struct ft_operation_edge *edges;
    double pressure[FT_CORE_PORTS_MAX], free_at[FT_CORE_PORTS_MAX];
    double queued[FT_CORE_PORTS_MAX]; /* cycles of operations that wait */
    uint8_t *ports;                   /* ring by number and use: bound to it */
    double *start;                    /* ring by number: when it started; INFINITY: not yet */
    double *entered;                  /* ring by number: when it was dispatched */
    double last_waits;       /* of the last operations of the iterations that are measured */
    uint64_t ring;           /* a power of two, more than window and furthest edge need */
    struct waiting *waiting; /* oldest first */
    size_t waiting_count;
    uint64_t dispatched, retired; /* operations */
    uint64_t first_measured;      /* operation */
    double slots_in_window;
};

static double *start_of(const struct state *state, uint64_t number)
{
    return &state->start[number & (state->ring - 1)];
}

static const struct ft_operation *operation_of(const struct state *state, uint64_t number)
{
    return &state->body->operations[number % state->body->operation_count];
}

static uint8_t *ports_of(const struct state *state, uint64_t number)
{
    return &state->ports[(number & (state->ring - 1)) * FT_OPERATION_USES_MAX];
}

/* ---- ports ---- */

static void find_pressure(struct state *state)
{
    const struct ft_body *body = state->body;
    for (uint32_t o = 0; o < body->operation_count; o++)
        for (uint32_t u = 0; u < body->operations[o].use_count; u++) {
            const struct ft_core_use *use = &body->operations[o].uses[u];
            const uint64_t ports = body->core->groups[use->group].ports;
            for (uint64_t left = ports; left; left &= left - 1)
                state->pressure[__builtin_ctzll(left)] += use->cycles / __builtin_popcountll(ports);
        }
}

static void bind_ports(struct state *state, uint64_t number)
{
    const struct ft_operation *operation = operation_of(state, number);
    uint8_t *ports = ports_of(state, number);
    uint64_t taken = 0;
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct ft_core_group *group = &state->body->core->groups[operation->uses[u].group];
        ports[u] = FT_UNBOUND_PORT;
        if (!ft_is_bound_early(group->ports))
            continue;
        const unsigned port = ft_port_to_bind(state->queued, state->pressure, group->ports, taken);
        taken |= UINT64_C(1) << port;
        ports[u] = (uint8_t)port;
        state->queued[port] += operation->uses[u].cycles;
    }
}

static bool take_ports(struct state *state, const struct waiting *waiting, double cycle)
{
    const struct ft_operation *operation = &state->body->operations[waiting->index];
    const uint8_t *bound = ports_of(state, waiting->number);
    int ports[FT_OPERATION_USES_MAX];
    uint64_t taken = 0;
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const struct ft_core_group *group = &state->body->core->groups[operation->uses[u].group];
        ports[u] = bound[u] == FT_UNBOUND_PORT
                       ? ft_free_port(state->free_at, state->pressure, group->ports, taken, cycle)
                       : bound[u];
        if (ports[u] < 0 || state->free_at[ports[u]] >= cycle + 1)
            return false;
        taken |= UINT64_C(1) << ports[u];
    }
    for (uint32_t u = 0; u < operation->use_count; u++) {
        const double cycles = operation->uses[u].cycles, free_at = state->free_at[ports[u]];
        state->free_at[ports[u]] = (free_at > cycle ? free_at : cycle) + cycles;
        if (bound[u] != FT_UNBOUND_PORT)
            state->queued[ports[u]] -= cycles;
    }
    return true;
}

/* ---- cycles ---- */

/* INFINITY while something that it waits for has not started. */
static double ready_at(const struct state *state, const struct waiting *waiting)
{
    const uint64_t count = state->body->operation_count;
    const uint64_t first = waiting->number - waiting->index; /* of the iteration */
    double ready = 0;
    for (size_t e = state->first_edge[waiting->index]; e < state->first_edge[waiting->index + 1];
         e++) {
        const struct ft_operation_edge *edge = &state->edges[e];
        if (edge->distance * count > first)
            continue;
        const double at =
            *start_of(state, first + edge->from - edge->distance * count) + edge->cycles;
        ready = at > ready ? at : ready;
        if (ready == INFINITY)
            break;
    }
    return ready;
}

/* Starts what can start; the ones behind see it in the same cycle where its latency is 0. */
static void start_operations(struct state *state, double cycle)
{
    size_t kept = 0;
    for (size_t w = 0; w < state->waiting_count; w++) {
        struct waiting *waiting = &state->waiting[w];
        if (waiting->ready == INFINITY)
            waiting->ready = ready_at(state, waiting);
        if (waiting->ready <= cycle && take_ports(state, waiting, cycle)) {
            *start_of(state, waiting->number) = cycle;
            if (waiting->index + 1 == state->body->operation_count &&
                waiting->number >= state->first_measured)
                state->last_waits += cycle - state->entered[waiting->number & (state->ring - 1)];
        } else {
            state->waiting[kept++] = *waiting;
        }
    }
    state->waiting_count = kept;
}

static void retire(struct state *state, double cycle)
{
    while (state->retired < state->dispatched) {
        const struct ft_operation *operation = operation_of(state, state->retired);
        if (*start_of(state, state->retired) + operation->latency_cycles > cycle)
            break;
        state->slots_in_window -= operation->slots;
        state->retired++;
    }
}

/* slots: of this cycle, and what the ones before left or owe. */
static double dispatch(struct state *state, uint64_t end, double slots, double cycle)
{
    const struct ft_core *core = state->body->core;
    double taken = 0;
    while (slots > 0 && state->dispatched < end && state->slots_in_window < core->window) {
        const struct ft_operation *operation = operation_of(state, state->dispatched);
        if (operation->taken && ++taken > core->taken_branches)
            break;
        slots -= operation->slots;
        state->slots_in_window += operation->slots;
        *start_of(state, state->dispatched) = INFINITY;
        state->entered[state->dispatched & (state->ring - 1)] = cycle;
        bind_ports(state, state->dispatched);
        state->waiting[state->waiting_count++] =
            (struct waiting){.number = state->dispatched,
                             .index = (uint32_t)(state->dispatched % state->body->operation_count),
                             .ready = INFINITY};
        state->dispatched++;
    }
    return fmin(slots, 0);
}

/* Runs `iterations`; ret_half: when half of them had retired. */
static double run(struct state *state, uint64_t iterations, double *ret_half)
{
    const uint64_t count = state->body->operation_count;
    const uint64_t end = iterations * count, half = iterations / 2 * count;
    double owed = 0, cycle = 0;
    *ret_half = 0;
    state->first_measured = half;
    for (; state->retired < end && cycle < CYCLES_MAX; cycle++) {
        retire(state, cycle);
        if (*ret_half == 0 && state->retired >= half)
            *ret_half = cycle;
        start_operations(state, cycle);
        owed = dispatch(state, end, owed + state->body->core->dispatch, cycle);
    }
    return cycle;
}

/* ---- set-up ---- */

static int compare_by_target(const void *a, const void *b)
{
    const struct ft_operation_edge *x = a, *y = b;
    return (x->to > y->to) - (x->to < y->to);
}

static bool sort_edges(struct state *state)
{
    const struct ft_body *body = state->body;
    state->edges = malloc((body->edge_count + 1) * sizeof *state->edges);
    state->first_edge = calloc(body->operation_count + 2U, sizeof *state->first_edge);
    if (!state->edges || !state->first_edge)
        return false;
    if (body->edge_count > 0)
        memcpy(state->edges, body->edges, body->edge_count * sizeof *state->edges);
    qsort(state->edges, body->edge_count, sizeof *state->edges, compare_by_target);
    for (size_t e = 0; e < body->edge_count; e++)
        state->first_edge[state->edges[e].to + 1]++;
    for (uint32_t o = 0; o < body->operation_count; o++)
        state->first_edge[o + 1] += state->first_edge[o];
    return true;
}

/* Operations that a window of slots may hold, and the furthest edge. */
static uint64_t ring_of(const struct ft_body *body)
{
    uint64_t distance = 1, ring = 1;
    double slots = 0;
    for (size_t e = 0; e < body->edge_count; e++)
        distance = body->edges[e].distance > distance ? body->edges[e].distance : distance;
    for (uint32_t o = 0; o < body->operation_count; o++)
        slots += body->operations[o].slots;
    const double iterations = body->core->window / fmax(slots, 1) + 2 + (double)distance;
    while ((double)ring < iterations * body->operation_count)
        ring *= 2;
    return ring;
}

/* Twice so many are run, the second half of them measured. */
static uint64_t half_of(const struct ft_body *body)
{
    const uint64_t many = OPERATIONS_MIN / body->operation_count;
    const uint64_t few = OPERATIONS_MAX / body->operation_count;
    return many > ITERATIONS_MIN       ? many
           : few > ITERATIONS_MIN      ? ITERATIONS_MIN
           : few > LONG_ITERATIONS_MIN ? few
                                       : LONG_ITERATIONS_MIN;
}

int ft_list_schedule(const struct ft_body *body, bool repeats, double *ret_cycles, double *ret_wait,
                     struct ft_diag *diag)
{
    struct state state = {.body = body, .ring = ring_of(body)};
    int status = FT_OK;
    *ret_cycles = *ret_wait = 0;
    if (body->operation_count == 0)
        return FT_OK;
    state.start = calloc(state.ring, sizeof *state.start);
    state.entered = calloc(state.ring, sizeof *state.entered);
    state.waiting = calloc(state.ring, sizeof *state.waiting);
    state.ports = calloc(state.ring, FT_OPERATION_USES_MAX);
    if (state.start && state.entered && state.waiting && state.ports && sort_edges(&state)) {
        const uint64_t iterations = repeats ? 2 * half_of(body) : 1;
        double half;
        find_pressure(&state);
        const double end = run(&state, iterations, &half);
        const uint64_t measured = repeats ? iterations - iterations / 2 : 1;
        *ret_cycles = (end - (repeats ? half : 0)) / (double)measured;
        *ret_wait = state.last_waits / (double)measured;
    } else {
        status = ft_fail_memory(diag, "a schedule");
    }
    free(state.start);
    free(state.entered);
    free(state.waiting);
    free(state.ports);
    free(state.edges);
    free(state.first_edge);
    return status;
}
