/*
 * What instructions are said to compute, against Zydis's tables of operands and Capstone's groups,
 * over random encodings of all maps: legacy, VEX and EVEX. Where operations on floating-point
 * numbers are counted, Zydis must know operands of that type and a vector of as many lanes; where
 * none are counted though such numbers go in and come out, the instruction must be one that moves,
 * compares, converts or takes apart. Zydis knows elements of packed integers in EVEX only.
 */
#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "formats/x86/instruction.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define ENCODINGS 4000000

/* Starts of names, without v, of what handles floating-point numbers and computes nothing. */
static const char *const idle[] = {
    "mov",     "cvt",     "cmp",   "comi",  "ucomi",     "round",    "rndscale", "reduce",
    "getexp",  "getmant", "fixup", "unpck", "shuf",      "perm",     "blend",    "insert",
    "extract", "expand",  "test",  "frcz",  "broadcast", "compress", "gather",   "scatter",
    "maskmov", "fld",     "fst",   "fcom",  "fucom",     "fxch",     "fcmov",    "ffree",
};

struct instruction {
    ZydisDecodedInstruction zydis;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct ft_instruction decoded;
};

struct tally {
    uint64_t floats, integers, fused, differing, forgotten;
    uint64_t x87, grouped, misgrouped;
};

static const unsigned type_bits[FT_NUMBER_TYPES] = {16, 16, 32, 64, 80, 8, 16, 32, 64};

static unsigned float_bits(const ZydisDecodedOperand *operand)
{
    bool is_float = operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT16 ||
                    operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT32 ||
                    operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT64 ||
                    operand->element_type == ZYDIS_ELEMENT_TYPE_FLOAT80;
    return is_float ? operand->element_size : 0;
}

/* Zydis calls a complex number one element of 32 bits. */
static unsigned complex_lanes(const struct instruction *instruction)
{
    const char *name = ZydisMnemonicGetString(instruction->zydis.mnemonic);
    return strstr(name, "mulcph") || strstr(name, "addcph") || strstr(name, "mulcsh") ||
                   strstr(name, "addcsh")
               ? 2
               : 1;
}

/* Whether operations are a multiple of the lanes of the widest operand that is of that type. */
static bool lanes_agree(const struct instruction *instruction,
                        bool (*is_of)(const ZydisDecodedOperand *operand, unsigned bits))
{
    const struct ft_instruction *decoded = &instruction->decoded;
    unsigned parts = complex_lanes(instruction), most = 0;
    unsigned bits = type_bits[decoded->number_type];
    for (unsigned i = 0; i < instruction->zydis.operand_count_visible; i++) {
        const ZydisDecodedOperand *operand = &instruction->operands[i];
        if (is_of(operand, bits * parts) && operand->element_count > most)
            most = operand->element_count;
    }
    if (most == 0)
        return false;
    if (decoded->operation_width == FT_WIDTH_SCALAR)
        return decoded->operations <= 8;
    unsigned lanes = most * parts;
    return decoded->operations % lanes == 0 && decoded->operations / lanes >= 1 &&
           decoded->operations / lanes <= 8;
}

static bool is_float_of(const ZydisDecodedOperand *operand, unsigned bits)
{
    return float_bits(operand) == bits;
}

static bool is_integer_of(const ZydisDecodedOperand *operand, unsigned bits)
{
    return operand->element_size == bits && !float_bits(operand);
}

static bool is_idle(const char *name)
{
    if (*name == 'v')
        name++;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (strncmp(name, idle[i], strlen(idle[i])) == 0)
            return true;
    return false;
}

static void complain(const struct instruction *instruction, const char *what)
{
    const struct ft_instruction *decoded = &instruction->decoded;
    printf("# %s: %s, %s, %u operations on %s in %s\n",
           ZydisMnemonicGetString(instruction->zydis.mnemonic), what,
           ft_mix_class_names[decoded->mix_class], decoded->operations,
           decoded->number_type < FT_NUMBER_TYPES ? ft_number_type_names[decoded->number_type]
                                                  : "none",
           ft_operation_width_names[decoded->operation_width]);
}

/* KNC's and AMD's abandoned sets are no concern of anybody. */
static bool is_abandoned(const struct instruction *instruction)
{
    switch (instruction->zydis.meta.isa_set) {
    case ZYDIS_ISA_SET_AMD3DNOW:
    case ZYDIS_ISA_SET_XOP:
        return true;
    default:
        return instruction->zydis.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX;
    }
}

static bool takes_and_gives_floats(const struct instruction *instruction)
{
    return instruction->zydis.operand_count_visible > 1 && float_bits(&instruction->operands[0]) &&
           float_bits(&instruction->operands[1]);
}

/* Where Zydis does not tell the type: x87 without operands or with integers, AVX512_BF16, and
 * vpmaddubsw, of whose operands it gives the sums' type. */
static bool has_unknown_type(const struct instruction *instruction)
{
    return instruction->decoded.number_type == FT_X87 ||
           instruction->decoded.number_type == FT_BF16 ||
           instruction->zydis.mnemonic == ZYDIS_MNEMONIC_VPMADDUBSW;
}

