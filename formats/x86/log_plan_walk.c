/*
 * A walk follows where each register's value comes from. A value is known, or it depends on one
 * symbol: an unknown value that some register holds just before some instruction (at the start,
 * after a load). What is computed from known values and one symbol depends on the same symbol; what
 * is computed from two becomes a symbol of its own. When an address needs a value that depends on a
 * symbol, the symbol is logged where it came into being, and all that depends on it is known,
 * before and after.
 */
#include <string.h>

#include "formats/x86/known_registers.h"
#include "formats/x86/log_planning.h"

bool ft_plan_is_string(const struct ft_instruction *instruction)
{
    return instruction->access_count && instruction->accesses[0].mode == FT_ACCESS_STRING;
}

static int16_t add_symbol(struct ft_plan_walk *walk, unsigned number, unsigned instruction,
                          uint8_t size_bytes)
{
    walk->symbols[walk->symbol_count] = (struct ft_plan_symbol){
        .number = (uint8_t)number, .instruction = (uint8_t)instruction, .size_bytes = size_bytes};
    return (int16_t)walk->symbol_count++;
}

static struct ft_plan_value symbol_value(int16_t symbol)
{
    return (struct ft_plan_value){.symbol = symbol, .base = FT_NO_REGISTER};
}

static void add_slot(struct ft_plan_walk *walk, struct ft_slot slot)
{
    if (walk->slot_count == FT_UNIT_SLOTS_MAX)
        walk->overflows = true;
    else
        walk->slots[walk->slot_count++] = slot;
}

static bool hangs(const struct ft_plan_walk *walk, const struct ft_plan_value *value)
{
    return value->symbol >= 0 && !walk->symbols[value->symbol].is_logged;
}

/* Makes a register's present value known. */
static void need(struct ft_plan_walk *walk, unsigned number)
{
    const struct ft_plan_value *value = &walk->values[number];
    walk->needed_heads |= value->heads;
    if (!hangs(walk, value))
        return;
    struct ft_plan_symbol *symbol = &walk->symbols[value->symbol];
    symbol->is_logged = true;
    add_slot(walk, (struct ft_slot){FT_SLOT_REGISTER, symbol->number, symbol->size_bytes,
                                    symbol->instruction});
}

static void need_lanes(struct ft_plan_walk *walk, unsigned index, const struct ft_access *access,
                       struct ft_slot needed)
{
    struct ft_lane_source source;
    if (ft_lanes_find(&walk->lanes, walk->slots, &needed, access, &source))
        return;
    needed.instruction = (uint8_t)index;
    add_slot(walk, needed);
    ft_lanes_set(&walk->lanes, &needed, (int16_t)(walk->slot_count - 1));
}

static void need_accesses(struct ft_plan_walk *walk, unsigned index)
{
    const struct ft_instruction *instruction = &walk->body->instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        struct ft_slot needed;
        for (uint32_t rest = ft_access_registers(instruction, access); rest; rest &= rest - 1)
            need(walk, (unsigned)__builtin_ctz(rest));
        if (ft_access_mask_slot(access, &needed))
            need_lanes(walk, index, access, needed);
        if (ft_access_index_slot(access, &needed))
            need_lanes(walk, index, access, needed);
    }
}

/* Where an assigned value comes from. Bytes and words that are cut out of an unknown register
 * become symbols of their own: 4 bytes instead of 8. */
static struct ft_plan_value assigned(struct ft_plan_walk *walk,
                                     const struct ft_plan_value old[FT_REGISTER_COUNT],
                                     const struct ft_assignment *assignment, unsigned index)
{
    const struct ft_narrowing *narrowing = &assignment->narrowing;
    struct ft_plan_value result = {.symbol = -1, .base = FT_NO_REGISTER};
    bool is_own_symbol = false;
    const uint8_t sources[2] = {assignment->a, assignment->b};
    for (unsigned i = 0; i < 2; i++) {
        if (sources[i] == FT_NO_REGISTER)
            continue;
        const struct ft_plan_value *source = &old[sources[i]];
        result.heads |= source->heads;
        if (!hangs(walk, source))
            continue;
        if (narrowing->left >= 48 || (result.symbol >= 0 && result.symbol != source->symbol))
            is_own_symbol = true;
        result.symbol = source->symbol;
    }
    if (is_own_symbol)
        return symbol_value(
            add_symbol(walk, assignment->target, index + 1, narrowing->mask <= UINT32_MAX ? 4 : 8));
    if (assignment->b == FT_NO_REGISTER && assignment->a != FT_NO_REGISTER &&
        assignment->a_factor == 1 && ft_narrowing_is_none(narrowing)) {
        result.base = old[assignment->a].base;
        result.offset = old[assignment->a].offset + assignment->constant;
    }
    return result;
}

static void walk_instruction(struct ft_plan_walk *walk, unsigned index)
{
    const struct ft_effect *effect = &walk->body->effects[index];
    need_accesses(walk, index);
    if (effect->direction == FT_DIRECTION_LOADED)
        add_slot(walk, (struct ft_slot){FT_SLOT_FLAGS, 0, 8, (uint8_t)index});
    struct ft_plan_value old[FT_REGISTER_COUNT];
    memcpy(old, walk->values, sizeof old);
    for (uint32_t rest = effect->forgotten; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        walk->values[number] = symbol_value(
            add_symbol(walk, number, index + 1, effect->upper_zero >> number & 1 ? 4 : 8));
    }
    for (unsigned i = 0; i < effect->assignment_count; i++)
        walk->values[effect->assignments[i].target] =
            assigned(walk, old, &effect->assignments[i], index);
    ft_lanes_step(&walk->lanes, effect);
    if (walk->body->instructions[index].rep_conditional)
        need(walk, FT_RCX);
}

/* What the next unit starts from. */
static void need_state(struct ft_plan_walk *walk)
{
    for (unsigned number = 0; number < FT_REGISTER_COUNT; number++)
        if (FT_STATE_REGISTERS >> number & 1)
            need(walk, number);
}

static void note_shifted(struct ft_plan_walk *walk)
{
    for (uint32_t rest = walk->shifted; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        if (walk->values[number].base != number)
            walk->shifted &= ~(1U << number);
    }
}

/* Whether another unit may follow behind the index-th instruction: it is the last, a branch, or
 * stands before a branch whose destination a path foretells. */
static bool may_leave_behind(const struct ft_plan_body *body, unsigned index)
{
    if (body->instructions[index].flow != FT_FLOW_NEXT || index + 1 == body->count)
        return true;
    return ft_is_predicted(&body->instructions[index + 1]);
}

void ft_plan_walk_body(struct ft_plan_walk *walk, const struct ft_plan_body *body, uint32_t known)
{
    walk->body = body;
    walk->needed_heads = 0;
    walk->symbol_count = 0;
    walk->slot_count = 0;
    walk->shifted = FT_GENERAL_REGISTERS;
    walk->overflows = false;
    ft_lanes_init(&walk->lanes);
    for (unsigned number = 0; number < FT_REGISTER_COUNT; number++) {
        if (known >> number & 1)
            walk->values[number] = (struct ft_plan_value){
                .heads = 1U << number, .symbol = -1, .base = (uint8_t)number};
        else
            walk->values[number] = symbol_value(add_symbol(walk, number, 0, 8));
    }
    for (unsigned index = 0; index < body->count; index++) {
        walk_instruction(walk, index);
        if (may_leave_behind(body, index)) {
            need_state(walk);
            note_shifted(walk);
        }
    }
}
