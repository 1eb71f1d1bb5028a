/*
 * The edge from a unit that was stopped to the outside is not an execution: it is subtracted from
 * the entries of the unit, unless the unit had made iterations, and the instructions that did run
 * are a part. What enters a unit is counted as entering whatever ran of it: the whole, or else a
 * prefix, or else the part. Iterations of a loop that are not entries are edges from the loop to
 * itself, whether complete or not.
 */
#include "trace-capture/processes/counted_trace.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/trace/execution_counts.h"
#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/tracer/drain.h"

struct solution {
    struct ft_edge_counts *counts;
    struct ft_drain *drain;
    uint64_t *flows;    /* by edge */
    uint64_t *entries;  /* by node: entries that were executed */
    uint32_t *units;    /* by node: a unit that ran for it, or 0 */
    uint64_t *prefixes; /* node << 8 | instructions, ascending */
    uint32_t *prefix_units;
    size_t prefix_count;
    struct ft_execution_counts result;
    size_t edge_capacity, part_capacity;
};

static int solve(struct solution *s, struct ft_diag *diag)
{
    struct ft_edge_counts *counts = s->counts;
    s->flows = calloc(counts->edge_count + 1, sizeof *s->flows);
    s->entries = calloc(counts->node_count + 1, sizeof *s->entries);
    s->units = calloc(counts->node_count + 1, sizeof *s->units);
    s->prefixes = calloc(counts->edge_count + 1, sizeof *s->prefixes);
    s->prefix_units = calloc(counts->edge_count + 1, sizeof *s->prefix_units);
    if (!s->flows || !s->entries || !s->units || !s->prefixes || !s->prefix_units || counts->failed)
        return ft_fail_memory(diag, "the counts of a program");
    int status = ft_edge_counts_solve(counts, diag);
    for (size_t i = 0; i < counts->edge_count; i++)
        if (counts->edges[i].left != FT_LEFT_PAUSED)
            s->flows[i] = counts->edges[i].count_before;
    return status;
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;
    return l < r ? -1 : l > r;
}

static bool is_early_exit(const struct ft_counts_edge *edge)
{
    return edge->from != FT_OUTSIDE && edge->left != FT_LEFT_WHOLE && !ft_left_is_stop(edge->left);
}

/* Makes units of the prefixes that ran. */
static int make_prefixes(struct solution *s, struct ft_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < s->counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &s->counts->edges[i];
        if (s->flows[i] && is_early_exit(edge))
            s->prefixes[count++] = (uint64_t)edge->from << 8 | edge->left;
    }
    if (count)
        qsort(s->prefixes, count, sizeof *s->prefixes, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = s->prefixes[i];
        if (s->prefix_count && s->prefixes[s->prefix_count - 1] == key)
            continue;
        const struct ft_unit *whole = ft_drain_unit(s->drain, s->counts->nodes[key >> 8].unit);
        unsigned instructions = key & 0xff;
        struct ft_unit prefix =
            ft_unit_prefix(whole, instructions, ft_unit_slots_before(whole, instructions));
        int status = ft_drain_add_unit(s->drain, &prefix, diag);
        if (status < 0)
            return status;
        s->prefix_units[s->prefix_count] = prefix.id;
        s->prefixes[s->prefix_count++] = key;
    }
    return FT_OK;
}

/* The unit that ran when an edge was taken, or 0. */
static uint32_t unit_left(const struct solution *s, const struct ft_counts_edge *edge)
{
    if (edge->from == FT_OUTSIDE || ft_left_is_stop(edge->left))
        return 0;
    if (edge->left == FT_LEFT_WHOLE)
        return s->counts->nodes[edge->from].unit;
    uint64_t key = (uint64_t)edge->from << 8 | edge->left;
    const uint64_t *found =
        bsearch(&key, s->prefixes, s->prefix_count, sizeof *s->prefixes, compare_numbers);
    return found ? s->prefix_units[found - s->prefixes] : 0;
}

static bool add_edge(struct solution *s, uint32_t from, uint32_t to, uint64_t count)
{
    struct ft_execution_counts *result = &s->result;
    if (count == 0 || to == 0)
        return true;
    if (!FT_RESERVE(result->edges, s->edge_capacity, result->edge_count + 1))
        return false;
    result->edges[result->edge_count++] = (struct ft_unit_edge){from, to, count};
    return true;
}

