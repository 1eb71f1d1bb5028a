/*
 * The flow graph of a routine as DOT (Graphviz): a box for each block, a frame around each loop, an
 * arrow for each edge that was taken, a dashed one for each that never was.
 */
#include <inttypes.h>

#include "engine/commands/structure/report.h"

struct drawing {
    const struct ft_structure_report *report;
    uint32_t routine;
    FILE *stream;
};

void ft_dot_print_quoted(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void draw_block(const struct drawing *drawing, uint32_t block, unsigned depth)
{
    const struct ft_structure *structure = &drawing->report->structure;
    const struct ft_flow_block *item = &structure->graph.blocks[block];
    const struct ft_module *module =
        item->module == FT_NO_MODULE ? NULL : ft_trace_module(drawing->report->trace, item->module);
    char line[256];
    ft_structure_line(module, item->offset, line, sizeof line);
    fprintf(drawing->stream, "%*sb%" PRIu32 " [label=\"0x%" PRIx64 "\\n", 2 * (int)depth, "", block,
            item->offset);
    ft_dot_print_quoted(drawing->stream, line);
    fprintf(drawing->stream, "%s%" PRIu32 " instructions\\n%" PRIu64 " times\"];\n",
            *line ? "\\n" : "", item->instruction_count, item->execution_count);
}

/* The routine's blocks that have this innermost loop, and the loops in it. */
void ft_dot_open_loop(const struct ft_structure *structure, uint32_t loop, unsigned depth,
                      FILE *stream)
{
    const int indent = 2 * (int)depth;
    fprintf(stream, "%*ssubgraph cluster_%" PRIu32 " {\n%*slabel=\"", indent, "", loop, indent + 2,
            "");
    ft_dot_print_quoted(stream, structure->scopes.scopes[structure->scope_of_loop[loop]].name);
    fputs("\";\n", stream);
}

void ft_dot_close_loop(unsigned depth, FILE *stream)
{
    fprintf(stream, "%*s}\n", 2 * (int)depth, "");
}

static void draw_loop(const struct drawing *drawing, uint32_t loop, unsigned depth)
{
    const struct ft_structure *structure = &drawing->report->structure;
    const struct ft_routine *routine = &structure->routines.items[drawing->routine];
    for (uint32_t i = 0; i < routine->block_count; i++) {
        uint32_t block = structure->routines.blocks[routine->first_block + i];
        if (structure->loops.of_block[block] == loop)
            draw_block(drawing, block, depth);
    }
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        const struct ft_program_loop *inner = &structure->loops.items[l];
        if (inner->parent != loop || inner->routine != drawing->routine)
            continue;
        ft_dot_open_loop(structure, l, depth, drawing->stream);
        draw_loop(drawing, l, depth + 1);
        ft_dot_close_loop(depth, drawing->stream);
    }
}

static void draw_exit(const struct drawing *drawing, uint32_t block,
                      const struct ft_block_exit *exit)
{
    const struct ft_structure *structure = &drawing->report->structure;
    FILE *stream = drawing->stream;
    bool inside =
        exit->to != FT_NO_BLOCK && structure->routines.of_block[exit->to] == drawing->routine;
    if (inside) {
        fprintf(stream, "  b%" PRIu32 " -> b%" PRIu32, block, exit->to);
    } else {
        fprintf(stream, "  x%" PRIx64 " [shape=plaintext, label=\"", exit->pc);
        if (exit->to == FT_NO_BLOCK)
            fprintf(stream, "0x%" PRIx64, exit->pc);
        else
            ft_dot_print_quoted(
                stream,
                structure->scopes
                    .scopes[structure->scope_of_routine[structure->routines.of_block[exit->to]]]
                    .name);
        fprintf(stream, "\"];\n  b%" PRIu32 " -> x%" PRIx64, block, exit->pc);
    }
    if (exit->count)
        fprintf(stream, " [label=\"%" PRIu64 "\"", exit->count);
    else
        fputs(" [style=dashed, label=\"never\"", stream);
    if (exit->kind == FT_EXIT_RETURNED)
        fputs(", color=blue", stream);
    fputs("];\n", stream);
}

int ft_structure_dot(const struct ft_structure_report *report, uint32_t routine, FILE *stream,
                     struct ft_diag *diag)
{
    (void)diag;
    const struct ft_structure *structure = &report->structure;
    const struct ft_routine *item = &structure->routines.items[routine];
    struct drawing drawing = {report, routine, stream};
    fputs("digraph \"", stream);
    ft_dot_print_quoted(stream,
                        structure->scopes.scopes[structure->scope_of_routine[routine]].name);
    fputs("\" {\n  node [shape=box];\n", stream);
    draw_loop(&drawing, FT_NO_LOOP, 1);
    for (uint32_t i = 0; i < item->block_count; i++) {
        uint32_t block = structure->routines.blocks[item->first_block + i];
        for (uint32_t e = report->exits.first[block]; e < report->exits.first[block + 1]; e++)
            draw_exit(&drawing, block, &report->exits.items[e]);
    }
    fputs("}\n", stream);
    return FT_OK;
}
