/*
 * Constants and registers are added with their coefficients. A load is the value of the stack slot
 * that it reads, or a symbol. Instructions that keep less than 64 bits narrow the expression, if it
 * stays linear.
 */
#include "engine/program/values/operation_exprs.h"

static bool fits_32_bits(const struct ft_value_exprs *exprs, const struct ft_linear_expr *expr)
{
    return expr->count == 1 && expr->terms[0].symbol != FT_ONE && expr->terms[0].numerator == 1 &&
           exprs->symbols[expr->terms[0].symbol].fits_32_bits;
}

static bool divides(const struct ft_linear_expr *expr, int64_t divisor)
{
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->terms[i].numerator % divisor)
            return false;
    return true;
}

/* The low 32 bits, extended: the same value, unless it does not fit. */
static bool is_extension(const struct ft_narrowing *narrowing)
{
    bool low = narrowing->left == 0 && narrowing->right == 0 && narrowing->mask == UINT32_MAX;
    bool sign = narrowing->left == 32 && narrowing->right == 32 && narrowing->is_signed &&
                (narrowing->mask == UINT64_MAX || narrowing->mask == UINT32_MAX);
    return low || sign;
}

/* Narrows the expression of `value`; false if the result is not linear. */
static bool narrow(struct ft_value_exprs *exprs, const struct ft_narrowing *narrowing,
                   uint32_t value, struct ft_linear_expr *expr, uint8_t *flags)
{
    int64_t constant;
    if (ft_narrowing_is_none(narrowing))
        return true;
    if (ft_linear_expr_is_constant(expr, &constant)) {
        *expr = ft_linear_expr_constant((int64_t)ft_narrow(narrowing, (uint64_t)constant));
        return true;
    }
    if (is_extension(narrowing)) {
        if (!fits_32_bits(exprs, expr) || narrowing->is_signed)
            *flags |= FT_FORMULA_ASSUMED;
        return true;
    }
    unsigned count = narrowing->right - (unsigned)narrowing->left;
    if ((narrowing->left != 0 && narrowing->left != 32) || narrowing->right <= narrowing->left ||
        count > 31 || (narrowing->mask != UINT64_MAX && narrowing->mask != UINT32_MAX))
        return false;
    if (narrowing->left == 32)
        *flags |= FT_FORMULA_ASSUMED;
    int64_t divisor = INT64_C(1) << count;
    if (divides(expr, divisor)) {
        struct ft_linear_expr quotient = {0};
        bool fits = ft_linear_expr_add(&quotient, expr, 1, divisor);
        *expr = quotient;
        return fits;
    }
    const struct ft_value *v = &exprs->def_use->values[value];
    struct ft_expr_symbol symbol = {.kind = FT_EXPR_QUOTIENT,
                                    .value = value,
                                    .block = v->block,
                                    .loop = ft_code_loop(exprs->code, v->block),
                                    .instruction = v->instruction,
                                    .expr = ft_pack_expr(exprs, expr, *flags),
                                    .divisor = divisor};
    *expr = ft_linear_expr_symbol(ft_expr_symbol_add(exprs, &symbol));
    return true;
}

/* expr += factor * the operand in `place`; no place adds nothing. */
static bool add_place(struct ft_value_exprs *exprs, uint32_t instruction, uint8_t place,
                      uint64_t factor, struct ft_linear_expr *expr, uint8_t *flags)
{
    struct ft_linear_expr used;
    if (place == FT_NO_PLACE || factor == 0)
        return true;
    uint32_t value = ft_value_used(exprs->def_use, instruction, place);
    return value != FT_NO_VALUE &&
           ft_value_expr_at(exprs, value, exprs->code->block_of[instruction], &used, flags) &&
           ft_linear_expr_add(expr, &used, (int64_t)factor, 1);
}

bool ft_address_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                     const struct ft_access *access, struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_linear_expr){0};
    switch (access->mode) {
    case FT_ACCESS_GATHER:
    case FT_ACCESS_BIT:
    case FT_ACCESS_TABLE:
    case FT_ACCESS_LOGGED:
        return false;
    default:
        break;
    }
    if (access->address_is_32_bit)
        *flags |= FT_FORMULA_ASSUMED;
    return ft_linear_expr_add_constant(ret_sum, access->displacement) &&
           add_place(exprs, instruction, access->base, 1, ret_sum, flags) &&
           add_place(exprs, instruction, access->index, access->scale, ret_sum, flags) &&
           (!access->fs || add_place(exprs, instruction, FT_FS_BASE, 1, ret_sum, flags)) &&
           (!access->gs || add_place(exprs, instruction, FT_GS_BASE, 1, ret_sum, flags));
}

