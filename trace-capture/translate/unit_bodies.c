/*
 * The code of a unit from its entry up to its exit, for each kind: straight-line code and paths,
 * which write their record's head and slots as they go; loops, which write their record once and
 * count or log per iteration; unlogged loops.
 */
#include "trace-capture/translate/unit_bodies.h"

#include "trace-capture/target/context.h"
#include "trace-capture/translate/checked_loops.h"
#include "trace-capture/translate/counted_code.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/loop_exits.h"
#include "trace-capture/translate/path_joints.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/unit_exits.h"
#include "trace-capture/translate/watched_functions.h"

#define PREFETCH_AHEAD 512
#define CACHE_LINE     64

/* The instructions of a body with their slots, from `slot` on at `offset` in the record; the last
 * branch is left to the exit. *offset becomes the end of the last slot. */
static int emit_body(struct ft_emission *emission, unsigned slot, int32_t *offset,
                     struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    for (unsigned i = 0; i <= unit->instruction_count; i++) {
        translation->offsets[i] = (uint16_t)(emission->emitter.address - translation->entry);
        for (; ft_emission_is_logged(emission) && slot < unit->slot_count &&
               unit->slots[slot].instruction == i;
             slot++) {
            ft_emission_slot(emission, &unit->slots[slot], *offset);
            *offset += unit->slots[slot].size_bytes;
        }
        if (i == unit->instruction_count)
            break;
        ft_checked_loop_emit_check(emission, i);
        bool is_last = i + 1U == unit->instruction_count;
        int status = FT_OK;
        if (unit->instructions[i].flow == FT_FLOW_NEXT)
            status = ft_emission_copy(emission, i, diag);
        else if (!is_last && ft_unit_is_path(unit))
            status = ft_emission_joint(emission, i, *offset, diag);
        else if (!is_last)
            ft_emission_side_exit(emission, i, *offset);
        if (status < 0)
            return status;
    }
    return FT_OK;
}

/* Where a watched function begins, its call is logged before anything else. */
static void emit_call_log(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_watched_function *function = ft_watched_find(
        emission->translator->watched, translation->unit.pc, translation->unit.module);
    if (!function || function->stops || !ft_emission_is_logged(emission))
        return;
    translation->call_log = emission->emitter.address;
    ft_watched_emit_call(&emission->emitter, function);
    translation->call_log_end = emission->emitter.address;
}

/* Prefetches, for writing, the bytes of the buffer that a record of this size will take some
 * records later. */
static void emit_prefetch(struct ft_emission *emission, int32_t record_bytes)
{
    for (int32_t ahead = 0; ahead < record_bytes; ahead += CACHE_LINE)
        ft_emit_prefetch_write(&emission->emitter, emission->translation->pointer,
                               PREFETCH_AHEAD + ahead);
}

int ft_emission_plain(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    int32_t bytes = 4;
    if (ft_emission_counts(emission) && ft_emission_is_logged(emission))
        ft_emission_count(emission, FT_RAX);
    else if (ft_emission_counts(emission))
        ft_emission_count_in(emission, FT_R11);
    emit_call_log(emission);
    ft_emission_enter(emission);
    if (ft_emission_is_logged(emission)) {
        int32_t record_bytes = bytes;
        for (unsigned i = 0; i < translation->unit.slot_count; i++)
            record_bytes += translation->unit.slots[i].size_bytes;
        ft_emit_store_imm32(&emission->emitter, translation->pointer, 0, translation->unit.id);
        emit_prefetch(emission, record_bytes);
    }
    int status = emit_body(emission, 0, &bytes, diag);
    if (status == FT_OK)
        ft_emission_exit(emission, ft_emission_is_logged(emission)
                                       ? bytes
                                       : (int32_t)translation->unit.instruction_count);
    return status;
}

int ft_emission_loop(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    bool is_path = ft_unit_is_path(unit);
    int32_t entry_bytes = FT_LOOP_ENTRY_BYTES;

    emit_call_log(emission);
    ft_emission_enter(emission);
    ft_emit_store_imm32(emitter, translation->pointer, 0, unit->id);
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        ft_emission_slot(emission, &unit->slots[i], entry_bytes);
        entry_bytes += unit->slots[i].size_bytes;
    }
    emit_prefetch(emission, entry_bytes);
    /* the last byte of the fixed part: a full buffer faults here, before the loop has begun */
    if (unit->entry_slot_count == 0)
        ft_emit_store(emitter, translation->pointer, FT_LOOP_END_WORD, FT_RSP, 8);
    if (unit->count_source != FT_COUNT_INDUCTION || is_path)
        ft_emit_store_gs(emitter, FT_CONTEXT(loop_record), translation->pointer);
    if (unit->count_source == FT_COUNT_COUNTER)
        ft_emit_mov_imm32(emitter, FT_R11, 0);
    else if (unit->count_source == FT_COUNT_VALUES)
        ft_emit_lea(emitter, translation->pointer, translation->pointer, entry_bytes);
    ft_emit_align(emitter, 32);
    translation->head = emitter->address;
    if (ft_emission_counts(emission))
        ft_emission_count(emission, translation->pointer == FT_RAX ? FT_RCX : FT_RAX);

    int32_t iteration_bytes = 0;
    for (unsigned i = unit->entry_slot_count; i < unit->slot_count; i++)
        iteration_bytes += unit->slots[i].size_bytes;
    const struct ft_slot *first = &unit->slots[unit->entry_slot_count];
    bool one_at_head =
        unit->slot_count == unit->entry_slot_count + 1U && first->instruction == 0 && !is_path;
    if (iteration_bytes && !one_at_head) /* a full buffer faults here, at the head, or not at all */
        ft_emit_store(emitter, translation->pointer, iteration_bytes - 1, FT_RSP, 1);
    int32_t offset = 0;
    int status = emit_body(emission, unit->entry_slot_count, &offset, diag);
    if (status < 0)
        return status;
    if (unit->count_source == FT_COUNT_COUNTER)
        ft_emit_lea(emitter, FT_R11, FT_R11, 1);
    else if (unit->count_source == FT_COUNT_VALUES)
        ft_emit_lea(emitter, translation->pointer, translation->pointer, iteration_bytes);
    return ft_emission_loop_exits(emission, entry_bytes, diag);
}

int ft_emission_unlogged_loop(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    unsigned last = unit->instruction_count - 1U;
    const struct ft_instruction *branch = &unit->instructions[last];
    unsigned pointer = translation->pointer;
    int32_t bytes = 0;
    bool is_short_only;
    ft_emission_enter(emission);
    ft_counted_enter_loop(emission);
    /* if counting makes a short loop longer than half a line, it must not span two */
    ft_emit_align(emitter, ft_emission_counts(emission) ? CACHE_LINE : 32);
    translation->head = emitter->address;
    if (ft_emission_counts(emission))
        ft_emission_count_in(emission, pointer);
    ft_counted_iteration(emission);
    int status = emit_body(emission, 0, &bytes, diag);
    if (status < 0)
        return status;
    if (ft_emission_counts(emission))
        ft_emit_lea(emitter, pointer, pointer, (int32_t)unit->instruction_count);
    ft_emit_branch(emitter, ft_emission_condition(&emission->decoded[last], &is_short_only),
                   translation->head);
    translation->loop_exit = emitter->address;
    ft_counted_leave_loop(emission);
    ft_emission_leave(emission, 0);
    translation->after_exit = emitter->address;
    ft_emission_next(emission, branch->pc + branch->length);
    return FT_OK;
}
