/*
 * Random code: instructions drawn from those that compile into addresses and from those that access
 * memory. random_machine.h runs them. x86-64 only; not thread safe.
 */
#ifndef FT_TESTS_ORACLE_RANDOM_UNIT_H
#define FT_TESTS_ORACLE_RANDOM_UNIT_H

#include "tests/oracle/random_instruction.h"

/* `count` instructions, after machine_start(); is_loop ends them with a conditional branch to the
 * first, else there may be branches inside that are not taken. Gives the number of bytes, which
 * *ret_code gets. */
size_t random_unit(uint64_t *random, bool is_loop, unsigned count,
                   struct random_instruction *ret_instructions, uint8_t *ret_code);

#endif
