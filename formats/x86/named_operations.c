/*
 * Tables of name stems, as the manuals list the instructions: a name is a stem and a suffix that
 * tells the type of number and, for floating-point numbers, whether it is scalar. A leading v
 * (VEX, EVEX) means the same operation. Dot products and sums of differences count two operations
 * per input element, as the processors' own counters do.
 */
#include "formats/x86/named_operations.h"

#include <stdatomic.h>
#include <string.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* ---- floating-point numbers: stem and pd, ps, sd, ss, ph or sh ---- */

struct stem {
    const char *text;
    uint8_t mix_class;
    uint8_t a_lane;
};

static const struct stem float_stems[] = {
    {"add", FT_MIX_FP_ADD, 1},          {"sub", FT_MIX_FP_ADD, 1},
    {"addsub", FT_MIX_FP_ADD, 1},       {"hadd", FT_MIX_FP_ADD, 1},
    {"hsub", FT_MIX_FP_ADD, 1},         {"min", FT_MIX_FP_ADD, 1},
    {"max", FT_MIX_FP_ADD, 1},          {"range", FT_MIX_FP_ADD, 1},
    {"cmp", FT_MIX_FP_ADD, 0},          {"comi", FT_MIX_FP_ADD, 0},
    {"ucomi", FT_MIX_FP_ADD, 0},        {"round", FT_MIX_FP_ADD, 0},
    {"rndscale", FT_MIX_FP_ADD, 0},     {"reduce", FT_MIX_FP_ADD, 0},
    {"getexp", FT_MIX_FP_ADD, 0},       {"getmant", FT_MIX_FP_ADD, 0},
    {"fixupimm", FT_MIX_FP_ADD, 0},     {"fpclass", FT_MIX_FP_ADD, 0},
    {"mul", FT_MIX_FP_MULTIPLY, 1},     {"scalef", FT_MIX_FP_MULTIPLY, 1},
    {"dp", FT_MIX_FP_MULTIPLY, 2},      {"rcp", FT_MIX_FP_MULTIPLY, 1},
    {"rcp14", FT_MIX_FP_MULTIPLY, 1},   {"rsqrt", FT_MIX_FP_MULTIPLY, 1},
    {"rsqrt14", FT_MIX_FP_MULTIPLY, 1}, {"rcp28", FT_MIX_FP_MULTIPLY, 1},
    {"rsqrt28", FT_MIX_FP_MULTIPLY, 1}, {"exp2", FT_MIX_FP_MULTIPLY, 1},
    {"div", FT_MIX_FP_DIVIDE, 1},       {"sqrt", FT_MIX_FP_DIVIDE, 1},
    {"4fmadd", FT_MIX_FP_FMA, 8},       {"4fnmadd", FT_MIX_FP_FMA, 8},
};

/* Complex numbers of two f16 lanes each: a product is 6 operations, with a sum 8. */
static const struct stem complex_stems[] = {
    {"fmulc", FT_MIX_FP_MULTIPLY, 3},
    {"fcmulc", FT_MIX_FP_MULTIPLY, 3},
    {"fmaddc", FT_MIX_FP_FMA, 4},
    {"fcmaddc", FT_MIX_FP_FMA, 4},
};

static const struct {
    const char *text;
    uint8_t number_type;
    bool is_scalar;
} float_suffixes[] = {
    {"pd", FT_F64, false}, {"ps", FT_F32, false}, {"ph", FT_F16, false},
    {"sd", FT_F64, true},  {"ss", FT_F32, true},  {"sh", FT_F16, true},
};

/* ---- packed integers: stem and b, w, d or q ---- */

/* Before the letter of the type there may be s, u or us: saturating, signed, unsigned. */
static const struct stem integer_stems[] = {
    {"padd", FT_MIX_COUNT, 1},   {"psub", FT_MIX_COUNT, 1},   {"phadd", FT_MIX_COUNT, 1},
    {"phsub", FT_MIX_COUNT, 1},  {"pmull", FT_MIX_COUNT, 1},  {"pmulh", FT_MIX_COUNT, 1},
    {"pmulhr", FT_MIX_COUNT, 1}, {"pavg", FT_MIX_COUNT, 1},   {"pmin", FT_MIX_COUNT, 1},
    {"pmax", FT_MIX_COUNT, 1},   {"pabs", FT_MIX_COUNT, 1},   {"psign", FT_MIX_COUNT, 1},
    {"psll", FT_MIX_COUNT, 1},   {"psllv", FT_MIX_COUNT, 1},  {"psra", FT_MIX_COUNT, 1},
    {"psrav", FT_MIX_COUNT, 1},  {"psrl", FT_MIX_COUNT, 1},   {"psrlv", FT_MIX_COUNT, 1},
    {"prol", FT_MIX_COUNT, 1},   {"prolv", FT_MIX_COUNT, 1},  {"pror", FT_MIX_COUNT, 1},
    {"prorv", FT_MIX_COUNT, 1},  {"pshld", FT_MIX_COUNT, 1},  {"pshldv", FT_MIX_COUNT, 1},
    {"pshrd", FT_MIX_COUNT, 1},  {"pshrdv", FT_MIX_COUNT, 1}, {"popcnt", FT_MIX_COUNT, 1},
    {"plzcnt", FT_MIX_COUNT, 1}, {"pand", FT_MIX_COUNT, 1},   {"pandn", FT_MIX_COUNT, 1},
    {"por", FT_MIX_COUNT, 1},    {"pxor", FT_MIX_COUNT, 1},   {"pternlog", FT_MIX_COUNT, 1},
};

