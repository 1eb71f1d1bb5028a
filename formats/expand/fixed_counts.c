/*
 * Most units are moves and arithmetic around a stack pointer that moves by constants. What their
 * records count is read off their instructions, of which only those that may move RSP or turn the
 * direction are decoded again, which is far less than to compile the unit. Whatever is not as plain
 * as that is left to the compiled program.
 */
#include "formats/expand/expand.h"
#include "formats/expand/program.h"

/* One access each, wherever it is; prefetches count by themselves. */
static bool count_accesses(const struct ft_instruction *instruction, struct ft_log_totals *totals)
{
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        if (access->mode != FT_ACCESS_PLAIN && access->mode != FT_ACCESS_BIT &&
            access->mode != FT_ACCESS_TABLE)
            return false;
        *(access->kind == FT_PREFETCH ? &totals->prefetches : &totals->accesses) += 1;
    }
    return true;
}

/* Whether the instruction may turn the direction flag. The opcode of those that do is their last
 * byte; with others it may be anything. */
static bool may_turn(const uint8_t *code, unsigned length)
{
    const uint8_t last = code[length - 1];
    return last == 0xfc || last == 0xfd || last == 0x9d; /* cld, std, popf */
}

/* Moves *rsp as the instruction does, if that is by a constant and nothing else of the state
 * changes. */
static bool move_stack(const struct ft_instruction *instruction, const uint8_t *code, uint64_t *rsp)
{
    struct ft_instruction decoded;
    struct ft_effect effect;
    if (ft_effect_decode(code, instruction->length, instruction->pc, &decoded, &effect, NULL) ||
        effect.direction != FT_DIRECTION_KEPT || effect.forgotten >> FT_RSP & 1)
        return false;
    for (unsigned i = 0; i < effect.assignment_count; i++) {
        const struct ft_assignment *assignment = &effect.assignments[i];
        if (assignment->target != FT_RSP)
            continue;
        if (assignment->a != FT_RSP || assignment->a_factor != 1 ||
            assignment->b != FT_NO_REGISTER || assignment->follows_direction ||
            !ft_narrowing_is_none(&assignment->narrowing))
            return false;
        *rsp += assignment->constant;
    }
    return true;
}

bool ft_unit_fixed(const struct ft_unit *unit, struct ft_log_totals *ret_each, uint64_t *ret_rsp)
{
    struct ft_log_totals each = {0};
    uint64_t rsp = 0;
    const uint8_t *code = unit->code;
    if (unit->kind != FT_UNIT_PLAIN && unit->kind != FT_UNIT_PATH)
        return false;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        if (instruction->registers_written >> FT_FS_BASE & 1 || !count_accesses(instruction, &each))
            return false;
        if ((instruction->registers_written >> FT_RSP & 1 || may_turn(code, instruction->length)) &&
            !move_stack(instruction, code, &rsp))
            return false;
        code += instruction->length;
    }
    each.instructions = unit->instruction_count;
    *ret_each = each;
    *ret_rsp = rsp;
    return true;
}
