/*
 * One case for each family of instructions that computes an address register from others. The
 * cases write assignments; what Zydis says is written beyond them is forgotten. A case that does
 * not apply (a memory source, a 16-bit operand) writes nothing, which is always right.
 *
 * Only operands of 64 and 32 bits are followed; the latter clear the upper half. Linear forms are
 * exact modulo 2^64, so that truncation to 32 bits may come after them.
 */
#include "formats/x86/effect.h"

#include "formats/x86/decoding.h"

struct builder {
    const ZydisDecodedInstruction *zydis;
    const ZydisDecodedOperand *operands;
    const struct ft_instruction *instruction;
    struct ft_effect *effect;
};

static uint8_t operand_register(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? ft_decoded_register(operand->reg.value)
                                                        : FT_NO_REGISTER;
}

static bool is_high_byte(ZydisRegister zydis)
{
    return zydis >= ZYDIS_REGISTER_AH && zydis <= ZYDIS_REGISTER_BH;
}

/* An assignment from registers and a constant, brought into the form that effect.h promises. */
static struct ft_assignment *assign(struct builder *builder, uint8_t target,
                                    struct ft_assignment form)
{
    struct ft_effect *effect = builder->effect;
    form.target = target;
    if (form.a == form.b && form.a != FT_NO_REGISTER) {
        form.a_factor += form.b_factor;
        form.b = FT_NO_REGISTER;
    }
    if (form.a == FT_NO_REGISTER || form.a_factor == 0) {
        form.a = form.b;
        form.a_factor = form.b_factor;
        form.b = FT_NO_REGISTER;
    }
    if (form.a_factor == 0)
        form.a = FT_NO_REGISTER;
    if (form.b == FT_NO_REGISTER)
        form.b_factor = 0;
    effect->assignments[effect->assignment_count] = form;
    return &effect->assignments[effect->assignment_count++];
}

static struct ft_assignment linear(uint8_t a, uint64_t a_factor, uint8_t b, uint64_t b_factor,
                                   uint64_t constant)
{
    return (struct ft_assignment){.a = a,
                                  .b = b,
                                  .a_factor = a == FT_NO_REGISTER ? 0 : a_factor,
                                  .b_factor = b == FT_NO_REGISTER ? 0 : b_factor,
                                  .constant = constant,
                                  .narrowing = FT_NARROWING_NONE};
}

/* The same for an explicit destination of 64 or 32 bits; other widths stay forgotten. */
static void assign_operand(struct builder *builder, unsigned operand, struct ft_assignment form)
{
    const ZydisDecodedOperand *destination = &builder->operands[operand];
    uint8_t target = operand_register(destination);
    if (target == FT_NO_REGISTER || destination->size < 32)
        return;
    if (destination->size == 32)
        form.narrowing.mask &= UINT32_MAX;
    assign(builder, target, form);
}

/* destination = factor * destination + source_factor * (register or immediate) + constant */
static void assign_sum(struct builder *builder, uint64_t factor, uint64_t source_factor,
                       uint64_t constant)
{
    const ZydisDecodedOperand *source = &builder->operands[1];
    uint8_t target = operand_register(&builder->operands[0]);
    if (source_factor == 0)
        assign_operand(builder, 0, linear(target, factor, FT_NO_REGISTER, 0, constant));
    else if (ft_decoded_is_immediate(source))
        assign_operand(builder, 0,
                       linear(target, factor, FT_NO_REGISTER, 0,
                              constant + source_factor * source->imm.value.u));
    else if (operand_register(source) != FT_NO_REGISTER)
        assign_operand(builder, 0,
                       linear(target, factor, operand_register(source), source_factor, constant));
}

static void assign_lea(struct builder *builder)
{
    const ZydisDecodedOperand *memory = &builder->operands[1];
    uint8_t base = ft_decoded_register(memory->mem.base),
            index = ft_decoded_register(memory->mem.index);
    uint64_t displacement =
        memory->mem.disp.has_displacement ? (uint64_t)memory->mem.disp.value : 0;
    if (memory->mem.base == ZYDIS_REGISTER_RIP)
        displacement += builder->instruction->pc + builder->instruction->length;
    else if (memory->mem.base == ZYDIS_REGISTER_EIP)
        return;
    struct ft_assignment form = linear(base, 1, index, memory->mem.scale, displacement);
    if (builder->zydis->address_width == 32)
        form.narrowing = FT_NARROWING_32;
    assign_operand(builder, 0, form);
}

