/*
 * Where a branch led is where the next instruction stands: within a unit it is known, behind its
 * last instruction the next record tells.
 */
#include "engine/simulate/core/branch_walk.h"

#include <stdlib.h>

#include "engine/simulate/core/branch_predictor.h"
#include "formats/base/array.h"

#define NO_BRANCH SIZE_MAX

struct targets {
    uint64_t pc, next,
        inside; /* inside: where it led, behind the unit's last instruction unknown */
};

/* The branches of a unit, in order; count 0 also before they are listed. */
struct unit_branches {
    size_t first;
    uint32_t count;
    bool is_listed;
};

struct ft_branch_walk {
    const struct ft_unit_table *units;
    struct ft_branch_predictor *predictor;
    struct unit_branches *of_unit; /* [unit id] */
    struct ft_walked_branch *branches;
    struct targets *targets; /* [branch] */
    size_t count, capacity, target_capacity;
    size_t pending; /* executed last, leads to the next record; NO_BRANCH: none */
    bool pending_is_counted;
};

int ft_branch_walk_create(const struct ft_unit_table *units, struct ft_branch_walk **ret_walk,
                          struct ft_diag *diag)
{
    struct ft_branch_walk *walk = calloc(1, sizeof *walk);
    if (walk) {
        walk->units = units;
        walk->pending = NO_BRANCH;
        walk->predictor = ft_branch_predictor_create();
        walk->of_unit = calloc(units->count + 1, sizeof *walk->of_unit);
    }
    if (!walk || !walk->predictor || !walk->of_unit) {
        ft_branch_walk_destroy(walk);
        return ft_fail_memory(diag, "branches");
    }
    *ret_walk = walk;
    return FT_OK;
}

void ft_branch_walk_destroy(struct ft_branch_walk *walk)
{
    if (!walk)
        return;
    free(walk->predictor);
    free(walk->of_unit);
    free(walk->branches);
    free(walk->targets);
    free(walk);
}

void ft_branch_walk_interrupt(struct ft_branch_walk *walk)
{
    walk->pending = NO_BRANCH;
}

size_t ft_branch_walk_branches(const struct ft_branch_walk *walk,
                               const struct ft_walked_branch **ret_branches)
{
    *ret_branches = walk->branches;
    return walk->count;
}

/* ---- units ---- */

/* Whether the predictor has to do with it; direct jumps are always right. */
static bool is_branch(uint8_t flow)
{
    return flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP_INDIRECT || flow == FT_FLOW_CALL ||
           flow == FT_FLOW_CALL_INDIRECT || flow == FT_FLOW_RETURN;
}

static int list_branches(struct ft_branch_walk *walk, const struct ft_unit *unit,
                         struct unit_branches *into, struct ft_diag *diag)
{
    into->first = walk->count;
    into->is_listed = true;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        if (!is_branch(instruction->flow))
            continue;
        if (!FT_RESERVE(walk->branches, walk->capacity, walk->count + 1) ||
            !FT_RESERVE(walk->targets, walk->target_capacity, walk->count + 1))
            return ft_fail_memory(diag, "branches");
        walk->branches[walk->count] = (struct ft_walked_branch){
            .unit = unit, .instruction = (uint8_t)i, .flow = instruction->flow};
        walk->targets[walk->count++] = (struct targets){
            .pc = instruction->pc,
            .next = instruction->pc + instruction->length,
            .inside = i + 1U < unit->instruction_count ? unit->instructions[i + 1].pc : 0};
        into->count++;
    }
    return FT_OK;
}

/* ---- records ---- */

static void predict(struct ft_branch_walk *walk, size_t index, uint64_t target, bool is_counted)
{
    struct ft_walked_branch *branch = &walk->branches[index];
    const struct targets *at = &walk->targets[index];
    const struct ft_executed_branch executed = {at->pc, at->next, target, branch->flow};
    const bool right = ft_branch_predict(walk->predictor, &executed);
    branch->executions += is_counted;
    branch->mispredictions += is_counted && !right;
}

static void arrive(struct ft_branch_walk *walk, uint64_t pc)
{
    if (walk->pending != NO_BRANCH)
        predict(walk, walk->pending, pc, walk->pending_is_counted);
    walk->pending = NO_BRANCH;
}

/* The first instructions of a unit, once. */
static void execute(struct ft_branch_walk *walk, const struct ft_unit *unit,
                    const struct unit_branches *of, unsigned instructions, bool is_counted)
{
    arrive(walk, unit->pc);
    for (size_t b = of->first; b < of->first + of->count; b++) {
        const unsigned at = walk->branches[b].instruction;
        if (at >= instructions)
            return;
        if (at + 1 < instructions) {
            predict(walk, b, walk->targets[b].inside, is_counted);
        } else {
            walk->pending = b;
            walk->pending_is_counted = is_counted;
        }
    }
}

/* Whole iterations, until one changes nothing: the others are as right as it was. */
static void iterate(struct ft_branch_walk *walk, const struct ft_unit *unit,
                    const struct unit_branches *of, uint64_t iterations, bool is_counted)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < iterations; i++) {
        arrive(walk, unit->pc);
        const uint64_t state = ft_branch_predictor_state(walk->predictor);
        if (i > 1 && state == before) {
            for (size_t b = of->first; b < of->first + of->count && is_counted; b++)
                walk->branches[b].executions += iterations - i - 1;
            i = iterations - 1;
        }
        before = state;
        execute(walk, unit, of, unit->instruction_count, is_counted);
    }
}

int ft_branch_walk_record(struct ft_branch_walk *walk, const struct ft_record *record,
                          bool is_counted, struct ft_diag *diag)
{
    const bool is_partial = record->unit == 0 && record->escape == FT_ESCAPE_PARTIAL;
    const uint64_t id = is_partial ? record->values[0] : record->unit;
    if (record->unit == 0 && record->escape == FT_ESCAPE_STACK)
        ft_branch_walk_interrupt(walk);
    if (id == 0 || id >= walk->units->count)
        return FT_OK;
    const struct ft_unit *unit = walk->units->units[id];
    struct unit_branches *of = &walk->of_unit[id];
    if (!of->is_listed)
        FT_TRY(list_branches(walk, unit, of, diag));
    if (is_partial)
        execute(walk, unit, of, (unsigned)record->values[1], is_counted);
    else
        iterate(walk, unit, of, record->iteration_count, is_counted);
    if (!is_partial && unit->last_iteration_instructions)
        execute(walk, unit, of, unit->last_iteration_instructions, is_counted);
    return FT_OK;
}
