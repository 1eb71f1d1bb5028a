/*
 * An induction variable steps by the difference between its next value and itself, if that is
 * invariant; the next value is a linear expression, so it covers the whole chain of instructions
 * that update it. A quotient steps if its dividend steps by multiples of the divisor. Other symbols
 * are invariant while all their operands are.
 *
 * In this order: cache and start values, induction variables, conditions of merges, other symbols.
 */
#include "engine/program/values/strides.h"

enum { NOT_THERE, BEING_MADE, THERE };

#define RECURSION_MAX 3000
/* Conditions that span more blocks than this count as variant. */
#define BLOCKS_MAX 64
/* Most replacements of loops by their start values in one expression. */
#define STARTING_STEPS_MAX 64

static struct ft_loop_step otherwise(uint8_t flags)
{
    return (struct ft_loop_step){.state = THERE, .flags = flags};
}

/* Flags of a symbol with an operand that is not invariant. */
static uint8_t irregular_by(uint8_t flags)
{
    if (flags & FT_STRIDE_UNKNOWN)
        return FT_STRIDE_UNKNOWN | (flags & FT_STRIDE_INDIRECT);
    return FT_STRIDE_IRREGULAR | (flags & FT_STRIDE_INDIRECT);
}

bool ft_replace_induction(struct ft_value_exprs *exprs, uint32_t index, struct ft_linear_expr *expr,
                          uint8_t *flags)
{
    struct ft_expr_symbol symbol = exprs->symbols[index];
    struct ft_term term = ft_linear_expr_term(expr, index);
    struct ft_linear_expr start;
    if (!ft_induction_start(exprs, &symbol, &start, flags))
        return false;
    ft_linear_expr_remove(expr, index);
    return ft_linear_expr_add(expr, &start, term.numerator, term.denominator);
}

bool ft_replace_inductions(struct ft_value_exprs *exprs, uint32_t loop, struct ft_linear_expr *expr,
                           uint8_t *flags)
{
    for (uint32_t i = 0; i < expr->count;) {
        uint32_t index = expr->terms[i].symbol;
        if (exprs->symbols[index].kind != FT_EXPR_INDUCTION || exprs->symbols[index].loop != loop) {
            i++;
            continue;
        }
        if (!ft_replace_induction(exprs, index, expr, flags))
            return false;
        i = 0;
    }
    return true;
}

void ft_start_inner_inductions(struct ft_value_exprs *exprs, uint32_t loop,
                               struct ft_linear_expr *expr, uint8_t *flags)
{
    unsigned steps = 0;
    for (uint32_t i = 0; i < expr->count && steps < STARTING_STEPS_MAX;) {
        uint32_t index = expr->terms[i].symbol;
        const struct ft_expr_symbol *symbol = &exprs->symbols[index];
        struct ft_linear_expr started = *expr;
        if (symbol->kind == FT_EXPR_INDUCTION && symbol->loop != loop &&
            ft_loop_holds(exprs->code->loops, loop, symbol->loop) &&
            ft_replace_induction(exprs, index, &started, flags)) {
            *expr = started;
            steps++;
            i = 0;
        } else {
            i++;
        }
    }
}

struct ft_loop_step ft_stride_of_expr(struct ft_value_exprs *exprs,
                                      const struct ft_linear_expr *moving, uint8_t expr_flags,
                                      uint32_t loop)
{
    struct ft_linear_expr stride = {0}, expr = *moving;
    uint8_t flags = 0;
    ft_start_inner_inductions(exprs, loop, &expr, &expr_flags);
    for (uint32_t i = 0; i < expr.count; i++) {
        const struct ft_term *term = &expr.terms[i];
        if (term->symbol == FT_ONE)
            continue;
        struct ft_loop_step step = ft_stride_of_symbol(exprs, term->symbol, loop);
        struct ft_linear_expr part = ft_unpack_expr(exprs, &step.expr);
        flags |= step.flags;
        expr_flags |= step.expr.flags;
        if (!step.flags && !ft_linear_expr_add(&stride, &part, term->numerator, term->denominator))
            flags |= FT_STRIDE_UNKNOWN;
    }
    if (flags & FT_STRIDE_UNKNOWN)
        flags &= (uint8_t)~FT_STRIDE_IRREGULAR;
    if (flags)
        return otherwise(flags);
    return (struct ft_loop_step){.state = THERE, .expr = ft_pack_expr(exprs, &stride, expr_flags)};
}

