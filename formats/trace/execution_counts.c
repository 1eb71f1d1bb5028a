/*
 * Most units are followed by the same unit as last time, so each unit remembers its last edge and
 * the hash table of edges is rarely asked.
 */
#include "formats/trace/execution_counts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"

#define NO_EDGE UINT32_MAX

struct ft_execution_counter {
    size_t unit_count;
    struct ft_execution_counts counts;
    size_t edge_capacity, part_capacity;
    uint32_t *last_edges; /* by unit: the edge that was last taken from it */
    struct ft_hash_table edges;
    uint32_t previous; /* unit, 0 for none; meaningless unless counts.last_is_known */
    uint64_t *marked;  /* counts of units, then of entries, then of edges, at the mark */
    size_t marked_capacity, marked_edges, marked_parts;
};

int ft_execution_counter_create(size_t unit_count, bool at_start,
                                struct ft_execution_counter **ret_counter, struct ft_diag *diag)
{
    struct ft_execution_counter *counter = calloc(1, sizeof *counter);
    if (!counter)
        return ft_fail_memory(diag, "execution counts");
    counter->unit_count = unit_count;
    counter->counts.last_is_known = at_start;
    counter->counts.units = calloc(unit_count + 1, sizeof *counter->counts.units);
    counter->counts.loop_entries = calloc(unit_count + 1, sizeof *counter->counts.loop_entries);
    counter->last_edges = malloc((unit_count + 1) * sizeof *counter->last_edges);
    if (!counter->counts.units || !counter->counts.loop_entries || !counter->last_edges) {
        ft_execution_counter_destroy(counter);
        return ft_fail_memory(diag, "execution counts");
    }
    for (size_t id = 0; id <= unit_count; id++)
        counter->last_edges[id] = NO_EDGE;
    *ret_counter = counter;
    return FT_OK;
}

void ft_execution_counter_destroy(struct ft_execution_counter *counter)
{
    if (!counter)
        return;
    ft_execution_counts_fini(&counter->counts);
    free(counter->last_edges);
    free(counter->marked);
    ft_hash_table_fini(&counter->edges);
    free(counter);
}

void ft_execution_counts_fini(struct ft_execution_counts *counts)
{
    free(counts->units);
    free(counts->loop_entries);
    free(counts->edges);
    free(counts->parts);
    *counts = (struct ft_execution_counts){0};
}

/* The number of an edge, a new one where it was not taken before. */
static int find_edge(struct ft_execution_counter *counter, uint32_t from, uint32_t to,
                     uint32_t *ret_edge, struct ft_diag *diag)
{
    struct ft_execution_counts *counts = &counter->counts;
    uint64_t hash = ft_hash_mix((uint64_t)from << 32 | to);
    uint32_t edge = NO_EDGE;
    for (size_t probe = hash; ft_hash_next(&counter->edges, hash, &probe, &edge);)
        if (counts->edges[edge].from == from && counts->edges[edge].to == to) {
            *ret_edge = edge;
            return FT_OK;
        }
    edge = (uint32_t)counts->edge_count;
    if (!FT_RESERVE(counts->edges, counter->edge_capacity, counts->edge_count + 1) ||
        !ft_hash_table_add(&counter->edges, hash, edge))
        return ft_fail_memory(diag, "execution counts");
    counts->edges[counts->edge_count++] = (struct ft_unit_edge){.from = from, .to = to};
    *ret_edge = edge;
    return FT_OK;
}

static inline int add_edge(struct ft_execution_counter *counter, uint32_t from, uint32_t to,
                           uint64_t count, struct ft_diag *diag)
{
    uint32_t edge = counter->last_edges[from];
    if (edge == NO_EDGE || counter->counts.edges[edge].to != to) {
        int status = find_edge(counter, from, to, &edge, diag);
        if (status)
            return status;
        counter->last_edges[from] = edge;
    }
    counter->counts.edges[edge].count += count;
    return FT_OK;
}

/* The first unit of a part of a log. */
static void note_first(struct ft_execution_counter *counter, uint32_t id, bool is_loop)
{
    counter->counts.first = id;
    counter->counts.first_is_loop = is_loop;
    counter->counts.last_is_known = true;
}

/* The unit ran once behind the one before. */
static int add_execution(struct ft_execution_counter *counter, uint32_t id, struct ft_diag *diag)
{
    uint32_t previous = counter->previous;
    counter->counts.units[id]++;
    counter->previous = id;
    if (!counter->counts.last_is_known) {
        note_first(counter, id, false);
        return FT_OK;
    }
    return add_edge(counter, previous, id, 1, diag);
}

