/*
 * Between which places an instruction moves values, for analyses that follow values through a
 * routine: all register files, flags and x87 included, with implicit operands; and values that
 * pass between registers and memory, which effect.h leaves out. A vector register is one value, of
 * which the low 64 bits are followed. Decoded by Zydis; pure functions, thread safe.
 */
#ifndef FT_FORMATS_X86_VALUE_FLOW_H
#define FT_FORMATS_X86_VALUE_FLOW_H

#include "formats/x86/effect.h"

/* Places in registers: enum ft_register, and behind them: */
enum ft_place {
    FT_PLACE_VECTORS = FT_REGISTER_COUNT, /* 32: xmm, ymm, zmm of one number */
    FT_PLACE_MASKS = FT_PLACE_VECTORS + 32,
    FT_PLACE_FLAGS = FT_PLACE_MASKS + 8,
    FT_PLACE_X87, /* the stack of the x87, which the mmx registers are a part of, as a whole */
    FT_PLACE_REGISTERS,
    FT_NO_PLACE = 0xff
};

enum ft_move_kind {
    FT_MOVE_NONE,
    FT_MOVE_LOAD,    /* target = the sum; memory is the first access */
    FT_MOVE_STORE,   /* memory = low bytes of the sum; memory is the last access (and the first,
                        where memory_factor is not 0) */
    FT_MOVE_COPY,    /* target = the sum, between register files */
    FT_MOVE_COMPARE, /* flags tell how the sum, of size_bytes, compares with 0 */
    FT_MOVE_TEST,    /* flags tell whether the sum is 0 */
};

/* sum = narrowing(constant + a_factor * a + b_factor * b + memory_factor * memory), from the values
 * before the instruction (FT_MOVE_COMPARE: of a sum, subtraction or logic with a register as its
 * target, too). What is read from memory is extended to 64 bits. */
struct ft_move {
    uint8_t kind;   /* enum ft_move_kind */
    uint8_t target; /* enum ft_place; FT_NO_PLACE for stores and comparisons */
    uint8_t a, b;   /* enum ft_place or FT_NO_PLACE */
    uint8_t size_bytes;
    bool is_signed; /* how memory is extended */
    struct ft_narrowing narrowing;
    uint64_t a_factor, b_factor, memory_factor, constant;
};

/* What a conditional branch asks. */
enum ft_condition {
    FT_CONDITION_OTHER,
    FT_CONDITION_EQUAL,
    FT_CONDITION_UNEQUAL,
    FT_CONDITION_BELOW, /* signed or not */
    FT_CONDITION_AT_LEAST,
    FT_CONDITION_ABOVE,
    FT_CONDITION_AT_MOST,
};

struct ft_value_flow {
    uint64_t read, written; /* bit per enum ft_place; a narrow or conditional write also reads */
    struct ft_effect effect;
    struct ft_move move;       /* beside the effect's assignments */
    struct ft_move comparison; /* FT_MOVE_COMPARE, FT_MOVE_TEST or FT_MOVE_NONE */
    uint8_t condition;         /* enum ft_condition, of branches */
    bool zeroes;               /* x ^ x or x - x: 0 whatever x is */
};

int ft_value_flow_decode(const uint8_t *code, size_t length, uint64_t pc,
                         struct ft_value_flow *ret_flow, struct ft_diag *diag);

#endif
