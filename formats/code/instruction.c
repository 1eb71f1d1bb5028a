/*
 * Decoding with Zydis, and the table on top of it.
 *
 * Zydis names the operands, hidden ones included, with their sizes and actions. From them come the
 * registers (a narrow or conditional write also reads) and the accesses: every memory operand that
 * is really touched, loads first. What its tables cannot say is mended here, one function a kind:
 *   stack operands     their displacement before the instruction (push writes below RSP)
 *   string operands    count and direction; cmps and scas move RSI and RDI, which Zydis omits
 *   masks              AVX-512 elements by the mask where the exception class suppresses faults
 *                      (classes NF access everything), vmaskmov and maskmovdqu by sign bits
 *   gather, scatter    one element a lane
 *   bit tests          the register bit offset moves the address
 *   xsave              the size of this host's state
 *   hints              nop, clflush and the like touch nothing; prefetches are kept apart
 */
#include "formats/code/instruction.h"

#include <cpuid.h>
#include <string.h>

#include "formats/code/instruction_mix.h"

#define REGISTER_BIT(reg) (UINT32_C(1) << (reg))

const char *const ft_access_kind_names[FT_FETCH + 1] = {"load", "store", "store_nt", "prefetch",
                                                        "fetch"};

struct ft_xsave_sizes ft_xsave_sizes = {.standard_bytes = 832, .compact_bytes = 832};
static uint8_t movsxd_word_bytes = 2;

/* What one decoding works on. */
struct decoding {
    const ZydisDecodedInstruction *zydis;
    const ZydisDecodedOperand *operands;
    struct ft_instruction *instruction;
    bool has_accesses;
};

static uint8_t general_register(ZydisRegister reg)
{
    ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (ZydisRegisterGetClass(wide) != ZYDIS_REGCLASS_GPR64)
        return FT_NO_REGISTER;
    return (uint8_t)ZydisRegisterGetId(wide);
}

static bool is_string(const ZydisDecodedInstruction *zydis)
{
    return zydis->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static bool is_compare_string(ZydisMnemonic mnemonic, const ZydisDecodedInstruction *zydis)
{
    if (!is_string(zydis))
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

static void find_flow(struct decoding *d)
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

static bool loads_selector(const struct decoding *d)
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
static bool hides_gs(const struct decoding *d)
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

static bool is_unsupported(const struct decoding *d)
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
    uint8_t general = general_register(reg);
    if (general != FT_NO_REGISTER)
        *mask |= REGISTER_BIT(general);
}

/* String instructions: Zydis forgets that cmps and scas move their pointers. */
static uint32_t string_registers(const struct decoding *d)
{
    uint32_t mask = d->instruction->rep ? REGISTER_BIT(FT_RCX) : 0;
    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_register(&mask, operand->mem.base);
    }
    return mask;
}

static void find_registers(struct decoding *d)
{
    uint32_t read = 0, written = 0;

    for (unsigned i = 0; i < d->zydis->operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            add_register(&read, operand->mem.base);
            add_register(&read, operand->mem.index);
            if (operand->mem.segment == ZYDIS_REGISTER_FS)
                read |= REGISTER_BIT(FT_FS_BASE);
            if (operand->mem.segment == ZYDIS_REGISTER_GS)
                read |= REGISTER_BIT(FT_GS_BASE);
        } else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
            bool partial =
                writes && (operand->size < 32 || !(operand->actions & ZYDIS_OPERAND_ACTION_WRITE));
            if (writes)
                add_register(&written, operand->reg.value);
            if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) || partial)
                add_register(&read, operand->reg.value);
        }
    }
    if (is_string(d->zydis)) {
        read |= string_registers(d);
        written |= string_registers(d);
    }
    switch (d->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
        written |= REGISTER_BIT(FT_RAX) | REGISTER_BIT(FT_RCX) | REGISTER_BIT(FT_R11);
        read |= REGISTER_BIT(FT_RAX);
        break;
    case ZYDIS_MNEMONIC_CPUID: /* ECX selects the subleaf and is always written */
        read |= REGISTER_BIT(FT_RCX);
        break;
    case ZYDIS_MNEMONIC_BSF: /* leave the destination alone where the source is zero */
    case ZYDIS_MNEMONIC_BSR:
    case ZYDIS_MNEMONIC_RDSSPD: /* nops without shadow stacks */
    case ZYDIS_MNEMONIC_RDSSPQ:
    case ZYDIS_MNEMONIC_LAR:
    case ZYDIS_MNEMONIC_LSL:
        read |= written;
        break;
    case ZYDIS_MNEMONIC_XLAT:
        read |= REGISTER_BIT(FT_RAX) | REGISTER_BIT(FT_RBX);
        break;
    case ZYDIS_MNEMONIC_LEAVE:
        read |= REGISTER_BIT(FT_RBP);
        break;
    case ZYDIS_MNEMONIC_RDFSBASE:
        read |= REGISTER_BIT(FT_FS_BASE);
        break;
    case ZYDIS_MNEMONIC_WRFSBASE:
        written |= REGISTER_BIT(FT_FS_BASE);
        break;
    case ZYDIS_MNEMONIC_RDGSBASE:
        read |= REGISTER_BIT(FT_GS_BASE);
        break;
    case ZYDIS_MNEMONIC_WRGSBASE:
        written |= REGISTER_BIT(FT_GS_BASE);
        break;
    default:
        break;
    }
    d->instruction->registers_read = read;
    d->instruction->registers_written = written;
}