/* and, or, xor: with an immediate or with the register itself. */
static void assign_logic(struct builder *builder)
{
    const ZydisDecodedOperand *source = &builder->operands[1];
    uint8_t target = operand_register(&builder->operands[0]);
    bool same = target != FT_NO_REGISTER && operand_register(source) == target;
    struct ft_assignment form = linear(target, 1, FT_NO_REGISTER, 0, 0);
    if (builder->zydis->mnemonic == ZYDIS_MNEMONIC_XOR) {
        if (same)
            assign_operand(builder, 0, linear(FT_NO_REGISTER, 0, FT_NO_REGISTER, 0, 0));
    } else if (same) {
        assign_operand(builder, 0, form);
    } else if (ft_decoded_is_immediate(source) && builder->zydis->mnemonic == ZYDIS_MNEMONIC_AND) {
        form.narrowing.mask = source->imm.value.u;
        assign_operand(builder, 0, form);
    } else if (ft_decoded_is_immediate(source) && source->imm.value.s == -1) {
        assign_operand(builder, 0, linear(FT_NO_REGISTER, 0, FT_NO_REGISTER, 0, UINT64_MAX));
    }
}

static void assign_shift(struct builder *builder)
{
    uint8_t target = operand_register(&builder->operands[0]);
    unsigned width = builder->operands[0].size;
    if (!ft_decoded_is_immediate(&builder->operands[1]) || width < 32)
        return;
    unsigned count = builder->operands[1].imm.value.u & (width - 1);
    if (count == 0)
        return;
    struct ft_assignment form = linear(target, 1, FT_NO_REGISTER, 0, 0);
    if (builder->zydis->mnemonic == ZYDIS_MNEMONIC_SHL) {
        form.a_factor = 1ULL << count;
    } else {
        form.narrowing.left = (uint8_t)(64 - width);
        form.narrowing.right = (uint8_t)(64 - width + count);
        form.narrowing.is_signed = builder->zydis->mnemonic == ZYDIS_MNEMONIC_SAR;
    }
    assign_operand(builder, 0, form);
}

/* movzx, movsx, movsxd from a register of `width` bits. */
static void assign_extension(struct builder *builder, bool is_signed)
{
    const ZydisDecodedOperand *source = &builder->operands[1];
    uint8_t number = operand_register(source);
    if (number == FT_NO_REGISTER)
        return;
    struct ft_assignment form = linear(number, 1, FT_NO_REGISTER, 0, 0);
    form.narrowing.left = is_high_byte(source->reg.value) ? 48 : (uint8_t)(64 - source->size);
    form.narrowing.right = (uint8_t)(64 - source->size);
    form.narrowing.is_signed = is_signed;
    assign_operand(builder, 0, form);
}

/* cdqe, cwde, cqo, cdq: target = rax narrowed. */
static void assign_from_rax(struct builder *builder, uint8_t target, uint8_t left, uint8_t right,
                            uint64_t mask)
{
    struct ft_assignment form = linear(FT_RAX, 1, FT_NO_REGISTER, 0, 0);
    form.narrowing = (struct ft_narrowing){left, right, true, mask};
    assign(builder, target, form);
}

/* xchg and xadd between two registers. */
static void assign_exchange(struct builder *builder, uint64_t sum_factor)
{
    uint8_t first = operand_register(&builder->operands[0]);
    uint8_t second = operand_register(&builder->operands[1]);
    if (first == FT_NO_REGISTER || second == FT_NO_REGISTER || first == second)
        return;
    assign_operand(builder, 0, linear(second, 1, first, sum_factor, 0));
    assign_operand(builder, 1, linear(first, 1, FT_NO_REGISTER, 0, 0));
}