static const struct {
    const char *text;
    uint8_t number_type;
} integer_suffixes[] = {
    {"b", FT_I8},   {"w", FT_I16},  {"d", FT_I32},  {"q", FT_I64},   {"sb", FT_I8},
    {"sw", FT_I16}, {"sd", FT_I32}, {"sq", FT_I64}, {"ub", FT_I8},   {"uw", FT_I16},
    {"ud", FT_I32}, {"uq", FT_I64}, {"usb", FT_I8}, {"usw", FT_I16},
};

/* ---- names that no stem explains ---- */

/* The type is that of the lanes counted: of products into wider lanes that of what they take in.
 * Logic of whole registers counts lanes of 64 bits. */
static const struct {
    const char *text;
    struct ft_named_operation operation;
} whole_names[] = {
    {"pand", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"pandn", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"por", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"pxor", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"andpd", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"andnpd", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"orpd", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"xorpd", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"andps", {FT_MIX_COUNT, FT_I32, 1, false}},
    {"andnps", {FT_MIX_COUNT, FT_I32, 1, false}},
    {"orps", {FT_MIX_COUNT, FT_I32, 1, false}},
    {"xorps", {FT_MIX_COUNT, FT_I32, 1, false}},
    {"pmuldq", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"pmuludq", {FT_MIX_COUNT, FT_I64, 1, false}},
    {"phminposuw", {FT_MIX_COUNT, FT_I16, 1, false}},
    {"pmaddwd", {FT_MIX_COUNT, FT_I16, 2, false}},
    {"pmaddubsw", {FT_MIX_COUNT, FT_I8, 2, false}},
    {"psadbw", {FT_MIX_COUNT, FT_I8, 2, false}},
    {"mpsadbw", {FT_MIX_COUNT, FT_I8, 4, false}},
    {"dbpsadbw", {FT_MIX_COUNT, FT_I8, 4, false}},
    {"pdpbusd", {FT_MIX_COUNT, FT_I8, 2, false}},
    {"pdpbusds", {FT_MIX_COUNT, FT_I8, 2, false}},
    {"pdpwssd", {FT_MIX_COUNT, FT_I16, 2, false}},
    {"pdpwssds", {FT_MIX_COUNT, FT_I16, 2, false}},
    {"p4dpwssd", {FT_MIX_COUNT, FT_I16, 8, false}},
    {"p4dpwssds", {FT_MIX_COUNT, FT_I16, 8, false}},
    {"pmadd52luq", {FT_MIX_COUNT, FT_I64, 2, false}},
    {"pmadd52huq", {FT_MIX_COUNT, FT_I64, 2, false}},
    {"dpbf16ps", {FT_MIX_FP_FMA, FT_BF16, 2, false}},
};

/* x87: the longest match is not needed, the first one in this order is right. */
static const struct stem x87_stems[] = {
    {"fadd", FT_MIX_FP_ADD, 1},       {"fiadd", FT_MIX_FP_ADD, 1},
    {"fsub", FT_MIX_FP_ADD, 1},       {"fisub", FT_MIX_FP_ADD, 1},
    {"fcom", FT_MIX_FP_ADD, 0},       {"fucom", FT_MIX_FP_ADD, 0},
    {"ficom", FT_MIX_FP_ADD, 0},      {"frndint", FT_MIX_FP_ADD, 0},
    {"ftst", FT_MIX_FP_ADD, 0},       {"fxam", FT_MIX_FP_ADD, 0},
    {"fabs", FT_MIX_FP_ADD, 0},       {"fchs", FT_MIX_FP_ADD, 0},
    {"fxtract", FT_MIX_FP_ADD, 0},    {"fmul", FT_MIX_FP_MULTIPLY, 1},
    {"fimul", FT_MIX_FP_MULTIPLY, 1}, {"fscale", FT_MIX_FP_MULTIPLY, 1},
    {"fdiv", FT_MIX_FP_DIVIDE, 1},    {"fidiv", FT_MIX_FP_DIVIDE, 1},
    {"fsqrt", FT_MIX_FP_DIVIDE, 1},   {"fprem", FT_MIX_FP_DIVIDE, 1},
    {"fsincos", FT_MIX_FP_DIVIDE, 2}, {"fsin", FT_MIX_FP_DIVIDE, 1},
    {"fcos", FT_MIX_FP_DIVIDE, 1},    {"fptan", FT_MIX_FP_DIVIDE, 1},
    {"fpatan", FT_MIX_FP_DIVIDE, 1},  {"f2xm1", FT_MIX_FP_DIVIDE, 1},
    {"fyl2x", FT_MIX_FP_DIVIDE, 1},   {"fld", FT_MIX_MOVE, 0},
    {"fstp", FT_MIX_MOVE, 0},         {"fst", FT_MIX_MOVE, 0},
    {"fild", FT_MIX_MOVE, 0},         {"fist", FT_MIX_MOVE, 0},
    {"fxch", FT_MIX_MOVE, 0},         {"fcmov", FT_MIX_MOVE, 0},
};

