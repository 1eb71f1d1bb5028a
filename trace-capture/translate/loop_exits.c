/*
 * A translated loop closes its record when it is left: the end word says how many iterations it
 * made.
 *
 *     behind its last iteration     in line: the record is that of the loop
 *     inside an iteration            (loop paths) out of line: the record becomes that of the loop
 * left early there, a unit of its own, whose values of the iteration that was begun stand behind
 * those of the whole iterations already
 *
 * Loops that wait for another thread (timestamps.h) have a timestamp after their record, on each
 * exit; those of loop paths are emitted one after the other.
 *
 * Inside an iteration the induction register may have changed already, by a known amount: the end
 * word is its value at the head.
 */
#include "trace-capture/translate/loop_exits.h"

#include <string.h>

#include "formats/x86/known_registers.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/timestamps.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/unit_exits.h"

/* Stores the end word where it is the bytes up to the end of the last iteration's values, which is
 * in `pointer`, and moves r11 so far behind it. The flags stay, so that a subtraction is no sub;
 * loop_record is read twice, as there is one register to spare. */
static void close_values(struct ft_emission *emission, unsigned pointer, unsigned scratch,
                         int32_t behind)
{
    struct ft_emitter *emitter = &emission->emitter;
    ft_emit_not(emitter, scratch); /* -loop_record - 1 */
    ft_emit_lea_sum(emitter, scratch, pointer, scratch, 1, 1);
    ft_emit_load_gs(emitter, FT_R11, FT_CONTEXT(loop_record));
    ft_emit_store(emitter, FT_R11, FT_LOOP_END_WORD, scratch, 8);
    ft_emit_lea_sum(emitter, FT_R11, FT_R11, scratch, 1, behind);
}

/* Stores the end word, and moves P to the end of the record. */
static void close_record(struct ft_emission *emission, int32_t entry_bytes)
{
    const struct ft_unit *unit = &emission->translation->unit;
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    unsigned scratch = pointer == FT_RAX ? FT_RCX : FT_RAX;
    switch (unit->count_source) {
    case FT_COUNT_INDUCTION:
        ft_emit_store(emitter, pointer, FT_LOOP_END_WORD, unit->induction_register, 8);
        ft_emission_leave(emission, entry_bytes);
        break;
    case FT_COUNT_COUNTER: /* r11 has the count; P comes from the context */
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), FT_RAX);
        ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(loop_record));
        ft_emit_store(emitter, FT_RAX, FT_LOOP_END_WORD, FT_R11, 8);
        ft_emit_lea(emitter, FT_R11, FT_RAX, entry_bytes);
        ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_scratch));
        break;
    default:
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
        if (pointer != FT_R11)
            ft_emit_store_gs(emitter, FT_CONTEXT(program_r11), FT_R11);
        ft_emit_load_gs(emitter, scratch, FT_CONTEXT(loop_record));
        close_values(emission, pointer, scratch, 0);
        ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
        if (pointer != FT_R11)
            ft_emit_load_gs(emitter, pointer, FT_CONTEXT(spill_pointer));
        break;
    }
}

/* The unit of a loop that is left by a side exit. */
static int add_early(struct ft_emission *emission, const struct ft_link *link, uint32_t *ret_id,
                     struct ft_diag *diag)
{
    struct ft_translator *translator = emission->translator;
    struct ft_unit early =
        ft_unit_prefix(&emission->translation->unit, link->instructions, link->slots);
    int status = translator->unit_added(translator->unit_context, FT_MODE_LOGGED, &early, diag);
    *ret_id = early.id;
    return status;
}

/* Stores the end word if the iteration has changed the induction register; computed in r11. */
static int store_induction(struct ft_emission *emission, unsigned record, unsigned instructions,
                           struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    struct ft_emitter *emitter = &emission->emitter;
    uint64_t delta;
    if (!ft_registers_delta(unit, unit->induction_register, instructions, &delta) ||
        (uint64_t)(int32_t)-delta != -delta)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "a loop whose iterations cannot be counted");
    ft_emit_lea(emitter, FT_R11, unit->induction_register, (int32_t)-delta);
    ft_emit_store(emitter, record, FT_LOOP_END_WORD, FT_R11, 8);
    return FT_OK;
}