/* imul with three operands, the last one immediate. */
static void assign_product(struct builder *builder)
{
    const ZydisDecodedOperand *operands = builder->operands;
    uint8_t source = operand_register(&operands[1]);
    if (builder->zydis->operand_count_visible == 3 && ft_decoded_is_immediate(&operands[2]) &&
        source != FT_NO_REGISTER)
        assign_operand(builder, 0, linear(source, operands[2].imm.value.u, FT_NO_REGISTER, 0, 0));
}

static void move_stack(struct builder *builder, uint64_t bytes)
{
    assign(builder, FT_RSP, linear(FT_RSP, 1, FT_NO_REGISTER, 0, bytes));
}

static void assign_string(struct builder *builder)
{
    const struct ft_instruction *instruction = builder->instruction;
    if (instruction->rep_conditional)
        return;
    uint64_t size = instruction->accesses[0].size_bytes;
    for (unsigned number = FT_RSI; number <= FT_RDI; number++)
        if (instruction->registers_written & 1U << number) {
            struct ft_assignment form = instruction->rep
                                            ? linear((uint8_t)number, 1, FT_RCX, size, 0)
                                            : linear((uint8_t)number, 1, FT_NO_REGISTER, 0, size);
            assign(builder, (uint8_t)number, form)->follows_direction = true;
        }
    if (instruction->rep)
        assign(builder, FT_RCX, linear(FT_NO_REGISTER, 0, FT_NO_REGISTER, 0, 0));
}

static void assign_enter(struct builder *builder)
{
    uint64_t frame_bytes = builder->operands[0].imm.value.u;
    move_stack(builder, -(frame_bytes + 8));
    assign(builder, FT_RBP, linear(FT_RSP, 1, FT_NO_REGISTER, 0, -UINT64_C(8)));
}

/* Instructions on explicit operands. */
static void assign_general(struct builder *builder)
{
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
        assign_sum(builder, 0, 1, 0);
        break;
    case ZYDIS_MNEMONIC_LEA:
        assign_lea(builder);
        break;
    case ZYDIS_MNEMONIC_ADD:
        assign_sum(builder, 1, 1, 0);
        break;
    case ZYDIS_MNEMONIC_SUB:
        assign_sum(builder, 1, UINT64_MAX, 0);
        break;
    case ZYDIS_MNEMONIC_INC:
        assign_sum(builder, 1, 0, 1);
        break;
    case ZYDIS_MNEMONIC_DEC:
        assign_sum(builder, 1, 0, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_NEG:
        assign_sum(builder, UINT64_MAX, 0, 0);
        break;
    case ZYDIS_MNEMONIC_NOT:
        assign_sum(builder, UINT64_MAX, 0, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
        assign_logic(builder);
        break;
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
        assign_shift(builder);
        break;
    case ZYDIS_MNEMONIC_IMUL:
        assign_product(builder);
        break;
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
        assign_extension(builder, true);
        break;
    case ZYDIS_MNEMONIC_MOVZX:
        assign_extension(builder, false);
        break;
    case ZYDIS_MNEMONIC_XCHG:
        assign_exchange(builder, 0);
        break;
    case ZYDIS_MNEMONIC_XADD:
        assign_exchange(builder, 1);
        break;
    default:
        break;
    }
}

/* rdfsbase, rdgsbase, wrfsbase, wrgsbase. */
static void assign_segment_base(struct builder *builder)
{
    struct ft_assignment form =
        linear(operand_register(&builder->operands[0]), 1, FT_NO_REGISTER, 0, 0);
    if (builder->operands[0].size == 32)
        form.narrowing = FT_NARROWING_32;
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_RDFSBASE:
        assign_operand(builder, 0, linear(FT_FS_BASE, 1, FT_NO_REGISTER, 0, 0));
        break;
    case ZYDIS_MNEMONIC_RDGSBASE:
        assign_operand(builder, 0, linear(FT_GS_BASE, 1, FT_NO_REGISTER, 0, 0));
        break;
    case ZYDIS_MNEMONIC_WRFSBASE:
        assign(builder, FT_FS_BASE, form);
        break;
    case ZYDIS_MNEMONIC_WRGSBASE:
        assign(builder, FT_GS_BASE, form);
        break;
    default:
        break;
    }
}

