/*
 * Constants and what is found in registers are added with their factors; what is loaded is the
 * value of the slot on the stack that it comes from, or an atom; what an instruction keeps of 64
 * bits narrows the sum, where it stays one.
 */
#include "engine/program/values/operation_sums.h"

static bool fits_32_bits(const struct ft_value_sums *sums, const struct ft_sum *sum)
{
    return sum->count == 1 && sum->terms[0].unknown != FT_ONE && sum->terms[0].numerator == 1 &&
           sums->atoms[sum->terms[0].unknown].fits_32_bits;
}

static bool divides(const struct ft_sum *sum, int64_t divisor)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->terms[i].numerator % divisor)
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

/* Narrows the sum that value is made of; false where that is no sum. */
static bool narrow(struct ft_value_sums *sums, const struct ft_narrowing *narrowing, uint32_t value,
                   struct ft_sum *sum, uint8_t *flags)
{
    int64_t constant;
    if (ft_narrowing_is_none(narrowing))
        return true;
    if (ft_sum_is_constant(sum, &constant)) {
        *sum = ft_sum_constant((int64_t)ft_narrow(narrowing, (uint64_t)constant));
        return true;
    }
    if (is_extension(narrowing)) {
        if (!fits_32_bits(sums, sum) || narrowing->is_signed)
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
    if (divides(sum, divisor)) {
        struct ft_sum quotient = {0};
        bool fits = ft_sum_add(&quotient, sum, 1, divisor);
        *sum = quotient;
        return fits;
    }
    const struct ft_value *v = &sums->def_use->values[value];
    struct ft_atom atom = {.kind = FT_ATOM_QUOTIENT,
                           .value = value,
                           .block = v->block,
                           .loop = ft_code_loop(sums->code, v->block),
                           .instruction = v->instruction,
                           .sum = ft_pack_sum(sums, sum, *flags),
                           .divisor = divisor};
    *sum = ft_sum_unknown(ft_new_atom(sums, &atom));
    return true;
}

/* sum += factor * what the instruction finds in a place; a place that is none adds nothing. */
static bool add_place(struct ft_value_sums *sums, uint32_t instruction, uint8_t place,
                      uint64_t factor, struct ft_sum *sum, uint8_t *flags)
{
    struct ft_sum used;
    if (place == FT_NO_PLACE || factor == 0)
        return true;
    uint32_t value = ft_value_used(sums->def_use, instruction, place);
    return value != FT_NO_VALUE &&
           ft_value_sum_at(sums, value, sums->code->block_of[instruction], &used, flags) &&
           ft_sum_add(sum, &used, (int64_t)factor, 1);
}

bool ft_address_sum(struct ft_value_sums *sums, uint32_t instruction,
                    const struct ft_access *access, struct ft_sum *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_sum){0};
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
    return ft_sum_add_constant(ret_sum, access->displacement) &&
           add_place(sums, instruction, access->base, 1, ret_sum, flags) &&
           add_place(sums, instruction, access->index, access->scale, ret_sum, flags) &&
           (!access->fs || add_place(sums, instruction, FT_FS_BASE, 1, ret_sum, flags)) &&
           (!access->gs || add_place(sums, instruction, FT_GS_BASE, 1, ret_sum, flags));
}

/* sum += factor * what the first access loads, for `value`: the slot's value, or an atom. */
static bool add_memory(struct ft_value_sums *sums, uint32_t instruction, const struct ft_move *move,
                       uint32_t value, struct ft_sum *sum, uint8_t *flags)
{
    const struct ft_def_use *def_use = sums->def_use;
    struct ft_sum loaded;
    if (move->memory_factor == 0)
        return true;
    uint32_t last = def_use->first_use[instruction + 1];
    if (last > def_use->first_use[instruction] &&
        def_use->uses[last - 1].place >= FT_PLACE_REGISTERS) {
        const struct ft_narrowing low = FT_NARROWING_32, sign = {32, 32, true, UINT64_MAX};
        if (!ft_value_sum_at(sums, def_use->uses[last - 1].value, sums->code->block_of[instruction],
                             &loaded, flags))
            return false;
        if (move->size_bytes < 4 ||
            (move->size_bytes == 4 &&
             !narrow(sums, move->is_signed ? &sign : &low, value, &loaded, flags)))
            return false;
        return ft_sum_add(sum, &loaded, (int64_t)move->memory_factor, 1);
    }
    const struct ft_instruction *code = ft_code_instruction(sums->code, instruction);
    if (value == FT_NO_VALUE || code->access_count == 0)
        return false;
    if (!sums->atom_of_value[value]) {
        uint8_t address_flags = 0;
        struct ft_sum address;
        if (!ft_address_sum(sums, instruction, &code->accesses[0], &address, &address_flags))
            return false;
        loaded = ft_atom_sum(sums, value, FT_ATOM_LOADED);
        struct ft_atom *atom = &sums->atoms[loaded.terms[0].unknown];
        atom->size_bytes = move->size_bytes;
        atom->fits_32_bits = move->size_bytes <= 4 && !move->is_signed;
        struct ft_packed_sum packed = ft_pack_sum(sums, &address, address_flags);
        atom->sum = packed;
    } else {
        loaded = ft_sum_unknown(sums->atom_of_value[value]);
    }
    return ft_sum_add(sum, &loaded, (int64_t)move->memory_factor, 1);
}

bool ft_move_sum(struct ft_value_sums *sums, uint32_t instruction, const struct ft_move *move,
                 uint32_t value, struct ft_sum *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_sum){0};
    return ft_sum_add_constant(ret_sum, (int64_t)move->constant) &&
           add_place(sums, instruction, move->a, move->a_factor, ret_sum, flags) &&
           add_place(sums, instruction, move->b, move->b_factor, ret_sum, flags) &&
           add_memory(sums, instruction, move, value, ret_sum, flags) &&
           (value == FT_NO_VALUE || narrow(sums, &move->narrowing, value, ret_sum, flags));
}

bool ft_comparison_sum(struct ft_value_sums *sums, uint32_t instruction, struct ft_sum *ret_sum,
                       uint8_t *flags)
{
    const struct ft_move *comparison = &sums->code->flows[instruction].comparison;
    if (comparison->kind == FT_MOVE_NONE ||
        !ft_move_sum(sums, instruction, comparison, FT_NO_VALUE, ret_sum, flags))
        return false;
    if (comparison->size_bytes == 4)
        *flags |= FT_FORMULA_ASSUMED;
    return true;
}

bool ft_assignment_sum(struct ft_value_sums *sums, uint32_t instruction,
                       const struct ft_assignment *assignment, uint32_t value,
                       struct ft_sum *ret_sum, uint8_t *flags)
{
    *ret_sum = (struct ft_sum){0};
    return ft_sum_add_constant(ret_sum, (int64_t)assignment->constant) &&
           add_place(sums, instruction, assignment->a, assignment->a_factor, ret_sum, flags) &&
           add_place(sums, instruction, assignment->b, assignment->b_factor, ret_sum, flags) &&
           narrow(sums, &assignment->narrowing, value, ret_sum, flags);
}