struct ft_loop_step ft_stride_of_value(struct ft_value_exprs *exprs, uint32_t value, uint32_t block,
                                       uint32_t loop)
{
    struct ft_linear_expr expr;
    uint8_t flags = 0;
    if (!ft_value_expr_at(exprs, value, block, &expr, &flags))
        return otherwise(FT_STRIDE_UNKNOWN);
    return ft_stride_of_expr(exprs, &expr, flags, loop);
}

/* ---- inductions ---- */

/* An induction variable whose next value does not contain itself steps with that value if it starts
 * one step before it (a pointer that an inner loop leaves at the start of the next row). */
static struct ft_loop_step stride_of_follower(struct ft_value_exprs *exprs, uint32_t symbol,
                                              uint32_t loop, struct ft_linear_expr next,
                                              uint8_t flags)
{
    struct ft_loop_step step = ft_stride_of_expr(exprs, &next, flags, loop);
    struct ft_expr_symbol itself = exprs->symbols[symbol];
    struct ft_linear_expr start, stride;
    uint8_t more = step.expr.flags;
    if (step.flags)
        return otherwise(irregular_by(step.flags));
    stride = ft_unpack_expr(exprs, &step.expr);
    if (!ft_replace_inductions(exprs, loop, &next, &more) ||
        !ft_induction_start(exprs, &itself, &start, &more) ||
        !ft_linear_expr_add(&next, &start, -1, 1))
        return otherwise(FT_STRIDE_UNKNOWN);
    if (!ft_linear_expr_equal(&next, &stride))
        return otherwise(FT_STRIDE_IRREGULAR);
    step.expr.flags |= more;
    return step;
}

/* The step over one back edge, if the next value is linear. */
static struct ft_loop_step step_from(struct ft_value_exprs *exprs, uint32_t symbol, uint32_t from,
                                     uint32_t loop, struct ft_linear_expr *ret_increment)
{
    const struct ft_def_use *def_use = exprs->def_use;
    uint32_t block = exprs->symbols[symbol].block;
    uint32_t place = def_use->values[exprs->symbols[symbol].value].place;
    uint8_t flags = 0;
    struct ft_linear_expr itself = ft_linear_expr_symbol(symbol);
    if (!ft_value_expr_at(exprs, def_use->at_end[(size_t)from * def_use->place_count + place],
                          block, ret_increment, &flags))
        return otherwise(FT_STRIDE_UNKNOWN);
    if (!ft_linear_expr_term(ret_increment, symbol).denominator) {
        struct ft_loop_step step = stride_of_follower(exprs, symbol, loop, *ret_increment, flags);
        *ret_increment = ft_unpack_expr(exprs, &step.expr);
        return step;
    }
    if (!ft_linear_expr_add(ret_increment, &itself, -1, 1))
        return otherwise(FT_STRIDE_UNKNOWN);
    struct ft_loop_step change = ft_stride_of_expr(exprs, ret_increment, flags, loop);
    if (!ft_loop_step_is_zero(&change))
        return otherwise(irregular_by(change.flags));
    change.expr = ft_pack_expr(exprs, ret_increment, flags | change.expr.flags);
    return change;
}

/* In its own loop: the same step over all back edges. */
static struct ft_loop_step stride_of_induction(struct ft_value_exprs *exprs, uint32_t symbol,
                                               uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    uint32_t block = exprs->symbols[symbol].block;
    uint32_t graph_block = ft_code_graph_block(code, block);
    struct ft_loop_step step = otherwise(FT_STRIDE_UNKNOWN);
    struct ft_linear_expr increment = {0}, other;
    bool first = true;
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        if (from < block)
            continue;
        struct ft_loop_step next =
            step_from(exprs, symbol, from, loop, first ? &increment : &other);
        if (next.flags)
            return next;
        if (!first && !ft_linear_expr_equal(&increment, &other))
            return otherwise(FT_STRIDE_IRREGULAR);
        step = next;
        first = false;
    }
    return step;
}

