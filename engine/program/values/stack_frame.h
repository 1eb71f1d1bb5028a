/*
 * Which registers of a routine point into its stack frame, and which slots of the frame hold values
 * that are loaded again (spills, saved registers, arguments on the stack). A stack address is an
 * offset from a base: the stack pointer at the entry of the routine, or after an alignment. Slots
 * that pointers may reach are told apart: everything from the lowest address that was stored
 * anywhere but in the stack and frame pointer (compilers lay out objects upwards from there).
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_STACK_FRAME_H
#define FT_ENGINE_PROGRAM_VALUES_STACK_FRAME_H

#include "engine/program/values/routine_code.h"

struct ft_stack_address {
    uint32_t base; /* 0: not known to be on the stack; 1 + local block at whose entry it is taken; 1
                      + block_count + local instruction that aligns it */
    int64_t offset;
};

struct ft_stack_state {
    struct ft_stack_address registers[FT_R15 + 1];
};

struct ft_stack_slot {
    struct ft_stack_address address;
    uint32_t size_bytes;
};

struct ft_stack_frame {
    struct ft_stack_state *at_start; /* per local block */
    struct ft_stack_slot *slots;     /* by base, offset, size */
    size_t slot_count;
    struct ft_stack_address *reached; /* per base: the lowest address that pointers may hold */
    size_t reached_count;
    size_t state_capacity, slot_capacity, reached_capacity;
    bool *known; /* per local block: at_start is known */
    size_t known_capacity;
};

/* `frame` is {0} or was used before. */
int ft_stack_frame_make(struct ft_stack_frame *frame, const struct ft_routine_code *code,
                        struct ft_diag *diag);
void ft_stack_frame_fini(struct ft_stack_frame *frame);

/* The state after a local instruction. */
void ft_stack_step(const struct ft_routine_code *code, uint32_t instruction,
                   struct ft_stack_state *state);
/* The address of an access; base 0 if it is not on the stack. ret_exact: it has no index. */
struct ft_stack_address ft_stack_access(const struct ft_stack_state *state,
                                        const struct ft_access *access, bool *ret_exact);
/* The slot of an access, or slot_count. */
size_t ft_stack_slot_at(const struct ft_stack_frame *frame, struct ft_stack_address address,
                        uint32_t size_bytes);
/* Whether pointers may reach a slot. */
bool ft_stack_is_reached(const struct ft_stack_frame *frame, const struct ft_stack_slot *slot);

/* Registers that a call preserves (System V ABI). */
#define FT_CALL_KEEPS                                                                              \
    (UINT64_C(1) << FT_RBX | UINT64_C(1) << FT_RSP | UINT64_C(1) << FT_RBP |                       \
     UINT64_C(1) << FT_R12 | UINT64_C(1) << FT_R13 | UINT64_C(1) << FT_R14 |                       \
     UINT64_C(1) << FT_R15 | UINT64_C(1) << FT_FS_BASE | UINT64_C(1) << FT_GS_BASE)

#endif