/* What is behind a start that a text has, else NULL. */
static const char *behind(const char *text, const char *start)
{
    size_t length = strlen(start);
    return strncmp(text, start, length) == 0 ? text + length : NULL;
}

static bool name_float(const char *name, const struct stem *stems, size_t count,
                       struct ft_named_operation *operation)
{
    for (size_t i = 0; i < count; i++) {
        const char *suffix = behind(name, stems[i].text);
        for (size_t j = 0; suffix && j < LENGTH(float_suffixes); j++)
            if (strcmp(suffix, float_suffixes[j].text) == 0) {
                *operation = (struct ft_named_operation){
                    .mix_class = stems[i].mix_class,
                    .number_type = stems[i].a_lane ? float_suffixes[j].number_type : FT_NO_NUMBER,
                    .a_lane = stems[i].a_lane,
                    .is_scalar = float_suffixes[j].is_scalar,
                };
                return true;
            }
    }
    return false;
}

/* A complex scalar is two lanes. */
static bool name_complex(const char *name, struct ft_named_operation *operation)
{
    if (!name_float(name, complex_stems, LENGTH(complex_stems), operation))
        return false;
    if (operation->is_scalar)
        operation->a_lane *= 2;
    return true;
}

/* "fmadd231pd" and the like; the order of operands is told by digits that other names lack. */
static bool name_fused(const char *name, struct ft_named_operation *operation)
{
    static const char *const starts[] = {"fmaddsub", "fmsubadd", "fmadd",
                                         "fmsub",    "fnmadd",   "fnmsub"};
    for (size_t i = 0; i < LENGTH(starts); i++) {
        const char *rest = behind(name, starts[i]);
        if (!rest)
            continue;
        const struct stem digits = {"", FT_MIX_FP_FMA, 2};
        return name_float(rest + strspn(rest, "0123456789"), &digits, 1, operation);
    }
    return false;
}

static bool name_integer(const char *name, struct ft_named_operation *operation)
{
    for (size_t i = 0; i < LENGTH(integer_stems); i++) {
        const char *suffix = behind(name, integer_stems[i].text);
        for (size_t j = 0; suffix && j < LENGTH(integer_suffixes); j++)
            if (strcmp(suffix, integer_suffixes[j].text) == 0) {
                *operation = (struct ft_named_operation){
                    .mix_class = FT_MIX_COUNT,
                    .number_type = integer_suffixes[j].number_type,
                    .a_lane = integer_stems[i].a_lane,
                };
                return true;
            }
    }
    return false;
}

static bool name_whole(const char *name, struct ft_named_operation *operation)
{
    for (size_t i = 0; i < LENGTH(whole_names); i++)
        if (strcmp(name, whole_names[i].text) == 0) {
            *operation = whole_names[i].operation;
            return true;
        }
    return false;
}

static bool name_x87(const char *name, struct ft_named_operation *operation)
{
    for (size_t i = 0; i < LENGTH(x87_stems); i++)
        if (behind(name, x87_stems[i].text)) {
            *operation = (struct ft_named_operation){
                .mix_class = x87_stems[i].mix_class,
                .number_type = x87_stems[i].a_lane ? FT_X87 : FT_NO_NUMBER,
                .a_lane = x87_stems[i].a_lane,
                .is_scalar = true,
            };
            return true;
        }
    return false;
}

static struct ft_named_operation name_operation(const char *name)
{
    struct ft_named_operation operation = {FT_MIX_COUNT, FT_NO_NUMBER, 0, false};
    const char *plain = name[0] == 'v' ? name + 1 : name;
    if (behind(plain, "cvt"))
        operation.mix_class = FT_MIX_FP_ADD;
    else if (!name_whole(plain, &operation) && !name_complex(plain, &operation) &&
             !name_fused(plain, &operation) &&
             !name_float(plain, float_stems, LENGTH(float_stems), &operation) &&
             !name_integer(plain, &operation) && plain == name)
        name_x87(name, &operation);
    return operation;
}

/* Those that were asked for: a program has few of all names. No name is of class 0. */
static _Atomic(struct ft_named_operation) operations[ZYDIS_MNEMONIC_MAX_VALUE + 1];
_Static_assert(FT_MIX_INTEGER == 0, "names tell of no integer class");

struct ft_named_operation ft_named_operation(ZydisMnemonic mnemonic)
{
    struct ft_named_operation operation =
        atomic_load_explicit(&operations[mnemonic], memory_order_relaxed);
    if (operation.mix_class == FT_MIX_INTEGER) {
        operation = name_operation(ZydisMnemonicGetString(mnemonic));
        atomic_store_explicit(&operations[mnemonic], operation, memory_order_relaxed);
    }
    return operation;
}
