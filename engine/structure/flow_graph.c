/*
 * 1. Nodes: each distinct instruction (address and bytes) of all units, with the executions of all
 *    units that contain it, linked to the one that follows it in a unit.
 * 2. Leaders: nodes that start a block. A unit starts one, unless it only goes on where another was
 *    cut by the planner's limits; so do targets of direct branches and what stands behind them,
 *    starts of symbols, nodes where two sequences join or part (a jump into the middle of an
 *    instruction does that), and nodes that ran more or less often than the one before (a signal
 *    stopped a unit half-way).
 * 3. Blocks: from each leader along the links to the next one; sorted by place.
 * 4. Edges between blocks: inside units, and from unit to unit.
 * 5. Successors inside a routine: executed ones but calls and returns; from a call to where it
 *    returns, unless all that ran there came from elsewhere (a routine that never returns); and
 *    branches that were never taken, or always, where both ends ran. References without code have
 *    none: what jumps, calls or returns is not known.
 */
#include "engine/structure/flow_graph.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define NONE UINT32_MAX

struct node {
    const struct ft_unit *unit; /* the first that contains it */
    const struct ft_instruction *instruction;
    uint64_t count;
    uint32_t next, previous; /* node, NONE */
    uint32_t same_pc;        /* another version at this address, NONE */
    uint32_t block;
    bool leader;
};

struct builder {
    const struct ft_unit *const *units;
    size_t unit_count;
    const struct ft_execution_counts *counts;
    const struct ft_module *const *modules;
    struct node *nodes;
    size_t node_count;
    uint32_t *table;       /* open addressing by pc: a node, or NONE */
    size_t table_capacity; /* a power of two */
    uint32_t *unit_nodes;  /* nodes of unit id: unit_nodes[first_of_unit[id] ...] */
    size_t *first_of_unit;
    struct ft_flow_graph graph;
    size_t edge_capacity;
    uint64_t *reached;           /* per block: executions that no return led to */
    struct ft_block_edge *links; /* successors, before sorting */
    size_t link_count, link_capacity;
};

