/*
 * Blocks are visited in the order of definitions, so that operands have their expressions before
 * results; only values that come over a back edge have none yet, and are symbols. A register that
 * is known to point into the stack frame is the frame's base plus an offset wherever it is used, so
 * that addresses on the stack compare equal.
 */
#include "engine/program/values/value_exprs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/exit_values.h"
#include "engine/program/values/operation_exprs.h"
#include "engine/program/values/strides.h"
#include "formats/base/array.h"

struct ft_linear_expr ft_unpack_expr(const struct ft_value_exprs *exprs,
                                     const struct ft_packed_expr *packed)
{
    struct ft_linear_expr expr = {.count = packed->count};
    if (packed->count)
        memcpy(expr.terms, exprs->terms + packed->first, packed->count * sizeof *expr.terms);
    return expr;
}

struct ft_packed_expr ft_pack_expr(struct ft_value_exprs *exprs, const struct ft_linear_expr *expr,
                                   uint8_t flags)
{
    if (!FT_RESERVE(exprs->terms, exprs->term_capacity, exprs->term_count + expr->count + 1)) {
        exprs->out_of_memory = true;
        return (struct ft_packed_expr){0};
    }
    struct ft_packed_expr packed = {(uint32_t)exprs->term_count, (uint8_t)expr->count, flags};
    memcpy(exprs->terms + exprs->term_count, expr->terms, expr->count * sizeof *expr->terms);
    exprs->term_count += expr->count;
    return packed;
}

/* ---- symbols ---- */

uint32_t ft_expr_symbol_add(struct ft_value_exprs *exprs, const struct ft_expr_symbol *symbol)
{
    uint32_t depth = symbol->loop == FT_NO_LOOP ? 0 : exprs->code->order->depth[symbol->loop];
    if (!FT_RESERVE(exprs->symbols, exprs->symbol_capacity, exprs->symbol_count + 1) ||
        !FT_RESERVE(exprs->steps, exprs->step_capacity, exprs->step_count + depth + 1)) {
        exprs->out_of_memory = true;
        return FT_ONE;
    }
    exprs->symbols[exprs->symbol_count] = *symbol;
    exprs->symbols[exprs->symbol_count].first_step = (uint32_t)exprs->step_count;
    memset(exprs->steps + exprs->step_count, 0, depth * sizeof *exprs->steps);
    exprs->step_count += depth;
    return (uint32_t)exprs->symbol_count++;
}

struct ft_linear_expr ft_value_symbol(struct ft_value_exprs *exprs, uint32_t value, uint8_t kind)
{
    const struct ft_value *v = &exprs->def_use->values[value];
    if (!exprs->symbol_of_value[value]) {
        struct ft_expr_symbol symbol = {.kind = kind,
                                        .value = value,
                                        .block = v->block,
                                        .loop = ft_code_loop(exprs->code, v->block),
                                        .instruction = v->instruction};
        uint32_t headed = ft_code_headed_loop(exprs->code, v->block);
        if (kind == FT_EXPR_ENTRY && headed != FT_NO_LOOP) /* before its first iteration */
            symbol.loop = exprs->code->loops->items[headed].parent;
        symbol.fits_32_bits = kind == FT_EXPR_OTHER && v->kind == FT_VALUE_RESULT &&
                              v->place <= FT_R15 &&
                              exprs->code->flows[v->instruction].effect.upper_zero >> v->place & 1;
        exprs->symbol_of_value[value] = ft_expr_symbol_add(exprs, &symbol);
    }
    return ft_linear_expr_symbol(exprs->symbol_of_value[value]);
}

/* ---- values ---- */

static struct ft_linear_expr result_expr(struct ft_value_exprs *exprs, uint32_t value,
                                         uint8_t *flags)
{
    const struct ft_value *v = &exprs->def_use->values[value];
    const struct ft_value_flow *flow = &exprs->code->flows[v->instruction];
    const struct ft_move *move = &flow->move;
    struct ft_linear_expr expr;
    uint8_t expr_flags = 0;
    bool moved =
        v->place >= FT_PLACE_REGISTERS
            ? move->kind == FT_MOVE_STORE
            : move->kind != FT_MOVE_NONE && move->kind != FT_MOVE_STORE && move->target == v->place;
    bool found = moved && ft_move_expr(exprs, v->instruction, move, value, &expr, &expr_flags);
    for (unsigned i = 0; !moved && !found && i < flow->effect.assignment_count; i++)
        if (flow->effect.assignments[i].target == v->place)
            found = ft_assignment_expr(exprs, v->instruction, &flow->effect.assignments[i], value,
                                       &expr, &expr_flags);
    if (!found)
        return ft_value_symbol(exprs, value, FT_EXPR_OTHER);
    *flags |= expr_flags;
    return expr;
}

