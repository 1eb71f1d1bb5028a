/*
 * The target writes records at its log pointer without any check; after the buffer comes memory
 * that it may not write but the host may (context.h). When it faults there, the complete records
 * are copied to the drain, the record it was writing moves to the start of the buffer, and the
 * instruction runs again. There is one buffer, so that it stays in the caches of the target's
 * processor: alternating between buffers took twice the CPU time (python3: 1.1 s against 0.55 s).
 *
 * Each buffer starts between two records, so that it can be decoded by itself: its state is the
 * stack pointer at the start of the moved record, computed back from the current one by what the
 * unit's instructions so far did to it; if they did more than add to it, computed from the records
 * of the whole buffer. Loops fault only at entry or at their head, where everything is known: there
 * the record is closed, and a new one continues at the buffer's start.
 *
 * If there are several threads, each buffer starts with a timestamp.
 *
 * In order: the buffer and escapes; loops in it; moving the open record of a full buffer; closing
 * records of loops and of parts of units.
 */
#include "trace-capture/tracer/log_buffer.h"

#include <string.h>
#include <x86intrin.h>

#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/registers.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"

#define LOOP_ENTRY           12U
#define LOOP_END_WORD        4U
#define ESCAPE_BYTES         16U
#define KERNEL_BYTES         40U /* of the escape of a system call */
#define WHOLE_LOOP_BYTES_MAX (FT_LOG_BUFFER_BYTES / 2)

uint8_t *ft_log_at(const struct ft_thread *thread, uint64_t address)
{
    return thread->region.host + (address - thread->region.address);
}

uint64_t ft_log_buffer_start(const struct ft_thread *thread)
{
    return thread->region.address + FT_LOG_BUFFER;
}

void ft_log_buffer_open(struct ft_thread *thread, const struct ft_log_state *state)
{
    thread->buffer_state = *state;
    thread->scanned_to = 0;
}

void ft_log_buffer_close(struct ft_thread *thread, uint64_t end)
{
    uint64_t start = ft_log_buffer_start(thread);
    ft_drain_submit(thread->capture->drain, thread->number, ft_log_at(thread, start), end - start,
                    &thread->buffer_state);
}

void ft_log_escape(struct ft_thread *thread, uint64_t *log_pointer, uint32_t kind, uint64_t value)
{
    uint32_t head[2] = {0, kind};
    uint8_t *at = ft_log_at(thread, *log_pointer);
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, &value, sizeof value);
    *log_pointer += sizeof head + sizeof value;
}

static void put_fields(struct ft_thread *thread, uint64_t *log_pointer, uint32_t kind,
                       const uint64_t *fields, unsigned count)
{
    ft_log_escape(thread, log_pointer, kind, fields[0]);
    memcpy(ft_log_at(thread, *log_pointer), fields + 1, (count - 1) * sizeof *fields);
    *log_pointer += (count - 1) * sizeof *fields;
}

void ft_log_kernel_call(struct ft_thread *thread, uint64_t *log_pointer, uint64_t number,
                        uint64_t address, uint64_t length, uint64_t result)
{
    put_fields(thread, log_pointer, FT_ESCAPE_KERNEL, (uint64_t[]){number, address, length, result},
               4);
}

/* A single thread needs none: its trace is the same every time. */
static uint32_t timestamp_bytes(const struct ft_thread *thread)
{
    return thread->capture->threads_numbered > 1 ? ESCAPE_BYTES : 0;
}

void ft_log_timestamp(struct ft_thread *thread, uint64_t *log_pointer)
{
    ft_log_escape(thread, log_pointer, FT_ESCAPE_TIMESTAMP, __rdtsc());
}

void ft_log_timestamp_if_threaded(struct ft_thread *thread, uint64_t *log_pointer)
{
    if (timestamp_bytes(thread))
        ft_log_timestamp(thread, log_pointer);
}

bool ft_log_buffer_holds(const struct ft_thread *thread, uint64_t address)
{
    return address - ft_log_buffer_start(thread) <= FT_LOG_BUFFER_BYTES;
}

bool ft_log_buffer_guards(const struct ft_thread *thread, uint64_t address)
{
    uint64_t guard = ft_log_buffer_start(thread) + FT_LOG_BUFFER_BYTES;
    return address - guard < FT_LOG_GUARD_BYTES;
}

uint32_t ft_log_loop_entry_bytes(const struct ft_unit *unit)
{
    uint32_t bytes = LOOP_ENTRY;
    for (unsigned i = 0; i < unit->entry_slot_count; i++)
        bytes += unit->slots[i].size_bytes;
    return bytes;
}

