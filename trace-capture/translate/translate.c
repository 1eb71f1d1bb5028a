/*
 * A translated unit, in order:
 *
 *     entry:     [code that may change: look whether it has, checked_code.h]
 *     body:      [r11 in use: swap in another register as log pointer P]
 *                mov dword [P], id           the record's head; loops: entry slots too
 *     head:      copied instructions, each after the stores of its slots; RIP-relative operands
 *                get a new displacement; branches inside lead to stubs, out of line:
 *                    mov dword [P], id of the unit's beginning; lea P, [P + its record]; jmp
 *     exit:      lea P, [P + record bytes]   loops: close the record first
 *                the final branch: direct ones through links, indirect ones by table
 *
 * Units that follow directly are translated together, each right after the one that falls through
 * to it, so that straight-line control flow stays in order and needs no jumps.
 *
 * In order: the plan of a unit; emitting it, with its stops; its tables and node; chains of units;
 * entry code; paths.
 */
#include "trace-capture/translate/translate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/x86/known_registers.h"
#include "formats/x86/log_plan.h"
#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/checked_code.h"
#include "trace-capture/translate/checked_loops.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_links.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/counted_code.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/timestamps.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/unit_bodies.h"
#include "trace-capture/translate/unit_exits.h"
#include "trace-capture/translate/watched_functions.h"

static unsigned first_free_register(uint32_t used)
{
    /* rax and rcx last: indirect branches need them */
    static const uint8_t order[] = {FT_R11, FT_R10, FT_R9,  FT_R8,  FT_RDI, FT_RSI, FT_RDX, FT_RBX,
                                    FT_R12, FT_R13, FT_R14, FT_R15, FT_RBP, FT_RAX, FT_RCX};
    for (size_t i = 0; i < sizeof order; i++)
        if (!(used & 1U << order[i]))
            return order[i];
    return FT_NO_REGISTER;
}

static uint32_t registers_used(const struct ft_unit *unit)
{
    uint32_t used = 0;
    for (unsigned i = 0; i < unit->instruction_count; i++)
        used |= unit->instructions[i].registers_read | unit->instructions[i].registers_written;
    return used;
}

/* RSP before each instruction, relative to the start, if that does not depend on its value there
 * (as it does after `and $-16, %rsp`), which simulating two values that share no bit reveals.
 * Unknown, too, after std, cld and wrfsbase, where the direction flag or the FS base cannot be
 * computed back. */
static void note_stack(struct ft_translation *translation, const struct ft_effect *effects)
{
    static const uint64_t starts[2] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa};
    const struct ft_unit *unit = &translation->unit;
    struct ft_registers registers[2] = {0};
    bool same_state = true;
    for (unsigned k = 0; k < 2; k++)
        ft_registers_set(&registers[k], FT_RSP, starts[k]);
    for (unsigned i = 0; i <= unit->instruction_count; i++) {
        int64_t delta = (int64_t)(registers[0].value[FT_RSP] - starts[0]);
        int64_t other = (int64_t)(registers[1].value[FT_RSP] - starts[1]);
        bool known = same_state && (registers[0].known & 1U << FT_RSP) != 0 && delta == other &&
                     delta > INT32_MIN / 2 && delta < INT32_MAX / 2;
        translation->stack_delta[i] = known ? (int32_t)delta : FT_STACK_UNKNOWN;
        if (i == unit->instruction_count)
            break;
        same_state &= effects[i].direction == FT_DIRECTION_KEPT &&
                      !(unit->instructions[i].registers_written >> FT_FS_BASE & 1);
        for (unsigned k = 0; k < 2; k++)
            ft_registers_step(&registers[k], &effects[i], false);
    }
}

/* The first instruction from `from` on before which the program must stop because a window may open
 * or close there; instruction_count if there is none. */
static unsigned first_window_stop(const struct ft_translator *translator, enum ft_mode mode,
                                  const struct ft_unit *unit, unsigned from)
{
    unsigned index = translator->is_window_stop ? from : unit->instruction_count;
    while (index < unit->instruction_count) {
        uint64_t pc = unit->instructions[index].pc;
        if (translator->is_window_stop(translator->window_context, mode, pc,
                                       unit->code + (pc - unit->pc),
                                       unit->code_bytes - (pc - unit->pc)))
            break;
        index++;
    }
    return index;
}

