#include "engine/schedule/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/program/dependences/graph_cycles.h"
#include "engine/schedule/list_schedule.h"
#include "engine/schedule/port_bound.h"
#include "engine/schedule/resolve_cycles.h"

#define WINDOW_LIMIT 1.1
/* Of an atomic instruction, until the next one begins: 20 to 21 were measured on Zen 5, for `lock
 * add`, `lock cmpxchg` and `xchg` alike, with loads and sums around them hidden behind it. */
#define ATOMIC_CYCLES 20.0

const char *const ft_schedule_limit_names[FT_SCHEDULE_LIMITS] = {"front_end", "ports", "recurrence",
                                                                 "window", "atomics"};

/* ---- bounds ---- */

/* Operations are dispatched without a break; fetches end at taken branches, or come from windows of
 * the op cache. */
static double front_end_bound(const struct ft_body *body)
{
    const struct ft_core *core = body->core;
    double slots = 0, fetches = 0, of_fetch = 0;
    for (uint32_t o = 0; o < body->operation_count; o++) {
        slots += body->operations[o].slots;
        of_fetch += body->operations[o].slots;
        if (body->operations[o].taken) {
            fetches += ceil(of_fetch / core->fetch);
            of_fetch = 0;
        }
    }
    fetches += of_fetch / core->fetch;
    const double fetch_cycles =
        core->op_cache.window_bytes > 0 ? body->fetch_cycles : fetches / core->taken_branches;
    return fmax(slots / core->dispatch, fetch_cycles);
}

/* What the cycle goes through: memory, or the place of an edge on it that leads to the next
 * iteration. */
static void name_recurrence(const struct ft_body *body, const struct ft_cycle *cycle,
                            struct ft_schedule *schedule)
{
    schedule->recurrence_place = FT_NO_PLACE;
    for (uint32_t n = 0; n < cycle->node_count; n++) {
        const uint32_t from = cycle->nodes[n], to = cycle->nodes[(n + 1) % cycle->node_count];
        for (size_t e = 0; e < body->edge_count; e++) {
            const struct ft_operation_edge *edge = &body->edges[e];
            if (edge->from != from || edge->to != to)
                continue;
            if (edge->place == FT_NO_PLACE &&
                body->operations[from].instruction != body->operations[to].instruction)
                schedule->recurrence_through_memory = true;
            if (edge->distance > 0 && edge->place != FT_NO_PLACE)
                schedule->recurrence_place = edge->place;
        }
    }
    schedule->recurrence_instruction = body->operations[cycle->nodes[0]].instruction;
}

static int recurrence_bound(const struct ft_body *body, struct ft_schedule *schedule,
                            struct ft_diag *diag)
{
    struct ft_cycle_graph graph = {0};
    struct ft_cycle_edge *edges = malloc((body->edge_count + 1) * sizeof *edges);
    bool done = edges != NULL;
    double *bound = &schedule->bounds[FT_LIMIT_RECURRENCE];
    for (size_t e = 0; done && e < body->edge_count; e++)
        edges[e] = (struct ft_cycle_edge){.from = body->edges[e].from,
                                          .to = body->edges[e].to,
                                          .weight = (uint32_t)lround(body->edges[e].cycles),
                                          .distance = body->edges[e].distance};
    done = done && ft_cycle_graph_make(body->operation_count, edges, body->edge_count, &graph);
    for (uint32_t c = 0; done && c < graph.component_count; c++) {
        struct ft_cycle cycle = {0};
        if (!ft_component_is_cyclic(&graph, c))
            continue;
        done = ft_longest_cycle(&graph, c, &cycle);
        const double cycles =
            cycle.distance > 0 ? (double)cycle.weight / (double)cycle.distance : 0;
        if (done && cycle.node_count > 0 && cycles > *bound) {
            *bound = cycles;
            name_recurrence(body, &cycle, schedule);
        }
        free(cycle.nodes);
    }
    ft_cycle_graph_fini(&graph);
    free(edges);
    return done ? FT_OK : ft_fail_memory(diag, "the recurrences of a schedule");
}