static int add_iterations(struct ft_execution_counter *counter, uint32_t id, uint64_t iterations,
                          struct ft_diag *diag)
{
    uint32_t previous = counter->previous;
    if (iterations == 0)
        return FT_OK;
    counter->counts.units[id] += iterations;
    counter->previous = id;
    if (!counter->counts.last_is_known) {
        note_first(counter, id, true);
        return iterations > 1 ? add_edge(counter, id, id, iterations - 1, diag) : FT_OK;
    }
    bool goes_on = previous == id;
    counter->counts.loop_entries[id] += !goes_on;
    uint64_t times_around = goes_on ? iterations : iterations - 1;
    FT_TRY(goes_on ? FT_OK : add_edge(counter, previous, id, 1, diag));
    if (times_around)
        FT_TRY(add_edge(counter, id, id, times_around, diag));
    return FT_OK;
}

/* The first instructions of a unit ran, then a signal came. */
static int add_part(struct ft_execution_counter *counter, uint32_t id, uint32_t instructions,
                    struct ft_diag *diag)
{
    struct ft_execution_counts *counts = &counter->counts;
    if (instructions == 0)
        return FT_OK;
    if (!FT_RESERVE(counts->parts, counter->part_capacity, counts->part_count + 1))
        return ft_fail_memory(diag, "execution counts");
    counts->parts[counts->part_count++] = (struct ft_unit_part){id, instructions, 1};
    if (counts->last_is_known)
        return add_edge(counter, counter->previous, id, 1, diag);
    note_first(counter, id, false);
    return FT_OK;
}

int ft_execution_counter_add(struct ft_execution_counter *counter, const struct ft_unit *unit,
                             const struct ft_record *record, struct ft_diag *diag)
{
    if (!unit || record->unit == 0) {
        int status = FT_OK;
        if (record->escape == FT_ESCAPE_PARTIAL)
            status =
                add_part(counter, (uint32_t)record->values[0], (uint32_t)record->values[1], diag);
        if (record->escape == FT_ESCAPE_STACK || record->escape == FT_ESCAPE_PARTIAL) {
            counter->previous = 0;
            counter->counts.last_is_known = true;
        }
        return status;
    }
    if (!ft_unit_is_loop(unit))
        return add_execution(counter, record->unit, diag);
    uint32_t loop = unit->beginning_of ? unit->beginning_of : record->unit;
    int status = add_iterations(counter, loop, record->iteration_count, diag);
    return status || loop == record->unit ? status : add_execution(counter, record->unit, diag);
}

int ft_execution_counter_mark(struct ft_execution_counter *counter, struct ft_diag *diag)
{
    const struct ft_execution_counts *counts = &counter->counts;
    const size_t units = counter->unit_count + 1;
    if (!FT_RESERVE(counter->marked, counter->marked_capacity, 2 * units + counts->edge_count))
        return ft_fail_memory(diag, "execution counts");
    memcpy(counter->marked, counts->units, units * sizeof *counts->units);
    memcpy(counter->marked + units, counts->loop_entries, units * sizeof *counts->loop_entries);
    for (size_t i = 0; i < counts->edge_count; i++)
        counter->marked[2 * units + i] = counts->edges[i].count;
    counter->marked_edges = counts->edge_count;
    counter->marked_parts = counts->part_count;
    return FT_OK;
}

bool ft_execution_counter_times(struct ft_execution_counter *counter, uint64_t times)
{
    struct ft_execution_counts *counts = &counter->counts;
    const size_t units = counter->unit_count + 1;
    const uint64_t *edges = counter->marked + 2 * units;
    if (!counter->marked || counts->part_count != counter->marked_parts)
        return false;
    for (size_t id = 0; id < units; id++) {
        counts->units[id] += times * (counts->units[id] - counter->marked[id]);
        counts->loop_entries[id] +=
            times * (counts->loop_entries[id] - counter->marked[units + id]);
    }
    for (size_t i = 0; i < counts->edge_count; i++)
        counts->edges[i].count +=
            times * (counts->edges[i].count - (i < counter->marked_edges ? edges[i] : 0));
    return true;
}

static int compare_edges(const void *left, const void *right)
{
    const struct ft_unit_edge *l = left, *r = right;
    if (l->from != r->from)
        return l->from < r->from ? -1 : 1;
    return l->to < r->to ? -1 : l->to > r->to;
}

static int compare_parts(const void *left, const void *right)
{
    const struct ft_unit_part *l = left, *r = right;
    if (l->unit != r->unit)
        return l->unit < r->unit ? -1 : 1;
    return l->instructions < r->instructions ? -1 : l->instructions > r->instructions;
}

static void merge_edges(struct ft_execution_counts *counts)
{
    size_t kept = 0;
    if (counts->edge_count)
        qsort(counts->edges, counts->edge_count, sizeof *counts->edges, compare_edges);
    for (size_t i = 0; i < counts->edge_count; i++)
        if (kept && compare_edges(&counts->edges[kept - 1], &counts->edges[i]) == 0)
            counts->edges[kept - 1].count += counts->edges[i].count;
        else
            counts->edges[kept++] = counts->edges[i];
    counts->edge_count = kept;
}

