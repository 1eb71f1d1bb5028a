/*
 * Each byte of the loop is checked once per iteration, after the last store before it runs: what
 * one check leaves out is in the next. The checks come after the stores of the values that the
 * instruction logs, so that an incomplete iteration has all of them.
 *
 * A loop that was left by a check is a plain unit from then on (tracer.c): if code is written
 * repeatedly while it runs, each iteration would take a stop.
 */
#include "trace-capture/translate/checked_loops.h"

#include "formats/x86/known_registers.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/checked_code.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

#define MISMATCH_EXIT_BYTES 2 /* behind a stop's int3 nothing else starts */

/* The first instruction from `from` on with a check before it; instruction_count if there is
 * none. */
static unsigned next_check(const struct ft_unit *loop, unsigned from)
{
    unsigned last = loop->instruction_count - 1U;
    for (unsigned i = from > 0 ? from : 1; i <= last; i++)
        if (ft_checked_may_write(&loop->instructions[i - 1]))
            return i;
    bool stores = ft_checked_instructions(loop) <= last;
    return !stores && from <= last ? last : loop->instruction_count;
}

/* Whether before each check a register differs from its value at the head by an amount that the
 * loop's instructions determine. */
static bool is_worked_back(const struct ft_unit *loop, const struct ft_effect *effects,
                           unsigned number)
{
    static const uint64_t starts[2] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa};
    struct ft_registers registers[2] = {0};
    unsigned look = next_check(loop, 0);
    for (unsigned k = 0; k < 2; k++)
        ft_registers_set(&registers[k], number, starts[k]);
    for (unsigned i = 0; i < loop->instruction_count; i++) {
        bool is_known =
            registers[0].known >> number & 1 &&
            registers[0].value[number] - starts[0] == registers[1].value[number] - starts[1];
        if (i == look && !is_known)
            return false;
        if (i == look)
            look = next_check(loop, i + 1);
        for (unsigned k = 0; k < 2; k++)
            ft_registers_step(&registers[k], &effects[i], false);
    }
    return true;
}

bool ft_checked_loop_allows(const struct ft_unit *loop, const struct ft_effect *effects,
                            unsigned pointer)
{
    if (loop->instruction_count < 2 || pointer == FT_RAX || pointer == FT_RCX)
        return false;
    for (unsigned i = 0; i < loop->entry_slot_count; i++)
        if (!is_worked_back(loop, effects, loop->slots[i].source))
            return false;
    return true;
}

static unsigned offset_of(const struct ft_unit *unit, unsigned index)
{
    return index < unit->instruction_count ? (unsigned)(unit->instructions[index].pc - unit->pc)
                                           : unit->code_bytes;
}

void ft_checked_loop_emit_check(struct ft_emission *emission, unsigned index)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    uint64_t mismatch_exit = 0;
    if (!translation->changed || unit->kind != FT_UNIT_LOOP || next_check(unit, index) != index)
        return;
    unsigned next = next_check(unit, index + 1);
    bool is_last = next == unit->instruction_count;
    ft_checked_spill(emitter);
    bool reaches = ft_checked_compare(emitter, unit, offset_of(unit, index), offset_of(unit, next),
                                      MISMATCH_EXIT_BYTES, &mismatch_exit);
    if (is_last)
        reaches =
            reaches && ft_checked_compare(emitter, unit, 0, offset_of(unit, next_check(unit, 0)),
                                          MISMATCH_EXIT_BYTES, &mismatch_exit);
    ft_checked_reload(emitter);
    emission->out_of_reach |= !reaches;
    translation->checks[index] = (uint16_t)(mismatch_exit - translation->entry);
}

int ft_checked_loop_add_stops(struct ft_code_cache *cache, struct ft_translation *translation,
                              struct ft_diag *diag)
{
    int status = FT_OK;
    for (unsigned i = 0; i < translation->unit.instruction_count && status == FT_OK; i++)
        if (translation->checks[i])
            status = ft_code_cache_add_stop(
                cache,
                &(struct ft_stop){.address = translation->entry + translation->checks[i],
                                  .kind = FT_STOP_REWRITTEN,
                                  .translation = translation},
                diag);
    return status;
}

bool ft_checked_loop_is_check(const struct ft_translation *translation, unsigned index,
                              uint64_t address)
{
    unsigned count = translation->unit.instruction_count;
    if (index >= count || !translation->checks[index])
        return false;
    return address < (index + 1 == count ? translation->entry + translation->offsets[count]
                                         : ft_translation_copy(translation, index));
}