/* ---- accesses ---- */

/* Memory operands that are written down but not touched. */
static bool is_hint(const ZydisDecodedInstruction *zydis)
{
    switch (zydis->meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_MPX: /* removed from processors, where they are nops */
        return true;
    default:
        return zydis->mnemonic == ZYDIS_MNEMONIC_CLFLUSH;
    }
}

static bool is_prefetch(const ZydisDecodedInstruction *zydis)
{
    return zydis->meta.category == ZYDIS_CATEGORY_PREFETCH ||
           zydis->meta.category == ZYDIS_CATEGORY_PREFETCHWT1;
}

static bool is_nontemporal(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_MOVDIR64B:
    case ZYDIS_MNEMONIC_MOVDIRI:
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTPD:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_MOVNTQ:
    case ZYDIS_MNEMONIC_MOVNTSD:
    case ZYDIS_MNEMONIC_MOVNTSS:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTPD:
    case ZYDIS_MNEMONIC_VMOVNTPS:
        return true;
    default:
        return false;
    }
}

static void find_address(const struct decoding *d, const ZydisDecodedOperand *operand,
                         struct ft_access *access)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;

    access->base = general_register(memory->base);
    access->index = general_register(memory->index);
    access->scale = memory->scale ? memory->scale : 1;
    access->bit_offset = FT_NO_REGISTER;
    access->mask_register = 0xff;
    access->fs = memory->segment == ZYDIS_REGISTER_FS;
    access->gs = memory->segment == ZYDIS_REGISTER_GS;
    access->address_is_32_bit = d->zydis->address_width == 32;
    access->displacement = memory->disp.value;
    access->lanes = access->elements = 1;
    access->size_bytes = operand->size / 8;
    if (memory->base == ZYDIS_REGISTER_RIP || memory->base == ZYDIS_REGISTER_EIP)
        access->displacement = (int64_t)((uint64_t)access->displacement + d->instruction->pc +
                                         d->zydis->length); /* modulo 2^64 */
}

/* Push and call write below RSP; `pop [rsp + x]` computes its address after the pop. */
static void adjust_stack_address(const struct decoding *d, const ZydisDecodedOperand *operand,
                                 struct ft_access *access)
{
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

    if (hidden && access->base == FT_RSP && access->kind == FT_STORE)
        access->displacement -= access->size_bytes;
    if (!hidden && access->base == FT_RSP && d->zydis->mnemonic == ZYDIS_MNEMONIC_POP)
        access->displacement += access->size_bytes;
}

/* Sizes that Zydis does not know. */
static void mend_size(const ZydisDecodedInstruction *zydis, struct ft_access *access)
{
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_MOVSXD:
        if (zydis->operand_width == 16)
            access->size_bytes = movsxd_word_bytes;
        break;
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEOPT:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
        access->size_bytes = ft_xsave_sizes.standard_bytes;
        break;
    case ZYDIS_MNEMONIC_XSAVEC:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64:
        access->size_bytes = ft_xsave_sizes.compact_bytes;
        break;
    default:
        break;
    }
}

/* Masked instructions that suppress no faults of masked elements access the whole operand: the
 * exception classes NF, and what Zydis 4.0 puts into other classes by mistake. */