/* The table's slot for pc: of the first node there, or free. */
static size_t slot_of(const struct builder *builder, uint64_t pc)
{
    size_t mask = builder->table_capacity - 1;
    size_t slot = (size_t)((pc * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & mask;
    while (builder->table[slot] != NONE &&
           builder->nodes[builder->table[slot]].instruction->pc != pc)
        slot = (slot + 1) & mask;
    return slot;
}

static uint32_t module_of(const struct node *node)
{
    return ft_unit_module(node->unit, (unsigned)(node->instruction - node->unit->instructions));
}

/* Without code: whether two entries stand for the same accesses. */
static bool same_accesses(const struct ft_instruction *a, const struct ft_instruction *b)
{
    if (a->accesses_only != b->accesses_only || a->access_count != b->access_count)
        return false;
    for (unsigned i = 0; i < a->access_count; i++)
        if (a->accesses[i].kind != b->accesses[i].kind ||
            a->accesses[i].size_bytes != b->accesses[i].size_bytes)
            return false;
    return true;
}

static bool same_code(const struct node *node, const struct ft_unit *unit,
                      const struct ft_instruction *instruction)
{
    bool has_code = unit->kind != FT_UNIT_REFERENCES;
    if (!node->instruction || node->instruction->length != instruction->length ||
        (node->unit->kind != FT_UNIT_REFERENCES) != has_code)
        return false;
    if (!has_code)
        return same_accesses(node->instruction, instruction);
    return memcmp(ft_unit_code(node->unit, node->instruction), ft_unit_code(unit, instruction),
                  instruction->length) == 0;
}

/* The node of the index-th instruction of a unit, made where it is new. */
static uint32_t node_of(struct builder *builder, const struct ft_unit *unit, size_t index)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    size_t slot = slot_of(builder, instruction->pc);
    uint32_t *link = &builder->table[slot];
    while (*link != NONE) {
        struct node *node = &builder->nodes[*link];
        if (same_code(node, unit, instruction))
            return *link;
        link = &node->same_pc;
    }
    uint32_t made = (uint32_t)builder->node_count++;
    *link = made;
    builder->nodes[made] = (struct node){.unit = unit,
                                         .instruction = instruction,
                                         .next = NONE,
                                         .previous = NONE,
                                         .same_pc = NONE,
                                         .block = NONE};
    return made;
}

/* Notes that `to` follows `from`; where sequences part or join, blocks start. */
static void link_nodes(struct builder *builder, uint32_t from, uint32_t to)
{
    struct node *nodes = builder->nodes;
    if (nodes[from].next == NONE)
        nodes[from].next = to;
    else if (nodes[from].next != to)
        nodes[to].leader = nodes[nodes[from].next].leader = true;
    if (nodes[to].previous == NONE)
        nodes[to].previous = from;
    else if (nodes[to].previous != from)
        nodes[to].leader = true;
}

static bool make_nodes(struct builder *builder)
{
    size_t total = 0;
    builder->first_of_unit = calloc(builder->unit_count + 1, sizeof *builder->first_of_unit);
    if (!builder->first_of_unit)
        return false;
    for (size_t id = 0; id < builder->unit_count; id++) {
        builder->first_of_unit[id] = total;
        total += builder->units[id] ? ft_unit_last_turn(builder->units[id]) : 0;
    }
    if (total >= NONE / 2)
        return false;
    builder->table_capacity = 16;
    while (builder->table_capacity < 2 * total)
        builder->table_capacity *= 2;
    builder->nodes = calloc(total + 1, sizeof *builder->nodes);
    builder->unit_nodes = malloc((total + 1) * sizeof *builder->unit_nodes);
    builder->table = malloc(builder->table_capacity * sizeof *builder->table);
    if (!builder->nodes || !builder->unit_nodes || !builder->table)
        return false;
    memset(builder->table, 0xff, builder->table_capacity * sizeof *builder->table);
    for (size_t id = 0; id < builder->unit_count; id++) {
        const struct ft_unit *unit = builder->units[id];
        uint32_t *nodes = builder->unit_nodes + builder->first_of_unit[id];
        for (size_t i = 0; unit && i < ft_unit_last_turn(unit); i++) {
            nodes[i] = node_of(builder, unit, i);
            builder->nodes[nodes[i]].count += builder->counts->units[id];
            if (i > 0)
                link_nodes(builder, nodes[i - 1], nodes[i]);
        }
    }
    return true;
}

static bool has_unit(const struct builder *builder, uint32_t id)
{
    return id < builder->unit_count && builder->units[id] &&
           builder->units[id]->instruction_count > 0;
}

static uint32_t first_node(const struct builder *builder, uint32_t id)
{
    return builder->unit_nodes[builder->first_of_unit[id]];
}

static uint32_t last_node(const struct builder *builder, uint32_t id)
{
    return builder
        ->unit_nodes[builder->first_of_unit[id] + ft_unit_last_turn(builder->units[id]) - 1];
}

static void lead_from_units(struct builder *builder)
{
    for (size_t i = 0; i < builder->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &builder->counts->edges[i];
        if (!has_unit(builder, edge->to))
            continue;
        uint32_t to = first_node(builder, edge->to);
        uint32_t from = has_unit(builder, edge->from) ? last_node(builder, edge->from) : NONE;
        const struct ft_instruction *last = from == NONE ? NULL : builder->nodes[from].instruction;
        if (last && last->flow == FT_FLOW_NEXT &&
            last->pc + last->length == builder->nodes[to].instruction->pc)
            link_nodes(builder, from, to);
        else
            builder->nodes[to].leader = true;
    }
}

static void lead_from_code(struct builder *builder)
{
    for (size_t i = 0; i < builder->node_count; i++) {
        struct node *node = &builder->nodes[i];
        uint8_t flow = node->instruction->flow;
        if (flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP || flow == FT_FLOW_CALL) {
            uint32_t target = builder->table[slot_of(builder, node->instruction->target)];
            for (; target != NONE; target = builder->nodes[target].same_pc)
                builder->nodes[target].leader = true;
        }
        if (node->previous == NONE || builder->nodes[node->previous].next != i ||
            builder->nodes[node->previous].count != node->count ||
            builder->nodes[node->previous].instruction->flow != FT_FLOW_NEXT)
            node->leader = true;
        if (module_of(node) != FT_NO_MODULE) {
            const struct ft_module *module = builder->modules[module_of(node)];
            uint64_t offset = node->instruction->pc - module->load_bias;
            const struct ft_symbol *symbol = ft_module_symbol(module, offset);
            if (symbol && symbol->start == offset)
                node->leader = true;
        }
    }
}

static int compare_blocks(const void *left, const void *right)
{
    const struct ft_flow_block *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->first_instruction < b->first_instruction ? -1 : 1;
}

/* Blocks with first_instruction = their first node, in order; then their instructions in a row. */
static bool make_blocks(struct builder *builder)
{
    struct ft_flow_graph *graph = &builder->graph;
    graph->blocks = calloc(builder->node_count + 1, sizeof *graph->blocks);
    graph->instructions = calloc(builder->node_count + 1, sizeof *graph->instructions);
    graph->units = calloc(builder->node_count + 1, sizeof *graph->units);
    graph->block_of = malloc((builder->node_count + 1) * sizeof *graph->block_of);
    if (!graph->blocks || !graph->instructions || !graph->units || !graph->block_of)
        return false;
    for (size_t i = 0; i < builder->node_count; i++) {
        const struct node *node = &builder->nodes[i];
        if (!node->leader)
            continue;
        uint32_t module = module_of(node);
        uint64_t pc = node->instruction->pc;
        graph->blocks[graph->block_count++] = (struct ft_flow_block){
            .pc = pc,
            .offset = module == FT_NO_MODULE ? pc : pc - builder->modules[module]->load_bias,
            .module = module,
            .first_instruction = (uint32_t)i,
            .execution_count = node->count,
            .call_before = FT_NO_BLOCK,
        };
    }
    qsort(graph->blocks, graph->block_count, sizeof *graph->blocks, compare_blocks);
    for (size_t b = 0; b < graph->block_count; b++) {
        struct ft_flow_block *block = &graph->blocks[b];
        uint32_t node = block->first_instruction;
        block->first_instruction = (uint32_t)graph->instruction_count;
        do {
            graph->instructions[graph->instruction_count] = builder->nodes[node].instruction;
            graph->units[graph->instruction_count] = builder->nodes[node].unit;
            graph->block_of[graph->instruction_count++] = (uint32_t)b;
            builder->nodes[node].block = (uint32_t)b;
            block->instruction_count++;
            block->code_bytes += builder->nodes[node].instruction->length;
            node = builder->nodes[node].next;
        } while (node != NONE && !builder->nodes[node].leader);
    }
    return true;
}

static bool add_edge(struct ft_block_edge **edges, size_t *count, size_t *capacity, uint32_t from,
                     uint32_t to, uint64_t executions)
{
    if (!FT_RESERVE(*edges, *capacity, *count + 1))
        return false;
    (*edges)[(*count)++] = (struct ft_block_edge){from, to, executions};
    return true;
}

static int compare_edges(const void *left, const void *right)
{
    const struct ft_block_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Sorts edges and adds up those between the same blocks. */
static size_t merge_edges(struct ft_block_edge *edges, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (kept && compare_edges(&edges[kept - 1], &edges[i]) == 0)
            edges[kept - 1].count += edges[i].count;
        else
            edges[kept++] = edges[i];
    return kept;
}

static bool make_edges(struct builder *builder)
{
    struct ft_flow_graph *graph = &builder->graph;
    for (size_t id = 0; id < builder->unit_count; id++) {
        const uint32_t *nodes = builder->unit_nodes + builder->first_of_unit[id];
        uint64_t executions = builder->counts->units[id];
        if (!has_unit(builder, (uint32_t)id) || executions == 0)
            continue;
        for (size_t i = 1; i < ft_unit_last_turn(builder->units[id]); i++)
            if (builder->nodes[nodes[i]].leader &&
                !add_edge(&graph->edges, &graph->edge_count, &builder->edge_capacity,
                          builder->nodes[nodes[i - 1]].block, builder->nodes[nodes[i]].block,
                          executions))
                return false;
    }
    for (size_t i = 0; i < builder->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &builder->counts->edges[i];
        if (!has_unit(builder, edge->from) || !has_unit(builder, edge->to))
            continue;
        const struct node *to = &builder->nodes[first_node(builder, edge->to)];
        if (to->leader &&
            !add_edge(&graph->edges, &graph->edge_count, &builder->edge_capacity,
                      builder->nodes[last_node(builder, edge->from)].block, to->block, edge->count))
            return false;
    }
    graph->edge_count = merge_edges(graph->edges, graph->edge_count);
    return true;
}

static bool add_link(struct builder *builder, uint32_t from, uint32_t to)
{
    return add_edge(&builder->links, &builder->link_count, &builder->link_capacity, from, to, 0);
}

/* The block that starts at pc and ran, or FT_NO_BLOCK. */
static uint32_t executed_block(const struct builder *builder, uint64_t pc)
{
    uint32_t node = builder->table[slot_of(builder, pc)];
    for (; node != NONE; node = builder->nodes[node].same_pc)
        if (builder->nodes[node].leader && builder->nodes[node].count)
            return builder->nodes[node].block;
    return FT_NO_BLOCK;
}

static const struct ft_symbol *symbol_of(const struct builder *builder, uint32_t block)
{
    const struct ft_flow_block *b = &builder->graph.blocks[block];
    return b->module == FT_NO_MODULE ? NULL
                                     : ft_module_symbol(builder->modules[b->module], b->offset);
}

/* Whether an edge may be the end of a call: a return, a jump out of a routine that stands for one
 * (longjmp, `pop rcx; jmp rcx`), a call of the next instruction. */
static bool may_come_back(const struct builder *builder, const struct ft_block_edge *edge)
{
    const struct ft_instruction *last = ft_flow_last_instruction(&builder->graph, edge->from);
    switch (last->flow) {
    case FT_FLOW_NEXT:
    case FT_FLOW_BRANCH:
    case FT_FLOW_JUMP:
    case FT_FLOW_SYSCALL:
    case FT_FLOW_TRAP:
        return false;
    case FT_FLOW_CALL:
    case FT_FLOW_CALL_INDIRECT:
        return last->pc + last->length == builder->graph.blocks[edge->to].pc;
    case FT_FLOW_JUMP_INDIRECT:
        return symbol_of(builder, edge->from) != symbol_of(builder, edge->to);
    default:
        return true;
    }
}

static bool count_reached(struct builder *builder)
{
    const struct ft_flow_graph *graph = &builder->graph;
    builder->reached = calloc(graph->block_count + 1, sizeof *builder->reached);
    for (size_t i = 0; builder->reached && i < graph->edge_count; i++)
        if (!may_come_back(builder, &graph->edges[i]))
            builder->reached[graph->edges[i].to] += graph->edges[i].count;
    return builder->reached != NULL;
}

/* What follows a block by its code alone, where it ran too. */
static bool add_static_links(struct builder *builder, uint32_t block)
{
    struct ft_flow_graph *graph = &builder->graph;
    const struct ft_instruction *last = ft_flow_last_instruction(graph, block);
    uint32_t next = FT_NO_BLOCK, target = FT_NO_BLOCK;
    if (last->flow != FT_FLOW_JUMP && last->flow != FT_FLOW_JUMP_INDIRECT &&
        last->flow != FT_FLOW_RETURN && last->flow != FT_FLOW_INTERRUPT_RETURN &&
        last->flow != FT_FLOW_TRAP && last->flow != FT_FLOW_UNKNOWN)
        next = executed_block(builder, last->pc + last->length);
    if (last->flow == FT_FLOW_BRANCH || last->flow == FT_FLOW_JUMP)
        target = executed_block(builder, last->target);
    if (next != FT_NO_BLOCK &&
        (last->flow == FT_FLOW_CALL || last->flow == FT_FLOW_CALL_INDIRECT)) {
        if (builder->reached[next] >= graph->blocks[next].execution_count)
            next = FT_NO_BLOCK;
        else
            graph->blocks[next].call_before = block;
    }
    return (next == FT_NO_BLOCK || add_link(builder, block, next)) &&
           (target == FT_NO_BLOCK || add_link(builder, block, target));
}

static bool make_successors(struct builder *builder)
{
    struct ft_flow_graph *graph = &builder->graph;
    if (!count_reached(builder))
        return false;
    for (size_t i = 0; i < graph->edge_count; i++) {
        uint8_t flow = ft_flow_last_instruction(graph, graph->edges[i].from)->flow;
        if (flow != FT_FLOW_CALL && flow != FT_FLOW_CALL_INDIRECT && flow != FT_FLOW_RETURN &&
            flow != FT_FLOW_UNKNOWN && !add_link(builder, graph->edges[i].from, graph->edges[i].to))
            return false;
    }
    for (size_t b = 0; b < graph->block_count; b++)
        if (graph->blocks[b].execution_count && !add_static_links(builder, (uint32_t)b))
            return false;
    builder->link_count = merge_edges(builder->links, builder->link_count);
    graph->successors = malloc((builder->link_count + 1) * sizeof *graph->successors);
    graph->first_successor = calloc(graph->block_count + 1, sizeof *graph->first_successor);
    if (!graph->successors || !graph->first_successor)
        return false;
    for (size_t i = 0; i < builder->link_count; i++) {
        graph->successors[i] = builder->links[i].to;
        graph->first_successor[builder->links[i].from + 1]++;
    }
    for (size_t b = 0; b < graph->block_count; b++)
        graph->first_successor[b + 1] += graph->first_successor[b];
    return true;
}

static int compare_places(const void *left, const void *right, void *context)
{
    const struct ft_flow_graph *graph = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t a_pc = graph->instructions[a]->pc, b_pc = graph->instructions[b]->pc;
    if (a_pc != b_pc)
        return a_pc < b_pc ? -1 : 1;
    return a < b ? -1 : 1;
}

static bool index_by_pc(struct ft_flow_graph *graph)
{
    graph->by_pc = malloc((graph->instruction_count + 1) * sizeof *graph->by_pc);
    if (!graph->by_pc)
        return false;
    for (uint32_t i = 0; i < graph->instruction_count; i++)
        graph->by_pc[i] = i;
    qsort_r(graph->by_pc, graph->instruction_count, sizeof *graph->by_pc, compare_places, graph);
    return true;
}

int ft_flow_graph_build(const struct ft_unit *const *units, size_t unit_count,
                        const struct ft_execution_counts *counts,
                        const struct ft_module *const *modules, struct ft_flow_graph *ret_graph,
                        struct ft_diag *diag)
{
    struct builder builder = {
        .units = units, .unit_count = unit_count, .counts = counts, .modules = modules};
    bool complete = make_nodes(&builder);
    if (complete) {
        lead_from_units(&builder);
        lead_from_code(&builder);
        complete = make_blocks(&builder) && make_edges(&builder) && make_successors(&builder) &&
                   index_by_pc(&builder.graph);
    }
    free(builder.nodes);
    free(builder.table);
    free(builder.unit_nodes);
    free(builder.first_of_unit);
    free(builder.links);
    free(builder.reached);
    if (!complete) {
        ft_flow_graph_fini(&builder.graph);
        return ft_fail_memory(diag, "the flow graph");
    }
    *ret_graph = builder.graph;
    return 0;
}

void ft_flow_graph_fini(struct ft_flow_graph *graph)
{
    free(graph->instructions);
    free(graph->units);
    free(graph->blocks);
    free(graph->edges);
    free(graph->successors);
    free(graph->first_successor);
    free(graph->by_pc);
    free(graph->block_of);
    *graph = (struct ft_flow_graph){0};
}

size_t ft_flow_graph_first_from(const struct ft_flow_graph *graph, uint64_t pc)
{
    size_t low = 0, high = graph->instruction_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->instructions[graph->by_pc[middle]]->pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t ft_flow_graph_instruction_at(const struct ft_flow_graph *graph, uint64_t pc,
                                      unsigned access_count)
{
    for (size_t i = ft_flow_graph_first_from(graph, pc); i < graph->instruction_count; i++) {
        const struct ft_instruction *instruction = graph->instructions[graph->by_pc[i]];
        if (instruction->pc != pc)
            break;
        if (instruction->access_count >= access_count)
            return graph->by_pc[i];
    }
    return FT_NO_BLOCK;
}

uint32_t ft_flow_graph_block_at(const struct ft_flow_graph *graph, uint64_t pc,
                                unsigned access_count)
{
    uint32_t index = ft_flow_graph_instruction_at(graph, pc, access_count);
    return index == FT_NO_BLOCK ? FT_NO_BLOCK : graph->block_of[index];
}