static void merge_parts(struct ft_execution_counts *counts)
{
    size_t kept = 0;
    if (counts->part_count)
        qsort(counts->parts, counts->part_count, sizeof *counts->parts, compare_parts);
    for (size_t i = 0; i < counts->part_count; i++)
        if (kept && compare_parts(&counts->parts[kept - 1], &counts->parts[i]) == 0)
            counts->parts[kept - 1].count += counts->parts[i].count;
        else
            counts->parts[kept++] = counts->parts[i];
    counts->part_count = kept;
}

void ft_execution_counts_sort(struct ft_execution_counts *counts)
{
    merge_edges(counts);
    merge_parts(counts);
}

static bool add_parts(struct ft_execution_counts *sum, const struct ft_execution_counts *counts)
{
    if (counts->part_count == 0)
        return true;
    struct ft_unit_part *parts =
        realloc(sum->parts, (sum->part_count + counts->part_count) * sizeof *parts);
    if (!parts)
        return false;
    memcpy(parts + sum->part_count, counts->parts, counts->part_count * sizeof *parts);
    sum->parts = parts;
    sum->part_count += counts->part_count;
    merge_parts(sum);
    return true;
}

void ft_execution_counter_finish(struct ft_execution_counter *counter,
                                 struct ft_execution_counts *ret_counts)
{
    ft_execution_counts_sort(&counter->counts);
    counter->counts.last = counter->previous;
    *ret_counts = counter->counts;
    counter->counts = (struct ft_execution_counts){0};
}

static bool add_units(struct ft_execution_counts *sum, const struct ft_execution_counts *counts,
                      size_t unit_count)
{
    if (!sum->units)
        sum->units = calloc(unit_count + 1, sizeof *sum->units);
    if (!sum->loop_entries)
        sum->loop_entries = calloc(unit_count + 1, sizeof *sum->loop_entries);
    if (!sum->units || !sum->loop_entries)
        return false;
    for (size_t id = 0; id <= unit_count; id++) {
        sum->units[id] += counts->units[id];
        sum->loop_entries[id] += counts->loop_entries[id];
    }
    return true;
}

int ft_execution_counts_add(struct ft_execution_counts *sum,
                            const struct ft_execution_counts *counts, size_t unit_count,
                            struct ft_diag *diag)
{
    struct ft_unit_edge *edges = malloc((sum->edge_count + counts->edge_count + 1) * sizeof *edges);
    if (!edges || !add_units(sum, counts, unit_count) || !add_parts(sum, counts)) {
        free(edges);
        return ft_fail_memory(diag, "execution counts");
    }
    size_t count = 0, i = 0, j = 0;
    while (i < sum->edge_count || j < counts->edge_count) {
        int order = i == sum->edge_count      ? 1
                    : j == counts->edge_count ? -1
                                              : compare_edges(&sum->edges[i], &counts->edges[j]);
        edges[count] = order <= 0 ? sum->edges[i] : counts->edges[j];
        if (order == 0)
            edges[count].count += counts->edges[j].count;
        count++;
        i += order <= 0;
        j += order >= 0;
    }
    free(sum->edges);
    sum->edges = edges;
    sum->edge_count = count;
    return FT_OK;
}

/* What the first unit of a part follows is known now. */
static int join_first(struct ft_execution_counts *counts, const struct ft_execution_counts *more,
                      struct ft_diag *diag)
{
    struct ft_unit_edge edge = {counts->last, more->first, 1};
    counts->loop_entries[more->first] += more->first_is_loop && counts->last != more->first;
    size_t position = 0;
    while (position < counts->edge_count && compare_edges(&counts->edges[position], &edge) < 0)
        position++;
    if (position < counts->edge_count && compare_edges(&counts->edges[position], &edge) == 0) {
        counts->edges[position].count++;
        return FT_OK;
    }
    struct ft_unit_edge *edges = realloc(counts->edges, (counts->edge_count + 1) * sizeof edge);
    if (!edges)
        return ft_fail_memory(diag, "execution counts");
    memmove(edges + position + 1, edges + position, (counts->edge_count - position) * sizeof edge);
    edges[position] = edge;
    counts->edges = edges;
    counts->edge_count++;
    return FT_OK;
}

int ft_execution_counts_append(struct ft_execution_counts *counts, struct ft_execution_counts *more,
                               size_t unit_count, struct ft_diag *diag)
{
    int status = ft_execution_counts_add(counts, more, unit_count, diag);
    if (!status && more->first && counts->last_is_known) {
        status = join_first(counts, more, diag);
    } else if (more->first) {
        counts->first = more->first;
        counts->first_is_loop = more->first_is_loop;
    }
    if (more->last_is_known) {
        counts->last = more->last;
        counts->last_is_known = true;
    }
    ft_execution_counts_fini(more);
    return status;
}