static void assign_stack(struct builder *builder)
{
    uint64_t stack_bytes = builder->zydis->operand_width == 16 ? 2 : 8;
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_PUSHFQ:
        move_stack(builder, -stack_bytes);
        break;
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ:
        move_stack(builder, stack_bytes);
        break;
    case ZYDIS_MNEMONIC_POP:
        if (operand_register(&builder->operands[0]) != FT_RSP)
            move_stack(builder, stack_bytes);
        break;
    case ZYDIS_MNEMONIC_CALL:
        move_stack(builder, -UINT64_C(8));
        break;
    case ZYDIS_MNEMONIC_RET:
        move_stack(builder, 8 + (ft_decoded_is_immediate(&builder->operands[0])
                                     ? builder->operands[0].imm.value.u & UINT16_MAX
                                     : 0));
        break;
    case ZYDIS_MNEMONIC_IRETQ: /* if it stays on the stack that it returns from */
        move_stack(builder, 5 * 8);
        break;
    case ZYDIS_MNEMONIC_LEAVE:
        assign(builder, FT_RSP, linear(FT_RBP, 1, FT_NO_REGISTER, 0, 8));
        break;
    case ZYDIS_MNEMONIC_ENTER:
        assign_enter(builder);
        break;
    default:
        break;
    }
}

/* Instructions on registers that they do not name, but for the stack pointer. */
static void assign_implicit(struct builder *builder)
{
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_CWDE:
        assign_from_rax(builder, FT_RAX, 48, 48, UINT32_MAX);
        break;
    case ZYDIS_MNEMONIC_CDQE:
        assign_from_rax(builder, FT_RAX, 32, 32, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_CDQ:
        assign_from_rax(builder, FT_RDX, 32, 63, UINT32_MAX);
        break;
    case ZYDIS_MNEMONIC_CQO:
        assign_from_rax(builder, FT_RDX, 0, 63, UINT64_MAX);
        break;
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
        if (builder->zydis->address_width == 64)
            assign(builder, FT_RCX, linear(FT_RCX, 1, FT_NO_REGISTER, 0, UINT64_MAX));
        break;
    default:
        break;
    }
}

static bool is_counted_branch(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
        return true;
    default:
        return false;
    }
}

static enum ft_direction_effect direction_effect(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CLD:
        return FT_DIRECTION_CLEARED;
    case ZYDIS_MNEMONIC_STD:
        return FT_DIRECTION_SET;
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ:
        return FT_DIRECTION_LOADED;
    default:
        return FT_DIRECTION_KEPT;
    }
}

/* A write of 32 bits clears the upper half; one that may not happen leaves it, but for cmov. */
static bool clears_upper_half(const ZydisDecodedInstruction *zydis,
                              const ZydisDecodedOperand *operand)
{
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_BSF: /* with a source of 0 */
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_RDSSPD: /* without a shadow stack */
    case ZYDIS_MNEMONIC_LAR:
    case ZYDIS_MNEMONIC_LSL:
        return false;
    default:
        return operand->size == 32 && ((operand->actions & ZYDIS_OPERAND_ACTION_WRITE) ||
                                       zydis->meta.category == ZYDIS_CATEGORY_CMOV);
    }
}

static void forget_written(struct builder *builder)
{
    struct ft_effect *effect = builder->effect;
    effect->forgotten = builder->instruction->registers_written;
    for (unsigned i = 0; i < builder->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &builder->operands[i];
        uint8_t number = operand_register(operand);
        if (number != FT_NO_REGISTER && clears_upper_half(builder->zydis, operand))
            effect->upper_zero |= 1U << number;
    }
    for (unsigned i = 0; i < effect->assignment_count; i++)
        effect->forgotten &= ~(1U << effect->assignments[i].target);
    effect->upper_zero &= effect->forgotten;
}

static bool same_registers(const ZydisDecodedOperand *left, const ZydisDecodedOperand *right)
{
    return left->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           right->type == ZYDIS_OPERAND_TYPE_REGISTER && left->reg.value == right->reg.value;
}