static bool ignores_mask(const ZydisDecodedInstruction *zydis)
{
    switch (zydis->meta.exception_class) {
    case ZYDIS_EXCEPTION_CLASS_E1NF:
    case ZYDIS_EXCEPTION_CLASS_E2NF:
    case ZYDIS_EXCEPTION_CLASS_E3NF:
    case ZYDIS_EXCEPTION_CLASS_E4NF:
    case ZYDIS_EXCEPTION_CLASS_E5NF:
    case ZYDIS_EXCEPTION_CLASS_E6NF:
    case ZYDIS_EXCEPTION_CLASS_E9NF:
    case ZYDIS_EXCEPTION_CLASS_E10NF:
    case ZYDIS_EXCEPTION_CLASS_E11NF:
        return true;
    default:
        break;
    }
    switch (zydis->mnemonic) {
    case ZYDIS_MNEMONIC_VCVTNE2PS2BF16:
    case ZYDIS_MNEMONIC_VDBPSADBW:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEINVQB:
    case ZYDIS_MNEMONIC_VGF2P8AFFINEQB:
        return true;
    default:
        return false;
    }
}

static unsigned broadcast_lanes(ZydisBroadcastMode mode)
{
    switch (mode) {
    case ZYDIS_BROADCAST_MODE_1_TO_2:
        return 2;
    case ZYDIS_BROADCAST_MODE_1_TO_4:
        return 4;
    case ZYDIS_BROADCAST_MODE_1_TO_8:
        return 8;
    case ZYDIS_BROADCAST_MODE_1_TO_16:
        return 16;
    case ZYDIS_BROADCAST_MODE_1_TO_32:
        return 32;
    default:
        return 0;
    }
}

/* Products of complex half-precision numbers: one mask bit a pair. */
static bool is_complex(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_VFCMADDCPH:
    case ZYDIS_MNEMONIC_VFCMULCPH:
    case ZYDIS_MNEMONIC_VFMADDCPH:
    case ZYDIS_MNEMONIC_VFMULCPH:
    case ZYDIS_MNEMONIC_VFCMADDCSH:
    case ZYDIS_MNEMONIC_VFCMULCSH:
    case ZYDIS_MNEMONIC_VFMADDCSH:
    case ZYDIS_MNEMONIC_VFMULCSH:
        return true;
    default:
        return false;
    }
}

static void apply_opmask(const struct decoding *d, const ZydisDecodedOperand *operand,
                         struct ft_access *access)
{
    const ZydisDecodedOperand *first = &d->operands[0];
    unsigned memory_lanes = operand->element_count ? operand->element_count : 1;
    unsigned result_lanes = memory_lanes;
    unsigned embedded =
        d->zydis->avx.broadcast.is_static ? 0 : broadcast_lanes(d->zydis->avx.broadcast.mode);
    bool packed = d->zydis->meta.category == ZYDIS_CATEGORY_COMPRESS ||
                  d->zydis->meta.category == ZYDIS_CATEGORY_EXPAND;

    if (ignores_mask(d->zydis))
        return;
    if (is_complex(d->zydis->mnemonic) && access->size_bytes > 4)
        memory_lanes = access->size_bytes / 4;
    if (first->type == ZYDIS_OPERAND_TYPE_REGISTER &&
        ZydisRegisterGetClass(first->reg.value) != ZYDIS_REGCLASS_MASK)
        result_lanes = first->element_count;

    access->mode = packed ? FT_ACCESS_PACKED : FT_ACCESS_MASKED;
    access->mask_is_k = true;
    access->mask_register = (uint8_t)ZydisRegisterGetId(d->zydis->avx.mask.reg);
    access->mask_bytes = 8;
    if (embedded) {
        access->lanes = (uint8_t)embedded;
        access->elements = 1;
    } else if (d->zydis->avx.broadcast.is_static) {
        access->lanes = (uint8_t)result_lanes;
        access->elements = (uint8_t)memory_lanes;
    } else {
        unsigned lanes = result_lanes < memory_lanes ? result_lanes : memory_lanes;
        access->lanes = access->elements = (uint8_t)lanes;
    }
    access->size_bytes /= access->elements;
}

static void apply_vector_mask(ZydisRegister mask, uint32_t element_bytes, struct ft_access *access)
{
    unsigned mask_bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, mask) / 8;

    access->mode = FT_ACCESS_MASKED;
    access->mask_register = (uint8_t)ZydisRegisterGetId(mask);
    access->mask_bytes = (uint8_t)mask_bytes;
    access->lanes = access->elements = (uint8_t)(mask_bytes / element_bytes);
    access->size_bytes = element_bytes;
}

