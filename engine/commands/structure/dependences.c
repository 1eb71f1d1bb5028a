/*
 * The dependences of loops as text: a row for each loop of the machine code with its edges, its
 * loads by class, and the fewest cycles of an iteration if each instruction takes one; then the
 * recurrences of each loop.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/commands/structure/report.h"
#include "engine/program/dependences/recurrences.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "formats/x86/disassembly.h"

int ft_structure_find_dependences(struct ft_structure_report *report, bool assumed,
                                  struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    report->shows_assumed = assumed;
    report->dependences = calloc(1, sizeof *report->dependences);
    if (!report->dependences)
        return ft_fail_memory(diag, "the dependences of loops");
    return ft_dependences_find(&structure->graph, &structure->routines, &structure->loops,
                               FT_ALL_ROUTINES, true, report->dependences, diag);
}

void ft_structure_dependences_free(struct ft_dependences *dependences)
{
    if (dependences)
        ft_dependences_fini(dependences);
    free(dependences);
}

/* ---- a line for each loop ---- */

/* "3 in 2": so much in so many iterations. */
static void ratio_cell(struct ft_table *table, uint64_t count, uint64_t iterations)
{
    if (iterations == 1)
        ft_table_format(table, "%" PRIu64, count);
    else
        ft_table_format(table, "%" PRIu64 " in %" PRIu64, count, iterations);
}

static void edge_cells(struct ft_table *table, const struct ft_loop_dependences *loop)
{
    uint64_t registers = 0, memory[FT_DEPENDENCE_KINDS] = {0}, assumed = 0;
    for (size_t e = 0; e < loop->edge_count; e++) {
        const struct ft_dependence *edge = &loop->edges[e];
        registers += edge->place != FT_NO_PLACE;
        assumed += (edge->flags & FT_DEPENDENCE_ASSUMED) != 0;
        if (edge->place == FT_NO_PLACE && !(edge->flags & FT_DEPENDENCE_ASSUMED))
            memory[edge->kind]++;
    }
    ft_table_count(table, (double)registers);
    for (unsigned kind = 0; kind < FT_DEPENDENCE_KINDS; kind++)
        ft_table_count(table, (double)memory[kind]);
    ft_table_count(table, (double)assumed);
}

static void load_cells(struct ft_table *table, const struct ft_loop_dependences *loop)
{
    uint64_t counts[FT_LOAD_CLASSES];
    const struct ft_dependence_node *longest = NULL;
    ft_dependences_count_loads(loop, counts);
    for (unsigned class = FT_LOAD_INDEPENDENT; class < FT_LOAD_CLASSES; class ++)
        ft_table_count(table, (double)counts[class]);
    for (uint32_t n = 0; n < loop->node_count; n++) {
        const struct ft_dependence_node *node = &loop->nodes[n];
        if (node->in_chain &&
            (!longest || (uint64_t)node->chain_loads * longest->chain_iterations >
                             (uint64_t)longest->chain_loads * node->chain_iterations))
            longest = node;
    }
    if (longest)
        ratio_cell(table, longest->chain_loads, longest->chain_iterations);
    else
        ft_table_empty(table);
}

static int recurrence_cell(struct ft_table *table, const struct ft_loop_dependences *loop,
                           bool pessimistic, struct ft_diag *diag)
{
    struct ft_recurrences recurrences;
    int status = ft_recurrences_find(loop, pessimistic, NULL, &recurrences, diag);
    if (status)
        return status;
    if (recurrences.count)
        ratio_cell(table, recurrences.items[0].cycle_latency, recurrences.items[0].cycle_distance);
    else
        ft_table_empty(table);
    ft_recurrences_fini(&recurrences);
    return FT_OK;
}

static void add_columns(struct ft_table *table)
{
    static const char *const titles[][2] = {
        {"registers", "register_edges"}, {"flow", "flow_edges"},
        {"anti", "anti_edges"},          {"output", "output_edges"},
        {"assumed", "assumed_edges"},    {"independent", "independent_loads"},
        {"indirect", "indirect_loads"},  {"called", "called_loads"},
        {"chasing", "chasing_loads"},    {"chain", "chain_loads"},
        {"longest", "longest"},          {"with assumed", "longest_if_all_meet"},
    };
    ft_scope_columns(table, false);
    ft_table_column(table, "instructions", "instructions", true);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i][0], titles[i][1], true);
}

static int add_row(const struct ft_structure_report *report, uint32_t loop, struct ft_table *table,
                   struct ft_diag *diag)
{
    const struct ft_loop_dependences *item = &report->dependences->loops[loop];
    ft_scope_cells(table, false, &report->structure.scopes, report->structure.scope_of_loop[loop]);
    uint32_t instructions = 0;
    for (uint32_t n = 0; n < item->node_count; n++)
        instructions += item->nodes[n].instruction != FT_NO_BLOCK;
    ft_table_count(table, (double)instructions);
    edge_cells(table, item);
    load_cells(table, item);
    int status = recurrence_cell(table, item, false, diag);
    return status ? status : recurrence_cell(table, item, true, diag);
}

/* ---- recurrences ---- */

struct listing {
    const struct ft_structure_report *report;
    struct ft_disassembler *disassembler;
    FILE *stream;
};

