/*
 * A unit's definition: fixed fields, code bytes, slots. Units without code have a table in its
 * place (reference_unit.h).
 */
#include "formats/x86/unit.h"

#include <stdlib.h>
#include <string.h>

void ft_unit_fini(struct ft_unit *unit)
{
    if (!unit->shares_memory) {
        free(unit->code);
        free(unit->slots);
        free(unit->instructions);
        free(unit->pieces);
    }
    *unit = (struct ft_unit){0};
}

const uint8_t *ft_unit_code(const struct ft_unit *unit, const struct ft_instruction *instruction)
{
    size_t offset = 0;
    if (!ft_unit_is_path(unit))
        return unit->code + (instruction->pc - unit->pc);
    for (const struct ft_instruction *i = unit->instructions; i < instruction; i++)
        offset += i->length;
    return unit->code + offset;
}

bool ft_unit_repeats_strings(const struct ft_unit *unit)
{
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (unit->instructions[i].rep)
            return true;
    return false;
}

unsigned ft_unit_slots_before(const struct ft_unit *unit, unsigned instruction_count)
{
    unsigned count = 0;
    while (count < unit->slot_count && unit->slots[count].instruction < instruction_count)
        count++;
    return count;
}

uint64_t ft_unit_loop_exit(const struct ft_unit *unit)
{
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
    if (last->flow != FT_FLOW_BRANCH)
        return 0;
    return last->target == unit->pc ? last->pc + last->length : last->target;
}

bool ft_is_predicted(const struct ft_instruction *instruction)
{
    return instruction->flow == FT_FLOW_JUMP_INDIRECT ||
           instruction->flow == FT_FLOW_CALL_INDIRECT || instruction->flow == FT_FLOW_RETURN;
}

bool ft_path_may_go_on(const struct ft_instruction *instruction, uint64_t pc)
{
    uint64_t next = instruction->pc + instruction->length;
    switch (instruction->flow) {
    case FT_FLOW_NEXT:
        return pc == next;
    case FT_FLOW_BRANCH:
        return pc == next || pc == instruction->target;
    case FT_FLOW_JUMP:
    case FT_FLOW_CALL:
        return pc == instruction->target;
    default:
        return ft_is_predicted(instruction);
    }
}

uint32_t ft_unit_module(const struct ft_unit *unit, unsigned index)
{
    uint32_t module = unit->module;
    for (unsigned p = 0; p < unit->piece_count && unit->pieces[p].first <= index; p++)
        module = unit->pieces[p].module;
    return module;
}

/* Leaves of a unit its first instructions. */
static void cut_off(struct ft_unit *unit, unsigned instruction_count, unsigned slot_count)
{
    const struct ft_instruction *last = &unit->instructions[instruction_count - 1];
    unit->code_bytes = (uint16_t)(ft_unit_code(unit, last) - unit->code + last->length);
    unit->instruction_count = (uint8_t)instruction_count;
    unit->slot_count = unit->entry_slot_count = (uint16_t)slot_count;
    while (unit->piece_count && unit->pieces[unit->piece_count - 1].first >= instruction_count)
        unit->piece_count--;
    unit->has_granules = unit->has_granules && ft_unit_repeats_strings(unit);
}

struct ft_unit ft_unit_prefix(const struct ft_unit *unit, unsigned instruction_count,
                              unsigned slot_count)
{
    struct ft_unit prefix = *unit;
    prefix.id = 0;
    prefix.shares_memory = true;
    prefix.beginning_of = ft_unit_is_path(unit) ? unit->id : 0;
    if (unit->kind == FT_UNIT_LOOP_PATH) {
        prefix.last_iteration_instructions = (uint8_t)instruction_count;
        prefix.last_iteration_slots = (uint16_t)(slot_count - unit->entry_slot_count);
    } else {
        cut_off(&prefix, instruction_count, slot_count);
    }
    return prefix;
}

static uint64_t slot_words(const struct ft_unit *unit, unsigned first, unsigned end)
{
    uint64_t words = 0;
    for (unsigned s = first; s < end; s++)
        words += ft_slot_words(&unit->slots[s]);
    return words;
}

uint64_t ft_unit_last_iteration_words(const struct ft_unit *unit)
{
    return slot_words(unit, unit->entry_slot_count,
                      unit->entry_slot_count + unit->last_iteration_slots);
}

uint64_t ft_unit_value_count(const struct ft_unit *unit, uint64_t iterations)
{
    if (!ft_unit_is_loop(unit))
        return slot_words(unit, 0, unit->slot_count);
    return slot_words(unit, 0, unit->entry_slot_count) +
           iterations * slot_words(unit, unit->entry_slot_count, unit->slot_count) +
           ft_unit_last_iteration_words(unit);
}

void ft_unit_write(const struct ft_unit *unit, struct ft_bytes *bytes)
{
    ft_put_u32(bytes, unit->id);
    ft_put_u32(bytes, unit->module);
    ft_put_u64(bytes, unit->pc);
    ft_put_u8(bytes, unit->has_granules ? unit->kind | FT_UNIT_GRANULES : unit->kind);
    ft_put_u8(bytes, unit->count_source);
    ft_put_u8(bytes, unit->induction_register);
    ft_put_u8(bytes, unit->instruction_count);
    ft_put_u64(bytes, (uint64_t)unit->induction_stride);
    ft_put_u16(bytes, unit->code_bytes);
    ft_put_u16(bytes, unit->slot_count);
    ft_put_u16(bytes, unit->entry_slot_count);
    ft_put(bytes, unit->code, unit->code_bytes);
    for (unsigned s = 0; s < unit->slot_count; s++) {
        ft_put_u8(bytes, unit->slots[s].kind);
        ft_put_u8(bytes, unit->slots[s].source);
        ft_put_u8(bytes, unit->slots[s].size_bytes);
        ft_put_u8(bytes, unit->slots[s].instruction);
    }
    if (!ft_unit_is_path(unit))
        return;
    ft_put_u32(bytes, unit->beginning_of);
    ft_put_u8(bytes, unit->piece_count);
    for (unsigned p = 0; p < unit->piece_count; p++) {
        ft_put_u8(bytes, unit->pieces[p].first);
        ft_put_u32(bytes, unit->pieces[p].module);
        ft_put_u64(bytes, unit->instructions[unit->pieces[p].first].pc);
    }
    if (unit->kind != FT_UNIT_LOOP_PATH)
        return;
    ft_put_u8(bytes, unit->last_iteration_instructions);
    ft_put_u16(bytes, unit->last_iteration_slots);
}
