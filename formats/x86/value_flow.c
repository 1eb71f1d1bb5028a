/*
 * Places read and written: those of ft_instruction for general registers, and Zydis's operands for
 * all others. Then one case for each family that passes values between registers and memory. A case
 * that does not apply leaves FT_MOVE_NONE: the target is then written by something unknown.
 */
#include "formats/x86/value_flow.h"

#include <string.h>

#include "formats/x86/decoding.h"

struct builder {
    const ZydisDecodedInstruction *zydis;
    const ZydisDecodedOperand *operands;
    const struct ft_instruction *instruction;
    struct ft_value_flow *flow;
};

static uint8_t place_of(ZydisRegister zydis)
{
    const uint8_t number = ft_decoded_register(zydis);
    if (number != FT_NO_REGISTER)
        return number;
    switch (ZydisRegisterGetClass(zydis)) {
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return (uint8_t)(FT_PLACE_VECTORS + ZydisRegisterGetId(zydis));
    case ZYDIS_REGCLASS_MASK:
        return (uint8_t)(FT_PLACE_MASKS + ZydisRegisterGetId(zydis));
    case ZYDIS_REGCLASS_FLAGS:
        return FT_PLACE_FLAGS;
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        return FT_PLACE_X87;
    default:
        return FT_NO_PLACE;
    }
}

static uint8_t operand_place(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? place_of(operand->reg.value)
                                                        : FT_NO_PLACE;
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_vector(uint8_t place)
{
    return place >= FT_PLACE_VECTORS && place < FT_PLACE_MASKS;
}

/* Whether a write leaves a part of the register as it was: of few bits by an instruction of the old
 * encoding that does not load, or under a mask that merges. */
static bool merges(const struct builder *builder, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedInstruction *zydis = builder->zydis;
    if (!(operand->actions & ZYDIS_OPERAND_ACTION_WRITE))
        return true; /* where a condition holds */
    if (!is_vector(operand_place(operand)))
        return false;
    if (zydis->avx.mask.mode == ZYDIS_MASK_MODE_MERGING)
        return true;
    bool loads = zydis->operand_count_visible > 1 && is_memory(&builder->operands[1]) &&
                 zydis->meta.category == ZYDIS_CATEGORY_DATAXFER;
    return zydis->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && operand->size < 128 && !loads &&
           zydis->mnemonic != ZYDIS_MNEMONIC_MOVD && zydis->mnemonic != ZYDIS_MNEMONIC_MOVQ;
}

/* x ^ x and x - x do not depend on x. */
static bool is_zero_idiom(const struct builder *builder)
{
    const ZydisDecodedInstruction *zydis = builder->zydis;
    unsigned last = zydis->operand_count_visible - 1U;
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
        break;
    default:
        return false;
    }
    const ZydisDecodedOperand *a = &builder->operands[last - 1], *b = &builder->operands[last];
    return a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           a->reg.value == b->reg.value && (a->size >= 32);
}

static void find_places(struct builder *builder)
{
    struct ft_value_flow *flow = builder->flow;
    flow->read = builder->instruction->registers_read;
    flow->written = builder->instruction->registers_written;
    for (unsigned i = 0; i < builder->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &builder->operands[i];
        const uint8_t index = is_memory(operand) ? place_of(operand->mem.index) : FT_NO_PLACE;
        if (is_vector(index))
            flow->read |= UINT64_C(1) << index;
        uint8_t place = operand_place(operand);
        if (place == FT_NO_PLACE || place < FT_REGISTER_COUNT)
            continue;
        bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (writes)
            flow->written |= UINT64_C(1) << place;
        if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) ||
            (writes && merges(builder, operand)))
            flow->read |= UINT64_C(1) << place;
    }
    const uint64_t vectors = UINT64_C(0xffffffff) << FT_PLACE_VECTORS;
    flow->written |= ((uint64_t)flow->effect.vectors_written << FT_PLACE_VECTORS) |
                     ((uint64_t)flow->effect.masks_written << FT_PLACE_MASKS);
    if (builder->zydis->mnemonic == ZYDIS_MNEMONIC_VZEROUPPER) /* low parts stay */
        flow->written &= ~(vectors | UINT64_C(0xff) << FT_PLACE_MASKS);
    if (builder->zydis->meta.category == ZYDIS_CATEGORY_X87_ALU) {
        flow->read |= UINT64_C(1) << FT_PLACE_X87;
        flow->written |= UINT64_C(1) << FT_PLACE_X87;
    }
    flow->zeroes = is_zero_idiom(builder);
    if (flow->zeroes) {
        uint8_t place =
            operand_place(&builder->operands[builder->zydis->operand_count_visible - 1]);
        if (place != FT_NO_PLACE)
            flow->read &= ~(UINT64_C(1) << place);
    }
}

static struct ft_move new_move(uint8_t kind, uint8_t target, unsigned size_bits)
{
    return (struct ft_move){.kind = kind,
                            .target = target,
                            .a = FT_NO_PLACE,
                            .b = FT_NO_PLACE,
                            .size_bytes = (uint8_t)(size_bits / 8),
                            .narrowing = FT_NARROWING_NONE};
}

