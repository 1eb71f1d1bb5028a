/*
 * The accesses of an instruction: every memory operand that is really touched, loads first. What
 * Zydis cannot say of them is added here, one function per kind:
 *   stack operands     their displacement before the instruction (push writes below RSP)
 *   string operands    count and direction
 *   masks              AVX-512 elements by the mask where the exception class suppresses faults
 *                      (classes NF access everything), vmaskmov and maskmovdqu by sign bits
 *   gather, scatter    one element per lane
 *   bit tests          the register bit offset moves the address
 *   xsave              the size of this host's state
 *   hints              nop, clflush and the like touch nothing; prefetches are kept apart
 */
#include <cpuid.h>
#include <string.h>

#include "formats/x86/decoding.h"

const char *const ft_access_kind_names[FT_FETCH + 1] = {"load", "store", "store_nt", "prefetch",
                                                        "fetch"};

struct ft_xsave_sizes ft_xsave_sizes = {.standard_bytes = 832, .compact_bytes = 832};
static uint8_t movsxd_word_bytes = 2;

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

static void find_address(const struct ft_decoding *d, const ZydisDecodedOperand *operand,
                         struct ft_access *access)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;

    access->base = ft_decoded_register(memory->base);
    access->index = ft_decoded_register(memory->index);
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
static void adjust_stack_address(const struct ft_decoding *d, const ZydisDecodedOperand *operand,
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

static void apply_opmask(const struct ft_decoding *d, const ZydisDecodedOperand *operand,
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

static void apply_gather(const struct ft_decoding *d, const ZydisDecodedOperand *operand,
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
static void find_mode(const struct ft_decoding *d, const ZydisDecodedOperand *operand,
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
            access->bit_offset = ft_decoded_register(operands[1].reg.value);
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
    if (ft_decoded_is_string(d->zydis))
        access->mode = FT_ACCESS_STRING;
    else if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        apply_gather(d, operand, access);
    else if (d->zydis->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
             d->zydis->avx.mask.mode != ZYDIS_MASK_MODE_DISABLED &&
             d->zydis->avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
             d->zydis->avx.mask.reg != ZYDIS_REGISTER_K0)
        apply_opmask(d, operand, access);
}

static void add_access(struct ft_decoding *d, const ZydisDecodedOperand *operand, uint8_t kind)
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

bool ft_decoded_has_accesses(const struct ft_decoding *d)
{
    return !is_hint(d->zydis) && d->instruction->flow != FT_FLOW_TRAP;
}

/* The five words that iretq pops. */
static void add_interrupt_frame(struct ft_decoding *d)
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

void ft_decode_accesses(struct ft_decoding *d)
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
