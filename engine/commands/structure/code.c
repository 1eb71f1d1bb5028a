/*
 * The code of a routine, block by block, as it ran: where each block is in the loops, how often it
 * ran, its instructions with their source lines and the formulas of their accesses, and where
 * control went from there. Of a routine that was inlined, the same for each call: the part of each
 * block that belongs to it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/structure/report.h"
#include "engine/program/graph/routine_names.h"
#include "engine/program/graph/source.h"
#include "engine/program/values/formula_text.h"
#include "formats/base/array.h"
#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "formats/x86/disassembly.h"

#define CODE_INDENT    20 /* of instructions: behind their addresses */
#define TEXT_WIDTH     48 /* of instructions, where lines have the room */
#define TEXT_WIDTH_MIN 24

/* An inlined call, and those around it, outermost first. */
struct call {
    const struct ft_inline *chain[FT_INLINE_DEPTH_MAX];
    size_t depth;
};

struct listing {
    const struct ft_structure_report *report;
    struct ft_disassembler *disassembler;
    struct ft_formulas formulas;
    FILE *stream;
    const struct call *call; /* to list only its code, or NULL: all of it */
    size_t text_width;       /* of instructions, before their source lines */
};

static const struct ft_module *module_of(const struct ft_structure_report *report, uint32_t block)
{
    const uint32_t module = report->structure.graph.blocks[block].module;
    return module == FT_NO_MODULE ? NULL : ft_trace_module(report->trace, module);
}

/* The calls that an instruction is in. */
static struct call calls_around(const struct ft_module *module,
                                const struct ft_instruction *instruction)
{
    struct call call = {.depth = 0};
    if (module)
        call.depth = ft_module_inline_chain(module, instruction->pc - module->load_bias, call.chain,
                                            FT_INLINE_DEPTH_MAX);
    return call;
}

/* Whether `inner` is the call or inside it. */
static bool is_inside(const struct call *inner, const struct call *call)
{
    for (size_t d = 0; d < call->depth; d++)
        if (d == inner->depth || ft_source_compare_calls(inner->chain[d], call->chain[d]) != 0)
            return false;
    return true;
}

static bool is_listed(const struct listing *listing, const struct ft_module *module, uint32_t index)
{
    const struct call around =
        calls_around(module, listing->report->structure.graph.instructions[index]);
    return !listing->call || is_inside(&around, listing->call);
}

/* Where each access of an instruction goes. */
static bool print_accesses(const struct listing *listing, uint32_t index)
{
    const struct ft_instruction *instruction = listing->report->structure.graph.instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        char *formula =
            ft_access_formula_text(&listing->formulas, ft_formula_of(&listing->formulas, index, a));
        if (!formula)
            return false;
        ft_print_wrapped(listing->stream, CODE_INDENT + 4, "%*s%s %s\n", CODE_INDENT, "",
                         ft_access_kind_names[instruction->accesses[a].kind], formula);
        free(formula);
    }
    return true;
}

/* The source line begins a line of its own where there is no room. */
static void print_code(const struct listing *listing, uint64_t pc, const char *text,
                       const char *line)
{
    const size_t columns = ft_terminal_columns(), length = strlen(text);
    const size_t width = *line && length < listing->text_width ? listing->text_width : length;
    const bool fits = CODE_INDENT + width + 2 + ft_text_width(line) <= columns;
    ft_print_wrapped(listing->stream, CODE_INDENT + 4, "    0x%012" PRIx64 "  %s", pc, text);
    if (*line && fits)
        fprintf(listing->stream, "%*s  %s", (int)(width - length), "", line);
    else if (*line)
        fprintf(listing->stream, "\n%*s  %s", CODE_INDENT, "", line);
    fputc('\n', listing->stream);
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
    print_code(listing, instruction->pc, text, line);
    return print_accesses(listing, index);
}

