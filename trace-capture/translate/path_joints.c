/*
 * A path is valid beyond a branch only while the branch goes the same way again.
 *
 *     conditional branches    leave by a side exit where they go the other way
 *     jumps, calls            need nothing, or the push of their return address
 *     indirect ones, returns  are predicted: their destination is looked at; where it is another,
 *                             the path is left in front of them, as if it had ended there
 *
 * The comparison must not change the flags. rcx, spilled, takes the target; lea subtracts the
 * predicted one in one step, or, if that has more than 31 bits, in two with the halves exchanged in
 * between (rorx); jrcxz tests the result. At the side exit rcx is the program's again, and the
 * branch runs as the first instruction of another unit.
 *
 * In a loop path side exits close the loop's record first (loop_exits.c).
 */
#include "trace-capture/translate/path_joints.h"

#include <string.h>

#include "trace-capture/target/context.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/unit_exits.h"

static void side_exit(struct ft_emission *emission, uint64_t target_pc, uint64_t field,
                      unsigned instructions, unsigned slots, int32_t bytes)
{
    struct ft_link *link = ft_emission_link(emission, target_pc, field);
    link->instructions = (uint8_t)instructions;
    link->slots = (uint16_t)slots;
    link->record_bytes = (uint16_t)bytes;
}

static void branch(struct ft_emission *emission, unsigned index, int32_t bytes)
{
    const struct ft_unit *unit = &emission->translation->unit;
    const struct ft_instruction *branch = &unit->instructions[index];
    uint64_t not_taken = branch->pc + branch->length;
    bool is_taken = branch[1].pc == branch->target && branch->target != not_taken;
    unsigned condition = (emission->decoded[index].opcode & 0xf) ^ (is_taken ? 1 : 0);
    uint64_t field = ft_emit_branch(&emission->emitter, condition, emission->emitter.address);
    side_exit(emission, is_taken ? not_taken : branch->target, field, index + 1,
              ft_unit_slots_before(unit, index + 1), bytes);
}

/* rcx minus `expected` into rcx, perhaps with the halves of the difference exchanged: 0 if
 * equal. */
static bool subtract(struct ft_emitter *emitter, uint64_t expected)
{
    static const uint8_t exchange_halves[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xc9, 32}; /* rorx rcx,rcx */
    int32_t low = (int32_t)(uint32_t)expected;
    uint64_t high = (expected - (uint64_t)(int64_t)low) >> 32;
    if (low == INT32_MIN || high > INT32_MAX)
        return false;
    if (high && !__builtin_cpu_supports("bmi2"))
        return false;
    ft_emit_lea(emitter, FT_RCX, FT_RCX, -low);
    if (high) {
        ft_emit_bytes(emitter, exchange_halves, sizeof exchange_halves);
        ft_emit_lea(emitter, FT_RCX, FT_RCX, -(int32_t)high);
    }
    return true;
}

/* Leaves the path before the index-th instruction if its target is not the next instruction of the
 * path. */
static int predict_target(struct ft_emission *emission, unsigned index, int32_t bytes,
                          struct ft_diag *diag)
{
    static const uint8_t jump_if_zero[] = {0xe3, 0};
    const struct ft_instruction *instruction = &emission->translation->unit.instructions[index];
    struct ft_emitter *emitter = &emission->emitter;
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rcx), FT_RCX);
    if (instruction->flow == FT_FLOW_RETURN)
        ft_emit_load(emitter, FT_RCX, FT_RSP, 0);
    else
        ft_emission_load_target(emission, index);
    if (!subtract(emitter, instruction[1].pc))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "an indirect branch whose target cannot be predicted");
    ft_emit_bytes(emitter, jump_if_zero, sizeof jump_if_zero);
    uint8_t *distance = emitter->at - 1;
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
    side_exit(emission, instruction->pc, ft_emit_jump(emitter, emitter->address), index,
              ft_unit_slots_before(&emission->translation->unit, index + 1), bytes);
    if (!emitter->overflow)
        *distance = (uint8_t)(emitter->at - (distance + 1));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
    return FT_OK;
}

int ft_emission_joint(struct ft_emission *emission, unsigned index, int32_t bytes,
                      struct ft_diag *diag)
{
    const struct ft_instruction *instruction = &emission->translation->unit.instructions[index];
    uint64_t next_pc = instruction->pc + instruction->length;
    int status = FT_OK;
    switch (instruction->flow) {
    case FT_FLOW_BRANCH:
        branch(emission, index, bytes);
        break;
    case FT_FLOW_CALL:
        ft_emission_push_return(emission, next_pc);
        break;
    case FT_FLOW_JUMP_INDIRECT:
        status = predict_target(emission, index, bytes, diag);
        break;
    case FT_FLOW_CALL_INDIRECT:
        status = predict_target(emission, index, bytes, diag);
        ft_emission_push_return(emission, next_pc);
        break;
    case FT_FLOW_RETURN:
        status = predict_target(emission, index, bytes, diag);
        ft_emit_lea(&emission->emitter, FT_RSP, FT_RSP, 8 + ft_emission_popped(emission, index));
        break;
    default: /* a jump */
        break;
    }
    return status;
}