static void end_loop(struct ft_thread *thread, uint64_t record, uint64_t end_word)
{
    memcpy(ft_log_at(thread, record) + LOOP_END_WORD, &end_word, sizeof end_word);
}

uint64_t ft_log_program_register(const struct ft_thread *thread, const struct ft_unit *unit,
                                 const struct user_regs_struct *registers, unsigned number)
{
    struct user_regs_struct copy = *registers;
    copy.gs_base = ft_region_context(&thread->region)->program_gs;
    return number == FT_R11 && ft_unit_is_path(unit)
               ? ft_region_context(&thread->region)->program_r11
               : *ft_register_of(&copy, number);
}

/* Starts the loop's record again at `start`: registers have the values of the loop's head. Vectors
 * and masks among the entry slots do not change in the loop: they come from the old record, which
 * may overlap. */
static void reopen_loop(struct ft_thread *thread, const struct ft_unit *unit, uint64_t start,
                        uint64_t old_record, const struct user_regs_struct *registers)
{
    uint8_t *at = ft_log_at(thread, start);
    uint8_t old[FT_LOG_RECORD_BYTES_MAX];
    memcpy(old, ft_log_at(thread, old_record), ft_log_loop_entry_bytes(unit));
    memcpy(at, &unit->id, sizeof unit->id);
    uint32_t offset = LOOP_ENTRY;
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        uint64_t value = 0;
        if (slot->kind == FT_SLOT_REGISTER)
            value = ft_log_program_register(thread, unit, registers, slot->source);
        memcpy(at + offset, slot->kind == FT_SLOT_REGISTER ? (const void *)&value : old + offset,
               slot->size_bytes);
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

/* Moves a record that did not fit to the start of the emptied buffer, which continues from `state`;
 * returns its new address. */
static uint64_t move_record(struct ft_thread *thread, uint64_t record,
                            const struct ft_log_state *state)
{
    uint64_t start = ft_log_buffer_start(thread), first = start + timestamp_bytes(thread);
    uint64_t limit = start + FT_LOG_BUFFER_BYTES;
    ft_log_buffer_close(thread, record);
    ft_log_buffer_open(thread, state);
    if (record < limit)
        memmove(ft_log_at(thread, first), ft_log_at(thread, record), limit - record);
    ft_log_timestamp_if_threaded(thread, &start);
    return first;
}

/* Whether an open loop's record moves to the emptied buffer as a whole: the records of a program
 * then do not depend on where its buffers end. Longer ones would fill it again. */
static bool moves_whole(uint64_t record, uint64_t end, const struct ft_translation *translation)
{
    return end - record <= WHOLE_LOOP_BYTES_MAX &&
           translation->stack_delta[translation->unit.instruction_count] == 0;
}

/* The same for a loop at its head. A long record is closed, and a new one continues it. */
static void move_loop(struct ft_thread *thread, const struct ft_translation *translation,
                      struct user_regs_struct *registers, unsigned long long *pointer,
                      const struct ft_log_state *state)
{
    struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_unit *unit = &translation->unit;
    uint64_t start = ft_log_buffer_start(thread), first = start + timestamp_bytes(thread);
    uint64_t end = *pointer;
    if (moves_whole(context->loop_record, end, translation)) {
        *pointer -= context->loop_record;
        context->loop_record = move_record(thread, context->loop_record, state);
        *pointer += context->loop_record;
        return;
    }
    end_loop(thread, context->loop_record, end - context->loop_record);
    ft_log_buffer_close(thread, end);
    ft_log_buffer_open(thread, state);
    reopen_loop(thread, unit, first, context->loop_record, registers);
    ft_log_timestamp_if_threaded(thread, &start);
    context->loop_record = first;
    *pointer = first + ft_log_loop_entry_bytes(unit);
}

void ft_log_make_room(struct ft_thread *thread, uint64_t *log_pointer,
                      const struct user_regs_struct *registers)
{
    if (*log_pointer + KERNEL_BYTES <= ft_log_buffer_start(thread) + FT_LOG_BUFFER_BYTES)
        return;
    *log_pointer =
        move_record(thread, *log_pointer,
                    &(struct ft_log_state){.rsp = registers->rsp,
                                           .fs_base = registers->fs_base,
                                           .direction_down = (registers->eflags & 0x400) != 0});
}

void ft_log_fields(struct ft_thread *thread, uint64_t *log_pointer,
                   const struct user_regs_struct *registers, uint32_t kind, const uint64_t *fields,
                   unsigned count)
{
    ft_log_make_room(thread, log_pointer, registers); /* the host may write behind the buffer */
    put_fields(thread, log_pointer, kind, fields, count);
}

/* Whether rip is where a route of system calls logs, with the log pointer in rcx. */
static bool is_at_route(const struct ft_code_cache *cache, uint64_t rip)
{
    const struct ft_syscall_routes *routes = &cache->routes;
    return rip - routes->timestamp < routes->timestamp_end - routes->timestamp ||
           rip - routes->logged_call < routes->logged_end - routes->logged_call;
}

bool ft_log_between_units(const struct ft_translation *translation, uint64_t rip)
{
    return rip - translation->call_log < translation->call_log_end - translation->call_log ||
           rip - translation->return_log < translation->return_log_end - translation->return_log;
}

unsigned long long *ft_log_pointer_of(const struct ft_thread *thread,
                                      struct user_regs_struct *registers)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    const struct ft_translation *translation = ft_code_cache_at(cache, registers->rip);
    if (is_at_route(cache, registers->rip))
        return &registers->rcx;
    if (!translation || translation->mode != FT_MODE_LOGGED)
        return NULL;
    return registers->rip < translation->body || ft_log_between_units(translation, registers->rip)
               ? &registers->r11
               : ft_register_of(registers, translation->pointer);
}