/* "0x401900 executed 12 times, header, in loop at a.c:20 in loop at a.c:18:" */
static bool print_block_head(const struct listing *listing, uint32_t block)
{
    const struct ft_structure *structure = &listing->report->structure;
    const struct ft_program_loops *loops = &structure->loops;
    const struct ft_flow_block *item = &structure->graph.blocks[block];
    const uint32_t loop = loops->of_block[block];
    char *text = NULL;
    size_t size;
    FILE *head = open_memstream(&text, &size);
    if (!head)
        return false;
    for (uint32_t l = loop; l != FT_NO_LOOP; l = loops->items[l].parent)
        fprintf(head, "%s %s", l == loop ? ", in" : " in",
                structure->scopes.scopes[structure->scope_of_loop[l]].name);
    if (fclose(head) != 0) {
        free(text);
        return false;
    }
    const bool heads = loop != FT_NO_LOOP && loops->items[loop].header == block;
    ft_print_wrapped(listing->stream, 4, "\n0x%012" PRIx64 " executed %" PRIu64 " times%s%s:\n",
                     item->pc, item->execution_count, heads ? ", header" : "", text);
    free(text);
    return true;
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
    const struct ft_module *module = module_of(listing->report, block);
    uint32_t first = item->first_instruction, end = first + item->instruction_count;
    while (first < end && !is_listed(listing, module, first))
        first++;
    if (first == end)
        return true;
    if (!print_block_head(listing, block))
        return false;
    for (uint32_t i = first; i < end; i++)
        if (is_listed(listing, module, i) && !print_instruction(listing, module, i))
            return false;
    if (is_listed(listing, module, end - 1))
        print_exits(listing, block);
    return true;
}

static int begin(struct listing *listing, const struct ft_structure_report *report, FILE *stream,
                 struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    *listing = (struct listing){.report = report, .stream = stream};
    FT_TRY(ft_formulas_find(&structure->graph, &structure->routines, &structure->loops,
                            &listing->formulas, diag));
    int status = ft_disassembler_create(&listing->disassembler, diag);
    if (status)
        ft_formulas_fini(&listing->formulas);
    return status;
}

static void end(struct listing *listing)
{
    ft_disassembler_destroy(listing->disassembler);
    ft_formulas_fini(&listing->formulas);
}

/* As much as the longest source line of a routine leaves. */
static size_t find_text_width(const struct ft_structure_report *report, uint32_t routine)
{
    const struct ft_routines *routines = &report->structure.routines;
    const struct ft_flow_graph *graph = &report->structure.graph;
    const struct ft_routine *item = &routines->items[routine];
    const size_t columns = ft_terminal_columns();
    size_t longest = 0;
    char line[256];
    for (uint32_t b = 0; b < item->block_count; b++) {
        const uint32_t number = routines->blocks[item->first_block + b];
        const struct ft_flow_block *block = &graph->blocks[number];
        const struct ft_module *module = module_of(report, number);
        for (uint32_t i = 0; module && i < block->instruction_count; i++) {
            const uint64_t pc = graph->instructions[block->first_instruction + i]->pc;
            ft_structure_line(module, pc - module->load_bias, line, sizeof line);
            longest = ft_text_width(line) > longest ? ft_text_width(line) : longest;
        }
    }
    if (columns >= CODE_INDENT + TEXT_WIDTH + 2 + longest)
        return TEXT_WIDTH;
    return columns > CODE_INDENT + TEXT_WIDTH_MIN + 2 + longest
               ? columns - CODE_INDENT - 2 - longest
               : TEXT_WIDTH_MIN;
}

static bool print_blocks(struct listing *listing, uint32_t routine)
{
    listing->text_width = find_text_width(listing->report, routine);
    const struct ft_routines *routines = &listing->report->structure.routines;
    const struct ft_routine *item = &routines->items[routine];
    for (uint32_t i = 0; i < item->block_count; i++)
        if (!print_block(listing, routines->blocks[item->first_block + i]))
            return false;
    return true;
}

int ft_structure_code(const struct ft_structure_report *report, uint32_t routine, FILE *stream,
                      struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_scope *scope = &structure->scopes.scopes[structure->scope_of_routine[routine]];
    struct listing listing;
    FT_TRY(begin(&listing, report, stream, diag));
    if (scope->first_line)
        ft_print_wrapped(stream, 2, "%s, entered %" PRIu64 " times, %s:%" PRIu32 "-%" PRIu32 "\n",
                         scope->name, scope->entry_count, scope->file, scope->first_line,
                         scope->last_line);
    else
        ft_print_wrapped(stream, 2, "%s, entered %" PRIu64 " times\n", scope->name,
                         scope->entry_count);
    bool complete = print_blocks(&listing, routine);
    end(&listing);
    return complete ? FT_OK : ft_fail_memory(diag, "the formulas of a routine");
}

/* ---- inlined routines ---- */

/* NAME or NAME@MODULE, as in the debug information or demangled, without arguments. */
static bool is_call_of(const struct ft_module *module, const struct ft_inline *call,
                       const char *name)
{
    const char *raw = module->strings + call->name;
    char *shown = ft_routine_name(raw);
    const char *texts[] = {raw, shown ? shown : raw};
    bool is_called = false;
    for (size_t i = 0; i < 2; i++) {
        const size_t length = strcspn(texts[i], i ? "(" : "");
        const char *rest = name + length;
        is_called |=
            strncmp(texts[i], name, length) == 0 &&
            (!*rest || (*rest == '@' && strcmp(rest + 1, ft_file_name(module->path)) == 0));
    }
    free(shown);
    return is_called;
}

