/*
 * What an instruction does to the registers that addresses are made of, compiled once from Zydis's
 * operands: an assignment computes a register's new value from old ones where that is possible;
 * every other written register is forgotten. Values are 64 bits and wrap. Vector and mask
 * registers are followed as far as masks need it: which are written, and which are set to all
 * ones. Pure functions, thread safe.
 */
#ifndef FT_FORMATS_X86_EFFECT_H
#define FT_FORMATS_X86_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/x86/instruction.h"

/* The part of an assignment that is not linear: ((x << left) >> right) & mask, where the right
 * shift brings in copies of the sign if is_signed. */
struct ft_narrowing {
    uint8_t left, right;
    bool is_signed;
    uint64_t mask;
};
#define FT_NARROWING_NONE ((struct ft_narrowing){.mask = UINT64_MAX})
#define FT_NARROWING_32   ((struct ft_narrowing){.mask = UINT32_MAX})

static inline uint64_t ft_narrow(const struct ft_narrowing *narrowing, uint64_t value)
{
    value <<= narrowing->left;
    value = narrowing->is_signed ? (uint64_t)((int64_t)value >> narrowing->right)
                                 : value >> narrowing->right;
    return value & narrowing->mask;
}

static inline bool ft_narrowing_is_none(const struct ft_narrowing *narrowing)
{
    return narrowing->left == 0 && narrowing->right == 0 && narrowing->mask == UINT64_MAX;
}

/* target = narrowing(constant + a_factor * a + b_factor * b), all from the values before the
 * instruction. */
struct ft_assignment {
    uint8_t target;         /* enum ft_register */
    uint8_t a, b;           /* enum ft_register or FT_NO_REGISTER; b is used only beside a */
    bool follows_direction; /* string instructions: b_factor and the constant change their sign
                               where DF = 1 */
    struct ft_narrowing narrowing;
    uint64_t a_factor, b_factor, constant;
};

#define FT_ASSIGNMENTS_MAX 3

enum ft_direction_effect {
    FT_DIRECTION_KEPT,
    FT_DIRECTION_CLEARED, /* cld */
    FT_DIRECTION_SET,     /* std */
    FT_DIRECTION_LOADED,  /* popf: bit 10 of its flags slot */
};

struct ft_effect {
    uint8_t assignment_count;
    uint8_t direction;        /* enum ft_direction_effect */
    bool is_counted_branch;   /* loop, loope, loopne, jrcxz, jecxz */
    uint8_t masks_written;    /* bit per k0-k7 */
    uint32_t vectors_written; /* bit per number of the xmm, ymm, zmm register */
    uint16_t ones_bits;       /* the vector or mask written holds this many ones, from bit 0 on */
    uint32_t forgotten;       /* bit per enum ft_register: written, but by no assignment */
    uint32_t upper_zero;      /* those of them whose upper 32 bits are zero */
    struct ft_assignment assignments[FT_ASSIGNMENTS_MAX];
};

/* Decodes an instruction and its effect. */
int ft_effect_decode(const uint8_t *code, size_t length, uint64_t pc,
                     struct ft_instruction *ret_instruction, struct ft_effect *ret_effect,
                     struct ft_diag *diag);
/* The same, and Zydis's own view of it. */
int ft_effect_decode_full(const uint8_t *code, size_t length, uint64_t pc,
                          struct ft_instruction *ret_instruction, struct ft_effect *ret_effect,
                          ZydisDecodedInstruction *ret_decoded, struct ft_diag *diag);
/* The effect of an instruction that ft_instruction_decode_full decoded. */
void ft_effect_of(const struct ft_instruction *instruction, const ZydisDecodedInstruction *decoded,
                  const ZydisDecodedOperand *operands, struct ft_effect *ret_effect);

#endif
