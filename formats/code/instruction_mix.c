/*
 * Integer work is told by Zydis's category or mnemonic. Floating-point work is told by the
 * mnemonic's name, which spells operation and type ("vfmadd231pd"): a table of name stems, the
 * longest match wins, and a suffix of type and shape. Names are taken apart once for all
 * mnemonics, when the first instruction is classified.
 */
#include "formats/code/instruction_mix.h"

#include <pthread.h>
#include <string.h>

const char *const ft_mix_class_names[FT_MIX_COUNT] = {
    "integer", "integer_multiply", "integer_divide", "load",      "store",          "branch",
    "fp_add",  "fp_multiply",      "fp_fma",         "fp_divide", "vector_integer", "move",
    "other",
};

struct operation {
    uint8_t mix_class;
    uint8_t flops_a_lane;
};

/* Names of SSE, AVX and AVX-512 floating-point operations without the leading v and the type. */
static const struct {
    const char *stem;
    struct operation operation;
} float_stems[] = {
    {"add", {FT_MIX_FP_ADD, 1}},          {"sub", {FT_MIX_FP_ADD, 1}},
    {"addsub", {FT_MIX_FP_ADD, 1}},       {"hadd", {FT_MIX_FP_ADD, 1}},
    {"hsub", {FT_MIX_FP_ADD, 1}},         {"min", {FT_MIX_FP_ADD, 1}},
    {"max", {FT_MIX_FP_ADD, 1}},          {"range", {FT_MIX_FP_ADD, 1}},
    {"cmp", {FT_MIX_FP_ADD, 0}},          {"comi", {FT_MIX_FP_ADD, 0}},
    {"ucomi", {FT_MIX_FP_ADD, 0}},        {"round", {FT_MIX_FP_ADD, 0}},
    {"rndscale", {FT_MIX_FP_ADD, 0}},     {"reduce", {FT_MIX_FP_ADD, 0}},
    {"getexp", {FT_MIX_FP_ADD, 0}},       {"getmant", {FT_MIX_FP_ADD, 0}},
    {"fixupimm", {FT_MIX_FP_ADD, 0}},     {"fpclass", {FT_MIX_FP_ADD, 0}},
    {"mul", {FT_MIX_FP_MULTIPLY, 1}},     {"scalef", {FT_MIX_FP_MULTIPLY, 1}},
    {"dp", {FT_MIX_FP_MULTIPLY, 2}},      {"rcp", {FT_MIX_FP_MULTIPLY, 1}},
    {"rcp14", {FT_MIX_FP_MULTIPLY, 1}},   {"rsqrt", {FT_MIX_FP_MULTIPLY, 1}},
    {"rsqrt14", {FT_MIX_FP_MULTIPLY, 1}}, {"fmulc", {FT_MIX_FP_MULTIPLY, 3}},
    {"fcmulc", {FT_MIX_FP_MULTIPLY, 3}},  {"div", {FT_MIX_FP_DIVIDE, 1}},
    {"sqrt", {FT_MIX_FP_DIVIDE, 1}},
};

static const char *const float_types[] = {"pd", "ps", "sd", "ss", "ph", "sh"};

/* x87 operations: one lane, so one flop at most. */
static const struct {
    const char *stem;
    struct operation operation;
} x87_stems[] = {
    {"fadd", {FT_MIX_FP_ADD, 1}},       {"fiadd", {FT_MIX_FP_ADD, 1}},
    {"fsub", {FT_MIX_FP_ADD, 1}},       {"fisub", {FT_MIX_FP_ADD, 1}},
    {"fcom", {FT_MIX_FP_ADD, 0}},       {"fucom", {FT_MIX_FP_ADD, 0}},
    {"ficom", {FT_MIX_FP_ADD, 0}},      {"frndint", {FT_MIX_FP_ADD, 0}},
    {"ftst", {FT_MIX_FP_ADD, 0}},       {"fmul", {FT_MIX_FP_MULTIPLY, 1}},
    {"fimul", {FT_MIX_FP_MULTIPLY, 1}}, {"fdiv", {FT_MIX_FP_DIVIDE, 1}},
    {"fidiv", {FT_MIX_FP_DIVIDE, 1}},   {"fsqrt", {FT_MIX_FP_DIVIDE, 1}},
    {"fprem", {FT_MIX_FP_DIVIDE, 1}},   {"fld", {FT_MIX_MOVE, 0}},
    {"fst", {FT_MIX_MOVE, 0}},          {"fild", {FT_MIX_MOVE, 0}},
    {"fist", {FT_MIX_MOVE, 0}},         {"fxch", {FT_MIX_MOVE, 0}},
    {"fcmov", {FT_MIX_MOVE, 0}},
};

