/*
 * A loop is left in the middle of an iteration by a fault or because its code has changed: its
 * record is closed with the complete iterations, as at the head, and the incomplete one becomes a
 * partial record. For that, the registers at the head of the iteration are computed back from the
 * current ones if the loop's instructions change them by known amounts; else by simulating the loop
 * from its record on, iteration by iteration.
 */
#include "trace-capture/tracer/faulted_loops.h"

#include <string.h>

#include "formats/x86/known_registers.h"
#include "trace-capture/target/region.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/registers.h"
#include "trace-capture/translate/loop_exits.h"
#include "trace-capture/translate/translation.h"

#define STEPS_MAX (1U << 24) /* instructions of a loop that are simulated */

/* How many complete iterations the loop with its record at `record` has made; `head` has the
 * induction register as it was at the head. */
static uint64_t iterations_of(struct ft_thread *thread, const struct ft_translation *translation,
                              struct user_regs_struct *head, uint64_t record)
{
    const struct ft_unit *unit = &translation->unit;
    uint64_t pointer = *ft_register_of(head, translation->pointer), first = 0, bytes = 0;
    uint32_t offset = FT_LOOP_ENTRY_BYTES;
    switch (unit->count_source) {
    case FT_COUNT_COUNTER:
        return head->r11;
    case FT_COUNT_INDUCTION:
        for (unsigned i = 0; unit->slots[i].source != unit->induction_register; i++)
            offset += unit->slots[i].size_bytes;
        memcpy(&first, ft_log_at(thread, record) + offset, sizeof first);
        return (uint64_t)((int64_t)(*ft_register_of(head, unit->induction_register) - first) /
                          unit->induction_stride);
    default:
        for (unsigned i = unit->entry_slot_count; i < unit->slot_count; i++)
            bytes += unit->slots[i].size_bytes;
        return bytes ? (pointer - record - ft_log_loop_entry_bytes(unit)) / bytes : 0;
    }
}

/* Simulates an iteration of a loop from the registers at its head; returns the end of its
 * values. */
static const uint8_t *follow_iteration(const struct ft_unit *unit, const struct ft_effect *effects,
                                       const uint8_t *values, struct ft_registers *registers)
{
    unsigned slot = unit->entry_slot_count;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        for (; slot < unit->slot_count && unit->slots[slot].instruction == i; slot++) {
            uint64_t value = 0;
            if (unit->slots[slot].kind == FT_SLOT_REGISTER) {
                memcpy(&value, values, unit->slots[slot].size_bytes);
                ft_registers_set(registers, unit->slots[slot].source, value);
            }
            values += unit->slots[slot].size_bytes;
        }
        ft_registers_step(registers, &effects[i], false);
    }
    return values;
}

/* The entry slots' values at the head of the current iteration, by simulating all iterations from
 * the record on; false if that takes too long or a value is unknown. */
static bool follow_iterations(struct ft_thread *thread, const struct ft_unit *unit, uint64_t record,
                              uint64_t iterations, uint64_t *ret_values)
{
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    struct ft_registers registers = {0};
    const uint8_t *values = ft_log_at(thread, record) + FT_LOOP_ENTRY_BYTES;
    if (iterations > STEPS_MAX / unit->instruction_count ||
        ft_unit_effects(unit, effects, NULL) < 0)
        return false;
    for (unsigned i = 0; i < unit->entry_slot_count; i++, values += sizeof *ret_values) {
        memcpy(&ret_values[i], values, sizeof *ret_values);
        ft_registers_set(&registers, unit->slots[i].source, ret_values[i]);
    }
    for (uint64_t iteration = 0; iteration < iterations; iteration++)
        values = follow_iteration(unit, effects, values, &registers);
    bool all_known = true;
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        all_known = all_known && (registers.known >> unit->slots[i].source & 1);
        ret_values[i] = registers.value[unit->slots[i].source];
    }
    return all_known;
}

uint64_t ft_log_close_faulted_loop(struct ft_thread *thread,
                                   const struct ft_translation *translation,
                                   const struct user_regs_struct *registers, unsigned instructions)
{
    const struct ft_unit *unit = &translation->unit;
    struct user_regs_struct head = *registers;
    uint64_t values[FT_REGISTER_COUNT];
    bool is_known = true, is_induction = unit->count_source == FT_COUNT_INDUCTION;
    uint64_t pointer = *ft_register_of(&head, translation->pointer);
    uint64_t record = is_induction ? pointer : ft_region_context(&thread->region)->loop_record;
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        unsigned number = unit->slots[i].source;
        uint64_t delta = 0;
        bool is_delta = ft_registers_delta(unit, number, instructions, &delta);
        values[i] = ft_log_program_register(thread, unit, registers, number) - delta;
        if (is_delta && is_induction && number == unit->induction_register)
            *ft_register_of(&head, number) = values[i];
        is_known = is_known && is_delta;
    }
    if (!is_known)
        is_known = follow_iterations(thread, unit, record,
                                     iterations_of(thread, translation, &head, record), values);
    uint8_t iteration[FT_LOG_RECORD_BYTES_MAX];
    uint32_t bytes = unit->entry_slot_count * (uint32_t)sizeof *values, logged = 0;
    for (unsigned i = unit->entry_slot_count; i < unit->slot_count; i++)
        if (unit->slots[i].instruction <= instructions)
            logged += unit->slots[i].size_bytes;
    if (unit->slot_count > unit->entry_slot_count)
        memcpy(iteration, ft_log_at(thread, pointer), logged);
    uint64_t end = ft_log_close_loop(thread, translation, &head);
    if (!is_known)
        return end;
    uint32_t escape[4] = {0, FT_ESCAPE_PARTIAL, unit->id, instructions};
    uint8_t *at = ft_log_at(thread, end);
    memcpy(at, escape, sizeof escape);
    memcpy(at + sizeof escape, values, bytes);
    memcpy(at + sizeof escape + bytes, iteration, logged);
    return end + sizeof escape + bytes + logged;
}