/* Whether the unit begins at a function whose calls stop. */
static bool is_call_stop(const struct ft_translator *translator, enum ft_mode mode,
                         const struct ft_unit *unit)
{
    const struct ft_watched_function *function =
        mode == FT_MODE_LOGGED ? ft_watched_find(translator->watched, unit->pc, unit->module)
                               : NULL;
    return function && function->stops;
}

/* A unit that is planned, to be translated. */
struct plan {
    struct ft_unit unit;
    bool is_checked; /* its code may change */
    bool no_loops;   /* and is written while it runs as a loop */
    uint32_t from;   /* edge_counts.h: the node that falls through to it, or the outside */
    struct ft_unit_decoding decoding;
};

/* How many instructions of a unit may be in it so that the timestamp of an atomic one follows right
 * behind it. */
static unsigned end_at_atomic(const struct ft_translator *translator, enum ft_mode mode,
                              const struct ft_unit *unit)
{
    bool has_timestamps =
        translator->timestamps && mode == FT_MODE_LOGGED && unit->kind != FT_UNIT_LOOP;
    unsigned atomic = has_timestamps ? ft_timestamps_atomic(unit) : 0;
    return atomic ? atomic : unit->instruction_count;
}

/* Whether the last instruction of a unit needs a unit to itself: the host runs it, or it is an
 * indirect branch, which uses the two registers of which one would have to hold the log pointer. */
static bool stands_alone(const struct ft_instruction *last, unsigned pointer)
{
    bool is_indirect = last->flow == FT_FLOW_JUMP_INDIRECT || last->flow == FT_FLOW_CALL_INDIRECT ||
                       last->flow == FT_FLOW_RETURN;
    return ft_translation_is_trap(last) ||
           (is_indirect && (pointer == FT_RAX || pointer == FT_RCX));
}

/* Whether the unit, as planned, cannot be translated as one; then *limits become those to plan it
 * again with. What is cut off becomes a unit of its own. */
static bool must_shorten(const struct ft_translator *translator, enum ft_mode mode,
                         const struct plan *plan, struct ft_plan_limits *limits)
{
    const struct ft_unit *unit = &plan->unit;
    const unsigned count = unit->instruction_count;
    const bool is_loop = unit->kind == FT_UNIT_LOOP;
    const unsigned pointer = first_free_register(registers_used(unit));
    unsigned end = first_window_stop(translator, mode, unit, 1);
    if (end == count)
        end = end_at_atomic(translator, mode, unit);
    if (end == count && plan->is_checked && !is_loop)
        end = ft_checked_instructions(unit);
    if (end == count && count > 1 && stands_alone(&unit->instructions[count - 1], pointer))
        end = count - 1;
    bool stops_each_iteration = is_loop && first_window_stop(translator, mode, unit, 0) == 0;
    bool must_not_loop =
        stops_each_iteration || (plan->is_checked && is_loop &&
                                 !ft_checked_loop_allows(unit, plan->decoding.effects, pointer));
    if (end == count && !must_not_loop)
        return false;
    if (end < count || stops_each_iteration)
        limits->instructions_max = end;
    limits->no_loops = true;
    return true;
}

static int plan_unit(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                     const struct ft_origin *origin, struct plan *ret_plan, struct ft_diag *diag)
{
    const struct ft_translation *first_version = origin ? origin->first_version : NULL;
    size_t available;
    bool may_change;
    const uint8_t *code =
        translator->read_code(translator->read_context, pc, &available, &may_change);
    if (!code)
        return ft_fail(diag, FT_ERROR_DATA, "the program has no code at 0x%" PRIx64, pc);
    ret_plan->is_checked = may_change || first_version;
    ret_plan->no_loops = (first_version && first_version->no_loops) || (origin && origin->no_loops);
    struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX,
                                    .no_loops = ret_plan->no_loops ||
                                                (ret_plan->is_checked && mode != FT_MODE_LOGGED)};
    for (;;) {
        FT_TRY(ft_unit_plan_decoded(code, available, pc, &limits, &ret_plan->unit,
                                    &ret_plan->decoding, diag));
        if (!must_shorten(translator, mode, ret_plan, &limits))
            return FT_OK;
        ft_unit_fini(&ret_plan->unit);
    }
}