/* ---- other symbols ---- */

/* Whether a store in the loop writes what is loaded. */
static bool is_written(const struct ft_value_exprs *exprs, const struct ft_packed_expr *address,
                       uint32_t size_bytes, uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    struct ft_linear_expr from = ft_unpack_expr(exprs, address);
    uint32_t hash = ft_linear_expr_hash(&from);
    for (size_t s = 0; s < exprs->store_count; s++) {
        const struct ft_store *store = &exprs->stores[s];
        int64_t distance;
        if (store->hash != hash ||
            !ft_loop_holds(code->loops, loop, ft_code_loop(code, store->block)))
            continue;
        struct ft_linear_expr to = ft_unpack_expr(exprs, &store->address);
        if (ft_linear_expr_add(&to, &from, -1, 1) && ft_linear_expr_is_constant(&to, &distance) &&
            distance < (int64_t)size_bytes && -distance < (int64_t)store->size_bytes)
            return true;
    }
    return false;
}

/* Of a load; one from an invariant address may still be overwritten. */
static struct ft_loop_step stride_of_load(struct ft_value_exprs *exprs,
                                          const struct ft_packed_expr *address, uint32_t size_bytes,
                                          uint32_t loop)
{
    struct ft_linear_expr expr = ft_unpack_expr(exprs, address);
    struct ft_loop_step step = ft_stride_of_expr(exprs, &expr, address->flags, loop);
    if (step.flags & FT_STRIDE_UNKNOWN)
        return otherwise(irregular_by(step.flags));
    if (!ft_loop_step_is_zero(&step))
        return otherwise(FT_STRIDE_IRREGULAR | FT_STRIDE_INDIRECT);
    if (exprs->calls[loop - exprs->def_use->first_loop] ||
        is_written(exprs, address, size_bytes, loop))
        return otherwise(FT_STRIDE_UNKNOWN);
    step.expr.flags |= FT_FORMULA_ASSUMED;
    return step;
}

/* Of the result of an instruction that is not linear. */
static struct ft_loop_step stride_of_result(struct ft_value_exprs *exprs, uint32_t instruction,
                                            uint32_t loop)
{
    const struct ft_def_use *def_use = exprs->def_use;
    const struct ft_instruction *code = ft_code_instruction(exprs->code, instruction);
    uint8_t flags = 0, assumed = 0;
    bool moves = false;
    if (ft_code_is_call(exprs->code, instruction) || code->flow == FT_FLOW_SYSCALL ||
        code->flow == FT_FLOW_UNKNOWN)
        return otherwise(FT_STRIDE_UNKNOWN);
    for (uint32_t u = def_use->first_use[instruction]; u < def_use->first_use[instruction + 1];
         u++) {
        struct ft_loop_step step = ft_stride_of_value(exprs, def_use->uses[u].value,
                                                      exprs->code->block_of[instruction], loop);
        moves |= !ft_loop_step_is_zero(&step);
        flags |= step.flags;
        assumed |= step.expr.flags;
    }
    for (unsigned a = 0; a < code->access_count; a++) {
        if (code->accesses[a].kind != FT_LOAD ||
            exprs->first_access[instruction] + a >= exprs->address_count)
            continue;
        struct ft_packed_expr address = exprs->addresses[exprs->first_access[instruction] + a];
        struct ft_linear_expr expr = ft_unpack_expr(exprs, &address);
        if (expr.count == 1 && exprs->symbols[expr.terms[0].symbol].kind == FT_EXPR_ADDRESS) {
            flags |= moves ? FT_STRIDE_INDIRECT : 0;
            continue; /* it consists of the uses above */
        }
        struct ft_loop_step step =
            stride_of_load(exprs, &address, code->accesses[a].size_bytes, loop);
        moves |= !ft_loop_step_is_zero(&step);
        flags |= step.flags;
    }
    if (moves)
        return otherwise(irregular_by(flags));
    return (struct ft_loop_step){.state = THERE, .expr.flags = assumed};
}

