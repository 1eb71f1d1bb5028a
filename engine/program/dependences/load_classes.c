/*
 * The value flow of the loop and of all loops inside, instruction by instruction: edges through
 * registers, except into the address of a store, and certain edges through memory. An edge into the
 * address of a load weighs 1, others 0. A strongly connected component with an edge of weight 1 is
 * a chain of loads: its heaviest cycle says how many there are per iteration. In topological order
 * of the components, each value then gets the length of the longest path of loads into it, and the
 * chain that it comes from.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/dependence_building.h"
#include "engine/program/dependences/graph_cycles.h"
#include "formats/base/array.h"

/* What a value comes from. */
struct origin {
    uint32_t depth; /* loads, one after the other */
    bool called;    /* and what a call returned */
    bool chained;
    uint32_t chain_loads, chain_iterations;
};

struct classifier {
    const struct ft_flow_graph *graph;
    const struct ft_program_loops *loops;
    uint32_t loop;
    struct ft_dependences *dependences;
    uint32_t *node_of;      /* per instruction of the graph; of those of the loop */
    uint32_t *instructions; /* per node */
    uint32_t node_count;
    struct ft_cycle_edge *edges;
    size_t edge_count, instruction_capacity, edge_capacity;
    struct ft_cycle_graph cycles;
    struct origin *address, *value; /* per node: of its address, of what it delivers */
    bool *in_chain;                 /* per node */
};

/* ---- the graph ---- */

static bool is_taken(const struct ft_dependence *edge)
{
    return edge->kind == FT_DEPENDENCE_FLOW &&
           !(edge->flags &
             (FT_DEPENDENCE_ASSUMED | FT_DEPENDENCE_STORES_AT | FT_DEPENDENCE_OVERWRITTEN));
}

static bool add_nodes(struct classifier *classifier, uint32_t loop)
{
    const struct ft_loop_dependences *from = &classifier->dependences->loops[loop];
    if (!FT_RESERVE(classifier->instructions, classifier->instruction_capacity,
                    (size_t)classifier->node_count + from->node_count))
        return false;
    for (uint32_t n = 0; n < from->node_count; n++)
        if (from->nodes[n].instruction != FT_NO_BLOCK) {
            classifier->node_of[from->nodes[n].instruction] = classifier->node_count;
            classifier->instructions[classifier->node_count++] = from->nodes[n].instruction;
        }
    return true;
}

static bool add_edges(struct classifier *classifier, uint32_t loop)
{
    const struct ft_loop_dependences *from = &classifier->dependences->loops[loop];
    for (size_t e = 0; e < from->edge_count; e++) {
        const struct ft_dependence *edge = &from->edges[e];
        if (!is_taken(edge))
            continue;
        if (!FT_RESERVE(classifier->edges, classifier->edge_capacity, classifier->edge_count + 1))
            return false;
        classifier->edges[classifier->edge_count++] = (struct ft_cycle_edge){
            classifier->node_of[edge->from_instruction], classifier->node_of[edge->to_instruction],
            (edge->flags & FT_DEPENDENCE_LOADS_AT) != 0,
            loop == classifier->loop ? edge->distance : 0};
    }
    return true;
}

/* Of the loop and all inside, which stand behind it. */
static bool make_graph(struct classifier *classifier)
{
    const struct ft_program_loops *loops = classifier->loops;
    uint32_t first = classifier->loop, end = first;
    bool complete = true;
    while (end < loops->count && loops->items[end].routine == loops->items[first].routine)
        end++;
    for (uint32_t l = first; complete && l < end; l++)
        complete = !ft_loop_holds(loops, first, l) || add_nodes(classifier, l);
    for (uint32_t l = first; complete && l < end; l++)
        complete = !ft_loop_holds(loops, first, l) || add_edges(classifier, l);
    return complete && FT_RESERVE(classifier->edges, classifier->edge_capacity, 1) &&
           ft_cycle_graph_make(classifier->node_count, classifier->edges, classifier->edge_count,
                               &classifier->cycles);
}

/* ---- origins ---- */

static bool is_longer(const struct origin *a, const struct origin *b)
{
    if (!a->chained || !b->chained)
        return a->chained;
    if (!a->chain_iterations || !b->chain_iterations)
        return !a->chain_iterations && b->chain_iterations;
    return (uint64_t)a->chain_loads * b->chain_iterations >
           (uint64_t)b->chain_loads * a->chain_iterations;
}

static void join(struct origin *origin, const struct origin *other)
{
    uint32_t depth = origin->depth > other->depth ? origin->depth : other->depth;
    bool called = origin->called || other->called;
    if (is_longer(other, origin))
        *origin = *other;
    origin->depth = depth;
    origin->called = called;
}

static bool is_call(const struct classifier *classifier, uint32_t node)
{
    uint8_t flow = classifier->graph->instructions[classifier->instructions[node]]->flow;
    return flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
}

