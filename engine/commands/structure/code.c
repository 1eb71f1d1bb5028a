/*
 * The code of a routine, block by block, as it ran: where each block is in the loops, how often it
 * ran, its instructions with their source lines and the formulas of their accesses, and where
 * control went from there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/structure/report.h"
#include "engine/program/values/formula_text.h"
#include "formats/x86/disassembly.h"

struct listing {
    const struct ft_structure_report *report;
    struct ft_disassembler *disassembler;
    struct ft_formulas formulas;
    FILE *stream;
};

/* Where each access of an instruction goes. */
static bool print_accesses(const struct listing *listing, uint32_t index)
{
    const struct ft_instruction *instruction = listing->report->structure.graph.instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        char *formula =
            ft_access_formula_text(&listing->formulas, ft_formula_of(&listing->formulas, index, a));
        if (!formula)
            return false;
        fprintf(listing->stream, "                    %s %s\n",
                ft_access_kind_names[instruction->accesses[a].kind], formula);
        free(formula);
    }
    return true;
}

static bool print_instruction(const struct listing *listing, const struct ft_module *module,
                              uint32_t index)
{
    const struct ft_flow_graph *graph = &listing->report->structure.graph;
    const struct ft_instruction *instruction = graph->instructions[index];
    char text[128] = "(no code)", line[256];
    if (graph->units[index]->kind != FT_UNIT_REFERENCES)
        ft_disassemble(listing->disassembler, ft_unit_code(graph->units[index], instruction),
                       instruction->length, instruction->pc, text, sizeof text);
    ft_structure_line(module, instruction->pc - (module ? module->load_bias : 0), line,
                      sizeof line);
    fprintf(listing->stream, "    0x%012" PRIx64 "  %-*s%s%s\n", instruction->pc, *line ? 48 : 0,
            text, *line ? "  " : "", line);
    return print_accesses(listing, index);
}

static void print_loops(const struct listing *listing, uint32_t block)
{
    const struct ft_structure *structure = &listing->report->structure;
    const struct ft_program_loops *loops = &structure->loops;
    for (uint32_t l = loops->of_block[block]; l != FT_NO_LOOP; l = loops->items[l].parent)
        fprintf(listing->stream, "%s %s", l == loops->of_block[block] ? ", in" : " in",
                structure->scopes.scopes[structure->scope_of_loop[l]].name);
}

static void print_exits(const struct listing *listing, uint32_t block)
{
    static const char *const texts[] = {"continues", "branches", "jumps indirectly",
                                        "returns from the call", "tail call"};
    const struct ft_block_exits *exits = &listing->report->exits;
    for (uint32_t e = exits->first[block]; e < exits->first[block + 1]; e++) {
        const struct ft_block_exit *exit = &exits->items[e];
        fprintf(listing->stream, "  -> 0x%012" PRIx64 " %s ", exit->pc, texts[exit->kind]);
        if (exit->count)
            fprintf(listing->stream, "%" PRIu64 " times\n", exit->count);
        else
            fputs("never\n", listing->stream);
    }
}

static bool print_block(const struct listing *listing, uint32_t block)
{
    const struct ft_structure *structure = &listing->report->structure;
    const struct ft_flow_block *item = &structure->graph.blocks[block];
    const struct ft_module *module =
        item->module == FT_NO_MODULE ? NULL : ft_trace_module(listing->report->trace, item->module);
    const uint32_t loop = structure->loops.of_block[block];
    bool heads = loop != FT_NO_LOOP && structure->loops.items[loop].header == block;
    fprintf(listing->stream, "\n0x%012" PRIx64 " executed %" PRIu64 " times%s", item->pc,
            item->execution_count, heads ? ", header" : "");
    print_loops(listing, block);
    fputs(":\n", listing->stream);
    for (uint32_t i = 0; i < item->instruction_count; i++)
        if (!print_instruction(listing, module, item->first_instruction + i))
            return false;
    print_exits(listing, block);
    return true;
}

int ft_structure_code(const struct ft_structure_report *report, uint32_t routine, FILE *stream,
                      struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_routine *item = &structure->routines.items[routine];
    const struct ft_scope *scope = &structure->scopes.scopes[structure->scope_of_routine[routine]];
    struct listing listing = {.report = report, .stream = stream};
    int status = ft_formulas_find(&structure->graph, &structure->routines, &structure->loops,
                                  &listing.formulas, diag);
    if (status)
        return status;
    status = ft_disassembler_create(&listing.disassembler, diag);
    if (status) {
        ft_formulas_fini(&listing.formulas);
        return status;
    }
    fprintf(stream, "%s, entered %" PRIu64 " times", scope->name, scope->entry_count);
    if (scope->first_line)
        fprintf(stream, ", %s:%" PRIu32 "-%" PRIu32, scope->file, scope->first_line,
                scope->last_line);
    fputc('\n', stream);
    bool complete = true;
    for (uint32_t i = 0; complete && i < item->block_count; i++)
        complete = print_block(&listing, structure->routines.blocks[item->first_block + i]);
    ft_disassembler_destroy(listing.disassembler);
    ft_formulas_fini(&listing.formulas);
    return complete ? FT_OK : ft_fail_memory(diag, "the formulas of a routine");
}