/* An address on the stack. */
static bool stack_expr(struct ft_value_exprs *exprs, struct ft_stack_address address,
                       struct ft_linear_expr *ret_sum)
{
    const struct ft_def_use *def_use = exprs->def_use;
    uint32_t block_count = exprs->code->block_count;
    uint32_t value;
    if (!address.base)
        return false;
    if (address.base <= block_count)
        value = def_use->entries[address.base - 1] == FT_NO_VALUE
                    ? FT_NO_VALUE
                    : def_use->entries[address.base - 1] + FT_RSP;
    else
        value = ft_value_defined(def_use, address.base - 1 - block_count, FT_RSP);
    if (value == FT_NO_VALUE || exprs->of_value[value].first == FT_NO_VALUE)
        return false;
    *ret_sum = ft_unpack_expr(exprs, &exprs->of_value[value]);
    return ft_linear_expr_add_constant(ret_sum, address.offset);
}

/* The expression on which all predecessors of a block agree; only those before it in the order if
 * `forward`. */
static bool agreed_expr(struct ft_value_exprs *exprs, uint32_t block, size_t place, bool forward,
                        struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    const struct ft_routine_code *code = exprs->code;
    const struct ft_def_use *def_use = exprs->def_use;
    uint32_t graph_block = ft_code_graph_block(code, block);
    bool first = true;
    if (def_use->entries[block] != FT_NO_VALUE) {
        *ret_sum = ft_unpack_expr(exprs, &exprs->of_value[def_use->entries[block] + place]);
        first = false;
    }
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        struct ft_linear_expr expr;
        if (forward && from >= block)
            continue;
        if (!ft_value_expr_at(exprs, def_use->at_end[(size_t)from * def_use->place_count + place],
                              block, &expr, flags) ||
            (!first && !ft_linear_expr_equal(&expr, ret_sum)))
            return false;
        *ret_sum = expr;
        first = false;
    }
    return !first;
}

static struct ft_linear_expr merge_expr(struct ft_value_exprs *exprs, uint32_t value,
                                        uint8_t *flags)
{
    const struct ft_value *v = &exprs->def_use->values[value];
    struct ft_linear_expr expr;
    uint8_t expr_flags = 0;
    if (v->place <= FT_R15 &&
        stack_expr(exprs, exprs->frame->at_start[v->block].registers[v->place], &expr))
        return expr;
    if (ft_code_headed_loop(exprs->code, v->block) != FT_NO_LOOP)
        return ft_value_symbol(exprs, value, FT_EXPR_INDUCTION);
    if (!agreed_expr(exprs, v->block, v->place, false, &expr, &expr_flags))
        return ft_value_symbol(exprs, value, FT_EXPR_MERGE);
    *flags |= expr_flags;
    return expr;
}

static void find_value(struct ft_value_exprs *exprs, uint32_t value)
{
    struct ft_linear_expr expr;
    uint8_t flags = 0;
    switch (exprs->def_use->values[value].kind) {
    case FT_VALUE_ENTRY:
        expr = ft_value_symbol(exprs, value, FT_EXPR_ENTRY);
        break;
    case FT_VALUE_MERGE:
        expr = merge_expr(exprs, value, &flags);
        break;
    case FT_VALUE_RESULT:
        expr = result_expr(exprs, value, &flags);
        break;
    default:
        expr = ft_value_symbol(exprs, value, FT_EXPR_OTHER);
        break;
    }
    exprs->of_value[value] = ft_pack_expr(exprs, &expr, flags);
}

/* The exit value of loops inside `around`, as a symbol. */
static struct ft_linear_expr exit_symbol(struct ft_value_exprs *exprs, uint32_t value,
                                         uint32_t block, uint32_t around)
{
    uint32_t *left = &exprs->exit_of_value[value];
    if (!*left || exprs->symbols[*left].loop != around) {
        struct ft_expr_symbol symbol = {.kind = FT_EXPR_EXIT_VALUE,
                                        .value = value,
                                        .block = block,
                                        .loop = around,
                                        .instruction = FT_NO_VALUE};
        *left = ft_expr_symbol_add(exprs, &symbol);
    }
    return ft_linear_expr_symbol(*left);
}

bool ft_value_expr_at(struct ft_value_exprs *exprs, uint32_t value, uint32_t block,
                      struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    if (exprs->of_value[value].first == FT_NO_VALUE)
        return false;
    struct ft_linear_expr expr = ft_unpack_expr(exprs, &exprs->of_value[value]);
    uint8_t expr_flags = exprs->of_value[value].flags;
    const struct ft_value *v = &exprs->def_use->values[value];
    const struct ft_routine_code *code = exprs->code;
    uint32_t loop = ft_code_loop(code, v->block);
    if (!ft_loop_holds(code->loops, loop, ft_code_loop(code, block)) &&
        !ft_loop_exit_value(exprs, &expr, &expr_flags, block)) {
        uint32_t around = loop;
        while (!ft_loop_holds(code->loops, around, ft_code_loop(code, block)))
            around = code->loops->items[around].parent;
        expr = exit_symbol(exprs, value, block, around);
        expr_flags = 0;
    }
    *ret_sum = expr;
    *flags |= expr_flags;
    return true;
}