static void add_place(struct ft_move *move, uint8_t place, uint64_t factor)
{
    if (move->a == FT_NO_PLACE) {
        move->a = place;
        move->a_factor = factor;
    } else {
        move->b = place;
        move->b_factor = factor;
    }
}

/* Adds factor * operand to a sum; false where the operand is a part of a register. */
static bool add_operand(struct ft_move *move, const ZydisDecodedOperand *operand, uint64_t factor)
{
    if (ft_decoded_is_immediate(operand)) {
        move->constant += factor * operand->imm.value.u;
    } else if (is_memory(operand)) {
        move->memory_factor += factor;
    } else {
        uint8_t place = operand_place(operand);
        if (place >= FT_REGISTER_COUNT || operand->size < 32)
            return false;
        add_place(move, place, factor);
    }
    return true;
}

/* A sum of both operands that goes to the first; one of them may be memory. */
static void move_sum(struct builder *builder, uint64_t first_factor, uint64_t second_factor)
{
    const ZydisDecodedOperand *operands = builder->operands;
    bool stores = is_memory(&operands[0]);
    if ((!stores && !(second_factor && is_memory(&operands[1]))) || operands[0].size < 32)
        return;
    uint8_t target = stores ? FT_NO_PLACE : operand_place(&operands[0]);
    if (!stores && target >= FT_REGISTER_COUNT)
        return;
    struct ft_move move = new_move(stores ? FT_MOVE_STORE : FT_MOVE_LOAD, target, operands[0].size);
    if ((first_factor == 0 || add_operand(&move, &operands[0], first_factor)) &&
        (second_factor == 0 || add_operand(&move, &operands[1], second_factor))) {
        if (operands[0].size == 32)
            move.narrowing = FT_NARROWING_32;
        builder->flow->move = move;
    }
}

static void move_constant_sum(struct builder *builder, uint64_t factor, uint64_t constant)
{
    move_sum(builder, factor, 0);
    builder->flow->move.constant = constant;
}

/* movzx, movsx, movsxd from memory. */
static void move_extension(struct builder *builder, bool is_signed)
{
    const ZydisDecodedOperand *operands = builder->operands;
    if (!is_memory(&operands[1]) || operands[0].size < 32)
        return;
    struct ft_move move = new_move(FT_MOVE_LOAD, operand_place(&operands[0]), operands[1].size);
    move.is_signed = is_signed;
    move.memory_factor = 1;
    if (operands[0].size == 32)
        move.narrowing = FT_NARROWING_32;
    builder->flow->move = move;
}

static void move_product(struct builder *builder)
{
    const ZydisDecodedOperand *operands = builder->operands;
    if (builder->zydis->operand_count_visible != 3 || !is_memory(&operands[1]) ||
        !ft_decoded_is_immediate(&operands[2]) || operands[0].size < 32)
        return;
    struct ft_move move = new_move(FT_MOVE_LOAD, operand_place(&operands[0]), operands[0].size);
    move.memory_factor = operands[2].imm.value.u;
    if (operands[0].size == 32)
        move.narrowing = FT_NARROWING_32;
    builder->flow->move = move;
}

static void move_stack(struct builder *builder, bool push)
{
    const ZydisDecodedOperand *operand = &builder->operands[0];
    if (operand->size != 64 || is_memory(operand))
        return;
    struct ft_move move = push ? new_move(FT_MOVE_STORE, FT_NO_PLACE, 64)
                               : new_move(FT_MOVE_LOAD, operand_place(operand), 64);
    if (!push)
        move.memory_factor = 1;
    else if (!add_operand(&move, operand, 1))
        return;
    if (push || move.target < FT_REGISTER_COUNT)
        builder->flow->move = move;
}

/* movq, movd and whole copies where a vector register is on one side at least: the low 64 bits. */
static void move_vector(struct builder *builder)
{
    ZydisMaskMode masking = builder->zydis->avx.mask.mode;
    unsigned visible = builder->zydis->operand_count_visible;
    if (masking == ZYDIS_MASK_MODE_MERGING || masking == ZYDIS_MASK_MODE_ZEROING ||
        (visible != 2 && visible != 3)) /* without a mask, EVEX has k0 in the middle */
        return;
    const ZydisDecodedOperand *to = &builder->operands[0];
    const ZydisDecodedOperand *from = &builder->operands[visible - 1];
    uint8_t target = operand_place(to), source = operand_place(from);
    unsigned bits = to->size < from->size ? to->size : from->size;
    if (builder->zydis->mnemonic == ZYDIS_MNEMONIC_MOVD ||
        builder->zydis->mnemonic == ZYDIS_MNEMONIC_VMOVD)
        bits = 32;
    else if (bits > 64)
        bits = 64;
    struct ft_move move;
    if (is_memory(to) && is_vector(source) && to->size <= 64) {
        move = new_move(FT_MOVE_STORE, FT_NO_PLACE, bits);
        add_place(&move, source, 1);
    } else if (is_memory(from) && is_vector(target) && from->size <= 64) {
        move = new_move(FT_MOVE_LOAD, target, bits);
        move.memory_factor = 1;
    } else if ((is_vector(target) && (is_vector(source) || source < FT_REGISTER_COUNT)) ||
               (target < FT_REGISTER_COUNT && is_vector(source))) {
        move = new_move(FT_MOVE_COPY, target, bits);
        add_place(&move, source, 1);
    } else {
        return;
    }
    if (bits == 32)
        move.narrowing = FT_NARROWING_32;
    builder->flow->move = move;
}