static int emit_trap(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_stop stop = {
        .address = emission->emitter.address, .kind = FT_STOP_TRAP, .translation = translation};
    ft_emit_u8(&emission->emitter, 0xcc);
    ft_emit_u8(&emission->emitter,
               0xcc); /* no other instruction starts right after the int3 of a stop */
    return ft_code_cache_add_stop(emission->translator->cache, &stop, diag);
}

/* The code of a decoded unit. */
static int emit_unit(struct ft_emission *emission, bool is_checked, struct ft_diag *diag)
{
    static const uint8_t stop[] = {
        0xcc, 0xcc}; /* no other instruction starts right after the int3 of a stop */
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    const bool is_window_stop =
        first_window_stop(emission->translator, translation->mode, unit, 0) == 0;
    translation->is_call_stop =
        !is_window_stop && is_call_stop(emission->translator, translation->mode, unit);
    if (is_window_stop || translation->is_call_stop)
        ft_emit_bytes(&emission->emitter, stop, sizeof stop);
    translation->start = translation->body = emission->emitter.address;
    if (ft_translation_is_trap(&unit->instructions[0]))
        return emit_trap(emission, diag);
    if (is_checked)
        emission->out_of_reach = !ft_checked_emit(&emission->emitter, translation);
    if (!ft_unit_is_loop(unit))
        return ft_emission_plain(emission, diag);
    return ft_emission_is_logged(emission) ? ft_emission_loop(emission, diag)
                                           : ft_emission_unlogged_loop(emission, diag);
}

/* Adds the stops in front of the translation's body; its exits add theirs. */
static int add_entry_stops(struct ft_code_cache *cache, struct ft_translation *translation,
                           struct ft_diag *diag)
{
    struct ft_stop window = {.address = translation->entry,
                             .kind = translation->is_call_stop ? FT_STOP_CALL : FT_STOP_WINDOW,
                             .translation = translation};
    struct ft_stop changed = {
        .address = translation->changed, .kind = FT_STOP_CHANGED, .translation = translation};
    int status = FT_OK;
    if (translation->start != translation->entry)
        status = ft_code_cache_add_stop(cache, &window, diag);
    if (status == FT_OK && translation->changed)
        status = ft_code_cache_add_stop(cache, &changed, diag);
    return status == FT_OK ? ft_checked_loop_add_stops(cache, translation, diag) : status;
}

/* The per-instruction tables of the translation, in one piece of memory. */
static bool make_tables(struct ft_translation *translation)
{
    size_t count = translation->unit.instruction_count + 1U, links = 2;
    for (size_t i = 0; i + 1 < count; i++)
        links += translation->unit.instructions[i].flow != FT_FLOW_NEXT;
    translation->links =
        calloc(1, links * sizeof *translation->links + count * sizeof *translation->stack_delta +
                      count * (sizeof *translation->offsets + sizeof *translation->checks +
                               sizeof *translation->moved_bytes));
    translation->stack_delta = (int32_t *)(void *)(translation->links + links);
    translation->offsets = (uint16_t *)(void *)(translation->stack_delta + count);
    translation->checks = translation->offsets + count;
    translation->moved_bytes = (uint8_t *)(translation->checks + count);
    return translation->links != NULL;
}

static int emit(struct ft_emission *emission, const struct ft_effect *effects, bool is_checked,
                struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    const uint32_t used = registers_used(unit);
    translation->pointer = ft_unit_is_path(unit)               ? FT_R11
                           : ft_emission_has_pointer(emission) ? (uint8_t)first_free_register(used)
                                                               : FT_NO_REGISTER;
    translation->iteration_register = emission->translator->cache->counts && ft_unit_is_loop(unit)
                                          ? (uint8_t)first_free_register(used)
                                          : FT_NO_REGISTER;
    if (!ft_is_in_one_line(emission->emitter.address, FT_JUMP_BYTES)) /* it may become a jump */
        ft_emit_align(&emission->emitter, FT_CACHE_LINE_BYTES);
    translation->entry = emission->emitter.address;
    if (!make_tables(translation))
        return ft_fail_memory(diag, "a translation");
    if (ft_emission_is_logged(emission))
        note_stack(translation, effects);
    int status = emit_unit(emission, is_checked, diag);
    if (status == FT_OK && (emission->emitter.overflow || emission->out_of_reach))
        status = ft_fail(diag, FT_ERROR_FAILURE, "the code cache is full");
    return status;
}

