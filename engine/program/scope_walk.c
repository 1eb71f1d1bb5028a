/*
 * How an instruction changes the activations follows from it and the one before. A call enters a
 * routine. A return leaves all activations up to the one that returns to this address; if there is
 * none, it is a jump. A jump to another routine is a tail call, which replaces the activation; a
 * jump into the middle of an active routine leaves what was called since (longjmp, exceptions, the
 * end of a signal handler); and if no branch can have led to the start of a routine, the kernel
 * called it.
 *
 * Within an activation, loops that do not contain the instruction are left, and inactive ones that
 * contain it are entered, outer ones first; the header of an active loop starts its next iteration.
 */
#include "engine/program/scope_walk.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/x86/instruction.h"

void ft_scope_walk_fini(struct ft_scope_walk *walk)
{
    free(walk->levels);
    free(walk->operations);
    *walk = (struct ft_scope_walk){0};
}

void ft_scope_walk_remember(struct ft_scope_walk *walk, enum ft_scope_watch watch,
                            struct ft_scope_snapshot *ret_snapshot)
{
    size_t depth = walk->depth;
    size_t count = depth < FT_SCOPE_SNAPSHOT_LEVELS ? depth : FT_SCOPE_SNAPSHOT_LEVELS;
    ret_snapshot->depth = walk->depth_min[watch] = depth;
    ret_snapshot->previous = walk->previous;
    ret_snapshot->first = depth - count;
    if (count)
        memcpy(ret_snapshot->levels, walk->levels + depth - count, count * sizeof *walk->levels);
}

bool ft_scope_walk_is_back(const struct ft_scope_walk *walk, enum ft_scope_watch watch,
                           const struct ft_scope_snapshot *snapshot)
{
    const size_t min = walk->depth_min[watch];
    if (walk->depth != snapshot->depth || walk->previous != snapshot->previous ||
        min < snapshot->first)
        return false;
    for (size_t i = min; i < walk->depth; i++) {
        const struct ft_scope_level *a = &walk->levels[i];
        const struct ft_scope_level *b = &snapshot->levels[i - snapshot->first];
        if (a->loop != b->loop || a->routine != b->routine || a->return_pc != b->return_pc)
            return false;
    }
    return true;
}

/* ---- operations ---- */

/* The last one noted before this touch, or NULL. */
static const struct ft_scope_operation *last_before(const struct ft_scope_walk *walk, size_t touch)
{
    if (!walk->operations || walk->operation_count == 0)
        return NULL;
    const struct ft_scope_operation *last = &walk->operations[walk->operation_count - 1];
    return last->touch == touch ? last : NULL;
}

static int note(struct ft_scope_walk *walk, size_t touch, uint32_t scope, struct ft_diag *diag)
{
    struct ft_scope_operation operation = {(uint32_t)touch, (uint32_t)walk->depth, scope};
    const struct ft_scope_operation *last = last_before(walk, touch);
    if (last && last->depth == operation.depth &&
        (scope == FT_SCOPE_LEFT || (scope == FT_SCOPE_ITERATES && last->scope == scope)))
        return FT_OK;
    if (!FT_RESERVE(walk->operations, walk->operation_capacity, walk->operation_count + 1))
        return ft_fail_memory(diag, "the scopes of a thread");
    walk->operations[walk->operation_count++] = operation;
    if (walk->depth > walk->depth_max)
        walk->depth_max = walk->depth;
    return FT_OK;
}

/* What was entered deeper, and not touched in, leaves no operations. */
static int leave_to(struct ft_scope_walk *walk, size_t depth, size_t touch, struct ft_diag *diag)
{
    if (depth == walk->depth)
        return FT_OK;
    walk->depth = depth;
    for (unsigned watch = 0; watch < FT_SCOPE_WATCHES; watch++)
        if (depth < walk->depth_min[watch])
            walk->depth_min[watch] = depth;
    const struct ft_scope_operation *last;
    while ((last = last_before(walk, touch)) && last->depth > depth)
        walk->operation_count--;
    return note(walk, touch, FT_SCOPE_LEFT, diag);
}

static int enter(struct ft_scope_walk *walk, struct ft_scope_level level, uint32_t scope,
                 size_t touch, struct ft_diag *diag)
{
    if (!FT_RESERVE(walk->levels, walk->capacity, walk->depth + 1))
        return ft_fail_memory(diag, "the scopes of a thread");
    walk->levels[walk->depth++] = level;
    return note(walk, touch, scope, diag);
}

static int enter_routine(struct ft_scope_walk *walk, uint32_t routine, uint64_t return_pc,
                         size_t touch, struct ft_diag *diag)
{
    return enter(walk, (struct ft_scope_level){return_pc, routine, FT_NO_LOOP},
                 walk->steps->routine_scopes[routine], touch, diag);
}

/* ---- routines ---- */

/* The level of the activation at hand; there must be one. */
static size_t activation(const struct ft_scope_walk *walk)
{
    size_t level = walk->depth - 1;
    while (walk->levels[level].loop != FT_NO_LOOP)
        level--;
    return level;
}

