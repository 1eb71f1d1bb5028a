/*
 * Decoding with Zydis, and the table on top of it.
 *
 * Zydis names the operands, hidden ones included, with their sizes and actions. From them come the
 * registers (a narrow or conditional write also reads) and the accesses (instruction_accesses.c).
 * What its tables cannot say is mended here: cmps and scas move RSI and RDI, which Zydis omits.
 */
#include "formats/x86/instruction.h"

#include <string.h>

#include "formats/x86/decoding.h"
#include "formats/x86/instruction_mix.h"

#define REGISTER_BIT(reg) (UINT32_C(1) << (reg))

static bool is_compare_string(ZydisMnemonic mnemonic, const ZydisDecodedInstruction *zydis)
{
    if (!ft_decoded_is_string(zydis))
        return false;
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ:
        return true;
    default:
        return false;
    }
}

/* ---- flow ---- */

static bool raises_signal(const ZydisDecodedInstruction *zydis)
{
    if (zydis->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return true;
    switch (zydis->meta.category) {
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_VTX:
        return true;
    default:
        break;
    }
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_CLI:
    case ZYDIS_MNEMONIC_STI:
        return true;
    default:
        return false;
    }
}

static void find_flow(struct ft_decoding *d)
{
    const ZydisDecodedInstruction *zydis = d->zydis;
    const ZydisDecodedOperand *operand = &d->operands[0];
    bool direct = zydis->operand_count_visible > 0 &&
                  operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative;

    if (direct)
        d->instruction->target =
            d->instruction->pc + zydis->length + (uint64_t)operand->imm.value.s;
    switch (zydis->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        d->instruction->flow = FT_FLOW_BRANCH;
        return;
    case ZYDIS_CATEGORY_UNCOND_BR:
        d->instruction->flow = direct ? FT_FLOW_JUMP : FT_FLOW_JUMP_INDIRECT;
        return;
    case ZYDIS_CATEGORY_CALL:
        d->instruction->flow = direct ? FT_FLOW_CALL : FT_FLOW_CALL_INDIRECT;
        return;
    case ZYDIS_CATEGORY_RET:
        d->instruction->flow =
            zydis->mnemonic == ZYDIS_MNEMONIC_IRETQ ? FT_FLOW_INTERRUPT_RETURN : FT_FLOW_RETURN;
        return;
    default:
        break;
    }
    if (zydis->mnemonic == ZYDIS_MNEMONIC_SYSCALL ||
        (zydis->mnemonic == ZYDIS_MNEMONIC_INT && operand->imm.value.u == 0x80))
        d->instruction->flow = FT_FLOW_SYSCALL;
    else
        d->instruction->flow = raises_signal(zydis) ? FT_FLOW_TRAP : FT_FLOW_NEXT;
}

/* ---- what cannot be followed ---- */

static bool loads_selector(const struct ft_decoding *d)
{
    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
            (operand->reg.value == ZYDIS_REGISTER_FS || operand->reg.value == ZYDIS_REGISTER_GS))
            return true;
    }
    return false;
}

/* Whether the GS base is part of an address in a way that a translation cannot express: GS is its
 * own, so that the address has to be put into a register first. */
static bool hides_gs(const struct ft_decoding *d)
{
    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || !d->has_accesses ||
            operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || operand->mem.segment != ZYDIS_REGISTER_GS)
            continue;
        const ZydisDecodedOperandMem *memory = &operand->mem;
        if (!(d->zydis->attributes & ZYDIS_ATTRIB_HAS_MODRM) ||
            memory->type != ZYDIS_MEMOP_TYPE_MEM || memory->base == ZYDIS_REGISTER_RIP ||
            d->zydis->address_width != 64 || d->instruction->flow != FT_FLOW_NEXT)
            return true;
    }
    return false;
}

static bool is_unsupported(const struct ft_decoding *d)
{
    const ZydisDecodedInstruction *zydis = d->zydis;

    if (d->instruction->flow == FT_FLOW_INTERRUPT_RETURN)
        return false;
    if (zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || loads_selector(d) || hides_gs(d))
        return true;
    switch (zydis->meta.category) {
    case ZYDIS_CATEGORY_AMX_TILE:
    case ZYDIS_CATEGORY_CLZERO:
    case ZYDIS_CATEGORY_ENQCMD:
    case ZYDIS_CATEGORY_KEYLOCKER:
    case ZYDIS_CATEGORY_KEYLOCKER_WIDE:
    case ZYDIS_CATEGORY_PADLOCK:
    case ZYDIS_CATEGORY_SGX:
    case ZYDIS_CATEGORY_UINTR:
        return true;
    default:
        break;
    }
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_ENTER:
        return (d->operands[1].imm.value.u & 31) != 0;
    case ZYDIS_MNEMONIC_INT:
        return d->operands[0].imm.value.u == 0x80;
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_WRSSD:
    case ZYDIS_MNEMONIC_WRSSQ:
    case ZYDIS_MNEMONIC_RSTORSSP:
    case ZYDIS_MNEMONIC_MASKMOVQ: /* its mask is an MMX register */
    case ZYDIS_MNEMONIC_LWPINS:
    case ZYDIS_MNEMONIC_LWPVAL:
    case ZYDIS_MNEMONIC_LLWPCB:
    case ZYDIS_MNEMONIC_SLWPCB:
        return true;
    default:
        return false;
    }
}

/* ---- registers ---- */

static void add_register(uint32_t *mask, ZydisRegister reg)
{
    uint8_t general = ft_decoded_register(reg);
    if (general != FT_NO_REGISTER)
        *mask |= REGISTER_BIT(general);
}