/* The first edge of a node is the one by which the preceding translation falls through to it: that
 * has no counter, because no code could count there. */
static int add_node(struct ft_edge_counts *counts, struct ft_translation *translation,
                    const struct plan *plan, struct ft_diag *diag)
{
    translation->flags_free =
        ft_counted_flags_free(plan->decoding.zydis, translation->unit.instruction_count);
    FT_TRY(ft_edge_counts_add_node(counts, &translation->unit, &translation->node, diag));
    if (plan->from != FT_OUTSIDE) {
        uint32_t edge;
        FT_TRY(
            ft_edge_counts_edge(counts, plan->from, FT_LEFT_WHOLE, translation->node, &edge, diag));
        counts->edges[edge].is_fixed = true;
    }
    return FT_OK;
}

/* Translates a unit, which it takes over, at the end of the zone; *ret_fall_through is the pc whose
 * unit must follow right behind, or 0. */
static int translate_unit(struct ft_translator *translator, struct ft_zone *zone, enum ft_mode mode,
                          struct plan *plan, struct ft_translation *first_version,
                          struct ft_translation **ret_translation, uint64_t *ret_fall_through,
                          struct ft_diag *diag)
{
    struct ft_unit *unit = &plan->unit;
    struct ft_translation *translation = calloc(1, sizeof *translation);
    if (!translation) {
        ft_unit_fini(unit);
        return ft_fail_memory(diag, "a translation");
    }
    struct ft_emission emission = {.translator = translator,
                                   .translation = translation,
                                   .emitter = ft_zone_emitter(zone),
                                   .decoded = plan->decoding.zydis};
    translation->zone = zone;
    translation->mode = mode;
    translation->unit = *unit;
    translation->no_loops = plan->no_loops;
    int status = FT_OK;
    if (unit->instructions[0].flow != FT_FLOW_TRAP)
        status = translator->unit_added(translator->unit_context, mode, &translation->unit, diag);
    if (status == FT_OK && translator->cache->counts)
        status = add_node(translator->cache->counts, translation, plan, diag);
    if (status == FT_OK)
        status = emit(&emission, plan->decoding.effects, plan->is_checked, diag);
    if (status == FT_OK) {
        ft_zone_commit(zone, &emission.emitter);
        translation->end = emission.emitter.address;
    }
    if (status == FT_OK)
        status = add_entry_stops(translator->cache, translation, diag);
    if (status == FT_OK)
        status = ft_code_cache_add(translator->cache, translation, first_version, diag);
    if (status != FT_OK) {
        ft_translation_destroy(translation);
        return status;
    }
    *ret_translation = translation;
    *ret_fall_through = emission.fall_through;
    return FT_OK;
}

/* Ends a path that continues in code that is elsewhere, or not translated yet, with a jump. */
static void end_path(struct ft_zone *zone, struct ft_translation *last, uint64_t next_pc)
{
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t field = ft_emit_jump(&emitter, emitter.address);
    last->links[last->link_count++] =
        (struct ft_link){.target_pc = next_pc, .field = field, .node = last->node};
    ft_zone_commit(zone, &emitter);
    last->end = emitter.address;
}

/* Emits the code that leads into a translation right before it; returns its address, 0: there is
 * none. */
static uint64_t emit_entry_code(struct ft_code_cache *cache, struct ft_zone *zone,
                                enum ft_mode mode, uint64_t pc, const struct ft_origin *origin)
{
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t start = emitter.address;
    if (origin && origin->is_indirect) {
        ft_emit_indirect_target(cache, &emitter, mode, pc + ft_counts_key(origin->source));
        ft_emit_indirect_target_end(&emitter);
    } else if (origin && origin->side_exit &&
               ft_reaches(origin->side_exit->field + 4, zone->address) &&
               ft_reaches(origin->side_exit->field + 4, zone->address + zone->bytes)) {
        ft_emit_side_exit(&emitter, origin->side_exit);
    }
    ft_zone_commit(zone, &emitter);
    return emitter.address == start ? 0 : start;
}

/* Translates pc and what it falls through to, until a path ends, reaches code that is translated,
 * or the chain is full; then the last unit gets a link to its successor. Links are not finished.
 * *ret_entry_code: the address of the code before the first unit, 0 if there is none. */
