/*
 * The comparison at a loop's only exit determines a difference d there, 0 if it tests for equality.
 * An expression s that changes r times as fast as d has the exit value s - r * d + r * d_exit:
 * s - r * d is invariant, so it is what it was in the first iteration.
 */
#include "engine/program/values/exit_values.h"

#include "engine/program/values/operation_exprs.h"
#include "engine/program/values/strides.h"
#include "formats/base/array.h"

/* Most replacements of loops by their start values in one expression. */
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

bool ft_loop_exits_find(struct ft_value_exprs *exprs)
{
    const struct ft_routine_code *code = exprs->code;
    const struct ft_program_loops *loops = code->loops;
    const struct ft_def_use *def_use = exprs->def_use;
    if (def_use->first_loop >= def_use->loop_end)
        return true;
    size_t count = def_use->loop_end - def_use->first_loop;
    if (!FT_RESERVE(exprs->exit_block, exprs->exit_capacity, count) ||
        !FT_RESERVE(exprs->exit_target, exprs->exit_target_capacity, count) ||
        !FT_RESERVE(exprs->calls, exprs->calls_capacity, count))
        return false;
    for (size_t l = 0; l < count; l++) {
        exprs->exit_block[l] = FT_NO_BLOCK;
        exprs->exit_target[l] = FT_NO_BLOCK;
        exprs->calls[l] = false;
    }
    for (uint32_t b = 0; b < code->block_count; b++) {
        uint32_t graph_block = ft_code_graph_block(code, b);
        const struct ft_flow_graph *graph = code->graph;
        bool calls = ends_with_call(code, b);
        for (uint32_t l = ft_code_loop(code, b); l != FT_NO_LOOP; l = loops->items[l].parent) {
            exprs->calls[l - def_use->first_loop] |= calls;
            for (uint32_t s = graph->first_successor[graph_block];
                 s < graph->first_successor[graph_block + 1]; s++) {
                uint32_t to = graph->successors[s], index = l - def_use->first_loop;
                if (ft_loop_holds(loops, l, loops->of_block[to]) ||
                    !was_executed(graph, graph_block, to))
                    continue;
                exprs->exit_target[index] =
                    exprs->exit_block[index] == FT_NO_BLOCK ? to : FT_NO_BLOCK;
                exprs->exit_block[index] = b;
            }
        }
    }
    return true;
}

/* Whether the difference that a branch tests is known at its target, given that it changes by
 * `stride` per iteration, and what it is there. */
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

/* The difference that changes by a constant stride, and its value at the exit of a loop. */
static bool exit_difference(struct ft_value_exprs *exprs, uint32_t loop,
                            struct ft_linear_expr *ret_sum, int64_t *ret_stride,
                            int64_t *ret_difference, uint8_t *flags)
{
    const struct ft_routine_code *code = exprs->code;
    uint32_t index = loop - exprs->def_use->first_loop;
    if (exprs->exit_target[index] == FT_NO_BLOCK || !code->order->reducible[loop] ||
        ft_code_loop(code, exprs->exit_block[index]) != loop)
        return false;
    uint32_t branch = code->first_instruction[exprs->exit_block[index] + 1] - 1;
    uint32_t value = ft_value_used(exprs->def_use, branch, FT_PLACE_FLAGS);
    if (value == FT_NO_VALUE || exprs->def_use->values[value].kind != FT_VALUE_RESULT)
        return false;
    uint32_t compare = exprs->def_use->values[value].instruction;
    if (ft_code_loop(code, code->block_of[compare]) != loop ||
        !ft_comparison_expr(exprs, compare, ret_sum, flags))
        return false;
    struct ft_loop_step step = ft_stride_of_expr(exprs, ret_sum, *flags, loop);
    struct ft_linear_expr stride = ft_unpack_expr(exprs, &step.expr);
    *flags |= step.expr.flags;
    return step.flags == 0 && ft_linear_expr_is_constant(&stride, ret_stride) && *ret_stride != 0 &&
           known_at_exit(&code->flows[branch], ft_code_instruction(code, branch),
                         &code->graph->blocks[exprs->exit_target[index]],
                         &code->flows[compare].comparison, *ret_stride, ret_difference, flags);
}

/* Adds what makes an expression invariant in a loop, with its exit value; false if that is unknown.
 */
static bool stop_expr(struct ft_value_exprs *exprs, uint32_t loop, const struct ft_loop_step *step,
                      struct ft_linear_expr *expr, uint8_t *flags)
{
    struct ft_linear_expr difference, stride = ft_unpack_expr(exprs, &step->expr);
    int64_t value_stride, exit_stride, at_exit;
    uint8_t more = step->expr.flags;
    if (step->flags || !ft_linear_expr_is_constant(&stride, &value_stride) ||
        !exit_difference(exprs, loop, &difference, &exit_stride, &at_exit, &more) ||
        value_stride % exit_stride)
        return false;
    int64_t ratio = value_stride / exit_stride;
    struct ft_linear_expr known = ft_linear_expr_constant(at_exit);
    *flags |= more;
    return ft_linear_expr_add(expr, &difference, -ratio, 1) &&
           ft_linear_expr_add(expr, &known, ratio, 1);
}

/* The innermost loop that does not contain a block and changes a symbol; FT_NO_LOOP if the symbol
 * is invariant in all of them. */
static uint32_t moving_loop(struct ft_value_exprs *exprs, uint32_t symbol, uint32_t block)
{
    const struct ft_program_loops *loops = exprs->code->loops;
    for (uint32_t l = exprs->symbols[symbol].loop;
         !ft_loop_holds(loops, l, ft_code_loop(exprs->code, block)); l = loops->items[l].parent) {
        struct ft_loop_step step = ft_stride_of_symbol(exprs, symbol, l);
        if (!ft_loop_step_is_zero(&step))
            return l;
    }
    return FT_NO_LOOP;
}

bool ft_loop_exit_value(struct ft_value_exprs *exprs, struct ft_linear_expr *expr, uint8_t *flags,
                        uint32_t block)
{
    const struct ft_program_loops *loops = exprs->code->loops;
    uint32_t target = ft_code_loop(exprs->code, block);
    unsigned steps = 0;
    for (uint32_t i = 0; i < expr->count;) {
        uint32_t index = expr->terms[i].symbol;
        uint32_t loop = exprs->symbols[index].loop;
        uint32_t moving = FT_NO_LOOP;
        if (!ft_loop_holds(loops, loop, target))
            moving = moving_loop(exprs, index, block);
        bool still = moving == FT_NO_LOOP;
        if (still && (exprs->symbols[index].kind != FT_EXPR_INDUCTION ||
                      ft_loop_holds(loops, loop, target))) {
            i++;
            continue;
        }
        if (++steps > LEAVING_STEPS_MAX)
            return false;
        if (still) {
            if (!ft_replace_induction(exprs, index, expr, flags))
                return false;
        } else {
            struct ft_loop_step step = ft_stride_of_expr(exprs, expr, *flags, moving);
            if (!ft_loop_step_is_zero(&step) && !stop_expr(exprs, moving, &step, expr, flags))
                return false;
            *flags |= step.expr.flags;
            if (!ft_replace_inductions(exprs, moving, expr, flags))
                return false;
            struct ft_loop_step left = ft_stride_of_expr(exprs, expr, *flags, moving);
            if (!ft_loop_step_is_zero(&left))
                return false;
        }
        i = 0;
    }
    return true;
}