static void check_types(const struct instruction *instruction, struct tally *tally)
{
    const struct ft_instruction *decoded = &instruction->decoded;
    bool agrees = true;
    if (ft_instruction_flops(decoded) && !has_unknown_type(instruction)) {
        tally->floats++;
        agrees = lanes_agree(instruction, is_float_of);
    } else if (decoded->operations && decoded->operation_width != FT_WIDTH_SCALAR &&
               instruction->zydis.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
               !has_unknown_type(instruction)) {
        tally->integers++;
        agrees = lanes_agree(instruction, is_integer_of) || lanes_agree(instruction, is_float_of);
    } else if (!decoded->operations && takes_and_gives_floats(instruction) &&
               !is_idle(ZydisMnemonicGetString(instruction->zydis.mnemonic))) {
        tally->forgotten++;
        complain(instruction, "forgotten");
    }
    if (!agrees) {
        tally->differing++;
        complain(instruction, "another type or number of lanes");
    }
    bool fused = instruction->zydis.meta.category == ZYDIS_CATEGORY_VFMA ||
                 instruction->zydis.meta.category == ZYDIS_CATEGORY_FMA4;
    tally->fused += fused;
    if (fused && decoded->mix_class != FT_MIX_FP_FMA) {
        tally->differing++;
        complain(instruction, "fused");
    }
}

static void check_group(csh capstone, cs_insn *into, const struct instruction *instruction,
                        const uint8_t *code, struct tally *tally)
{
    size_t left = instruction->zydis.length;
    uint64_t address = 0;
    if (instruction->zydis.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
        !cs_disasm_iter(capstone, &code, &left, &address, into) ||
        into->size != instruction->zydis.length)
        return;
    bool is_x87 = instruction->decoded.number_type == FT_X87;
    tally->x87 += is_x87;
    tally->grouped++;
    if (is_x87 && !cs_insn_group(capstone, into, X86_GRP_FPU)) {
        tally->misgrouped++;
        complain(instruction, "not of Capstone's group FPU");
    }
}

/* A prefix or opcode that leads to the maps in question, and random bytes behind it. */
static void random_code(uint64_t *state, uint8_t code[16])
{
    static const uint8_t starts[] = {0x0f, 0x66, 0xf2, 0xf3, 0xc4, 0xc5, 0x62, 0x62, 0xd8, 0x00};
    for (size_t i = 0; i < 16; i += 8) {
        uint64_t number = random_next(state);
        memcpy(code + i, &number, 8);
    }
    uint8_t start = starts[random_below(state, sizeof starts)];
    if (start == 0xd8)
        code[0] = start | (code[0] & 7);
    else if (start)
        code[0] = start;
    if (code[0] == 0x66 || code[0] == 0xf2 || code[0] == 0xf3)
        code[1] = 0x0f;
    if (code[0] == 0x62) { /* all registers low, fixed bits set, half of them without a mask */
        code[1] = (uint8_t)(0xf0 | random_below(state, 7));
        code[2] |= 0x7c;
        code[3] |= 0x08;
        if (code[4] & 1)
            code[3] &= 0x78;
    }
    if (code[0] == 0xc4)
        code[1] = (uint8_t)((code[1] & 0xe0) | (1 + random_below(state, 3)));
}

int main(int argc, char **argv)
{
    uint64_t state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    static uint8_t seen[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    struct tally tally = {0};
    size_t mnemonics = 0;
    csh capstone;
    if (!tap_ok(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) == CS_ERR_OK, "Capstone is there"))
        return tap_plan_done();
    cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *into = cs_malloc(capstone);
    for (size_t i = 0; i < ENCODINGS; i++) {
        struct instruction instruction;
        uint8_t code[16];
        random_code(&state, code);
        if (ft_instruction_decode_full(code, sizeof code, 0x1000, &instruction.decoded,
                                       &instruction.zydis, instruction.operands, NULL) != FT_OK ||
            is_abandoned(&instruction))
            continue;
        mnemonics += !seen[instruction.zydis.mnemonic];
        seen[instruction.zydis.mnemonic] = 1;
        check_types(&instruction, &tally);
        if (i % 16 == 0)
            check_group(capstone, into, &instruction, code, &tally);
    }
    cs_free(into, 1);
    cs_close(&capstone);
    printf("# %zu mnemonics, %lu with floats, %lu with integers, %lu fused\n", mnemonics,
           (unsigned long)tally.floats, (unsigned long)tally.integers, (unsigned long)tally.fused);
    tap_ok(mnemonics > 1100, "most of the mnemonics were met");
    tap_ok(tally.floats > 10000 && tally.integers > 2000 && tally.fused > 1000 &&
               tally.differing == 0,
           "types, lanes and fused operations as Zydis knows them");
    tap_ok(tally.forgotten == 0, "no arithmetic on floating-point numbers is forgotten");
    tap_ok(tally.grouped > 10000 && tally.x87 > 1000 && tally.misgrouped == 0,
           "x87 as Capstone groups it");
    return tap_plan_done();
}
