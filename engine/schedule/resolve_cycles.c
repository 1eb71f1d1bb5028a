#include "engine/schedule/resolve_cycles.h"

#include <math.h>
#include <stdlib.h>

/* Of an iteration: edges lead to later operations, in program order. */
struct chains {
    const struct ft_body *body;
    double *starts;     /* [operation] */
    uint32_t *leads_to; /* [edge], by the operation that it leads to */
    size_t *first;      /* [operation + 1]: of leads_to */
};

static void sort_edges(const struct chains *chains)
{
    const struct ft_body *body = chains->body;
    for (size_t e = 0; e < body->edge_count; e++)
        chains->first[body->edges[e].to + 1]++;
    for (uint32_t o = 0; o < body->operation_count; o++)
        chains->first[o + 1] += chains->first[o]; /* where those of o end */
    for (size_t e = body->edge_count; e-- > 0;)
        chains->leads_to[--chains->first[body->edges[e].to + 1]] = (uint32_t)e;
    chains->first[body->operation_count + 1] = body->edge_count;
}

static void start_operations(const struct chains *chains)
{
    const struct ft_body *body = chains->body;
    double slots = 0;
    for (uint32_t o = 0; o < body->operation_count; o++) {
        double start = slots / body->core->dispatch;
        for (size_t i = chains->first[o + 1]; i < chains->first[o + 2]; i++) {
            const struct ft_operation_edge *edge = &body->edges[chains->leads_to[i]];
            if (edge->distance == 0 && edge->from < o)
                start = fmax(start, chains->starts[edge->from] + edge->cycles);
        }
        chains->starts[o] = start;
        slots += body->operations[o].slots;
    }
}

/* Of the last instruction's operations the one that is last. */
static double resolve(const struct chains *chains)
{
    const struct ft_body *body = chains->body;
    const struct ft_operation *operations = body->operations;
    const uint32_t count = body->operation_count;
    double slots = 0, cycles = 0;
    for (uint32_t o = 0; o < count; o++) {
        if (operations[o].instruction == operations[count - 1].instruction)
            cycles = fmax(cycles, chains->starts[o] + operations[o].latency_cycles -
                                      slots / body->core->dispatch);
        slots += operations[o].slots;
    }
    return cycles;
}

int ft_resolve_cycles_find(const struct ft_body *body, double *ret_cycles, struct ft_diag *diag)
{
    const struct chains chains = {
        .body = body,
        .starts = calloc(body->operation_count + 1U, sizeof *chains.starts),
        .leads_to = calloc(body->edge_count + 1, sizeof *chains.leads_to),
        .first = calloc(body->operation_count + 3U, sizeof *chains.first),
    };
    const bool done = chains.starts && chains.leads_to && chains.first;
    *ret_cycles = 0;
    if (done && body->operation_count > 0) {
        sort_edges(&chains);
        start_operations(&chains);
        *ret_cycles = resolve(&chains);
    }
    free(chains.starts);
    free(chains.leads_to);
    free(chains.first);
    return done ? FT_OK : ft_fail_memory(diag, "a schedule");
}