/* ---- the module's functions ---- */

int ft_schedule_find(const struct ft_body *body, bool repeats, struct ft_schedule *ret_schedule,
                     struct ft_diag *diag)
{
    struct ft_schedule schedule = {.unknown_count = body->unknown_count,
                                   .recurrence_place = FT_NO_PLACE};
    double best = 0;
    schedule.bounds[FT_LIMIT_FRONT_END] = front_end_bound(body);
    schedule.bounds[FT_LIMIT_PORTS] = ft_port_bound(body, &schedule.ports);
    FT_TRY(recurrence_bound(body, &schedule, diag));
    FT_TRY(ft_list_schedule(body, repeats, &schedule.cycles, &schedule.branch_wait_cycles, diag));
    FT_TRY(ft_resolve_cycles_find(body, &schedule.resolve_cycles, diag));
    for (int limit = 0; limit < FT_LIMIT_WINDOW; limit++)
        if (schedule.bounds[limit] > best) {
            best = schedule.bounds[limit];
            schedule.limit = (uint8_t)limit;
        }
    if (schedule.cycles > WINDOW_LIMIT * best)
        schedule.limit = FT_LIMIT_WINDOW;
    schedule.atomic_cycles = ATOMIC_CYCLES * body->atomic_count;
    if (schedule.atomic_cycles > fmax(schedule.cycles, best)) {
        best = schedule.atomic_cycles;
        schedule.limit = FT_LIMIT_ATOMICS;
    }
    schedule.cycles = fmax(schedule.cycles, best);
    *ret_schedule = schedule;
    return FT_OK;
}

double ft_schedule_throughput(const struct ft_schedule *schedule)
{
    return fmax(fmax(schedule->bounds[FT_LIMIT_FRONT_END], schedule->bounds[FT_LIMIT_PORTS]),
                schedule->atomic_cycles);
}

static void place_text(uint8_t place, char text[16])
{
    static const char *const general[FT_REGISTER_COUNT] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                                           "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                                           "r12", "r13", "r14", "r15", "fs",  "gs"};
    if (place < FT_REGISTER_COUNT)
        snprintf(text, 16, "%s", general[place]);
    else if (place < FT_PLACE_MASKS)
        snprintf(text, 16, "xmm%u", (unsigned)place - FT_PLACE_VECTORS);
    else if (place < FT_PLACE_FLAGS)
        snprintf(text, 16, "k%u", (unsigned)place - FT_PLACE_MASKS);
    else
        snprintf(text, 16, "%s", place == FT_PLACE_FLAGS ? "flags" : "the x87 stack");
}

void ft_schedule_limit_text(const struct ft_core *core, const struct ft_schedule *schedule,
                            char *text, size_t size_bytes)
{
    char place[16] = "memory";
    size_t used = 0;
    switch (schedule->limit) {
    case FT_LIMIT_PORTS:
        used = (size_t)snprintf(text, size_bytes, "ports");
        for (uint64_t left = schedule->ports; left && used < size_bytes; left &= left - 1)
            used += (size_t)snprintf(text + used, size_bytes - used, " %s",
                                     core->port_names[__builtin_ctzll(left)]);
        break;
    case FT_LIMIT_RECURRENCE:
        if (!schedule->recurrence_through_memory && schedule->recurrence_place != FT_NO_PLACE)
            place_text(schedule->recurrence_place, place);
        snprintf(text, size_bytes, "recurrence through %s", place);
        break;
    default:
        snprintf(text, size_bytes, "%s",
                 schedule->limit == FT_LIMIT_WINDOW    ? "window"
                 : schedule->limit == FT_LIMIT_ATOMICS ? "atomic instructions"
                                                       : "front end");
        break;
    }
}