/* How many ones an idiom that compares a register with itself leaves in its target. */
static uint16_t ones_written(const struct builder *builder)
{
    const ZydisDecodedOperand *operands = builder->operands;
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_KXNORB:
        return same_registers(&operands[1], &operands[2]) ? 8 : 0;
    case ZYDIS_MNEMONIC_KXNORW:
        return same_registers(&operands[1], &operands[2]) ? 16 : 0;
    case ZYDIS_MNEMONIC_KXNORD:
        return same_registers(&operands[1], &operands[2]) ? 32 : 0;
    case ZYDIS_MNEMONIC_KXNORQ:
        return same_registers(&operands[1], &operands[2]) ? 64 : 0;
    case ZYDIS_MNEMONIC_PCMPEQB:
    case ZYDIS_MNEMONIC_PCMPEQW:
    case ZYDIS_MNEMONIC_PCMPEQD:
        return same_registers(&operands[0], &operands[1]) && operands[0].size == 128 ? 128 : 0;
    case ZYDIS_MNEMONIC_VPCMPEQB:
    case ZYDIS_MNEMONIC_VPCMPEQW:
    case ZYDIS_MNEMONIC_VPCMPEQD:
    case ZYDIS_MNEMONIC_VPCMPEQQ:
        /* The EVEX forms write a mask, under a mask: leave those. */
        return builder->zydis->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX &&
                       same_registers(&operands[1], &operands[2])
                   ? operands[0].size
                   : 0;
    default:
        return 0;
    }
}

static void follow_vectors(struct builder *builder)
{
    struct ft_effect *effect = builder->effect;
    switch (builder->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_VZEROALL:
    case ZYDIS_MNEMONIC_VZEROUPPER:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64:
        effect->vectors_written = UINT32_MAX;
        effect->masks_written = UINT8_MAX;
        return;
    default:
        break;
    }
    for (unsigned i = 0; i < builder->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &builder->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        ZydisRegisterClass class = ZydisRegisterGetClass(operand->reg.value);
        unsigned number = (unsigned)ZydisRegisterGetId(operand->reg.value);
        if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
            class == ZYDIS_REGCLASS_ZMM)
            effect->vectors_written |= 1U << number;
        else if (class == ZYDIS_REGCLASS_MASK)
            effect->masks_written |= (uint8_t)(1U << number);
    }
    effect->ones_bits = ones_written(builder);
}

void ft_effect_of(const struct ft_instruction *instruction, const ZydisDecodedInstruction *decoded,
                  const ZydisDecodedOperand *operands, struct ft_effect *ret_effect)
{
    *ret_effect = (struct ft_effect){0};
    struct builder builder = {decoded, operands, instruction, ret_effect};
    if (instruction->access_count && instruction->accesses[0].mode == FT_ACCESS_STRING)
        assign_string(&builder);
    else if (instruction->flow == FT_FLOW_SYSCALL)
        assign(&builder, FT_RCX,
               linear(FT_NO_REGISTER, 0, FT_NO_REGISTER, 0, instruction->pc + instruction->length));
    else if (decoded->meta.category == ZYDIS_CATEGORY_RDWRFSGS)
        assign_segment_base(&builder);
    else
        assign_general(&builder);
    if (ret_effect->assignment_count == 0)
        assign_stack(&builder);
    if (ret_effect->assignment_count == 0)
        assign_implicit(&builder);
    ret_effect->direction = (uint8_t)direction_effect(decoded->mnemonic);
    ret_effect->is_counted_branch = is_counted_branch(decoded->mnemonic);
    forget_written(&builder);
    follow_vectors(&builder);
}

int ft_effect_decode_full(const uint8_t *code, size_t length, uint64_t pc,
                          struct ft_instruction *ret_instruction, struct ft_effect *ret_effect,
                          ZydisDecodedInstruction *ret_decoded, struct ft_diag *diag)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    int status =
        ft_instruction_decode_full(code, length, pc, ret_instruction, ret_decoded, operands, diag);
    if (status == 0)
        ft_effect_of(ret_instruction, ret_decoded, operands, ret_effect);
    return status;
}

int ft_effect_decode(const uint8_t *code, size_t length, uint64_t pc,
                     struct ft_instruction *ret_instruction, struct ft_effect *ret_effect,
                     struct ft_diag *diag)
{
    ZydisDecodedInstruction decoded;
    return ft_effect_decode_full(code, length, pc, ret_instruction, ret_effect, &decoded, diag);
}