/* Emits what a side exit runs; its link leaves after that. */
static int emit_early_exit(struct ft_emission *emission, struct ft_link *link, int32_t entry_bytes,
                           struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    struct ft_emitter *emitter = &emission->emitter;
    unsigned record = unit->induction_register == FT_RAX ? FT_RCX : FT_RAX;
    uint32_t id;
    int status = add_early(emission, link, &id, diag);
    if (status < 0 || emitter->overflow)
        return status;
    uint32_t displacement = (uint32_t)(emitter->address - (link->field + 4));
    memcpy(ft_code_cache_host(emission->translator->cache, link->field), &displacement,
           sizeof displacement);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), record);
    ft_emit_load_gs(emitter, record, FT_CONTEXT(loop_record));
    ft_emit_store_imm32(emitter, record, 0, id);
    if (unit->count_source == FT_COUNT_VALUES) {
        close_values(emission, FT_R11, record, link->record_bytes);
    } else {
        if (unit->count_source == FT_COUNT_INDUCTION)
            status = store_induction(emission, record, link->instructions, diag);
        else
            ft_emit_store(emitter, record, FT_LOOP_END_WORD, FT_R11, 8);
        if (status < 0)
            return status;
        ft_emit_lea(emitter, FT_R11, record, entry_bytes);
    }
    ft_emit_load_gs(emitter, record, FT_CONTEXT(spill_scratch));
    *link = (struct ft_link){.target_pc = link->target_pc,
                             .field = ft_emit_jump(emitter, emitter->address)};
    return FT_OK;
}

/* The branch back to the head. */
static void branch_back(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1U];
    if (last->flow != FT_FLOW_BRANCH) {
        ft_emit_jump(&emission->emitter, translation->head);
        return;
    }
    bool is_short_only;
    unsigned condition =
        ft_emission_condition(&emission->decoded[unit->instruction_count - 1U], &is_short_only);
    ft_emit_branch(&emission->emitter, condition ^ (last->target == unit->pc ? 0 : 1),
                   translation->head);
}

/* Redirects each link through a timestamp. */
static void emit_timestamps(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    translation->return_log = emitter->address;
    for (unsigned i = 0; i < translation->link_count && !emitter->overflow; i++) {
        struct ft_link *link = &translation->links[i];
        uint32_t displacement = (uint32_t)(emitter->address - (link->field + 4));
        memcpy(ft_code_cache_host(emission->translator->cache, link->field), &displacement,
               sizeof displacement);
        ft_timestamps_emit(emitter);
        link->field = ft_emit_jump(emitter, emitter->address);
    }
    translation->return_log_end = emitter->address;
}

int ft_emission_loop_exits(struct ft_emission *emission, int32_t entry_bytes, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    uint64_t exit_pc = ft_unit_loop_exit(&translation->unit);
    unsigned side_exits = translation->link_count;
    branch_back(emission);
    translation->loop_exit = emitter->address;
    bool has_timestamps =
        emission->translator->timestamps && ft_timestamps_loop(&translation->unit);
    if (exit_pc)
        close_record(emission, entry_bytes);
    if (!ft_unit_is_path(&translation->unit)) {
        if (has_timestamps)
            ft_emission_timestamp(emission);
        translation->after_exit = emitter->address;
        ft_emission_next(emission, exit_pc);
        return FT_OK;
    }
    if (exit_pc) {
        translation->after_exit = emitter->address;
        ft_emission_link(emission, exit_pc, ft_emit_jump(emitter, emitter->address));
    }
    int status = FT_OK;
    for (unsigned i = 0; i < side_exits && status == FT_OK; i++)
        status = emit_early_exit(emission, &translation->links[i], entry_bytes, diag);
    if (has_timestamps && status == FT_OK)
        emit_timestamps(emission);
    return status;
}