static void apply_gather(const struct decoding *d, const ZydisDecodedOperand *operand,
                         struct ft_access *access)
{
    const ZydisDecodedOperand *data = &d->operands[0];
    ZydisRegister index = operand->mem.index;

    if (data == operand) /* scatters: memory, mask, data */
        data = &d->operands[2];
    access->mode = FT_ACCESS_GATHER;
    access->index = FT_NO_REGISTER;
    access->vector_index = (uint8_t)ZydisRegisterGetId(index);
    access->vector_bytes = (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, index) / 8);
    switch (d->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_VGATHERQPD:
    case ZYDIS_MNEMONIC_VGATHERQPS:
    case ZYDIS_MNEMONIC_VPGATHERQD:
    case ZYDIS_MNEMONIC_VPGATHERQQ:
    case ZYDIS_MNEMONIC_VPSCATTERQD:
    case ZYDIS_MNEMONIC_VPSCATTERQQ:
    case ZYDIS_MNEMONIC_VSCATTERQPD:
    case ZYDIS_MNEMONIC_VSCATTERQPS:
        access->index_bytes = 8;
        break;
    default:
        access->index_bytes = 4;
        break;
    }
    unsigned index_lanes = access->vector_bytes / access->index_bytes;
    unsigned data_lanes = data->size / 8 / access->size_bytes;
    access->lanes = (uint8_t)(index_lanes < data_lanes ? index_lanes : data_lanes);
    access->elements = access->lanes;
    ZydisRegister mask = d->zydis->avx.mask.reg;
    if (d->zydis->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
        access->mask_is_k = true;
        access->mask_bytes = 8;
    } else {
        mask = d->operands[2].reg.value;
        access->mask_bytes = (uint8_t)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, mask) / 8);
    }
    access->mask_register = (uint8_t)ZydisRegisterGetId(mask);
}

/* The modes that go beyond one access at a fixed place. */
static void find_mode(const struct decoding *d, const ZydisDecodedOperand *operand,
                      struct ft_access *access)
{
    const ZydisDecodedOperand *operands = d->operands;

    switch (d->zydis->mnemonic) {
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
        if (operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
            access->mode = FT_ACCESS_BIT;
            access->bit_offset = general_register(operands[1].reg.value);
        }
        return;
    case ZYDIS_MNEMONIC_XLAT:
        access->mode = FT_ACCESS_TABLE;
        access->index = FT_RAX;
        return;
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
        apply_vector_mask(operands[1].reg.value, 4, access);
        return;
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
        apply_vector_mask(operands[1].reg.value, 8, access);
        return;
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
        apply_vector_mask(operands[1].reg.value, 1, access);
        return;
    default:
        break;
    }
    if (is_string(d->zydis))
        access->mode = FT_ACCESS_STRING;
    else if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        apply_gather(d, operand, access);
    else if (d->zydis->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
             d->zydis->avx.mask.mode != ZYDIS_MASK_MODE_DISABLED &&
             d->zydis->avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
             d->zydis->avx.mask.reg != ZYDIS_REGISTER_K0)
        apply_opmask(d, operand, access);
}

static void add_access(struct decoding *d, const ZydisDecodedOperand *operand, uint8_t kind)
{
    struct ft_instruction *instruction = d->instruction;
    struct ft_access *access = &instruction->accesses[instruction->access_count];

    memset(access, 0, sizeof *access);
    access->kind = kind;
    find_address(d, operand, access);
    if (kind == FT_PREFETCH)
        access->size_bytes = 1;
    mend_size(d->zydis, access);
    find_mode(d, operand, access);
    adjust_stack_address(d, operand, access);
    if (kind == FT_STORE && is_nontemporal(d->zydis->mnemonic))
        access->kind = FT_STORE_NONTEMPORAL;
    instruction->access_count++;
}

/* xsave also reads its header; what counts is that it writes the area. */
static bool writes_only(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEOPT:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
        return true;
    default:
        return false;
    }
}

static bool has_accesses(const struct decoding *d)
{
    return !is_hint(d->zydis) && d->instruction->flow != FT_FLOW_TRAP;
}

/* The five words that iretq pops. */
static void add_interrupt_frame(struct decoding *d)
{
    d->instruction->accesses[d->instruction->access_count++] =
        (struct ft_access){.kind = FT_LOAD,
                           .base = FT_RSP,
                           .index = FT_NO_REGISTER,
                           .scale = 1,
                           .bit_offset = FT_NO_REGISTER,
                           .mask_register = 0xff,
                           .lanes = 1,
                           .elements = 1,
                           .size_bytes = 5 * sizeof(uint64_t)};
}

