/*
 * The target writes records at its log pointer without any check; behind each buffer lies memory
 * that it may not write but the host may (context.h). When it faults there, the record it was
 * about to write is moved to the start of a new buffer and the instruction is run again.
 *
 * A buffer starts between two records, so that it can be decoded alone: its state is the stack
 * pointer at the start of the moved record, worked back from the present one by what the unit's
 * instructions so far did to it. Loops fault only at entry or at their head, where everything is
 * known: there the record is closed, and a new one goes on in the new buffer.
 */
#include <string.h>

#include "trace-capture/capture.h"

#define LOOP_ENTRY       12U
#define LOOP_END_WORD    4U
#define RECORD_BYTES_MAX (4U + FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX * 64U)

static uint8_t *host_of(const struct ft_capture *capture, uint64_t address)
{
    return ft_code_cache_host(&capture->cache, address);
}

void ft_log_buffer_open(struct ft_capture *capture, const struct ft_log_state *state)
{
    capture->buffer.index = ft_drain_free_buffer(capture->drain);
    capture->buffer.start = capture->cache.context_address + FT_BUFFERS +
                            (uint64_t)capture->buffer.index * FT_BUFFER_STRIDE;
    capture->buffer.state = *state;
}

void ft_log_buffer_close(struct ft_capture *capture, uint64_t end)
{
    const struct ft_target_buffer *buffer = &capture->buffer;
    ft_drain_submit(capture->drain,
                    &(struct ft_full_buffer){.data = host_of(capture, buffer->start),
                                             .bytes = end - buffer->start,
                                             .address = buffer->start,
                                             .state = buffer->state,
                                             .index = buffer->index});
}

void ft_log_escape(struct ft_capture *capture, uint64_t *log_pointer, uint32_t kind, uint64_t value)
{
    uint32_t head[2] = {0, kind};
    uint8_t *at = host_of(capture, *log_pointer);
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, &value, sizeof value);
    *log_pointer += sizeof head + sizeof value;
}

bool ft_log_buffer_guards(const struct ft_capture *capture, uint64_t address)
{
    uint64_t offset = address - capture->buffer.start;
    return offset >= FT_BUFFER_BYTES && offset < FT_BUFFER_STRIDE;
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
            memcpy(at + offset, old + offset, slot->size_bytes);
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
    uint8_t saved[RECORD_BYTES_MAX]; /* the old buffer is not ours once it is closed */
    if (in_loop) {
        struct ft_context *context = ft_code_cache_context(&capture->cache);
        uint8_t *old = host_of(capture, context->loop_record);
        memcpy(old + LOOP_END_WORD, &record, sizeof record);
        memcpy(saved, old, entry_bytes_of(unit));
        ft_log_buffer_close(capture, record);
        ft_log_buffer_open(capture, &state);
        reopen_loop(capture, unit, capture->buffer.start, saved, registers);
        context->loop_record = capture->buffer.start;
        *pointer = capture->buffer.start + entry_bytes_of(unit);
        return FT_OK;
    }
    unsigned before =
        unit->kind == FT_UNIT_LOOP ? 0 : instructions_before(translation, registers->rip);
    if (translation->stack_delta[before] == FT_STACK_UNKNOWN)
        return ft_fail(diag, FT_ERROR_FAILURE, "the log overflowed where the stack was switched");
    state.rsp -= (uint64_t)(int64_t)translation->stack_delta[before];
    uint64_t limit = capture->buffer.start + FT_BUFFER_BYTES;
    size_t written = record < limit ? limit - record : 0;
    if (written > sizeof saved)
        return ft_fail(diag, FT_ERROR_FAILURE, "a log record of %zu bytes", written);
    memcpy(saved, host_of(capture, record), written);
    ft_log_buffer_close(capture, record);
    ft_log_buffer_open(capture, &state);
    memcpy(host_of(capture, capture->buffer.start), saved, written);
    *pointer = capture->buffer.start;
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