static void print_node(const struct listing *listing, const struct ft_dependence_node *node)
{
    const struct ft_structure *structure = &listing->report->structure;
    const struct ft_flow_graph *graph = &structure->graph;
    char text[128] = "(no code)", line[256];
    if (node->instruction == FT_NO_BLOCK) {
        uint32_t header = structure->loops.items[node->loop].header;
        fprintf(listing->stream, "    0x%012" PRIx64 "  %s\n", graph->blocks[header].pc,
                structure->scopes.scopes[structure->scope_of_loop[node->loop]].name);
        return;
    }
    const struct ft_instruction *instruction = graph->instructions[node->instruction];
    const struct ft_unit *unit = graph->units[node->instruction];
    const uint32_t index = graph->blocks[graph->block_of[node->instruction]].module;
    const struct ft_module *module =
        index == FT_NO_MODULE ? NULL : ft_trace_module(listing->report->trace, index);
    if (unit->kind != FT_UNIT_REFERENCES)
        ft_disassemble(listing->disassembler, ft_unit_code(unit, instruction), instruction->length,
                       instruction->pc, text, sizeof text);
    ft_structure_line(module, instruction->pc - (module ? module->load_bias : 0), line,
                      sizeof line);
    fprintf(listing->stream, "    0x%012" PRIx64 "  %-*s%s%s\n", instruction->pc, *line ? 48 : 0,
            text, *line ? "  " : "", line);
}

static int print_recurrences(const struct listing *listing, uint32_t loop, struct ft_diag *diag)
{
    const struct ft_structure *structure = &listing->report->structure;
    const struct ft_loop_dependences *item = &listing->report->dependences->loops[loop];
    struct ft_recurrences recurrences;
    int status = ft_recurrences_find(item, false, NULL, &recurrences, diag);
    if (status)
        return status;
    if (recurrences.count)
        fprintf(listing->stream, "\n%s, header 0x%012" PRIx64 ":\n",
                structure->scopes.scopes[structure->scope_of_loop[loop]].name,
                structure->graph.blocks[structure->loops.items[loop].header].pc);
    for (size_t r = 0; r < recurrences.count; r++) {
        const struct ft_recurrence *recurrence = &recurrences.items[r];
        fprintf(listing->stream, "  %" PRIu64 " in %" PRIu64 " %s%s\n", recurrence->cycle_latency,
                recurrence->cycle_distance,
                recurrence->cycle_distance == 1 ? "iteration" : "iterations",
                recurrence->through_memory ? ", through memory" : "");
        for (uint32_t i = 0; i < recurrence->cycle_nodes; i++)
            print_node(listing, &item->nodes[recurrences.cycle[recurrence->first_of_cycle + i]]);
    }
    ft_recurrences_fini(&recurrences);
    return FT_OK;
}

/* Calls for each machine loop of the scopes shown, in their order. */
typedef int loop_visitor(void *context, uint32_t loop, struct ft_diag *diag);

static int visit_loops(const struct ft_structure_report *report, loop_visitor *visit, void *context,
                       struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    int status = FT_OK;
    for (size_t i = 0; !status && i < report->count; i++) {
        uint32_t first = report->work[report->list[i]].first_loop;
        for (uint32_t l = first;
             !status && first != FT_NO_LOOP && l < structure->loops.count &&
             structure->loops.items[l].routine == structure->loops.items[first].routine;
             l++)
            if (structure->scope_of_loop[l] == report->list[i])
                status = visit(context, l, diag);
    }
    return status;
}

struct row_adder {
    const struct ft_structure_report *report;
    struct ft_table *table;
};

static int visit_row(void *context, uint32_t loop, struct ft_diag *diag)
{
    const struct row_adder *adder = context;
    return add_row(adder->report, loop, adder->table, diag);
}

static int visit_recurrences(void *context, uint32_t loop, struct ft_diag *diag)
{
    return print_recurrences(context, loop, diag);
}

int ft_structure_dependences_text(const struct ft_structure_report *report, FILE *stream,
                                  struct ft_diag *diag)
{
    struct listing listing = {.report = report, .stream = stream};
    struct row_adder adder = {report, ft_table_create()};
    int status = adder.table ? ft_disassembler_create(&listing.disassembler, diag)
                             : ft_fail_memory(diag, "a table");
    if (status) {
        ft_table_destroy(adder.table);
        return status;
    }
    ft_print_wrapped(
        stream, 0,
        "\nDependences in each loop of the machine code: edges through registers, through memory "
        "by "
        "kind, and assumed ones, between accesses that may overlap; loads by the origin of their "
        "address, and the length of chains of dependent loads per iteration; instructions of the "
        "longest cycle per iteration, without and with the assumed edges:\n\n");
    add_columns(adder.table);
    status = visit_loops(report, visit_row, &adder, diag);
    if (!status)
        status = ft_table_write(adder.table, stream, false, diag);
    if (!status)
        fputs("\nRecurrences:\n", stream);
    if (!status)
        status = visit_loops(report, visit_recurrences, &listing, diag);
    ft_table_destroy(adder.table);
    ft_disassembler_destroy(listing.disassembler);
    return status;
}
