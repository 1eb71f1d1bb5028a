/*
 * Two captures of the same run, one of them with --counts: whether each instruction ran as often,
 * and each way from one instruction to the next was taken as often. INTERRUPTED: so many ways more
 * led, in the one with --counts, to code that a signal then interrupted; logs do not tell of them.
 * usage: compare_counts FULL COUNTS [INTERRUPTED]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/flow_graph.h"
#include "engine/program/graph/trace_executions.h"
#include "formats/base/array.h"

/* From instruction to instruction; to 0: executions of one. */
struct passage {
    uint64_t from, to, count;
};
struct passages {
    struct passage *items;
    size_t count, capacity;
    uint64_t instructions;
};

static void add(struct passages *passages, uint64_t from, uint64_t to, uint64_t count)
{
    if (!count)
        return;
    if (!FT_RESERVE(passages->items, passages->capacity, passages->count + 1))
        abort();
    passages->items[passages->count++] = (struct passage){from, to, count};
}

static int compare(const void *left, const void *right)
{
    const struct passage *l = left, *r = right;
    if (l->from != r->from)
        return l->from < r->from ? -1 : 1;
    return l->to < r->to ? -1 : l->to > r->to;
}

/* Instructions that changed at their address are added up. */
static void merge(struct passages *passages)
{
    size_t kept = 0;
    if (passages->count)
        qsort(passages->items, passages->count, sizeof *passages->items, compare);
    for (size_t i = 0; i < passages->count; i++)
        if (kept && compare(&passages->items[kept - 1], &passages->items[i]) == 0)
            passages->items[kept - 1].count += passages->items[i].count;
        else
            passages->items[kept++] = passages->items[i];
    passages->count = kept;
}

static void add_graph(const struct ft_flow_graph *graph, struct passages *passages)
{
    for (size_t b = 0; b < graph->block_count; b++) {
        const struct ft_flow_block *block = &graph->blocks[b];
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint64_t pc = graph->instructions[block->first_instruction + i]->pc;
            add(passages, pc, 0, block->execution_count);
            passages->instructions += block->execution_count;
            if (i)
                add(passages, graph->instructions[block->first_instruction + i - 1]->pc, pc,
                    block->execution_count);
        }
    }
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct ft_block_edge *edge = &graph->edges[e];
        add(passages, ft_flow_last_instruction(graph, edge->from)->pc, graph->blocks[edge->to].pc,
            edge->count);
    }
    merge(passages);
}

static bool read_passages(const char *path, struct passages *passages)
{
    struct ft_trace *trace = NULL;
    struct ft_execution_counts counts = {0};
    struct ft_flow_graph graph = {0};
    struct ft_diag diag;
    const struct ft_unit **units = NULL;
    const struct ft_module **modules = NULL;
    int status = ft_trace_open(path, &(struct ft_trace_options){0}, &trace, &diag);
    if (!status) {
        units = calloc(ft_trace_unit_count(trace) + 1, sizeof *units);
        modules = calloc(ft_trace_module_count(trace) + 1, sizeof *modules);
        for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++)
            units[id] = ft_trace_unit(trace, id);
        for (size_t m = 0; m < ft_trace_module_count(trace); m++)
            modules[m] = ft_trace_module(trace, m);
        status = ft_trace_executions(trace, NULL, &counts, &diag);
    }
    if (!status)
        status = ft_flow_graph_build(units, ft_trace_unit_count(trace) + 1, &counts, modules,
                                     &graph, &diag);
    if (status)
        printf("%s\n", diag.message);
    else
        add_graph(&graph, passages);
    ft_flow_graph_fini(&graph);
    ft_execution_counts_fini(&counts);
    ft_trace_close(trace);
    free(units);
    free(modules);
    return status == 0;
}

struct difference {
    uint64_t interrupted; /* ways that only the capture with --counts has */
    size_t others;
};

static void note(struct difference *difference, const struct passage *at, uint64_t full,
                 uint64_t counted)
{
    if (at->to && counted >= full) {
        difference->interrupted += counted - full;
        return;
    }
    if (counted == full)
        return;
    printf("0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64 ", with --counts %" PRIu64 "\n", at->from,
           at->to, full, counted);
    difference->others++;
}

int main(int argc, char **argv)
{
    struct passages full = {0}, counted = {0};
    size_t i = 0, j = 0;
    struct difference difference = {0};
    if (argc < 3 || argc > 4 || !read_passages(argv[1], &full) || !read_passages(argv[2], &counted))
        return 2;
    while (i < full.count || j < counted.count) {
        int order = i == full.count      ? 1
                    : j == counted.count ? -1
                                         : compare(&full.items[i], &counted.items[j]);
        note(&difference, order <= 0 ? &full.items[i] : &counted.items[j],
             order <= 0 ? full.items[i].count : 0, order >= 0 ? counted.items[j].count : 0);
        i += order <= 0;
        j += order >= 0;
    }
    printf("%zu counts of %" PRIu64 " instructions; %zu different, %" PRIu64 " ways interrupted\n",
           full.count, full.instructions, difference.others, difference.interrupted);
    bool equal = difference.others == 0 && full.count > 0 &&
                 difference.interrupted == (argc == 4 ? strtoull(argv[3], NULL, 10) : 0);
    free(full.items);
    free(counted.items);
    return !equal;
}
