/*
 * A loop is left by its only exit with a comparison whose difference d is then known (0 where it
 * asks for equality). A sum s that moves r times as fast as d is left with s - r * d + r * d_exit,
 * of which s - r * d does not move: it is what it was in the first iteration.
 */
#include "engine/program/values/leaving_loops.h"

#include "engine/program/values/operation_sums.h"
#include "engine/program/values/strides.h"
#include "formats/base/array.h"

/* So often one sum may have a loop replaced by what it was entered with. */
#define LEAVING_STEPS_MAX 64

static bool was_executed(const struct ft_flow_graph *graph, uint32_t from, uint32_t to)
{
    size_t low = 0, high = graph->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ft_block_edge *edge = &graph->edges[middle];
        if (edge->from < from || (edge->from == from && edge->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->edge_count && graph->edges[low].from == from && graph->edges[low].to == to;
}

static bool ends_with_call(const struct ft_routine_code *code, uint32_t block)
{
    uint32_t last = code->first_instruction[block + 1] - 1;
    uint8_t flow = ft_code_instruction(code, last)->flow;
    return ft_code_is_call(code, last) || flow == FT_FLOW_SYSCALL || flow == FT_FLOW_UNKNOWN;
}

bool ft_find_exits(struct ft_value_sums *sums)
{
    const struct ft_routine_code *code = sums->code;
    const struct ft_program_loops *loops = code->loops;
    const struct ft_def_use *def_use = sums->def_use;
    if (def_use->first_loop >= def_use->loop_end)
        return true;
    size_t count = def_use->loop_end - def_use->first_loop;
    if (!FT_RESERVE(sums->exit_block, sums->exit_capacity, count) ||
        !FT_RESERVE(sums->exit_target, sums->exit_target_capacity, count) ||
        !FT_RESERVE(sums->calls, sums->calls_capacity, count))
        return false;
    for (size_t l = 0; l < count; l++) {
        sums->exit_block[l] = FT_NO_BLOCK;
        sums->exit_target[l] = FT_NO_BLOCK;
        sums->calls[l] = false;
    }
    for (uint32_t b = 0; b < code->block_count; b++) {
        uint32_t graph_block = ft_code_graph_block(code, b);
        const struct ft_flow_graph *graph = code->graph;
        bool calls = ends_with_call(code, b);
        for (uint32_t l = ft_code_loop(code, b); l != FT_NO_LOOP; l = loops->items[l].parent) {
            sums->calls[l - def_use->first_loop] |= calls;
            for (uint32_t s = graph->first_successor[graph_block];
                 s < graph->first_successor[graph_block + 1]; s++) {
                uint32_t to = graph->successors[s], own = l - def_use->first_loop;
                if (ft_loop_holds(loops, l, loops->of_block[to]) ||
                    !was_executed(graph, graph_block, to))
                    continue;
                sums->exit_target[own] = sums->exit_block[own] == FT_NO_BLOCK ? to : FT_NO_BLOCK;
                sums->exit_block[own] = b;
            }
        }
    }
    return true;
}

/* Whether the difference that a branch asks about is known where it leads to a block, when it
 * changes by `stride` an iteration, and what it is then. */
static bool known_at_exit(const struct ft_value_flow *branch, const struct ft_instruction *last,
                          const struct ft_flow_block *target, const struct ft_move *comparison,
                          int64_t stride, int64_t *ret_difference, uint8_t *flags)
{
    static const uint8_t opposite[] = {
        [FT_CONDITION_OTHER] = FT_CONDITION_OTHER,    [FT_CONDITION_EQUAL] = FT_CONDITION_UNEQUAL,
        [FT_CONDITION_UNEQUAL] = FT_CONDITION_EQUAL,  [FT_CONDITION_BELOW] = FT_CONDITION_AT_LEAST,
        [FT_CONDITION_AT_LEAST] = FT_CONDITION_BELOW, [FT_CONDITION_ABOVE] = FT_CONDITION_AT_MOST,
        [FT_CONDITION_AT_MOST] = FT_CONDITION_ABOVE,
    };
    uint8_t condition = last->flow != FT_FLOW_BRANCH ? FT_CONDITION_OTHER
                        : last->target == target->pc ? branch->condition
                                                     : opposite[branch->condition];
    *ret_difference = 0;
    if (condition == FT_CONDITION_EQUAL)
        return true;
    *flags |= FT_FORMULA_ASSUMED;
    if (comparison->kind != FT_MOVE_COMPARE)
        return false;
    *ret_difference = condition == FT_CONDITION_ABOVE   ? 1
                      : condition == FT_CONDITION_BELOW ? -1
                                                        : 0;
    return (stride == 1 &&
            (condition == FT_CONDITION_AT_LEAST || condition == FT_CONDITION_ABOVE)) ||
           (stride == -1 && (condition == FT_CONDITION_AT_MOST || condition == FT_CONDITION_BELOW));
}

/* A difference that moves by a constant stride, and what it is where a loop is left. */
static bool exit_difference(struct ft_value_sums *sums, uint32_t loop, struct ft_sum *ret_sum,
                            int64_t *ret_stride, int64_t *ret_difference, uint8_t *flags)
{
    const struct ft_routine_code *code = sums->code;
    uint32_t own = loop - sums->def_use->first_loop;
    if (sums->exit_target[own] == FT_NO_BLOCK || !code->order->reducible[loop] ||
        ft_code_loop(code, sums->exit_block[own]) != loop)
        return false;
    uint32_t branch = code->first_instruction[sums->exit_block[own] + 1] - 1;
    uint32_t value = ft_value_used(sums->def_use, branch, FT_PLACE_FLAGS);
    if (value == FT_NO_VALUE || sums->def_use->values[value].kind != FT_VALUE_RESULT)
        return false;
    uint32_t compare = sums->def_use->values[value].instruction;
    if (ft_code_loop(code, code->block_of[compare]) != loop ||
        !ft_comparison_sum(sums, compare, ret_sum, flags))
        return false;
    struct ft_motion motion = ft_stride_of_sum(sums, ret_sum, *flags, loop);
    struct ft_sum stride = ft_unpack_sum(sums, &motion.sum);
    *flags |= motion.sum.flags;
    return motion.flags == 0 && ft_sum_is_constant(&stride, ret_stride) && *ret_stride != 0 &&
           known_at_exit(&code->flows[branch], ft_code_instruction(code, branch),
                         &code->graph->blocks[sums->exit_target[own]],
                         &code->flows[compare].comparison, *ret_stride, ret_difference, flags);
}

/* Adds what makes a sum that moves with a loop stand still, with its value where the loop is left;
 * false where that is not known. */
static bool stop_sum(struct ft_value_sums *sums, uint32_t loop, const struct ft_motion *motion,
                     struct ft_sum *sum, uint8_t *flags)
{
    struct ft_sum difference, stride = ft_unpack_sum(sums, &motion->sum);
    int64_t own_stride, exit_stride, at_exit;
    uint8_t more = motion->sum.flags;
    if (motion->flags || !ft_sum_is_constant(&stride, &own_stride) ||
        !exit_difference(sums, loop, &difference, &exit_stride, &at_exit, &more) ||
        own_stride % exit_stride)
        return false;
    int64_t ratio = own_stride / exit_stride;
    struct ft_sum known = ft_sum_constant(at_exit);
    *flags |= more;
    return ft_sum_add(sum, &difference, -ratio, 1) && ft_sum_add(sum, &known, ratio, 1);
}

/* The innermost loop that does not hold a block and with which an atom moves; FT_NO_LOOP where it
 * stands still in all of them. */
static uint32_t moving_loop(struct ft_value_sums *sums, uint32_t atom, uint32_t block)
{
    const struct ft_program_loops *loops = sums->code->loops;
    for (uint32_t l = sums->atoms[atom].loop;
         !ft_loop_holds(loops, l, ft_code_loop(sums->code, block)); l = loops->items[l].parent) {
        struct ft_motion motion = ft_stride_of_atom(sums, atom, l);
        if (!ft_motion_is_none(&motion))
            return l;
    }
    return FT_NO_LOOP;
}

bool ft_leave_loops(struct ft_value_sums *sums, struct ft_sum *sum, uint8_t *flags, uint32_t block)
{
    const struct ft_program_loops *loops = sums->code->loops;
    uint32_t target = ft_code_loop(sums->code, block);
    unsigned steps = 0;
    for (uint32_t i = 0; i < sum->count;) {
        uint32_t unknown = sum->terms[i].unknown;
        uint32_t loop = sums->atoms[unknown].loop;
        uint32_t moving = FT_NO_LOOP;
        if (!ft_loop_holds(loops, loop, target))
            moving = moving_loop(sums, unknown, block);
        bool still = moving == FT_NO_LOOP;
        if (still && (sums->atoms[unknown].kind != FT_ATOM_INDUCTION ||
                      ft_loop_holds(loops, loop, target))) {
            i++;
            continue;
        }
        if (++steps > LEAVING_STEPS_MAX)
            return false;
        if (still) {
            if (!ft_start_instead(sums, unknown, sum, flags))
                return false;
        } else {
            struct ft_motion motion = ft_stride_of_sum(sums, sum, *flags, moving);
            if (!ft_motion_is_none(&motion) && !stop_sum(sums, moving, &motion, sum, flags))
                return false;
            *flags |= motion.sum.flags;
            if (!ft_replace_inductions(sums, moving, sum, flags))
                return false;
            struct ft_motion left = ft_stride_of_sum(sums, sum, *flags, moving);
            if (!ft_motion_is_none(&left))
                return false;
        }
        i = 0;
    }
    return true;
}