/* The depth that is left when an activation returns to pc; SIZE_MAX where none does. */
static size_t depth_behind_return(const struct ft_scope_walk *walk, uint64_t pc)
{
    for (size_t level = walk->depth; level > 0; level--)
        if (walk->levels[level - 1].loop == FT_NO_LOOP && walk->levels[level - 1].return_pc == pc)
            return level - 1;
    return SIZE_MAX;
}

/* The depth of the last activation of a routine with all of its loops; SIZE_MAX: none is active. */
static size_t depth_of_routine(const struct ft_scope_walk *walk, uint32_t routine)
{
    size_t end = walk->depth;
    for (size_t level = walk->depth; level > 0; level--) {
        if (walk->levels[level - 1].loop != FT_NO_LOOP)
            continue;
        if (walk->levels[level - 1].routine == routine)
            return end;
        end = level - 1;
    }
    return SIZE_MAX;
}

/* Whether no instruction led from `before` to `step`: the kernel did. */
static bool is_interrupt(const struct ft_scope_step *before, const struct ft_scope_step *step)
{
    switch (before->flow) {
    case FT_FLOW_BRANCH:
    case FT_FLOW_JUMP:
        return step->pc != before->end && step->pc != before->target;
    case FT_FLOW_NEXT:
    case FT_FLOW_SYSCALL:
    case FT_FLOW_TRAP:
        return step->pc != before->end;
    default:
        return false;
    }
}

/* The instruction is in another routine than the activation at hand. */
static int change_routine(struct ft_scope_walk *walk, const struct ft_scope_step *step,
                          size_t touch, struct ft_diag *diag)
{
    if (step->starts_routine && walk->previous && is_interrupt(walk->previous, step))
        return enter_routine(walk, step->routine, 0, touch, diag);
    size_t depth = step->starts_routine ? SIZE_MAX : depth_of_routine(walk, step->routine);
    if (depth != SIZE_MAX)
        return leave_to(walk, depth, touch, diag);
    size_t level = activation(walk);
    uint64_t return_pc = walk->levels[level].return_pc;
    int status = leave_to(walk, level, touch, diag);
    return status ? status : enter_routine(walk, step->routine, return_pc, touch, diag);
}

static int settle_routine(struct ft_scope_walk *walk, const struct ft_scope_step *step,
                          size_t touch, struct ft_diag *diag)
{
    const struct ft_scope_step *before = walk->previous;
    int status = FT_OK;
    if (before && (before->flow == FT_FLOW_CALL || before->flow == FT_FLOW_CALL_INDIRECT) &&
        step->pc != before->end)
        return enter_routine(walk, step->routine, before->end, touch, diag);
    if (before && before->flow == FT_FLOW_RETURN) {
        size_t depth = depth_behind_return(walk, step->pc);
        if (depth != SIZE_MAX)
            status = leave_to(walk, depth, touch, diag);
    }
    if (status)
        return status;
    if (walk->depth == 0)
        return enter_routine(walk, step->routine, 0, touch, diag);
    return walk->levels[activation(walk)].routine == step->routine
               ? FT_OK
               : change_routine(walk, step, touch, diag);
}

/* ---- loops ---- */

static bool is_inside(const struct ft_scope_steps *steps, uint32_t loop, uint32_t outer)
{
    while (loop != FT_NO_LOOP && loop != outer)
        loop = steps->loops[loop].parent;
    return loop == outer;
}

/* Enters the loops from below `active` down to `loop`. */
static int enter_loops(struct ft_scope_walk *walk, uint32_t active, uint32_t loop, size_t touch,
                       struct ft_diag *diag)
{
    if (loop == active)
        return FT_OK;
    const struct ft_step_loop *entered = &walk->steps->loops[loop];
    int status = enter_loops(walk, active, entered->parent, touch, diag);
    return status ? status
                  : enter(walk, (struct ft_scope_level){.loop = loop}, entered->scope, touch, diag);
}

static int settle_loops(struct ft_scope_walk *walk, const struct ft_scope_step *step, size_t touch,
                        struct ft_diag *diag)
{
    size_t depth = walk->depth;
    while (walk->levels[depth - 1].loop != FT_NO_LOOP &&
           !is_inside(walk->steps, step->loop, walk->levels[depth - 1].loop))
        depth--;
    int status = leave_to(walk, depth, touch, diag);
    if (status)
        return status;
    uint32_t active = walk->levels[depth - 1].loop;
    if (active != step->loop)
        return enter_loops(walk, active, step->loop, touch, diag);
    return step->heads_loop ? note(walk, touch, FT_SCOPE_ITERATES, diag) : FT_OK;
}

int ft_scope_walk_step(struct ft_scope_walk *walk, uint32_t reference, size_t touch,
                       struct ft_diag *diag)
{
    const struct ft_scope_step *step = &walk->steps->steps[reference - walk->steps->first];
    int status = FT_OK;
    if (step->starts_block || !walk->previous) {
        status = settle_routine(walk, step, touch, diag);
        if (!status)
            status = settle_loops(walk, step, touch, diag);
    }
    walk->previous = step;
    return status;
}
