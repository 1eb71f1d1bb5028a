/*
 * Running single instructions on the processor, with all registers given, and seeing what they do:
 * for tests of the decoder. An instruction is copied to a page of its own, followed by a jump
 * back; a signal handler notes a fault and goes on behind it. RSP is left alone: what uses it
 * cannot be run, nor what changes the flow or the system. One thread, one process.
 */
#ifndef FT_TESTS_ORACLE_PROCESSOR_H
#define FT_TESTS_ORACLE_PROCESSOR_H

#include "tests/oracle/machine_state.h"

struct ft_processor_state {
    uint64_t registers[16]; /* enum ft_register; RSP is not loaded */
    uint64_t masks[8];
    uint8_t vectors[32][64];
};

struct ft_processor_result {
    int signal;             /* 0: none */
    int code;               /* si_code of the signal */
    uint64_t registers[16]; /* afterwards */
};

/* False where the processor lacks AVX2, or memory is refused. */
bool ft_processor_open(void);
/* Small random numbers in all registers, RCX 1; signs at random in vector 3, which is the second
 * operand of generated instructions. */
void ft_processor_randomise(struct ft_processor_state *state);
void ft_processor_run(const uint8_t *code, size_t length, const struct ft_processor_state *state,
                      struct ft_processor_result *ret_result);

struct ft_form {
    const uint8_t *code;
    struct ft_instruction instruction;
    ZydisDecodedInstruction decoded;
};
typedef void ft_form_visitor(void *context, const struct ft_form *form);

/* Calls visit once for every instruction of libc, and for everything that can be encoded with an
 * operand in memory ([rax+rdx*4], [rax+xmm2*4]) or a register, that can be run here. */
void ft_visit_all_forms(ft_form_visitor *visit, void *context);

/* Prints name, bytes and message as a remark of a test. */
void ft_print_form(const struct ft_form *form, const char *message);

#endif
