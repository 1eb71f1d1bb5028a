/*
 * A machine that runs random instructions one by one. What only changes general registers runs on
 * the processor itself; the effects on memory, the stack and vectors are written in C, with random
 * values loaded. x86-64 only; not thread safe.
 */
#ifndef FT_TESTS_ORACLE_RANDOM_MACHINE_H
#define FT_TESTS_ORACLE_RANDOM_MACHINE_H

#include "tests/oracle/random_instruction.h"

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

/* Maps room for code that runs single instructions; false where that is not possible. First. */
bool machine_start(void);
/* The stub of an instruction that runs natively, the one at this position in its unit. */
void machine_make_stub(struct random_instruction *instruction, unsigned position);

void random_machine(uint64_t *random, struct machine *ret_machine);

/* Before an instruction: decides what it will find (a count, flags). */
void machine_prepare(struct machine *machine, const struct random_instruction *instruction,
                     uint64_t *random);
void machine_step(struct machine *machine, const struct random_instruction *instruction,
                  uint64_t *random, random_visitor *visit, void *context);

#endif
