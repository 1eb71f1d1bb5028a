/*
 * Vector and x87 work is told by the mnemonic's name (named_operations.c), work on general
 * registers by Zydis's category or mnemonic. How many lanes there are, the operands say: the widest
 * vector.
 */
#include "formats/x86/instruction_mix.h"

#include <string.h>

#include "formats/x86/decoding.h"
#include "formats/x86/named_operations.h"

const char *const ft_mix_class_names[FT_MIX_COUNT] = {
    "integer", "integer_multiply", "integer_divide", "load",      "store",          "branch",
    "fp_add",  "fp_multiply",      "fp_fma",         "fp_divide", "vector_integer", "move",
    "other",
};

const char *const ft_number_type_names[FT_NUMBER_TYPES] = {
    "f16", "bf16", "f32", "f64", "x87", "i8", "i16", "i32", "i64",
};

const char *const ft_operation_width_names[FT_OPERATION_WIDTHS] = {
    "scalar", "64", "128", "256", "512",
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_vector(ZydisRegister reg)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_MMX:
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return true;
    default:
        return false;
    }
}

static bool is_plain_move(ZydisMnemonic mnemonic)
{
    const char *name = ZydisMnemonicGetString(mnemonic);
    if (name[0] == 'v')
        name++;
    return starts_with(name, "mov") || starts_with(name, "maskmov") ||
           starts_with(name, "pmaskmov") || starts_with(name, "kmov") ||
           starts_with(name, "lddqu") || mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static uint8_t integer_class(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_MUL:
    case ZYDIS_MNEMONIC_IMUL:
    case ZYDIS_MNEMONIC_MULX:
        return FT_MIX_INTEGER_MULTIPLY;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
        return FT_MIX_INTEGER_DIVIDE;
    default:
        return FT_MIX_INTEGER;
    }
}

static uint8_t category_class(const ZydisDecodedInstruction *decoded,
                              const ZydisDecodedOperand *operands)
{
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_GATHER:
    case ZYDIS_CATEGORY_AVX2GATHER:
    case ZYDIS_CATEGORY_SCATTER:
    case ZYDIS_CATEGORY_BROADCAST:
    case ZYDIS_CATEGORY_KMASK:
        return FT_MIX_MOVE;
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_SEMAPHORE:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_LZCNT:
    case ZYDIS_CATEGORY_ADOX_ADCX:
    case ZYDIS_CATEGORY_FLAGOP:
        break;
    default:
        if (decoded->mnemonic == ZYDIS_MNEMONIC_LEA || decoded->mnemonic == ZYDIS_MNEMONIC_POPCNT ||
            decoded->mnemonic == ZYDIS_MNEMONIC_CRC32)
            return FT_MIX_INTEGER;
        if (is_plain_move(decoded->mnemonic))
            return FT_MIX_MOVE;
        break;
    }
    for (unsigned i = 0; i < decoded->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_vector(operands[i].reg.value))
            return FT_MIX_VECTOR_INTEGER;
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_MISC:
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_AVX: /* vzeroupper */
    case ZYDIS_CATEGORY_SSE: /* fences, control registers */
        return FT_MIX_OTHER;
    default:
        return integer_class(decoded->mnemonic);
    }
}

/* ---- operations ---- */

static unsigned vector_bits(const ZydisDecodedInstruction *decoded,
                            const ZydisDecodedOperand *operands)
{
    unsigned widest = 0;
    for (unsigned i = 0; i < decoded->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_vector(operands[i].reg.value) &&
            operands[i].size > widest)
            widest = operands[i].size;
    return widest;
}

static uint8_t width_of(unsigned bits)
{
    return bits == 512   ? FT_WIDTH_512
           : bits == 256 ? FT_WIDTH_256
           : bits == 128 ? FT_WIDTH_128
                         : FT_WIDTH_64;
}

static void count_named(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                        const struct ft_named_operation *operation,
                        struct ft_instruction *instruction)
{
    static const uint8_t type_bits[FT_NUMBER_TYPES] = {16, 16, 32, 64, 80, 8, 16, 32, 64};
    instruction->number_type = operation->number_type;
    instruction->operations = operation->a_lane;
    if (operation->is_scalar)
        return;
    unsigned bits = vector_bits(decoded, operands);
    instruction->operations *= bits / type_bits[operation->number_type];
    instruction->operation_width = width_of(bits);
}

/* Arithmetic and logic of general registers whose result is a number: neither comparisons, which
 * give flags, nor conversions and moves. */
static bool is_integer_operation(const ZydisDecodedInstruction *decoded)
{
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_BT:
        return false;
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_POPCNT:
    case ZYDIS_MNEMONIC_XADD:
        return true;
    default:
        break;
    }
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_LZCNT:
    case ZYDIS_CATEGORY_ADOX_ADCX:
        return true;
    default:
        return false;
    }
}

static void count_integer(const ZydisDecodedInstruction *decoded,
                          const ZydisDecodedOperand *operands, struct ft_instruction *instruction)
{
    if (instruction->mix_class > FT_MIX_INTEGER_DIVIDE || !is_integer_operation(decoded))
        return;
    unsigned bits = operands[0].size;
    instruction->operations = 1;
    instruction->number_type = bits == 8    ? FT_I8
                               : bits == 16 ? FT_I16
                               : bits == 32 ? FT_I32
                                            : FT_I64;
}

void ft_instruction_classify(const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *operands,
                             struct ft_instruction *instruction)
{
    instruction->mix_class = FT_MIX_OTHER;
    instruction->number_type = FT_NO_NUMBER;
    instruction->operation_width = FT_WIDTH_SCALAR;
    instruction->operations = 0;
    instruction->masked =
        decoded->avx.mask.reg != ZYDIS_REGISTER_NONE && decoded->avx.mask.reg != ZYDIS_REGISTER_K0;
    if (instruction->flow != FT_FLOW_NEXT) {
        if (instruction->flow != FT_FLOW_SYSCALL && instruction->flow != FT_FLOW_TRAP)
            instruction->mix_class = FT_MIX_BRANCH;
        return;
    }
    if (ft_decoded_is_string(decoded)) { /* cmpsd and movsd are names of two instructions each */
        instruction->mix_class = FT_MIX_MOVE;
        return;
    }
    const struct ft_named_operation operation = ft_named_operation(decoded->mnemonic);
    if (operation.mix_class != FT_MIX_COUNT)
        instruction->mix_class = operation.mix_class;
    else if (decoded->meta.category != ZYDIS_CATEGORY_X87_ALU)
        instruction->mix_class = category_class(decoded, operands);
    if (operation.a_lane)
        count_named(decoded, operands, &operation, instruction);
    else if (operation.mix_class == FT_MIX_COUNT)
        count_integer(decoded, operands, instruction);
}