static bool is_load(const struct classifier *classifier, uint32_t node)
{
    const struct ft_instruction *instruction =
        classifier->graph->instructions[classifier->instructions[node]];
    for (unsigned a = 0; a < instruction->access_count; a++)
        if (instruction->accesses[a].kind == FT_LOAD)
            return true;
    return false;
}

/* Marks the loads of a component whose address comes from the component; false where none does. */
static bool mark_chain(struct classifier *classifier, uint32_t component)
{
    const struct ft_cycle_graph *cycles = &classifier->cycles;
    bool found = false;
    for (uint32_t i = cycles->first_node[component]; i < cycles->first_node[component + 1]; i++)
        for (size_t e = cycles->first[cycles->nodes[i]]; e < cycles->first[cycles->nodes[i] + 1];
             e++)
            if (cycles->edges[e].weight && cycles->component_of[cycles->edges[e].to] == component) {
                classifier->in_chain[cycles->edges[e].to] = true;
                found = true;
            }
    return found;
}

/* What the values of a component come from, all of them together. */
static bool find_origin(struct classifier *classifier, uint32_t component,
                        struct origin *ret_origin)
{
    const struct ft_cycle_graph *cycles = &classifier->cycles;
    struct origin joint = {0};
    for (uint32_t i = cycles->first_node[component]; i < cycles->first_node[component + 1]; i++) {
        uint32_t node = cycles->nodes[i];
        join(&joint, &classifier->value[node]);
        joint.called = joint.called || is_call(classifier, node);
        if (is_load(classifier, node)) {
            struct origin loaded = classifier->address[node];
            loaded.depth++;
            join(&joint, &loaded);
        }
    }
    if (mark_chain(classifier, component)) {
        struct ft_cycle cycle;
        if (!ft_longest_cycle(cycles, component, &cycle))
            return false;
        struct origin chain = {.chained = true,
                               .chain_loads = (uint32_t)cycle.weight,
                               .chain_iterations = (uint32_t)cycle.distance};
        join(&joint, &chain);
        free(cycle.nodes);
    }
    *ret_origin = joint;
    return true;
}

static bool pass_on(struct classifier *classifier, uint32_t component)
{
    const struct ft_cycle_graph *cycles = &classifier->cycles;
    struct origin origin;
    if (!find_origin(classifier, component, &origin))
        return false;
    for (uint32_t i = cycles->first_node[component]; i < cycles->first_node[component + 1]; i++) {
        uint32_t node = cycles->nodes[i];
        classifier->value[node] = origin;
        for (size_t e = cycles->first[node]; e < cycles->first[node + 1]; e++) {
            const struct ft_cycle_edge *edge = &cycles->edges[e];
            if (cycles->component_of[edge->to] != component)
                join(edge->weight ? &classifier->address[edge->to] : &classifier->value[edge->to],
                     &origin);
        }
    }
    return true;
}

static void set_class(const struct classifier *classifier, struct ft_dependence_node *node)
{
    if (node->instruction == FT_NO_BLOCK)
        return;
    uint32_t own = classifier->node_of[node->instruction];
    struct origin origin = classifier->address[own];
    if (!is_load(classifier, own))
        return;
    node->in_chain = classifier->in_chain[own];
    if (node->in_chain)
        origin = classifier->value[own];
    node->load_class = origin.chained  ? FT_LOAD_CHASING
                       : origin.called ? FT_LOAD_CALLED
                       : origin.depth  ? FT_LOAD_INDIRECT
                                       : FT_LOAD_INDEPENDENT;
    node->depth = origin.chained ? 0 : origin.depth;
    node->chain_loads = origin.chain_loads;
    node->chain_iterations = origin.chain_iterations;
}

bool ft_load_classes_find(const struct ft_flow_graph *graph, const struct ft_program_loops *loops,
                          uint32_t loop, struct ft_dependences *dependences,
                          uint32_t *instruction_node)
{
    struct ft_loop_dependences *own = &dependences->loops[loop];
    struct classifier classifier = {.graph = graph,
                                    .loops = loops,
                                    .loop = loop,
                                    .dependences = dependences,
                                    .node_of = instruction_node};
    bool complete = make_graph(&classifier);
    size_t count = (size_t)classifier.node_count + 1;
    classifier.address = calloc(count, sizeof *classifier.address);
    classifier.value = calloc(count, sizeof *classifier.value);
    classifier.in_chain = calloc(count, sizeof *classifier.in_chain);
    complete = complete && classifier.address && classifier.value && classifier.in_chain;
    for (uint32_t c = classifier.cycles.component_count; complete && c-- > 0;)
        complete = pass_on(&classifier, c);
    for (uint32_t n = 0; complete && n < own->node_count; n++)
        set_class(&classifier, &own->nodes[n]);
    ft_cycle_graph_fini(&classifier.cycles);
    free(classifier.instructions);
    free(classifier.edges);
    free(classifier.address);
    free(classifier.value);
    free(classifier.in_chain);
    return complete;
}