/* expr += factor * what the first access loads for `value`: the slot's value, or a symbol. */
static bool add_memory(struct ft_value_exprs *exprs, uint32_t instruction,
                       const struct ft_move *move, uint32_t value, struct ft_linear_expr *expr,
                       uint8_t *flags)
{
    const struct ft_def_use *def_use = exprs->def_use;
    struct ft_linear_expr loaded;
    if (move->memory_factor == 0)
        return true;
    uint32_t last = def_use->first_use[instruction + 1];
    if (last > def_use->first_use[instruction] &&
        def_use->uses[last - 1].place >= FT_PLACE_REGISTERS) {
        const struct ft_narrowing low = FT_NARROWING_32, sign = {32, 32, true, UINT64_MAX};
        if (!ft_value_expr_at(exprs, def_use->uses[last - 1].value,
                              exprs->code->block_of[instruction], &loaded, flags))
            return false;
        if (move->size_bytes < 4 ||
            (move->size_bytes == 4 &&
             !narrow(exprs, move->is_signed ? &sign : &low, value, &loaded, flags)))
            return false;
        return ft_linear_expr_add(expr, &loaded, (int64_t)move->memory_factor, 1);
    }
    const struct ft_instruction *code = ft_code_instruction(exprs->code, instruction);
    if (value == FT_NO_VALUE || code->access_count == 0)
        return false;
    if (!exprs->symbol_of_value[value]) {
        uint8_t address_flags = 0;
        struct ft_linear_expr address;
        if (!ft_address_expr(exprs, instruction, &code->accesses[0], &address, &address_flags))
            return false;
        loaded = ft_value_symbol(exprs, value, FT_EXPR_LOADED);
        struct ft_expr_symbol *symbol = &exprs->symbols[loaded.terms[0].symbol];
        symbol->size_bytes = move->size_bytes;
        symbol->fits_32_bits = move->size_bytes <= 4 && !move->is_signed;
        struct ft_packed_expr packed = ft_pack_expr(exprs, &address, address_flags);
        symbol->expr = packed;
    } else {
        loaded = ft_linear_expr_symbol(exprs->symbol_of_value[value]);
    }
    return ft_linear_expr_add(expr, &loaded, (int64_t)move->memory_factor, 1);
}

bool ft_move_expr(struct ft_value_exprs *exprs, uint32_t instruction, const struct ft_move *move,
                  uint32_t value, struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_linear_expr){0};
    return ft_linear_expr_add_constant(ret_sum, (int64_t)move->constant) &&
           add_place(exprs, instruction, move->a, move->a_factor, ret_sum, flags) &&
           add_place(exprs, instruction, move->b, move->b_factor, ret_sum, flags) &&
           add_memory(exprs, instruction, move, value, ret_sum, flags) &&
           (value == FT_NO_VALUE || narrow(exprs, &move->narrowing, value, ret_sum, flags));
}

bool ft_comparison_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                        struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    const struct ft_move *comparison = &exprs->code->flows[instruction].comparison;
    if (comparison->kind == FT_MOVE_NONE ||
        !ft_move_expr(exprs, instruction, comparison, FT_NO_VALUE, ret_sum, flags))
        return false;
    if (comparison->size_bytes == 4)
        *flags |= FT_FORMULA_ASSUMED;
    return true;
}

bool ft_assignment_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                        const struct ft_assignment *assignment, uint32_t value,
                        struct ft_linear_expr *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_linear_expr){0};
    return ft_linear_expr_add_constant(ret_sum, (int64_t)assignment->constant) &&
           add_place(exprs, instruction, assignment->a, assignment->a_factor, ret_sum, flags) &&
           add_place(exprs, instruction, assignment->b, assignment->b_factor, ret_sum, flags) &&
           narrow(exprs, &assignment->narrowing, value, ret_sum, flags);
}
