#include "tests/support/cut_units.h"

#include <stdlib.h>

#include "formats/x86/log_plan.h"

void cut_execution_step(struct cut_execution *execution, uint64_t offset)
{
    if (execution->count == CUT_STEPS_MAX)
        exit(99);
    execution->offsets[execution->count++] = offset;
}

void cut_execution_start(struct cut_execution *execution)
{
    execution->starts[execution->count] = true;
}

/* How many of the unit's instructions ran at pcs: all, or up to a branch inside that was taken. */
static unsigned executed(const struct ft_unit *unit, uint64_t bias,
                         const struct cut_execution *execution, size_t at)
{
    unsigned i = 0;
    while (i < unit->instruction_count && at + i < execution->count &&
           (i == 0 || !execution->starts[at + i]) &&
           unit->instructions[i].pc == bias + execution->offsets[at + i])
        i++;
    return i;
}

static uint32_t unit_at(struct cut_units *cut, const struct cut_code *code,
                        const struct cut_execution *execution, size_t at, unsigned instructions_max)
{
    uint64_t skipped = execution->offsets[at] - code->first_offset;
    struct ft_plan_limits limits = {.instructions_max = instructions_max};
    struct ft_unit unit;
    if (cut->unit_count == CUT_UNITS_MAX ||
        ft_unit_plan(code->bytes + skipped, code->size - skipped,
                     code->bias + execution->offsets[at], &limits, &unit, NULL) != 0)
        exit(99);
    unsigned instructions = executed(&unit, code->bias, execution, at);
    if (instructions < unit.instruction_count) {
        unit = ft_unit_prefix(&unit, instructions, ft_unit_slots_before(&unit, instructions));
        unit.shares_memory = false; /* it is its own now */
    }
    for (uint32_t id = 1; id < cut->unit_count; id++)
        if (cut->units[id].pc == unit.pc && cut->units[id].instruction_count == instructions) {
            ft_unit_fini(&unit);
            return id;
        }
    uint32_t id = (uint32_t)cut->unit_count++;
    cut->units[id] = unit;
    cut->units[id].id = id;
    cut->units[id].module = 0;
    cut->pointers[id] = &cut->units[id];
    return id;
}

static void count_edge(struct cut_units *cut, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < cut->edge_count; i++)
        if (cut->edges[i].from == from && cut->edges[i].to == to) {
            cut->edges[i].count++;
            return;
        }
    if (cut->edge_count == CUT_UNITS_MAX)
        exit(99);
    cut->edges[cut->edge_count++] = (struct ft_unit_edge){from, to, 1};
}

void cut_units(struct cut_units *cut, const struct cut_code *code,
               const struct cut_execution *execution, unsigned instructions_max)
{
    uint32_t before = 0;
    *cut = (struct cut_units){.unit_count = 1};
    for (size_t i = 0; i < execution->count;) {
        uint32_t id = unit_at(cut, code, execution, i, instructions_max);
        count_edge(cut, execution->starts[i] ? 0 : before, id);
        cut->executions[id]++;
        i += cut->units[id].instruction_count;
        before = id;
    }
    cut->counts = (struct ft_execution_counts){.units = cut->executions,
                                               .loop_entries = cut->loop_entries,
                                               .edges = cut->edges,
                                               .edge_count = cut->edge_count};
}

void cut_units_fini(struct cut_units *cut)
{
    for (size_t id = 1; id < cut->unit_count; id++)
        ft_unit_fini(&cut->units[id]);
}
