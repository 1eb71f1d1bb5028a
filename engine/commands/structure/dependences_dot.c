/*
 * The dependences of a routine's loops as DOT (Graphviz): a box for each instruction, a frame
 * around each loop, an arrow for each edge, with its distance where that is not 0. Memory is drawn
 * bold, what is assumed dashed, and loads of a chain filled.
 */
#include <inttypes.h>

#include "engine/commands/structure/report.h"
#include "engine/program/values/formula_text.h"
#include "formats/x86/disassembly.h"

struct drawing {
    const struct ft_structure_report *report;
    struct ft_disassembler *disassembler;
    uint32_t routine;
    FILE *stream;
};

static void draw_node(const struct drawing *drawing, const struct ft_dependence_node *node,
                      unsigned depth)
{
    const struct ft_flow_graph *graph = &drawing->report->structure.graph;
    char text[128] = "(no code)";
    if (node->instruction == FT_NO_BLOCK)
        return;
    const struct ft_instruction *instruction = graph->instructions[node->instruction];
    const struct ft_unit *unit = graph->units[node->instruction];
    if (unit->kind != FT_UNIT_REFERENCES)
        ft_disassemble(drawing->disassembler, ft_unit_code(unit, instruction), instruction->length,
                       instruction->pc, text, sizeof text);
    fprintf(drawing->stream, "%*si%" PRIu32 " [label=\"%s\\n0x%" PRIx64, 2 * (int)depth, "",
            node->instruction, text, instruction->pc);
    if (node->load_class != FT_LOADS_NOTHING)
        fprintf(drawing->stream, "\\n%s", ft_load_class_names[node->load_class]);
    fprintf(drawing->stream, "\"%s];\n", node->in_chain ? ", style=filled" : "");
}

static void draw_edge(const struct drawing *drawing, const struct ft_dependence *edge)
{
    char place[FT_PLACE_TEXT] = "";
    bool memory = edge->place == FT_NO_PLACE, assumed = edge->flags & FT_DEPENDENCE_ASSUMED;
    if (assumed && !drawing->report->shows_assumed)
        return;
    if (!memory)
        ft_place_text(edge->place, place);
    fprintf(drawing->stream, "  i%" PRIu32 " -> i%" PRIu32 " [label=\"%s", edge->from_instruction,
            edge->to_instruction, memory ? ft_dependence_kind_names[edge->kind] : place);
    if (edge->distance)
        fprintf(drawing->stream, " %" PRIu32, edge->distance);
    fprintf(drawing->stream, "\"%s];\n", assumed ? ", style=dashed" : memory ? ", style=bold" : "");
}

/* The loops right inside a loop, or the outermost ones of the routine. */
static void draw_loops(const struct drawing *drawing, uint32_t around, unsigned depth)
{
    const struct ft_structure *structure = &drawing->report->structure;
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        const struct ft_program_loop *loop = &structure->loops.items[l];
        const struct ft_loop_dependences *item = &drawing->report->dependences->loops[l];
        if (loop->parent != around || loop->routine != drawing->routine)
            continue;
        ft_dot_open_loop(structure, l, depth, drawing->stream);
        for (uint32_t n = 0; n < item->node_count; n++)
            draw_node(drawing, &item->nodes[n], depth + 1);
        draw_loops(drawing, l, depth + 1);
        ft_dot_close_loop(depth, drawing->stream);
    }
}

int ft_structure_dependences_dot(const struct ft_structure_report *report, uint32_t routine,
                                 FILE *stream, struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    struct drawing drawing = {.report = report, .routine = routine, .stream = stream};
    int status = ft_disassembler_create(&drawing.disassembler, diag);
    if (status)
        return status;
    fputs("digraph \"", stream);
    ft_dot_print_quoted(stream,
                        structure->scopes.scopes[structure->scope_of_routine[routine]].name);
    fputs("\" {\n  node [shape=box];\n", stream);
    draw_loops(&drawing, FT_NO_LOOP, 1);
    for (uint32_t l = 0; l < structure->loops.count; l++)
        for (size_t e = 0; structure->loops.items[l].routine == routine &&
                           e < report->dependences->loops[l].edge_count;
             e++)
            draw_edge(&drawing, &report->dependences->loops[l].edges[e]);
    fputs("}\n", stream);
    ft_disassembler_destroy(drawing.disassembler);
    return FT_OK;
}
