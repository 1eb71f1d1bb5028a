/*
 * Edges become known only as they are taken, or about to be: each new one either joins two parts of
 * the graph that were separate, and needs no counter, or closes a cycle, and gets one. A unit falls
 * through to the one that was translated right after it, so that straight-line control flow has no
 * counters; back edges, and edges that join from elsewhere, have them.
 */
#include "trace-capture/counts/edge_counts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define STRIDE_MAX 4096 /* a counter that changes by it holds 2^51 iterations of a loop */

static int add_node(struct ft_edge_counts *counts, struct ft_counts_node node, struct ft_diag *diag)
{
    if (!FT_RESERVE(counts->nodes, counts->node_capacity, counts->node_count + 1) ||
        !ft_joined_add(&counts->joined))
        return ft_fail_memory(diag, "the counters of a program");
    counts->nodes[counts->node_count++] = node;
    return FT_OK;
}

int ft_edge_counts_add_counter(struct ft_edge_counts *counts, uint32_t *ret_counter,
                               struct ft_diag *diag)
{
    if (counts->counter_count + 1 >= FT_COUNTERS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the program needs more than %u counters",
                       FT_COUNTERS_MAX);
    *ret_counter = ++counts->counter_count;
    return FT_OK;
}

int ft_edge_counts_create(struct ft_edge_counts **ret_counts, struct ft_diag *diag)
{
    struct ft_edge_counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        return ft_fail_memory(diag, "the counters of a program");
    int status = add_node(counts, (struct ft_counts_node){0}, diag);
    if (status < 0) {
        ft_edge_counts_destroy(counts);
        return status;
    }
    *ret_counts = counts;
    return FT_OK;
}

void ft_edge_counts_destroy(struct ft_edge_counts *counts)
{
    if (!counts)
        return;
    ft_joined_fini(&counts->joined);
    free(counts->nodes);
    free(counts->edges);
    ft_hash_table_fini(&counts->edge_numbers);
    free(counts->sums);
    free(counts);
}

/* The register from which the iterations of a loop can be computed, if a single instruction changes
 * it. */
static void find_induction(const struct ft_unit *unit, struct ft_counts_node *node)
{
    unsigned moved = 0;
    node->induction = FT_NO_REGISTER;
    node->stride = 1;
    for (unsigned i = 0; unit->count_source == FT_COUNT_INDUCTION && i < unit->instruction_count;
         i++)
        if (unit->instructions[i].registers_written >> unit->induction_register & 1) {
            node->induction_at = (uint8_t)i;
            moved++;
        }
    if (moved != 1 || unit->induction_stride < -STRIDE_MAX || unit->induction_stride > STRIDE_MAX)
        return;
    node->induction = unit->induction_register;
    node->stride = unit->induction_stride;
}

int ft_edge_counts_add_node(struct ft_edge_counts *counts, const struct ft_unit *unit,
                            uint32_t *ret_node, struct ft_diag *diag)
{
    struct ft_counts_node node = {.unit = unit->id};
    int status =
        ft_unit_is_loop(unit) ? ft_edge_counts_add_counter(counts, &node.iterations, diag) : FT_OK;
    if (ft_unit_is_loop(unit))
        find_induction(unit, &node);
    if (status == FT_OK)
        status = add_node(counts, node, diag);
    if (status == FT_OK)
        *ret_node = (uint32_t)counts->node_count - 1;
    return status;
}

int ft_edge_counts_edge(struct ft_edge_counts *counts, uint32_t from, unsigned left, uint32_t to,
                        uint32_t *ret_edge, struct ft_diag *diag)
{
    const uint64_t hash = ft_hash_add(ft_hash_mix((uint64_t)from << 32 | to), left);
    uint32_t number;
    for (size_t probe = hash; ft_hash_next(&counts->edge_numbers, hash, &probe, &number);) {
        const struct ft_counts_edge *known = &counts->edges[number];
        if (known->from == from && known->to == to && known->left == left) {
            *ret_edge = number;
            return FT_OK;
        }
    }
    struct ft_counts_edge edge = {.from = from, .to = to, .left = (uint8_t)left};
    if (!FT_RESERVE(counts->edges, counts->edge_capacity, counts->edge_count + 1))
        return ft_fail_memory(diag, "the counters of a program");
    bool is_of_host = from == FT_OUTSIDE || to == FT_OUTSIDE;
    if (is_of_host || !ft_joined_join(&counts->joined, from, to)) {
        int status = ft_edge_counts_add_counter(counts, &edge.reserved_counter, diag);
        if (status < 0)
            return status;
        edge.counter = edge.reserved_counter;
    }
    number = (uint32_t)counts->edge_count;
    if (!ft_hash_table_add(&counts->edge_numbers, hash, number))
        return ft_fail_memory(diag, "the counters of a program");
    counts->edges[counts->edge_count++] = edge;
    *ret_edge = number;
    return FT_OK;
}

void ft_edge_counts_collect(struct ft_edge_counts *counts, uint64_t *counters)
{
    size_t count = (size_t)counts->counter_count + 1;
    if (!FT_RESERVE(counts->sums, counts->sum_capacity, count)) {
        counts->failed = true;
        return;
    }
    for (; counts->sum_count < count; counts->sum_count++)
        counts->sums[counts->sum_count] = 0;
    for (size_t i = 0; i < count; i++)
        counts->sums[i] += counters[i];
    memset(counters, 0, count * sizeof *counters);
}

void ft_edge_counts_discard(struct ft_edge_counts *counts, uint64_t *counters)
{
    counts->lost_threads++;
    memset(counters, 0, ((size_t)counts->counter_count + 1) * sizeof *counters);
}

int ft_edge_counts_solve(struct ft_edge_counts *counts, struct ft_diag *diag)
{
    struct ft_counted_edge *edges = calloc(counts->edge_count + 1, sizeof *edges);
    if (!edges)
        return ft_fail_memory(diag, "the counts of a program");
    for (size_t i = 0; i < counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &counts->edges[i];
        edges[i] = (struct ft_counted_edge){.from = edge->from,
                                            .to = edge->to,
                                            .has_counter = edge->counter != FT_NO_COUNTER,
                                            .count = ft_edge_counts_sum(counts, edge->counter)};
    }
    int status = ft_counters_solve(edges, counts->edge_count, (uint32_t)counts->node_count, diag);
    for (size_t i = 0; i < counts->edge_count && status == FT_OK; i++) {
        counts->edges[i].count_before += edges[i].count;
        if (counts->edges[i].counter && counts->edges[i].counter < counts->sum_count)
            counts->sums[counts->edges[i].counter] = 0;
    }
    free(edges);
    return status;
}
