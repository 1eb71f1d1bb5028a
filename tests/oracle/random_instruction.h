/*
 * An instruction of random code and what it means: its kind, its operands, and for those of strings
 * and vectors the row of a table that says which memory they access.
 */
#ifndef FT_TESTS_ORACLE_RANDOM_INSTRUCTION_H
#define FT_TESTS_ORACLE_RANDOM_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/x86/instruction.h"
#include "tests/support/random.h"

/* 64 bits, often small, negative, or close to where 32-bit arithmetic wraps. */
uint64_t random_value(uint64_t *random);

enum meaning {
    MEANS_NATIVE,   /* runs on the processor */
    MEANS_LOAD,     /* number = size_bytes of memory, zero-extended */
    MEANS_LOAD_ADD, /* the same, added */
    MEANS_STORE,
    MEANS_LOAD_STORE,
    MEANS_PUSH,
    MEANS_POP,
    MEANS_LEAVE,
    MEANS_POPF,
    MEANS_RETURN,
    MEANS_CALL,
    MEANS_BIT,    /* memory at the bit in `number` */
    MEANS_STRING, /* number: row of string_cases */
    MEANS_DIRECTION,
    MEANS_VECTOR, /* number: row of vector_cases */
    MEANS_BRANCH, /* changes nothing */
};

#define RANDOM_UNIT_MAX 24 /* instructions of a unit */

struct random_memory {
    uint8_t base, index; /* FT_NO_REGISTER: none */
    uint8_t scale;
    bool fs, gs, is_32_bit;
    int32_t displacement;
};

struct random_instruction {
    uint8_t code[16];
    size_t length;
    const uint8_t *stub; /* runs it natively; good until the next random_unit() */
    enum meaning meaning;
    uint8_t number; /* a register, or a row of a table */
    uint8_t size_bytes;
    bool rep, conditional;
    uint32_t amount;
    struct random_memory memory;
};

struct string_case {
    uint8_t opcode;
    bool loads_source, stores, loads_destination;
};

#define STRING_CASES 5
extern const struct string_case string_cases[STRING_CASES];

enum vector_shape { SHAPE_PLAIN, SHAPE_MASKED, SHAPE_PACKED, SHAPE_GATHER, SHAPE_ONES, SHAPE_NONE };

/* Masks: k1 is 1, ymm3 is 32 + 3; a mask of 0: none. */
struct vector_case {
    const char *bytes;
    uint8_t length;
    uint8_t shape, kind;
    uint8_t base, index, scale;
    int8_t displacement;
    uint8_t lanes, size_bytes;
    uint8_t mask;
    uint8_t vector_index, index_bytes;
    uint8_t written; /* vector, or 32 + number of a mask; 0xff: none */
    uint8_t ones;    /* SHAPE_ONES: bits set */
};

extern const struct vector_case vector_cases[];
extern const unsigned vector_case_count;

#endif