/* String instructions: Zydis forgets that cmps and scas move their pointers. */
static uint32_t string_registers(const struct ft_decoding *d)
{
    uint32_t mask = d->instruction->rep ? REGISTER_BIT(FT_RCX) : 0;
    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_register(&mask, operand->mem.base);
    }
    return mask;
}

static void find_operand_registers(const struct ft_decoding *d, uint32_t *read, uint32_t *written)
{
    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            add_register(read, operand->mem.base);
            add_register(read, operand->mem.index);
            if (operand->mem.segment == ZYDIS_REGISTER_FS)
                *read |= REGISTER_BIT(FT_FS_BASE);
            if (operand->mem.segment == ZYDIS_REGISTER_GS)
                *read |= REGISTER_BIT(FT_GS_BASE);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
            bool partial =
                writes && (operand->size < 32 || !(operand->actions & ZYDIS_OPERAND_ACTION_WRITE));
            if (writes)
                add_register(written, operand->reg.value);
            if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) || partial)
                add_register(read, operand->reg.value);
        }
    }
}

/* Implicit operands that Zydis does not list. */
static void add_unlisted_registers(const struct ft_decoding *d, uint32_t *read, uint32_t *written)
{
    switch (d->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
        *written |= REGISTER_BIT(FT_RAX) | REGISTER_BIT(FT_RCX) | REGISTER_BIT(FT_R11);
        *read |= REGISTER_BIT(FT_RAX);
        break;
    case ZYDIS_MNEMONIC_CPUID: /* ECX selects the subleaf and is always written */
        *read |= REGISTER_BIT(FT_RCX);
        break;
    case ZYDIS_MNEMONIC_BSF: /* leave the destination alone where the source is zero */
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_RDSSPD: /* nops without shadow stacks */
    case ZYDIS_MNEMONIC_RDSSPQ:
    case ZYDIS_MNEMONIC_LAR:
    case ZYDIS_MNEMONIC_LSL:
        *read |= *written;
        break;
    case ZYDIS_MNEMONIC_XLAT:
        *read |= REGISTER_BIT(FT_RAX) | REGISTER_BIT(FT_RBX);
        break;
    case ZYDIS_MNEMONIC_LEAVE:
        *read |= REGISTER_BIT(FT_RBP);
        break;
    case ZYDIS_MNEMONIC_RDFSBASE:
        *read |= REGISTER_BIT(FT_FS_BASE);
        break;
    case ZYDIS_MNEMONIC_WRFSBASE:
        *written |= REGISTER_BIT(FT_FS_BASE);
        break;
    case ZYDIS_MNEMONIC_RDGSBASE:
        *read |= REGISTER_BIT(FT_GS_BASE);
        break;
    case ZYDIS_MNEMONIC_WRGSBASE:
        *written |= REGISTER_BIT(FT_GS_BASE);
        break;
    default:
        break;
    }
}

static void find_registers(struct ft_decoding *d)
{
    uint32_t read = 0, written = 0;
    find_operand_registers(d, &read, &written);
    if (ft_decoded_is_string(d->zydis)) {
        read |= string_registers(d);
        written |= string_registers(d);
    }
    add_unlisted_registers(d, &read, &written);
    d->instruction->registers_read = read;
    d->instruction->registers_written = written;
}

/* ---- the module's functions ---- */

static int decode_zydis(const uint8_t *code, size_t length, uint64_t pc,
                        ZydisDecodedInstruction *ret_decoded, ZydisDecodedOperand *ret_operands,
                        struct ft_diag *diag)
{
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZyanStatus status = ZydisDecoderDecodeFull(&decoder, code, length, ret_decoded, ret_operands);
    if (status == ZYDIS_STATUS_NO_MORE_DATA)
        return ft_fail(diag, FT_ERROR_DATA, "the code at 0x%llx ends within an instruction",
                       (unsigned long long)pc);
    if (!ZYAN_SUCCESS(status))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "no known instruction at 0x%llx",
                       (unsigned long long)pc);
    return FT_OK;
}

int ft_instruction_decode_full(const uint8_t *code, size_t length, uint64_t pc,
                               struct ft_instruction *ret_instruction,
                               ZydisDecodedInstruction *ret_decoded,
                               ZydisDecodedOperand ret_operands[ZYDIS_MAX_OPERAND_COUNT],
                               struct ft_diag *diag)
{
    int status = decode_zydis(code, length, pc, ret_decoded, ret_operands, diag);
    if (status != FT_OK)
        return status;

    struct ft_decoding d = {ret_decoded, ret_operands, ret_instruction, false};
    memset(ret_instruction, 0, sizeof *ret_instruction);
    ret_instruction->pc = pc;
    ret_instruction->length = ret_decoded->length;
    ret_instruction->rep =
        ft_decoded_is_string(ret_decoded) &&
        (ret_decoded->attributes &
         (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
    ret_instruction->rep_conditional =
        ret_instruction->rep && is_compare_string(ret_decoded->mnemonic, ret_decoded);
    find_flow(&d);
    find_registers(&d);
    d.has_accesses = ft_decoded_has_accesses(&d);
    ret_instruction->unsupported = is_unsupported(&d);
    if (d.has_accesses && !ret_instruction->unsupported)
        ft_decode_accesses(&d);
    ft_instruction_classify(ret_decoded, ret_operands, ret_instruction);
    return FT_OK;
}

int ft_instruction_decode(const uint8_t *code, size_t length, uint64_t pc,
                          struct ft_instruction *ret_instruction, struct ft_diag *diag)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    return ft_instruction_decode_full(code, length, pc, ret_instruction, &decoded, operands, diag);
}