/* A loop that the host stopped at its head and resumed there was not left. */
static bool is_iteration(const struct solution *s, const struct ft_counts_edge *edge)
{
    return edge->from == edge->to && s->counts->nodes[edge->from].iterations != 0;
}

/* Executions of units, without iterations of loops, and the entries of each node. */
static void count_units(struct solution *s)
{
    for (size_t i = 0; i < s->counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &s->counts->edges[i];
        uint32_t unit = unit_left(s, edge);
        if (is_iteration(s, edge))
            continue;
        s->entries[edge->to] += s->flows[i];
        if (ft_left_is_stop(edge->left) && !(edge->left & FT_LEFT_ITERATED))
            s->entries[edge->from] -= s->flows[i];
        if (!unit || !s->flows[i])
            continue;
        s->result.units[unit] += s->flows[i];
        if (!s->units[edge->from] || edge->left == FT_LEFT_WHOLE)
            s->units[edge->from] = unit;
    }
}

/* What ran of units that were stopped; nothing else of them may have run. */
static bool count_parts(struct solution *s)
{
    struct ft_execution_counts *result = &s->result;
    for (size_t i = 0; i < s->counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &s->counts->edges[i];
        uint32_t unit = s->counts->nodes[edge->from].unit;
        unsigned ran = ft_left_instructions(edge->left);
        if (!ft_left_is_stop(edge->left) || !s->flows[i] || !ran || !unit)
            continue;
        if (!FT_RESERVE(result->parts, s->part_capacity, result->part_count + 1) ||
            ((edge->left & FT_LEFT_ITERATED) && !add_edge(s, unit, unit, s->flows[i])))
            return false;
        result->parts[result->part_count++] = (struct ft_unit_part){unit, ran, s->flows[i]};
        if (!s->units[edge->from])
            s->units[edge->from] = unit;
    }
    return true;
}

static bool count_iterations(struct solution *s)
{
    bool has_memory = true;
    for (size_t n = 1; n < s->counts->node_count && has_memory; n++) {
        const struct ft_counts_node *node = &s->counts->nodes[n];
        if (!node->iterations)
            continue;
        uint64_t iterations =
            (uint64_t)((int64_t)ft_edge_counts_sum(s->counts, node->iterations) / node->stride);
        s->result.units[node->unit] = iterations;
        s->result.loop_entries[node->unit] = s->entries[n];
        has_memory = add_edge(s, node->unit, node->unit, iterations - s->entries[n]);
    }
    return has_memory;
}

static bool count_edges(struct solution *s)
{
    for (size_t i = 0; i < s->counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &s->counts->edges[i];
        if (!ft_left_is_stop(edge->left) && !is_iteration(s, edge) &&
            !add_edge(s, unit_left(s, edge), s->units[edge->to], s->flows[i]))
            return false;
    }
    return true;
}

static int make_result(struct solution *s, struct ft_diag *diag)
{
    size_t unit_count = (size_t)ft_drain_unit_count(s->drain) + 1;
    s->result.units = calloc(unit_count, sizeof *s->result.units);
    s->result.loop_entries = calloc(unit_count, sizeof *s->result.loop_entries);
    if (!s->result.units || !s->result.loop_entries)
        return ft_fail_memory(diag, "the counts of a program");
    count_units(s);
    if (!count_parts(s) || !count_edges(s) || !count_iterations(s))
        return ft_fail_memory(diag, "the counts of a program");
    ft_execution_counts_sort(&s->result);
    return FT_OK;
}

int ft_counted_trace_finish(struct ft_edge_counts *counts, struct ft_drain *drain,
                            struct ft_diag *diag)
{
    struct solution s = {.counts = counts, .drain = drain};
    int status = solve(&s, diag);
    if (status == FT_OK)
        status = make_prefixes(&s, diag);
    if (status == FT_OK)
        status = make_result(&s, diag);
    if (status == FT_OK)
        ft_drain_set_counts(drain, &s.result);
    ft_execution_counts_fini(&s.result);
    free(s.flows);
    free(s.entries);
    free(s.units);
    free(s.prefixes);
    free(s.prefix_units);
    return status;
}