/* The outermost call of `name` that an instruction is in; depth 0: none. */
static struct call find_call(const struct ft_structure_report *report, uint32_t index,
                             const char *name)
{
    const struct ft_flow_graph *graph = &report->structure.graph;
    const struct ft_module *module = module_of(report, graph->block_of[index]);
    struct call call = calls_around(module, graph->instructions[index]);
    for (size_t d = 0; d < call.depth; d++)
        if (is_call_of(module, call.chain[d], name)) {
            call.depth = d + 1;
            return call;
        }
    call.depth = 0;
    return call;
}

bool ft_structure_is_inlined(const struct ft_structure_report *report, const char *name)
{
    for (uint32_t i = 0; i < report->structure.graph.instruction_count; i++)
        if (find_call(report, i, name).depth)
            return true;
    return false;
}

static bool write_call(const struct listing *listing, const struct ft_module *module,
                       uint32_t routine, const char *name, FILE *stream)
{
    const struct ft_structure *structure = &listing->report->structure;
    fputs(name, stream);
    for (size_t d = listing->call->depth; d-- > 0;) {
        const struct ft_inline *call = listing->call->chain[d];
        const struct ft_inline *around = d ? listing->call->chain[d - 1] : NULL;
        char *text = around ? ft_routine_name(module->strings + around->name) : NULL;
        if (around && !text)
            return false;
        fprintf(stream, ", inlined in %s",
                text ? text : structure->scopes.scopes[structure->scope_of_routine[routine]].name);
        free(text);
        if (call->call_line)
            fprintf(stream, " at %s:%" PRIu32, module->strings + call->call_file, call->call_line);
    }
    return true;
}

/* "f, inlined in g at a.c:12, inlined in main at a.c:30" */
static bool print_call(const struct listing *listing, const struct ft_module *module,
                       uint32_t routine, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *head = open_memstream(&text, &size);
    bool complete = head && write_call(listing, module, routine, name, head);
    complete = head && fclose(head) == 0 && complete;
    if (complete)
        ft_print_wrapped(listing->stream, 2, "%s\n", text);
    free(text);
    return complete;
}

struct call_list {
    struct call *items;
    size_t count, capacity;
};

static bool add_call(struct call_list *calls, const struct call *call)
{
    for (size_t i = 0; i < calls->count; i++)
        if (is_inside(call, &calls->items[i]))
            return true;
    if (!FT_RESERVE(calls->items, calls->capacity, calls->count + 1))
        return false;
    calls->items[calls->count++] = *call;
    return true;
}

/* The calls in a routine, in the order of its code. */
static bool list_calls(const struct ft_structure_report *report, uint32_t routine, const char *name,
                       struct call_list *calls)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_routine *item = &structure->routines.items[routine];
    for (uint32_t b = 0; b < item->block_count; b++) {
        const struct ft_flow_block *block =
            &structure->graph.blocks[structure->routines.blocks[item->first_block + b]];
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            const struct call call = find_call(report, block->first_instruction + i, name);
            if (call.depth && !add_call(calls, &call))
                return false;
        }
    }
    return true;
}

static bool print_calls(struct listing *listing, uint32_t routine, const char *name)
{
    const struct ft_routine *item = &listing->report->structure.routines.items[routine];
    struct call_list calls = {0};
    bool complete = list_calls(listing->report, routine, name, &calls);
    for (size_t i = 0; complete && i < calls.count; i++) {
        listing->call = &calls.items[i];
        complete = print_call(listing, ft_trace_module(listing->report->trace, item->module),
                              routine, name) &&
                   print_blocks(listing, routine);
        fputc('\n', listing->stream);
    }
    listing->call = NULL;
    free(calls.items);
    return complete;
}

int ft_structure_inlined_code(const struct ft_structure_report *report, const char *name,
                              FILE *stream, struct ft_diag *diag)
{
    struct listing listing;
    FT_TRY(begin(&listing, report, stream, diag));
    bool complete = true;
    for (uint32_t r = 0; complete && r < report->structure.routines.count; r++)
        complete = print_calls(&listing, r, name);
    end(&listing);
    return complete ? FT_OK : ft_fail_memory(diag, "the code of a routine");
}