static void find_accesses(struct decoding *d)
{
    const ZydisDecodedOperand *operands = d->operands;
    bool prefetch = is_prefetch(d->zydis);

    if (d->instruction->flow == FT_FLOW_INTERRUPT_RETURN) {
        add_interrupt_frame(d);
        return;
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        uint8_t wanted =
            pass == 0 ? ZYDIS_OPERAND_ACTION_MASK_READ : ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (pass == 0 && writes_only(d->zydis->mnemonic))
            continue;
        for (unsigned i = 0; i < d->zydis->operand_count; i++) {
            if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY || operands[i].size == 0 ||
                operands[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
                operands[i].mem.type == ZYDIS_MEMOP_TYPE_MIB)
                continue;
            if ((operands[i].actions & wanted) && d->instruction->access_count < FT_ACCESSES_MAX)
                add_access(d, &operands[i],
                           prefetch    ? FT_PREFETCH
                           : pass == 0 ? FT_LOAD
                                       : FT_STORE);
        }
    }
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

    struct decoding d = {ret_decoded, ret_operands, ret_instruction, false};
    memset(ret_instruction, 0, sizeof *ret_instruction);
    ret_instruction->pc = pc;
    ret_instruction->length = ret_decoded->length;
    ret_instruction->rep =
        is_string(ret_decoded) &&
        (ret_decoded->attributes &
         (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
    ret_instruction->rep_conditional =
        ret_instruction->rep && is_compare_string(ret_decoded->mnemonic, ret_decoded);
    find_flow(&d);
    find_registers(&d);
    d.has_accesses = has_accesses(&d);
    ret_instruction->unsupported = is_unsupported(&d);
    if (d.has_accesses && !ret_instruction->unsupported)
        find_accesses(&d);
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

static int64_t sign_extend(uint64_t value, unsigned bytes)
{
    switch (bytes) {
    case 2:
        return (int16_t)value;
    case 4:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

/* Rounds towards minus infinity, as the processor does for bits before the address. */
static int64_t divide_down(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

uint64_t ft_access_address(const struct ft_access *access,
                           const uint64_t registers[FT_REGISTER_COUNT])
{
    uint64_t address = (uint64_t)access->displacement;

    if (access->base != FT_NO_REGISTER)
        address += registers[access->base];
    if (access->mode == FT_ACCESS_TABLE)
        address += registers[access->index] & 0xff;
    else if (access->index != FT_NO_REGISTER)
        address += registers[access->index] * access->scale;
    if (access->mode == FT_ACCESS_BIT) {
        int64_t bits = sign_extend(registers[access->bit_offset], access->size_bytes);
        int64_t units = divide_down(bits, (int64_t)access->size_bytes * 8);
        address += (uint64_t)units * access->size_bytes;
    }
    if (access->address_is_32_bit)
        address = (uint32_t)address;
    return address + (access->fs ? registers[FT_FS_BASE] : access->gs ? registers[FT_GS_BASE] : 0);
}

void ft_decode_for_processor(const char *name)
{
    bool is_amd = strncmp(name, "AMD", 3) == 0 || strncmp(name, "Hygon", 5) == 0;
    movsxd_word_bytes = is_amd ? 4 : 2;
}

/* The areas that xsave and xsavec need for every state component but AMX's tiles, which programs
 * save only on purpose (Intel SDM volume 1, 13.4). */
void ft_xsave_sizes_from_host(void)
{
    const unsigned legacy_and_header = 576;
    uint64_t amx = UINT64_C(3) << 17;
    unsigned eax, ebx, ecx, edx;

    if (!__get_cpuid_count(1, 0, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE) ||
        !__get_cpuid_count(0xd, 0, &eax, &ebx, &ecx, &edx))
        return;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    uint64_t components = (((uint64_t)high << 32) | low) & ~amx;
    struct ft_xsave_sizes sizes = {legacy_and_header, legacy_and_header};
    for (unsigned component = 2; component < 63; component++) {
        if (!(components >> component & 1))
            continue;
        __get_cpuid_count(0xd, component, &eax, &ebx, &ecx, &edx);
        if (eax + ebx > sizes.standard_bytes)
            sizes.standard_bytes = eax + ebx;
        if (ecx & 2)
            sizes.compact_bytes = (sizes.compact_bytes + 63) & ~63u;
        sizes.compact_bytes += eax;
    }
    ft_xsave_sizes = sizes;
}