static struct operation float_operations[ZYDIS_MNEMONIC_MAX_VALUE + 1];
static pthread_once_t float_operations_once = PTHREAD_ONCE_INIT;

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_float_type(const char *text)
{
    for (size_t i = 0; i < sizeof float_types / sizeof *float_types; i++)
        if (strcmp(text, float_types[i]) == 0)
            return true;
    return false;
}

/* The operation that a vector mnemonic names, FT_MIX_COUNT where it is none of floating point. */
static struct operation name_operation(const char *name)
{
    const char *stem = name[0] == 'v' ? name + 1 : name;

    if (starts_with(stem, "fmaddc") || starts_with(stem, "fcmaddc")) /* complex */
        return (struct operation){FT_MIX_FP_FMA, 4};
    if (starts_with(stem, "fm") || starts_with(stem, "fnm") || starts_with(stem, "fcm"))
        if (strstr(stem, "add") || strstr(stem, "fmsub") || strstr(stem, "fnmsub"))
            return (struct operation){FT_MIX_FP_FMA, 2};
    if (starts_with(stem, "cvt"))
        return (struct operation){FT_MIX_FP_ADD, 0};
    for (size_t i = 0; i < sizeof float_stems / sizeof *float_stems; i++)
        if (starts_with(stem, float_stems[i].stem) &&
            is_float_type(stem + strlen(float_stems[i].stem)))
            return float_stems[i].operation;
    return (struct operation){FT_MIX_COUNT, 0};
}

static void name_all_operations(void)
{
    for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        float_operations[i] = name_operation(ZydisMnemonicGetString((ZydisMnemonic)i));
}

static struct operation x87_operation(const char *name)
{
    for (size_t i = 0; i < sizeof x87_stems / sizeof *x87_stems; i++)
        if (starts_with(name, x87_stems[i].stem))
            return x87_stems[i].operation;
    return (struct operation){FT_MIX_OTHER, 0};
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

/* Lanes of the operation: 1 where the name says scalar, else those of the widest operand. */
static unsigned lanes(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
    const char *name = ZydisMnemonicGetString(decoded->mnemonic);
    const char *type = name + strlen(name) - 2;
    unsigned element_bits = strcmp(type, "pd") == 0 ? 64 : strcmp(type, "ph") == 0 ? 16 : 32;
    unsigned widest = 0;

    if (type[0] == 's')
        return 1;
    for (unsigned i = 0; i < decoded->operand_count_visible; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_vector(operands[i].reg.value) &&
            operands[i].size > widest)
            widest = operands[i].size;
    return widest / element_bits;
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
    case ZYDIS_CATEGORY_STRINGOP:
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

void ft_instruction_classify(const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *operands,
                             struct ft_instruction *instruction)
{
    struct operation operation = {FT_MIX_OTHER, 0};

    instruction->flops = 0;
    if (instruction->flow != FT_FLOW_NEXT) {
        bool branch = instruction->flow != FT_FLOW_SYSCALL && instruction->flow != FT_FLOW_TRAP;
        instruction->mix_class = branch ? FT_MIX_BRANCH : FT_MIX_OTHER;
        return;
    }
    if (decoded->meta.category == ZYDIS_CATEGORY_X87_ALU) {
        operation = x87_operation(ZydisMnemonicGetString(decoded->mnemonic));
        instruction->mix_class = operation.mix_class;
        instruction->flops = operation.flops_a_lane;
        return;
    }
    pthread_once(&float_operations_once, name_all_operations);
    operation = float_operations[decoded->mnemonic];
    if (operation.mix_class == FT_MIX_COUNT) {
        instruction->mix_class = category_class(decoded, operands);
        return;
    }
    instruction->mix_class = operation.mix_class;
    if (operation.flops_a_lane)
        instruction->flops = (uint8_t)(operation.flops_a_lane * lanes(decoded, operands));
}
