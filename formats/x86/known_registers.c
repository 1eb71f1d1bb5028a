/*
 * A step reads all old values before it writes the first new one. An assignment is known where its
 * sources are; registers by no assignment are forgotten. References without code leave all
 * registers as they are.
 */
#include "formats/x86/known_registers.h"

#include <string.h>

void ft_registers_set(struct ft_registers *registers, unsigned number, uint64_t value)
{
    registers->value[number] = value;
    registers->known |= 1U << number;
}

static bool is_known(const struct ft_registers *registers, uint8_t number)
{
    return number == FT_NO_REGISTER || registers->known >> number & 1;
}

static uint64_t assigned_value(const struct ft_registers *registers,
                               const struct ft_assignment *assignment, bool direction_down)
{
    uint64_t sum = assignment->constant;
    if (assignment->b != FT_NO_REGISTER)
        sum += assignment->b_factor * registers->value[assignment->b];
    if (assignment->follows_direction && direction_down)
        sum = -sum;
    if (assignment->a != FT_NO_REGISTER)
        sum += assignment->a_factor * registers->value[assignment->a];
    return ft_narrow(&assignment->narrowing, sum);
}

static void forget(struct ft_registers *registers, uint32_t numbers)
{
    for (uint32_t lost = registers->known & numbers; lost; lost &= lost - 1)
        registers->value[__builtin_ctz(lost)] = 0;
    registers->known &= ~numbers;
}

void ft_registers_step(struct ft_registers *registers, const struct ft_effect *effect,
                       bool direction_down)
{
    uint64_t values[FT_ASSIGNMENTS_MAX] = {0};
    uint32_t known = 0; /* bit per assignment */
    for (unsigned i = 0; i < effect->assignment_count; i++) {
        const struct ft_assignment *assignment = &effect->assignments[i];
        if (is_known(registers, assignment->a) && is_known(registers, assignment->b)) {
            values[i] = assigned_value(registers, assignment, direction_down);
            known |= 1U << i;
        }
    }
    forget(registers, effect->forgotten);
    for (unsigned i = 0; i < effect->assignment_count; i++) {
        const uint8_t target = effect->assignments[i].target;
        if (known >> i & 1)
            ft_registers_set(registers, target, values[i]);
        else
            forget(registers, 1U << target);
    }
}

static uint32_t register_bit(uint8_t number)
{
    return number == FT_NO_REGISTER ? 0 : 1U << number;
}

uint32_t ft_access_registers(const struct ft_instruction *instruction,
                             const struct ft_access *access)
{
    uint32_t registers =
        register_bit(access->base) | register_bit(access->index) | register_bit(access->bit_offset);
    if (access->fs)
        registers |= 1U << FT_FS_BASE;
    if (access->gs)
        registers |= 1U << FT_GS_BASE;
    if (access->mode == FT_ACCESS_STRING && instruction->rep)
        registers |= 1U << FT_RCX;
    return registers;
}

int ft_unit_effects(const struct ft_unit *unit, struct ft_effect *ret_effects, struct ft_diag *diag)
{
    if (unit->kind == FT_UNIT_REFERENCES) {
        memset(ret_effects, 0, unit->instruction_count * sizeof *ret_effects);
        return 0;
    }
    size_t position = 0;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        struct ft_instruction instruction;
        int status =
            ft_effect_decode(unit->code + position, unit->instructions[i].length,
                             unit->instructions[i].pc, &instruction, &ret_effects[i], diag);
        if (status)
            return status;
        position += instruction.length;
    }
    return 0;
}

/* Tried from two values: a shift or a mask would tell. */
bool ft_registers_delta(const struct ft_unit *unit, unsigned number, unsigned count,
                        uint64_t *ret_delta)
{
    uint64_t deltas[2];
    for (unsigned trial = 0; trial < 2; trial++) {
        uint64_t start = trial ? UINT64_C(0x123456789) : 0;
        struct ft_registers registers = {0};
        ft_registers_set(&registers, number, start);
        for (unsigned i = 0; i < count; i++) {
            struct ft_instruction instruction;
            struct ft_effect effect;
            const struct ft_instruction *next = &unit->instructions[i];
            if (ft_effect_decode(ft_unit_code(unit, next), next->length, next->pc, &instruction,
                                 &effect, NULL) < 0)
                return false;
            ft_registers_step(&registers, &effect, false);
        }
        if (!(registers.known & 1U << number))
            return false;
        deltas[trial] = registers.value[number] - start;
    }
    *ret_delta = deltas[0];
    return deltas[0] == deltas[1];
}