bool ft_induction_start(struct ft_value_exprs *exprs, const struct ft_expr_symbol *symbol,
                        struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    uint8_t expr_flags = 0;
    if (!agreed_expr(exprs, symbol->block, exprs->def_use->values[symbol->value].place, true,
                     ret_sum, &expr_flags))
        return false;
    *flags |= expr_flags;
    return true;
}

/* ---- the routine ---- */

static bool find_addresses(struct ft_value_exprs *exprs, uint32_t instruction)
{
    const struct ft_instruction *code = ft_code_instruction(exprs->code, instruction);
    uint32_t block = exprs->code->block_of[instruction];
    exprs->first_access[instruction] = (uint32_t)exprs->address_count;
    if (!FT_RESERVE(exprs->addresses, exprs->address_capacity,
                    exprs->address_count + code->access_count + 1))
        return false;
    for (unsigned a = 0; a < code->access_count; a++) {
        const struct ft_access *access = &code->accesses[a];
        uint8_t flags = 0;
        struct ft_linear_expr expr;
        if (!ft_address_expr(exprs, instruction, access, &expr, &flags)) {
            struct ft_expr_symbol symbol = {.kind = FT_EXPR_ADDRESS,
                                            .value = FT_NO_VALUE,
                                            .block = block,
                                            .loop = ft_code_loop(exprs->code, block),
                                            .instruction = instruction};
            expr = ft_linear_expr_symbol(ft_expr_symbol_add(exprs, &symbol));
            flags = 0;
        }
        struct ft_packed_expr packed = ft_pack_expr(exprs, &expr, flags);
        exprs->addresses[exprs->address_count++] = packed;
        if (access->kind != FT_STORE && access->kind != FT_STORE_NONTEMPORAL)
            continue;
        if (!FT_RESERVE(exprs->stores, exprs->store_capacity, exprs->store_count + 1))
            return false;
        exprs->stores[exprs->store_count++] =
            (struct ft_store){block, instruction, access->size_bytes * access->elements,
                              ft_linear_expr_hash(&expr), packed};
    }
    return true;
}

static bool allocate(struct ft_value_exprs *exprs)
{
    size_t value_count = (size_t)exprs->def_use->value_count + 1;
    if (!FT_RESERVE(exprs->of_value, exprs->value_capacity, value_count) ||
        !FT_RESERVE(exprs->symbol_of_value, exprs->symbol_of_value_capacity, value_count) ||
        !FT_RESERVE(exprs->exit_of_value, exprs->exit_of_value_capacity, value_count) ||
        !FT_RESERVE(exprs->first_access, exprs->first_access_capacity,
                    (size_t)exprs->code->instruction_count + 1) ||
        !FT_RESERVE(exprs->symbols, exprs->symbol_capacity, 1))
        return false;
    for (size_t v = 0; v < value_count; v++)
        exprs->of_value[v] = (struct ft_packed_expr){.first = FT_NO_VALUE};
    memset(exprs->symbol_of_value, 0, value_count * sizeof *exprs->symbol_of_value);
    memset(exprs->exit_of_value, 0, value_count * sizeof *exprs->exit_of_value);
    memset(&exprs->symbols[0], 0, sizeof exprs->symbols[0]);
    exprs->symbols[0].loop = FT_NO_LOOP;
    exprs->symbol_count = 1;
    exprs->term_count = exprs->address_count = exprs->store_count = exprs->step_count = 0;
    exprs->recursion = 0;
    return ft_loop_exits_find(exprs);
}

int ft_value_exprs_make(struct ft_value_exprs *exprs, const struct ft_routine_code *code,
                        const struct ft_stack_frame *frame, const struct ft_def_use *def_use,
                        struct ft_diag *diag)
{
    exprs->code = code;
    exprs->frame = frame;
    exprs->def_use = def_use;
    bool complete = allocate(exprs);
    uint32_t value = 0;
    for (uint32_t i = 0; complete && i < code->instruction_count; i++) {
        for (; value < def_use->first_definition[i]; value++)
            find_value(exprs, value);
        complete = find_addresses(exprs, i) && !exprs->out_of_memory;
    }
    for (; complete && value < def_use->value_count; value++)
        find_value(exprs, value);
    if (!complete || exprs->out_of_memory)
        return ft_fail_memory(diag, "the formulas of a routine");
    exprs->first_access[code->instruction_count] = (uint32_t)exprs->address_count;
    return 0;
}

void ft_value_exprs_fini(struct ft_value_exprs *exprs)
{
    free(exprs->terms);
    free(exprs->of_value);
    free(exprs->symbol_of_value);
    free(exprs->exit_of_value);
    free(exprs->symbols);
    free(exprs->first_access);
    free(exprs->addresses);
    free(exprs->stores);
    free(exprs->steps);
    free(exprs->exit_block);
    free(exprs->exit_target);
    free(exprs->calls);
    *exprs = (struct ft_value_exprs){0};
}
