/*
 * The dependence graph of a loop as JSON: nodes, edges between them by their numbers, recurrences.
 */
#include "engine/commands/structure/report.h"
#include "engine/program/dependences/recurrences.h"
#include "engine/program/values/formula_text.h"

/* Where an instruction is in its file. */
static json_int_t offset_of(const struct ft_structure_report *report, uint32_t instruction)
{
    const struct ft_flow_graph *graph = &report->structure.graph;
    const struct ft_flow_block *block = &graph->blocks[graph->block_of[instruction]];
    uint64_t offset = block->offset + (graph->instructions[instruction]->pc - block->pc);
    return (json_int_t)offset;
}

static json_t *node_json(const struct ft_structure_report *report,
                         const struct ft_dependence_node *node)
{
    if (node->instruction == FT_NO_BLOCK) {
        uint32_t header = report->structure.loops.items[node->loop].header;
        return json_pack("{s:I}", "loop",
                         (json_int_t)report->structure.graph.blocks[header].offset);
    }
    json_t *json = json_pack("{s:I}", "offset", offset_of(report, node->instruction));
    if (node->load_class != FT_LOADS_NOTHING)
        json =
            ft_json_merge(json, json_pack("{s:s}", "load", ft_load_class_names[node->load_class]));
    if (node->load_class == FT_LOAD_INDIRECT)
        json = ft_json_merge(json, json_pack("{s:I}", "depth", (json_int_t)node->depth));
    if (node->load_class == FT_LOAD_CHASING)
        json =
            ft_json_merge(json, json_pack("{s:b, s:I, s:I}", "in_chain", (int)node->in_chain,
                                          "chain_loads", (json_int_t)node->chain_loads,
                                          "chain_iterations", (json_int_t)node->chain_iterations));
    return json;
}

static json_t *edge_json(const struct ft_structure_report *report, const struct ft_dependence *edge)
{
    char place[FT_PLACE_TEXT] = "memory";
    if (edge->place != FT_NO_PLACE)
        ft_place_text(edge->place, place);
    json_t *json = json_pack(
        "{s:I, s:I, s:I, s:I, s:s, s:s, s:I, s:b}", "from", (json_int_t)edge->from, "to",
        (json_int_t)edge->to, "from_offset", offset_of(report, edge->from_instruction), "to_offset",
        offset_of(report, edge->to_instruction), "kind", ft_dependence_kind_names[edge->kind],
        "through", place, "distance", (json_int_t)edge->distance, "assumed",
        (edge->flags & FT_DEPENDENCE_ASSUMED) != 0);
    if (edge->flags & (FT_DEPENDENCE_LOADS_AT | FT_DEPENDENCE_STORES_AT))
        json =
            ft_json_merge(json, json_pack("{s:s}", "address_of",
                                          edge->flags & FT_DEPENDENCE_LOADS_AT ? "load" : "store"));
    if (edge->flags & FT_DEPENDENCE_OVERWRITTEN)
        json = ft_json_merge(json, json_pack("{s:b}", "overwritten", 1));
    return json;
}

static json_t *numbers_json(const uint32_t *numbers, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        ft_json_append(&list, json_integer((json_int_t)numbers[i]));
    return list;
}

static json_t *recurrences_json(const struct ft_loop_dependences *loop, bool pessimistic)
{
    struct ft_recurrences recurrences;
    json_t *list = json_array();
    if (ft_recurrences_find(loop, pessimistic, NULL, &recurrences, NULL) != 0) {
        json_decref(list);
        return NULL;
    }
    for (size_t r = 0; r < recurrences.count; r++) {
        const struct ft_recurrence *item = &recurrences.items[r];
        ft_json_append(
            &list,
            json_pack("{s:o, s:o, s:I, s:I, s:b}", "nodes",
                      numbers_json(recurrences.nodes + item->first_node, item->node_count), "cycle",
                      numbers_json(recurrences.cycle + item->first_of_cycle, item->cycle_nodes),
                      "cycle_instructions", (json_int_t)item->cycle_latency, "cycle_iterations",
                      (json_int_t)item->cycle_distance, "through_memory",
                      (int)item->through_memory));
    }
    ft_recurrences_fini(&recurrences);
    return list;
}

json_t *ft_structure_dependences_json(const struct ft_structure_report *report, uint32_t loop)
{
    const struct ft_loop_dependences *item = &report->dependences->loops[loop];
    json_t *nodes = json_array(), *edges = json_array();
    json_int_t assumed = 0;
    for (uint32_t n = 0; n < item->node_count; n++)
        ft_json_append(&nodes, node_json(report, &item->nodes[n]));
    for (size_t e = 0; e < item->edge_count; e++) {
        bool is_assumed = item->edges[e].flags & FT_DEPENDENCE_ASSUMED;
        assumed += is_assumed;
        if (!is_assumed || report->shows_assumed)
            ft_json_append(&edges, edge_json(report, &item->edges[e]));
    }
    return json_pack("{s:o, s:o, s:I, s:o, s:o}", "nodes", nodes, "edges", edges, "assumed_edges",
                     assumed, "recurrences", recurrences_json(item, false),
                     "recurrences_if_all_meet", recurrences_json(item, true));
}
