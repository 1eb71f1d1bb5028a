/*
 * The target writes records at its log pointer without any check; behind the buffer lies memory
 * that it may not write but the host may (context.h). When it faults there, what is whole is
 * copied to the drain, the record it was about to write moves to the start of the buffer, and the
 * instruction is run again. There is one buffer, so that it stays in the caches of the target's
 * processor: handing buffers over cost twice the time (python3: 1.1 s against 0.55 s of CPU).
 *
 * A full buffer starts between two records, so that it can be decoded alone: its state is the
 * stack pointer at the start of the moved record, worked back from the present one by what the
 * unit's instructions so far did to it; where they did more than add to it, worked out from the
 * records of the whole buffer. Loops fault only at entry or at their head, where
 * everything is known: there the record is closed, and a new one goes on at the buffer's start.
 */
#include <string.h>

#include "trace-capture/capture.h"

#define LOOP_ENTRY    12U
#define LOOP_END_WORD 4U

static uint8_t *host_of(const struct ft_capture *capture, uint64_t address)
{
    return ft_code_cache_host(&capture->cache, address);
}

uint64_t ft_log_buffer_start(const struct ft_capture *capture)
{
    return capture->cache.context_address + FT_LOG_BUFFER;
}

void ft_log_buffer_open(struct ft_capture *capture, const struct ft_log_state *state)
{
    capture->buffer_state = *state;
}

void ft_log_buffer_close(struct ft_capture *capture, uint64_t end)
{
    uint64_t start = ft_log_buffer_start(capture);
    ft_drain_submit(capture->drain, host_of(capture, start), end - start, start,
                    &capture->buffer_state);
}

void ft_log_escape(struct ft_capture *capture, uint64_t *log_pointer, uint32_t kind, uint64_t value)
{
    uint32_t head[2] = {0, kind};
    uint8_t *at = host_of(capture, *log_pointer);
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, &value, sizeof value);
    *log_pointer += sizeof head + sizeof value;
}

bool ft_log_buffer_holds(const struct ft_capture *capture, uint64_t address)
{
    return address - ft_log_buffer_start(capture) <= FT_LOG_BUFFER_BYTES;
}

bool ft_log_buffer_guards(const struct ft_capture *capture, uint64_t address)
{
    uint64_t guard = ft_log_buffer_start(capture) + FT_LOG_BUFFER_BYTES;
    return address - guard < FT_LOG_GUARD_BYTES;
}

static uint32_t entry_bytes_of(const struct ft_unit *unit)
{
    uint32_t bytes = LOOP_ENTRY;
    for (unsigned i = 0; i < unit->entry_slot_count; i++)
        bytes += unit->slots[i].size_bytes;
    return bytes;
}

/* Starts the loop's record anew at `start`: registers have the values of the loop's head. Vectors
 * and masks among the entry slots do not change in the loop: they come from the old record. */
static void reopen_loop(struct ft_capture *capture, const struct ft_unit *unit, uint64_t start,
                        const uint8_t *old, struct user_regs_struct *registers)
{
    uint8_t *at = host_of(capture, start);
    memcpy(at, &unit->id, sizeof unit->id);
    uint32_t offset = LOOP_ENTRY;
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        if (slot->kind == FT_SLOT_REGISTER)
            memcpy(at + offset, ft_register_of(registers, slot->source), slot->size_bytes);
        else
            memmove(at + offset, old + offset, slot->size_bytes);
        offset += slot->size_bytes;
    }
}

/* The number of instructions of the unit whose code ran before the address. */
static unsigned instructions_before(const struct ft_translation *translation, uint64_t address)
{
    unsigned index = ft_translation_instruction(translation, address);
    return index < translation->unit.instruction_count ? index
                                                       : translation->unit.instruction_count;
}

int ft_log_buffer_full(struct ft_capture *capture, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    const struct ft_translation *translation = ft_code_cache_at(&capture->cache, registers->rip);
    if (!translation)
        return ft_fail(diag, FT_ERROR_FAILURE, "the log overflowed outside of translated code");
    const struct ft_unit *unit = &translation->unit;
    unsigned long long *pointer = ft_register_of(registers, translation->pointer);
    bool in_loop = unit->kind == FT_UNIT_LOOP && registers->rip >= translation->head;
    struct ft_log_state state = {.rsp = registers->rsp,
                                 .fs_base = capture->fs_base,
                                 .direction_down = (registers->eflags & 0x400) != 0};
    uint64_t record = *pointer;
    uint64_t start = ft_log_buffer_start(capture);
    if (in_loop) {
        struct ft_context *context = ft_code_cache_context(&capture->cache);
        uint8_t *old = host_of(capture, context->loop_record);
        memcpy(old + LOOP_END_WORD, &record, sizeof record);
        ft_log_buffer_close(capture, record);
        ft_log_buffer_open(capture, &state);
        reopen_loop(capture, unit, start, old, registers);
        context->loop_record = start;
        *pointer = start + entry_bytes_of(unit);
        return FT_OK;
    }
    unsigned before =
        unit->kind == FT_UNIT_LOOP ? 0 : instructions_before(translation, registers->rip);
    if (translation->stack_delta[before] != FT_STACK_UNKNOWN) {
        state.rsp -= (uint64_t)(int64_t)translation->stack_delta[before];
    } else {
        state = capture->buffer_state;
        int status = ft_drain_follow(capture->drain, host_of(capture, start), record - start, start,
                                     &state, diag);
        if (status < 0)
            return status;
    }
    uint64_t limit = start + FT_LOG_BUFFER_BYTES;
    ft_log_buffer_close(capture, record);
    ft_log_buffer_open(capture, &state);
    if (record < limit)
        memmove(host_of(capture, start), host_of(capture, record), limit - record);
    *pointer = start;
    return FT_OK;
}

uint64_t ft_log_close_loop(struct ft_capture *capture, const struct ft_translation *translation,
                           const struct user_regs_struct *registers)
{
    const struct ft_unit *unit = &translation->unit;
    struct user_regs_struct copy = *registers;
    uint64_t pointer = *ft_register_of(&copy, translation->pointer);
    uint64_t record = ft_code_cache_context(&capture->cache)->loop_record;
    uint64_t end_word, end;
    switch (unit->count_source) {
    case FT_COUNT_INDUCTION:
        record = pointer;
        end_word = *ft_register_of(&copy, unit->induction_register);
        end = record + entry_bytes_of(unit);
        break;
    case FT_COUNT_COUNTER:
        end_word = registers->r11;
        end = record + entry_bytes_of(unit);
        break;
    default:
        end_word = pointer;
        end = pointer;
        break;
    }
    memcpy(host_of(capture, record) + LOOP_END_WORD, &end_word, sizeof end_word);
    return end;
}

uint64_t ft_log_close_partial(struct ft_capture *capture, const struct ft_translation *translation,
                              const struct user_regs_struct *registers, unsigned instructions)
{
    const struct ft_unit *unit = &translation->unit;
    struct user_regs_struct copy = *registers;
    uint64_t record = *ft_register_of(&copy, translation->pointer);
    uint32_t head[4] = {0, FT_ESCAPE_PARTIAL, unit->id, instructions};
    uint32_t bytes = 0;
    for (unsigned i = 0; i < unit->slot_count; i++)
        if (unit->slots[i].instruction <= instructions)
            bytes += unit->slots[i].size_bytes;
    uint8_t *at = host_of(capture, record);
    memmove(at + sizeof head, at + sizeof unit->id, bytes);
    memcpy(at, head, sizeof head);
    return record + sizeof head + bytes;
}