static void find_move(struct builder *builder)
{
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
        move_sum(builder, 0, 1);
        break;
    case ZYDIS_MNEMONIC_ADD:
        move_sum(builder, 1, 1);
        break;
    case ZYDIS_MNEMONIC_SUB:
        move_sum(builder, 1, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_INC:
        move_constant_sum(builder, 1, 1);
        break;
    case ZYDIS_MNEMONIC_DEC:
        move_constant_sum(builder, 1, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_NEG:
        move_constant_sum(builder, UINT64_MAX, 0);
        break;
    case ZYDIS_MNEMONIC_MOVZX:
        move_extension(builder, false);
        break;
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        move_extension(builder, true);
        break;
    case ZYDIS_MNEMONIC_IMUL:
        move_product(builder);
        break;
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
        move_stack(builder, builder->zydis->mnemonic == ZYDIS_MNEMONIC_PUSH);
        break;
    case ZYDIS_MNEMONIC_LEAVE:
        builder->flow->move = new_move(FT_MOVE_LOAD, FT_RBP, 64);
        builder->flow->move.memory_factor = 1;
        break;
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVQ:
    case ZYDIS_MNEMONIC_VMOVD:
    case ZYDIS_MNEMONIC_VMOVQ:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQA32:
    case ZYDIS_MNEMONIC_VMOVDQA64:
        move_vector(builder);
        break;
    default:
        break;
    }
}

/* Difference or result that the flags speak of, for instructions without a target in memory. */
static void find_comparison(struct builder *builder)
{
    const ZydisDecodedOperand *operands = builder->operands;
    const struct ft_effect *effect = &builder->flow->effect;
    ZydisMnemonic mnemonic = builder->zydis->mnemonic;
    struct ft_move move = new_move(FT_MOVE_COMPARE, FT_NO_PLACE, operands[0].size);
    if (mnemonic == ZYDIS_MNEMONIC_CMP) {
        if (operands[0].size < 32 || !add_operand(&move, &operands[0], 1) ||
            !add_operand(&move, &operands[1], UINT64_MAX))
            return;
    } else if (mnemonic == ZYDIS_MNEMONIC_TEST) {
        if (operand_place(&operands[0]) != operand_place(&operands[1]) || operands[0].size < 32 ||
            !add_operand(&move, &operands[0], 1))
            return;
    } else if ((mnemonic == ZYDIS_MNEMONIC_SUB || mnemonic == ZYDIS_MNEMONIC_ADD ||
                mnemonic == ZYDIS_MNEMONIC_INC || mnemonic == ZYDIS_MNEMONIC_DEC) &&
               effect->assignment_count == 1) {
        const struct ft_assignment *result = &effect->assignments[0];
        move.kind = mnemonic == ZYDIS_MNEMONIC_SUB ? FT_MOVE_COMPARE : FT_MOVE_TEST;
        move.a = result->a;
        move.b = result->b;
        move.a_factor = result->a_factor;
        move.b_factor = result->b_factor;
        move.constant = result->constant;
    } else {
        return;
    }
    builder->flow->comparison = move;
}

static uint8_t condition_of(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_JZ:
        return FT_CONDITION_EQUAL;
    case ZYDIS_MNEMONIC_JNZ:
        return FT_CONDITION_UNEQUAL;
    case ZYDIS_MNEMONIC_JB:
    case ZYDIS_MNEMONIC_JL:
        return FT_CONDITION_BELOW;
    case ZYDIS_MNEMONIC_JNB:
    case ZYDIS_MNEMONIC_JNL:
        return FT_CONDITION_AT_LEAST;
    case ZYDIS_MNEMONIC_JNBE:
    case ZYDIS_MNEMONIC_JNLE:
        return FT_CONDITION_ABOVE;
    case ZYDIS_MNEMONIC_JBE:
    case ZYDIS_MNEMONIC_JLE:
        return FT_CONDITION_AT_MOST;
    default:
        return FT_CONDITION_OTHER;
    }
}

int ft_value_flow_decode(const uint8_t *code, size_t length, uint64_t pc,
                         struct ft_value_flow *ret_flow, struct ft_diag *diag)
{
    struct ft_instruction instruction;
    ZydisDecodedInstruction zydis;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    int status = ft_instruction_decode_full(code, length, pc, &instruction, &zydis, operands, diag);
    if (status != 0)
        return status;
    memset(ret_flow, 0, sizeof *ret_flow);
    ft_effect_of(&instruction, &zydis, operands, &ret_flow->effect);
    struct builder builder = {&zydis, operands, &instruction, ret_flow};
    find_places(&builder);
    find_move(&builder);
    find_comparison(&builder);
    ret_flow->condition = condition_of(zydis.mnemonic);
    return 0;
}