static int translate_path(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                          const struct ft_origin *origin, struct ft_chain *ret_chain,
                          uint64_t *ret_entry_code, struct ft_diag *diag)
{
    struct ft_zone *zone;
    size_t available;
    bool may_change;
    if (!translator->read_code(translator->read_context, pc, &available, &may_change))
        return ft_fail(diag, FT_ERROR_DATA, "the program has no code at 0x%" PRIx64, pc);
    int status = ft_code_cache_zone(translator->cache, pc, &zone, diag);
    if (status < 0)
        return status;
    ft_indirect_targets_prepare(translator->cache, mode);
    struct ft_translation *last = NULL;
    uint64_t next = pc;
    ret_chain->count = 0;
    *ret_entry_code = emit_entry_code(translator->cache, zone, mode, pc, origin);
    struct ft_diag ahead; /* what follows may never run: its errors wait until it does */
    do {
        uint64_t fall_through = 0;
        struct ft_translation *existing = ft_code_cache_find(translator->cache, mode, next);
        bool more = !last || (!existing && ret_chain->count < FT_CHAIN_MAX &&
                              zone->code_bytes + zone->constant_bytes + (1U << 14) < zone->bytes);
        struct ft_translation *translation = NULL;
        if (more) {
            struct plan plan;
            const struct ft_origin *into = last ? NULL : origin;
            struct ft_diag *told = last ? &ahead : diag;
            plan.from = last ? last->node : origin ? origin->source : FT_OUTSIDE;
            status = plan_unit(translator, mode, next, into, &plan, told);
            if (status == FT_OK)
                status =
                    translate_unit(translator, zone, mode, &plan, into ? into->first_version : NULL,
                                   &translation, &fall_through, told);
            if (status < 0 && !last)
                return status;
        }
        if (!translation) {
            if (last)
                end_path(zone, last, next);
            break;
        }
        ret_chain->units[ret_chain->count++] = translation;
        last = translation;
        next = fall_through;
    } while (next);
    return FT_OK;
}

int ft_translate_chain(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                       const struct ft_origin *origin, struct ft_chain *ret_chain,
                       struct ft_diag *diag)
{
    uint64_t in_front;
    int status = translate_path(translator, mode, pc, origin, ret_chain, &in_front, diag);
    if (status < 0)
        return status;
    for (size_t i = 0; i < ret_chain->count && status == FT_OK; i++)
        status = ft_emission_finish_links(
            &(struct ft_emission){.translator = translator, .translation = ret_chain->units[i]},
            diag);
    for (size_t i = 0; i < ret_chain->count && status < 0; i++) /* their exits are not linked */
        ft_code_cache_drop(translator->cache, ret_chain->units[i]);
    if (status == FT_OK && origin && origin->first_version)
        ft_code_cache_open_version(translator->cache, origin->first_version);
    else if (status == FT_OK && in_front && origin->is_indirect)
        status = ft_indirect_target_add_in_front(translator->cache, ret_chain->units[0],
                                                 origin->source, in_front, diag);
    else if (status == FT_OK && in_front)
        ft_code_cache_redirect(translator->cache, origin->side_exit, in_front);
    return status;
}

int ft_translate_path(struct ft_translator *translator, struct ft_unit *path,
                      struct ft_translation **ret_translation, struct ft_diag *diag)
{
    struct ft_zone *zone;
    struct ft_translation *translation;
    uint64_t fall_through;
    struct plan plan;
    plan.unit = *path;
    plan.is_checked = plan.no_loops = false;
    plan.from = FT_OUTSIDE;
    int status = ft_unit_decode(path, &plan.decoding, diag);
    if (status < 0 || (status = ft_code_cache_zone(translator->cache, path->pc, &zone, diag)) < 0) {
        ft_unit_fini(path);
        return status;
    }
    status = translate_unit(translator, zone, FT_MODE_LOGGED, &plan, NULL, &translation,
                            &fall_through, diag);
    if (status != FT_OK)
        return status;
    if (fall_through)
        end_path(zone, translation, fall_through);
    status = ft_emission_finish_links(
        &(struct ft_emission){.translator = translator, .translation = translation}, diag);
    if (status < 0)
        ft_code_cache_drop(translator->cache, translation);
    else
        *ret_translation = translation;
    return status;
}