/* ---- conditions ---- */

struct region {
    uint32_t blocks[BLOCKS_MAX]; /* local */
    unsigned count;
};

static bool add_block(struct region *region, uint32_t block)
{
    for (unsigned i = 0; i < region->count; i++)
        if (region->blocks[i] == block)
            return true;
    if (region->count == BLOCKS_MAX)
        return false;
    region->blocks[region->count++] = block;
    return true;
}

/* The forward predecessors of a block; false if it has others, but for loop headers. */
static bool add_predecessors(const struct ft_routine_code *code, struct region *region,
                             uint32_t block)
{
    const struct ft_definition_order *order = code->order;
    uint32_t graph_block = ft_code_graph_block(code, block);
    if (order->entered[graph_block] || order->meets_all[graph_block])
        return false;
    for (uint32_t p = order->first_predecessor[graph_block];
         p < order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, order->predecessors[p]);
        if (from < block && !add_block(region, from))
            return false;
    }
    return true;
}

/* Whether a block of the region always continues in the same place. */
static bool branch_is_invariant(struct ft_value_exprs *exprs, uint32_t block, uint32_t around,
                                uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    uint32_t last = code->first_instruction[block + 1] - 1, inner = ft_code_loop(code, block);
    const struct ft_instruction *instruction = ft_code_instruction(code, last);
    if (inner != around)
        return inner != FT_NO_LOOP && ft_loop_holds(code->loops, around, inner) &&
               exprs->exit_target[inner - exprs->def_use->first_loop] != FT_NO_BLOCK;
    if (instruction->flow == FT_FLOW_JUMP_INDIRECT || instruction->flow == FT_FLOW_UNKNOWN)
        return false;
    if (instruction->flow != FT_FLOW_BRANCH)
        return true;
    uint32_t flags = ft_value_used(exprs->def_use, last, FT_PLACE_FLAGS);
    if (flags == FT_NO_VALUE)
        return false;
    struct ft_loop_step step = ft_stride_of_value(exprs, flags, block, loop);
    return ft_loop_step_is_zero(&step);
}

/* Whether the same predecessor leads into a block in all iterations of `loop`, which contains it:
 * the branches between its dominator and itself must be invariant. An inner loop among them with a
 * single exit decides nothing. */
static bool condition_is_invariant(struct ft_value_exprs *exprs, uint32_t block, uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    uint32_t dominator = code->order->dominator[ft_code_graph_block(code, block)];
    struct region region = {.count = 0};
    if (dominator == FT_NO_BLOCK || !add_predecessors(code, &region, block))
        return false;
    uint32_t first = ft_code_local_block(code, dominator), around = ft_code_loop(code, block);
    for (unsigned i = 0; i < region.count; i++)
        if ((region.blocks[i] != first && !add_predecessors(code, &region, region.blocks[i])) ||
            !branch_is_invariant(exprs, region.blocks[i], around, loop))
            return false;
    return true;
}

/* ---- other symbols ---- */

/* One of several values: if they step alike and it is always the same one, so does it. */
static struct ft_loop_step stride_of_merge(struct ft_value_exprs *exprs, uint32_t symbol,
                                           uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    const struct ft_def_use *def_use = exprs->def_use;
    uint32_t block = exprs->symbols[symbol].block;
    uint32_t place = def_use->values[exprs->symbols[symbol].value].place;
    uint32_t graph_block = ft_code_graph_block(code, block);
    uint8_t flags = 0, formula_flags = 0;
    struct ft_loop_step result = {0};
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        struct ft_loop_step step = ft_stride_of_value(
            exprs, def_use->at_end[(size_t)from * def_use->place_count + place], block, loop);
        struct ft_linear_expr stride = ft_unpack_expr(exprs, &step.expr);
        struct ft_linear_expr before = ft_unpack_expr(exprs, &result.expr);
        if (result.state == THERE && !ft_linear_expr_equal(&stride, &before))
            flags |= FT_STRIDE_UNKNOWN;
        flags |= step.flags;
        formula_flags |= step.expr.flags;
        result = step;
    }
    if (flags)
        return otherwise(irregular_by(flags));
    if (result.state != THERE || !condition_is_invariant(exprs, block, loop))
        return otherwise(FT_STRIDE_UNKNOWN);
    result.expr.flags = formula_flags;
    return result;
}