bool ft_log_buffer_whole_end(const struct ft_thread *thread, struct user_regs_struct *registers,
                             uint64_t *ret_end)
{
    const struct ft_translation *translation =
        ft_code_cache_at(&thread->capture->cache, registers->rip);
    const unsigned long long *pointer = ft_log_pointer_of(thread, registers);
    if (!pointer || !translation || ft_log_between_units(translation, registers->rip))
        return false;
    bool in_loop = ft_unit_is_loop(&translation->unit) && registers->rip >= translation->head;
    *ret_end = in_loop ? ft_region_context(&thread->region)->loop_record : *pointer;
    return true;
}

int ft_log_buffer_full(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    const struct ft_translation *translation = ft_code_cache_at(cache, registers->rip);
    struct ft_log_state state = {.rsp = registers->rsp,
                                 .fs_base = registers->fs_base,
                                 .direction_down = (registers->eflags & 0x400) != 0};
    unsigned long long *pointer = ft_log_pointer_of(thread, registers);
    if (!pointer)
        return ft_fail(diag, FT_ERROR_FAILURE, "the log overflowed outside of translated code");
    if (!translation || ft_log_between_units(translation, registers->rip)) {
        *pointer = move_record(thread, *pointer, &state);
        return FT_OK;
    }
    const struct ft_unit *unit = &translation->unit;
    bool in_loop = ft_unit_is_loop(unit) && registers->rip >= translation->head;
    if (in_loop) {
        move_loop(thread, translation, registers, pointer, &state);
        return FT_OK;
    }
    unsigned before = ft_unit_is_loop(unit) ? 0 : instructions_before(translation, registers->rip);
    if (translation->stack_delta[before] != FT_STACK_UNKNOWN) {
        state.rsp -= (uint64_t)(int64_t)translation->stack_delta[before];
    } else {
        uint64_t start = ft_log_buffer_start(thread);
        state = thread->buffer_state;
        int status = ft_drain_follow(thread->capture->drain, ft_log_at(thread, start),
                                     *pointer - start, &state, diag);
        if (status < 0)
            return status;
    }
    *pointer = move_record(thread, *pointer, &state);
    return FT_OK;
}

uint64_t ft_log_close_loop(struct ft_thread *thread, const struct ft_translation *translation,
                           const struct user_regs_struct *registers)
{
    const struct ft_unit *unit = &translation->unit;
    struct user_regs_struct copy = *registers;
    uint64_t pointer = *ft_register_of(&copy, translation->pointer);
    uint64_t record = ft_region_context(&thread->region)->loop_record;
    uint64_t end_word, end;
    switch (unit->count_source) {
    case FT_COUNT_INDUCTION:
        record = pointer;
        end_word = *ft_register_of(&copy, unit->induction_register);
        end = record + ft_log_loop_entry_bytes(unit);
        break;
    case FT_COUNT_COUNTER:
        end_word = registers->r11;
        end = record + ft_log_loop_entry_bytes(unit);
        break;
    default:
        end_word = pointer - record;
        end = pointer;
        break;
    }
    end_loop(thread, record, end_word);
    return end;
}

uint64_t ft_log_close_partial(struct ft_thread *thread, const struct ft_translation *translation,
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
    uint8_t *at = ft_log_at(thread, record);
    memmove(at + sizeof head, at + sizeof unit->id, bytes);
    memcpy(at, head, sizeof head);
    return record + sizeof head + bytes;
}
