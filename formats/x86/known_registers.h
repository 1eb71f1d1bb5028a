/*
 * The simulation of registers that planner, expander and their checks share, so that they cannot
 * disagree: which registers are known, with which values, after each instruction (effect.h).
 *
 * Pure functions, thread safe.
 */
#ifndef FT_FORMATS_X86_KNOWN_REGISTERS_H
#define FT_FORMATS_X86_KNOWN_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/x86/effect.h"
#include "formats/x86/unit.h"

/* Known at the start of every unit, and again at its end. */
#define FT_STATE_REGISTERS (1U << FT_RSP | 1U << FT_FS_BASE)

struct ft_registers {
    uint64_t value[FT_REGISTER_COUNT]; /* 0 where not known */
    uint32_t known;                    /* bit per enum ft_register */
};

void ft_registers_set(struct ft_registers *registers, unsigned number, uint64_t value);
void ft_registers_step(struct ft_registers *registers, const struct ft_effect *effect,
                       bool direction_down);

/* Decodes the effects of a unit's instructions, instruction_count of them. */
int ft_unit_effects(const struct ft_unit *unit, struct ft_effect *ret_effects,
                    struct ft_diag *diag);

/* What the first `count` instructions of a unit add to a register; false where they do not just
 * add.
 */
bool ft_registers_delta(const struct ft_unit *unit, unsigned number, unsigned count,
                        uint64_t *ret_delta);

/* Registers that the address of an access is computed from; rcx too where it counts elements. */
uint32_t ft_access_registers(const struct ft_instruction *instruction,
                             const struct ft_access *access);

#endif
