/*
 * 1. Nodes: each distinct instruction (address and bytes) of all units, with the executions of all
 * units that contain it, whole or in part, linked to the one that follows it in a unit. 2. Leaders:
 * nodes that start a block. A unit starts one, unless it merely continues another that was cut by
 * the planner's limits; so do targets of direct branches and the instructions after the branches,
 * starts of symbols, nodes where two sequences join or part (after a jump into the middle of an
 * instruction), and nodes that ran more or less often than the one before (a signal interrupted a
 * unit).
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/flow_building.h"

uint32_t ft_flow_node_at(const struct ft_flow_building *building, uint64_t pc)
{
    const uint64_t hash = ft_hash_mix(pc);
    uint32_t node;
    for (size_t probe = hash; ft_hash_next(&building->first_nodes, hash, &probe, &node);)
        if (building->nodes[node].instruction->pc == pc)
            return node;
    return FT_NO_NODE;
}

uint32_t ft_flow_module_of(const struct ft_flow_node *node)
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

static bool same_code(const struct ft_flow_node *node, const struct ft_unit *unit,
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

/* The node of the index-th instruction of a unit, made where it is new; false without memory. */
static bool find_node(struct ft_flow_building *building, const struct ft_unit *unit, size_t index,
                      uint32_t *ret_node)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    const uint32_t made = (uint32_t)building->node_count;
    uint32_t last = FT_NO_NODE;
    *ret_node = ft_flow_node_at(building, instruction->pc);
    for (; *ret_node != FT_NO_NODE; *ret_node = building->nodes[last].same_pc) {
        last = *ret_node;
        if (same_code(&building->nodes[last], unit, instruction))
            return true;
    }
    if (last != FT_NO_NODE)
        building->nodes[last].same_pc = made;
    else if (!ft_hash_table_add(&building->first_nodes, ft_hash_mix(instruction->pc), made))
        return false;
    building->node_count++;
    *ret_node = made;
    building->nodes[made] = (struct ft_flow_node){.unit = unit,
                                                  .instruction = instruction,
                                                  .next = FT_NO_NODE,
                                                  .previous = FT_NO_NODE,
                                                  .same_pc = FT_NO_NODE,
                                                  .block = FT_NO_NODE};
    return true;
}

/* Notes that `to` follows `from`; where sequences part or join, blocks start. */
static void link_nodes(struct ft_flow_building *building, uint32_t from, uint32_t to)
{
    struct ft_flow_node *nodes = building->nodes;
    if (nodes[from].next == FT_NO_NODE)
        nodes[from].next = to;
    else if (nodes[from].next != to)
        nodes[to].leader = nodes[nodes[from].next].leader = true;
    if (nodes[to].previous == FT_NO_NODE)
        nodes[to].previous = from;
    else if (nodes[to].previous != from)
        nodes[to].leader = true;
}

unsigned ft_flow_nodes_of_part(const struct ft_flow_building *building,
                               const struct ft_unit_part *part, const uint32_t **ret_nodes)
{
    const struct ft_unit *unit =
        part->unit < building->unit_count ? building->units[part->unit] : NULL;
    const uint32_t id = unit && unit->beginning_of ? unit->beginning_of : part->unit;
    if (!unit || !ft_flow_has_unit(building, id))
        return 0;
    const unsigned max = ft_unit_last_execution_instructions(building->units[id]);
    *ret_nodes = building->unit_nodes + building->first_of_unit[id];
    return part->instructions < max ? part->instructions : max;
}

static void count_parts(struct ft_flow_building *building)
{
    for (size_t p = 0; p < building->counts->part_count; p++) {
        const struct ft_unit_part *part = &building->counts->parts[p];
        const uint32_t *nodes = NULL;
        const unsigned count = ft_flow_nodes_of_part(building, part, &nodes);
        for (unsigned i = 0; i < count; i++)
            building->nodes[nodes[i]].count += part->count;
    }
}

bool ft_flow_make_nodes(struct ft_flow_building *building)
{
    size_t total = 0;
    building->first_of_unit = calloc(building->unit_count + 1, sizeof *building->first_of_unit);
    if (!building->first_of_unit)
        return false;
    for (size_t id = 0; id < building->unit_count; id++) {
        building->first_of_unit[id] = total;
        total += building->units[id] ? ft_unit_last_execution_instructions(building->units[id]) : 0;
    }
    if (total >= FT_NO_NODE / 2)
        return false;
    building->nodes = calloc(total + 1, sizeof *building->nodes);
    building->unit_nodes = malloc((total + 1) * sizeof *building->unit_nodes);
    if (!building->nodes || !building->unit_nodes)
        return false;
    for (size_t id = 0; id < building->unit_count; id++) {
        const struct ft_unit *unit = building->units[id];
        uint32_t *nodes = building->unit_nodes + building->first_of_unit[id];
        for (size_t i = 0; unit && i < ft_unit_last_execution_instructions(unit); i++) {
            if (!find_node(building, unit, i, &nodes[i]))
                return false;
            building->nodes[nodes[i]].count += building->counts->units[id];
            if (i > 0)
                link_nodes(building, nodes[i - 1], nodes[i]);
        }
    }
    count_parts(building);
    return true;
}

static void lead_from_units(struct ft_flow_building *building)
{
    for (size_t i = 0; i < building->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &building->counts->edges[i];
        if (!ft_flow_has_unit(building, edge->to))
            continue;
        uint32_t to = ft_flow_first_node(building, edge->to);
        uint32_t from = ft_flow_has_unit(building, edge->from)
                            ? ft_flow_last_node(building, edge->from)
                            : FT_NO_NODE;
        const struct ft_instruction *last =
            from == FT_NO_NODE ? NULL : building->nodes[from].instruction;
        if (last && last->flow == FT_FLOW_NEXT &&
            last->pc + last->length == building->nodes[to].instruction->pc)
            link_nodes(building, from, to);
        else
            building->nodes[to].leader = true;
    }
}

static void lead_from_code(struct ft_flow_building *building)
{
    for (size_t i = 0; i < building->node_count; i++) {
        struct ft_flow_node *node = &building->nodes[i];
        uint8_t flow = node->instruction->flow;
        if (flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP || flow == FT_FLOW_CALL) {
            uint32_t target = ft_flow_node_at(building, node->instruction->target);
            for (; target != FT_NO_NODE; target = building->nodes[target].same_pc)
                building->nodes[target].leader = true;
        }
        if (node->previous == FT_NO_NODE || building->nodes[node->previous].next != i ||
            building->nodes[node->previous].count != node->count ||
            building->nodes[node->previous].instruction->flow != FT_FLOW_NEXT)
            node->leader = true;
        if (ft_flow_module_of(node) != FT_NO_MODULE) {
            const struct ft_module *module = building->modules[ft_flow_module_of(node)];
            uint64_t offset = node->instruction->pc - module->load_bias;
            const struct ft_symbol *symbol = ft_module_symbol(module, offset);
            if (symbol && symbol->start == offset)
                node->leader = true;
        }
    }
}

void ft_flow_find_leaders(struct ft_flow_building *building)
{
    lead_from_units(building);
    lead_from_code(building);
}
