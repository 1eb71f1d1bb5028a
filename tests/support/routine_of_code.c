/*
 * Leaders are the start, targets of branches and what stands behind branches; from each that is
 * reached the planner makes a unit up to the next one.
 */
#include "tests/support/routine_of_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/values/formula_text.h"
#include "formats/x86/log_plan.h"

#define CODE_MAX 4096

static const struct ft_module module = {
    .path = (char *)"/test",
    .start = ROUTINE_OF_CODE_PC,
    .end = ROUTINE_OF_CODE_PC + CODE_MAX,
    .strings = (char *)"",
    .strings_bytes = 1,
};
static const struct ft_module *const modules[] = {&module};

struct maker {
    const uint8_t *code;
    size_t bytes;
    bool leads[CODE_MAX + 16];
    uint8_t unit_at[CODE_MAX + 16]; /* 0: none */
    struct routine_of_code *routine;
};

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "routine_of_code: %s\n", what);
    exit(99);
}

static bool goes_on(const struct ft_instruction *instruction)
{
    return instruction->flow != FT_FLOW_JUMP && instruction->flow != FT_FLOW_RETURN &&
           instruction->flow != FT_FLOW_JUMP_INDIRECT;
}

static void find_leaders(struct maker *maker)
{
    struct ft_instruction instruction;
    maker->leads[0] = true;
    for (size_t at = 0; at < maker->bytes; at += instruction.length) {
        check(ft_instruction_decode(maker->code + at, maker->bytes - at, ROUTINE_OF_CODE_PC + at,
                                    &instruction, NULL) == 0,
              "no instruction");
        if (instruction.flow == FT_FLOW_NEXT)
            continue;
        maker->leads[at + instruction.length] = true;
        if (instruction.flow == FT_FLOW_BRANCH || instruction.flow == FT_FLOW_JUMP)
            maker->leads[instruction.target - ROUTINE_OF_CODE_PC] = true;
    }
}

static unsigned instructions_to_leader(const struct maker *maker, size_t at)
{
    struct ft_instruction instruction;
    unsigned count = 0;
    do {
        if (ft_instruction_decode(maker->code + at, maker->bytes - at, ROUTINE_OF_CODE_PC + at,
                                  &instruction, NULL) != 0)
            break;
        at += instruction.length;
        count++;
    } while (!maker->leads[at] && at < maker->bytes);
    return count;
}

static void make_unit(struct maker *maker, size_t at)
{
    struct routine_of_code *routine = maker->routine;
    uint32_t id = (uint32_t)routine->unit_count++;
    struct ft_plan_limits limits = {.instructions_max = instructions_to_leader(maker, at),
                                    .no_loops = true};
    check(id < ROUTINE_OF_CODE_BLOCKS, "too many blocks");
    check(ft_unit_plan(maker->code + at, maker->bytes - at, ROUTINE_OF_CODE_PC + at, &limits,
                       &routine->units[id], NULL) == 0,
          "no unit");
    routine->units[id].id = id;
    routine->units[id].module = 0;
    routine->pointers[id] = &routine->units[id];
    routine->executions[id] = 1;
    maker->unit_at[at] = (uint8_t)id;
}

/* Units of what is reached from the start: between routines' blocks lies padding. */
static void make_units(struct maker *maker)
{
    struct routine_of_code *routine = maker->routine;
    routine->unit_count = 1;
    make_unit(maker, 0);
    for (uint32_t id = 1; id < routine->unit_count; id++) {
        const struct ft_unit *unit = &routine->units[id];
        const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
        size_t next = last->pc + last->length - ROUTINE_OF_CODE_PC;
        size_t target = last->target - ROUTINE_OF_CODE_PC;
        if (goes_on(last) && next < maker->bytes && !maker->unit_at[next])
            make_unit(maker, next);
        if ((last->flow == FT_FLOW_BRANCH || last->flow == FT_FLOW_JUMP) && !maker->unit_at[target])
            make_unit(maker, target);
    }
}

static void add_edge(struct maker *maker, uint32_t from, uint64_t pc)
{
    uint64_t at = pc - ROUTINE_OF_CODE_PC;
    if (at >= maker->bytes)
        return;
    check(maker->unit_at[at] != 0, "a branch to where no unit starts");
    maker->routine->edges[maker->routine->counts.edge_count++] =
        (struct ft_unit_edge){from, maker->unit_at[at], 1};
}

static void make_edges(struct maker *maker)
{
    for (uint32_t id = 1; id < maker->routine->unit_count; id++) {
        const struct ft_unit *unit = &maker->routine->units[id];
        const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
        if (goes_on(last))
            add_edge(maker, id, last->pc + last->length);
        if (last->flow == FT_FLOW_BRANCH || last->flow == FT_FLOW_JUMP)
            add_edge(maker, id, last->target);
    }
}

void routine_of_code_make(const uint8_t *code, size_t bytes, struct routine_of_code *ret_routine)
{
    static struct maker maker;
    memset(ret_routine, 0, sizeof *ret_routine);
    memset(&maker, 0, sizeof maker);
    maker.code = code;
    maker.bytes = bytes;
    maker.routine = ret_routine;
    check(bytes < CODE_MAX, "too much code");
    find_leaders(&maker);
    make_units(&maker);
    ret_routine->counts.units = ret_routine->executions;
    ret_routine->counts.loop_entries = ret_routine->loop_entries;
    ret_routine->counts.edges = ret_routine->edges;
    make_edges(&maker);
    struct ft_diag diag = {0};
    check(ft_flow_graph_build(ret_routine->pointers, ret_routine->unit_count, &ret_routine->counts,
                              modules, &ret_routine->graph, &diag) == 0 &&
              ft_routines_find(&ret_routine->graph, modules, &ret_routine->routines, &diag) == 0 &&
              ft_program_loops_find(&ret_routine->graph, &ret_routine->routines, modules,
                                    &ret_routine->loops, &diag) == 0 &&
              ft_formulas_find(&ret_routine->graph, &ret_routine->routines, &ret_routine->loops,
                               &ret_routine->formulas, &diag) == 0,
          diag.message);
}

char *routine_of_code_formula(const struct routine_of_code *routine, uint64_t offset,
                              unsigned access_index)
{
    uint32_t instruction =
        ft_flow_graph_instruction_at(&routine->graph, ROUTINE_OF_CODE_PC + offset, access_index);
    check(instruction != FT_NO_BLOCK, "no instruction there");
    return ft_access_formula_text(&routine->formulas,
                                  ft_formula_of(&routine->formulas, instruction, access_index));
}

void routine_of_code_fini(struct routine_of_code *routine)
{
    ft_formulas_fini(&routine->formulas);
    ft_program_loops_fini(&routine->loops);
    ft_routines_fini(&routine->routines);
    ft_flow_graph_fini(&routine->graph);
    for (size_t id = 1; id < routine->unit_count; id++)
        ft_unit_fini(&routine->units[id]);
}
