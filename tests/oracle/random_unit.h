/*
 * Random code with its meaning: instructions drawn from those that compile into addresses and from
 * those that access memory, and a machine that runs them one by one. What only changes general
 * registers runs on the processor itself; what touches memory, the stack or vectors is told in C,
 * with random values loaded. x86-64 only; not thread safe.
 */
#ifndef FT_TESTS_ORACLE_RANDOM_UNIT_H
#define FT_TESTS_ORACLE_RANDOM_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/x86/instruction.h"
#include "tests/support/random.h"

/* 64 bits, often small, negative, or close to where 32-bit arithmetic wraps. */
uint64_t random_value(uint64_t *random);

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
    uint8_t meaning;     /* private to random_unit.c */
    uint8_t number;      /* a register, or a row of a table */
    uint8_t size_bytes;
    bool rep, conditional;
    uint32_t amount;
    struct random_memory memory;
};

struct machine {
    uint64_t registers[FT_REGISTER_COUNT];
    uint64_t vectors[32][8];
    uint64_t masks[8];
    uint64_t popped_flags; /* what a popf is about to load */
    bool direction_down;
};

struct random_access {
    uint64_t address;
    uint32_t size_bytes;
    uint8_t kind; /* enum ft_access_kind */
};
typedef void random_visitor(void *context, const struct random_access *access);

#define RANDOM_UNIT_MAX 24

/* Maps room for code that runs single instructions; false where that is not possible. First. */
bool machine_start(void);

/* `count` instructions; is_loop ends them with a conditional branch to the first, else there may be
 * branches inside that are not taken. Gives
 * the number of bytes, which *ret_code gets. */
size_t random_unit(uint64_t *random, bool is_loop, unsigned count,
                   struct random_instruction *ret_instructions, uint8_t *ret_code);

void random_machine(uint64_t *random, struct machine *ret_machine);

/* Before an instruction: decides what it will find (a count, flags). */
void machine_prepare(struct machine *machine, const struct random_instruction *instruction,
                     uint64_t *random);
void machine_step(struct machine *machine, const struct random_instruction *instruction,
                  uint64_t *random, random_visitor *visit, void *context);

#endif