static struct ft_loop_step stride_of_quotient(struct ft_value_exprs *exprs,
                                              const struct ft_expr_symbol *symbol, uint32_t loop)
{
    struct ft_linear_expr dividend = ft_unpack_expr(exprs, &symbol->expr), stride, quotient = {0};
    struct ft_loop_step step = ft_stride_of_expr(exprs, &dividend, symbol->expr.flags, loop);
    if (step.flags)
        return otherwise(irregular_by(step.flags));
    stride = ft_unpack_expr(exprs, &step.expr);
    if (!ft_linear_expr_add(&quotient, &stride, 1, symbol->divisor) ||
        !ft_linear_expr_is_integral(&quotient))
        return otherwise(FT_STRIDE_IRREGULAR);
    step.expr = ft_pack_expr(exprs, &quotient, step.expr.flags);
    return step;
}

static struct ft_loop_step find_stride(struct ft_value_exprs *exprs, uint32_t index, uint32_t loop)
{
    struct ft_expr_symbol symbol = exprs->symbols[index];
    struct ft_linear_expr expr;
    uint8_t flags = 0;
    switch (symbol.kind) {
    case FT_EXPR_ENTRY:
        return otherwise(FT_STRIDE_UNKNOWN); /* the routine is entered inside its loop */
    case FT_EXPR_INDUCTION:
        if (symbol.loop == loop)
            return stride_of_induction(exprs, index, loop);
        if (!ft_induction_start(exprs, &symbol, &expr, &flags))
            return otherwise(FT_STRIDE_UNKNOWN);
        return ft_stride_of_expr(exprs, &expr, flags, loop);
    case FT_EXPR_MERGE:
        return stride_of_merge(exprs, index, loop);
    case FT_EXPR_LOADED:
        return stride_of_load(exprs, &symbol.expr, symbol.size_bytes, loop);
    case FT_EXPR_QUOTIENT:
        return stride_of_quotient(exprs, &symbol, loop);
    case FT_EXPR_EXIT_VALUE:
        return otherwise(FT_STRIDE_UNKNOWN);
    default:
        if (symbol.value != FT_NO_VALUE &&
            exprs->def_use->values[symbol.value].kind == FT_VALUE_CLOBBERED)
            return otherwise(FT_STRIDE_UNKNOWN);
        return stride_of_result(exprs, symbol.instruction, loop);
    }
}

struct ft_loop_step ft_stride_of_symbol(struct ft_value_exprs *exprs, uint32_t symbol,
                                        uint32_t loop)
{
    const struct ft_routine_code *code = exprs->code;
    if (exprs->symbols[symbol].loop == FT_NO_LOOP ||
        !ft_loop_holds(code->loops, loop, exprs->symbols[symbol].loop))
        return (struct ft_loop_step){.state = THERE};
    uint32_t kept = exprs->symbols[symbol].first_step + code->order->depth[loop] - 1;
    if (exprs->steps[kept].state == THERE)
        return exprs->steps[kept];
    /* Reached again while in progress: it depends on itself, but not linearly. */
    if (exprs->steps[kept].state == BEING_MADE)
        return otherwise(FT_STRIDE_IRREGULAR |
                         (exprs->symbols[symbol].kind == FT_EXPR_LOADED ? FT_STRIDE_INDIRECT : 0));
    if (exprs->recursion > RECURSION_MAX)
        return otherwise(FT_STRIDE_UNKNOWN);
    exprs->steps[kept].state = BEING_MADE;
    exprs->recursion++;
    struct ft_loop_step step = find_stride(exprs, symbol, loop);
    exprs->recursion--;
    exprs->steps[kept] = step;
    return step;
}
