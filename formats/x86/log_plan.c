/*
 * 1. Cut: decode instructions up to the end of the unit, past forward branches as if not taken.
 * 2. Walk (log_plan_walk.c): find out which values it must log.
 * 3. Loops: first the largest set of registers that stays known from head to head (start with all,
 *    remove those lost over an iteration, until none is). Walk one iteration with these known;
 *    the addresses' sources among them, closed over the sources of their next values, are the entry
 *    slots, and the symbols that had to be logged are the slots of each iteration. Code that runs
 *    into a loop is a unit of its own.
 */
#include "formats/x86/log_plan.h"

#include <stdlib.h>
#include <string.h>

#include "formats/x86/known_registers.h"
#include "formats/x86/log_planning.h"

/* ---- Cutting ---- */

static int refuse(const struct ft_plan_body *body, size_t available_bytes, struct ft_diag *diag)
{
    struct ft_instruction instruction;
    ZydisDecodedInstruction zydis;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const char *name = "unknown";
    if (!ft_instruction_decode_full(body->code, available_bytes, body->pc, &instruction, &zydis,
                                    operands, NULL))
        name = ZydisMnemonicGetString(zydis.mnemonic);
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "the instruction at 0x%llx (%s) is one whose accesses cannot be traced",
                   (unsigned long long)body->pc, name);
}

/* String instructions with 32-bit addresses wrap where the expansion does not. */
static bool is_traceable(const struct ft_instruction *instruction)
{
    return !instruction->unsupported &&
           !(ft_plan_is_string(instruction) && instruction->accesses[0].address_is_32_bit);
}

/* Whether the unit goes on behind its latest instruction. Not behind branches back, which close
 * loops, nor those that reach 127 bytes at most. */
static bool goes_on(struct ft_plan_body *body)
{
    const struct ft_instruction *last = &body->instructions[body->count - 1];
    const struct ft_effect *effect = &body->effects[body->count - 1];
    if (last->flow == FT_FLOW_NEXT)
        return effect->direction != FT_DIRECTION_LOADED;
    if (last->flow != FT_FLOW_BRANCH || last->target <= last->pc || effect->is_counted_branch ||
        body->registers_used >> FT_R11 & 1 || body->side_exits == FT_PLAN_SIDE_EXITS_MAX)
        return false;
    body->side_exits++;
    return true;
}

static int cut(struct ft_plan_body *body, size_t available_bytes,
               const struct ft_plan_limits *limits, struct ft_diag *diag)
{
    unsigned limit = limits->instructions_max < FT_UNIT_INSTRUCTIONS_MAX ? limits->instructions_max
                                                                         : FT_UNIT_INSTRUCTIONS_MAX;
    while (body->count < limit) {
        struct ft_instruction *instruction = &body->instructions[body->count];
        struct ft_effect *effect = &body->effects[body->count];
        int status =
            ft_effect_decode_full(body->code + body->code_bytes, available_bytes - body->code_bytes,
                                  body->pc + body->code_bytes, instruction, effect,
                                  &body->zydis[body->count], body->count ? NULL : diag);
        if (status && body->count == 0)
            return status;
        if (status)
            break;
        uint32_t used =
            body->registers_used |
            (FT_GENERAL_REGISTERS & (instruction->registers_read | instruction->registers_written));
        bool fits = is_traceable(instruction) &&
                    body->code_bytes + instruction->length <= FT_UNIT_BYTES_MAX &&
                    (used != FT_GENERAL_REGISTERS || body->count == 0) &&
                    !(body->side_exits && used >> FT_R11 & 1);
        if (!fits && body->count == 0)
            return refuse(body, available_bytes, diag);
        if (!fits)
            break;
        body->registers_used = used;
        body->code_bytes += instruction->length;
        body->count++;
        if (!goes_on(body))
            break;
    }
    return body->count ? 0 : ft_fail(diag, FT_ERROR_USAGE, "a unit of no instructions");
}

/* ---- Loops ---- */

static bool may_be_loop(const struct ft_plan_body *body)
{
    const struct ft_instruction *last = &body->instructions[body->count - 1];
    if (last->flow != FT_FLOW_BRANCH || last->target != body->pc ||
        body->effects[body->count - 1].is_counted_branch)
        return false;
    for (unsigned i = 0; i < body->count; i++)
        if (ft_plan_is_string(&body->instructions[i]) ||
            body->effects[i].direction != FT_DIRECTION_KEPT ||
            (body->instructions[i].flow != FT_FLOW_NEXT && i + 1 < body->count))
            return false;
    return true;
}

/* The largest set of registers that, known at the head, are known at the next head. */
static uint32_t lasting_registers(const struct ft_plan_body *body)
{
    uint32_t known = (1U << FT_REGISTER_COUNT) - 1, before;
    do {
        struct ft_registers registers = {.known = known};
        for (unsigned i = 0; i < body->count; i++)
            ft_registers_step(&registers, &body->effects[i], false);
        before = known;
        known &= registers.known;
    } while (known != before);
    return known;
}

/* Entry registers: those needed, and all that their values at later heads are computed from. */
static uint32_t close_over_sources(const struct ft_plan_walk *walk, uint32_t needed)
{
    uint32_t before;
    needed |= FT_STATE_REGISTERS;
    do {
        before = needed;
        for (uint32_t rest = before; rest; rest &= rest - 1)
            needed |= walk->values[__builtin_ctz(rest)].heads;
    } while (needed != before);
    return needed & ~FT_STATE_REGISTERS;
}

/* A register that changes by the same non-zero amount in each iteration, and is that far from its
 * value at the head wherever the loop may be left, among `candidates`. */
static bool find_induction(const struct ft_plan_walk *walk, uint32_t candidates,
                           struct ft_unit *unit)
{
    for (uint32_t rest = candidates & walk->shifted; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        const struct ft_plan_value *value = &walk->values[number];
        if (value->base == number && value->offset != 0) {
            unit->count_source = FT_COUNT_INDUCTION;
            unit->induction_register = (uint8_t)number;
            unit->induction_stride = (int64_t)value->offset;
            return true;
        }
    }
    return false;
}

bool ft_plan_loop(struct ft_plan_walk *walk, const struct ft_plan_body *body, uint32_t inductions,
                  struct ft_unit *unit, uint32_t *ret_entry)
{
    uint32_t lasting = lasting_registers(body);
    if (FT_STATE_REGISTERS & ~lasting)
        return false;
    ft_plan_walk_body(walk, body, lasting);
    uint32_t entry = close_over_sources(walk, walk->needed_heads);
    if (walk->slot_count) {
        unit->count_source = FT_COUNT_VALUES;
    } else if (!find_induction(walk, entry & inductions, unit)) {
        if (find_induction(walk, lasting & inductions & ~FT_STATE_REGISTERS, unit))
            entry |= 1U << unit->induction_register;
        else if (!(body->registers_used >> FT_R11 & 1))
            unit->count_source = FT_COUNT_COUNTER;
        else
            return false;
    }
    unit->kind = FT_UNIT_LOOP;
    *ret_entry = entry;
    return true;
}

/* Code that runs into a loop and ends with the loop's branch: the unit ends before the loop, which
 * then has all iterations in its own record, the first one too. */
static void leave_loop_out(struct ft_plan_body *body, struct ft_plan_walk *walk)
{
    uint64_t head = body->instructions[body->count - 1].target;
    unsigned first = 1;
    while (first < body->count && body->instructions[first].pc != head)
        first++;
    if (first >= body->count || body->instructions[body->count - 1].flow != FT_FLOW_BRANCH)
        return;
    struct ft_unit ignored = {0};
    uint32_t entry;
    const struct ft_plan_body loop = {.pc = head,
                                      .code = body->code + (head - body->pc),
                                      .count = body->count - first,
                                      .registers_used = body->registers_used,
                                      .instructions = body->instructions + first,
                                      .effects = body->effects + first,
                                      .zydis = body->zydis + first};
    if (!may_be_loop(&loop) || !ft_plan_loop(walk, &loop, FT_GENERAL_REGISTERS, &ignored, &entry))
        return;
    body->count = first;
    body->code_bytes = (unsigned)(head - body->pc);
}

/* ---- The plan ---- */

/* Stable: slots before the same instruction keep the order in which they were found. */
static void sort_slots(struct ft_slot *slots, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct ft_slot slot = slots[i];
        unsigned j = i;
        for (; j > 0 && slots[j - 1].instruction > slot.instruction; j--)
            slots[j] = slots[j - 1];
        slots[j] = slot;
    }
}

int ft_plan_build(const struct ft_plan_body *body, const struct ft_plan_walk *walk, uint32_t entry,
                  struct ft_unit *unit, struct ft_diag *diag)
{
    unsigned entry_count = (unsigned)__builtin_popcount(entry);
    unit->module = FT_NO_MODULE;
    unit->pc = body->pc;
    unit->code_bytes = (uint16_t)body->code_bytes;
    unit->instruction_count = (uint8_t)body->count;
    unit->slot_count = (uint16_t)(entry_count + walk->slot_count);
    unit->entry_slot_count = ft_unit_is_loop(unit) ? (uint16_t)entry_count : unit->slot_count;
    unit->code = malloc(body->code_bytes);
    unit->slots = calloc(unit->slot_count + 1U, sizeof *unit->slots);
    unit->instructions = malloc(body->count * sizeof *unit->instructions);
    if (!unit->code || !unit->slots || !unit->instructions) {
        ft_unit_fini(unit);
        return ft_fail_memory(diag, "a unit");
    }
    memcpy(unit->code, body->code, body->code_bytes);
    memcpy(unit->instructions, body->instructions, body->count * sizeof *unit->instructions);
    struct ft_slot *slot = unit->slots;
    for (uint32_t rest = entry; rest; rest &= rest - 1)
        *slot++ = (struct ft_slot){FT_SLOT_REGISTER, (uint8_t)__builtin_ctz(rest), 8, 0};
    memcpy(slot, walk->slots, walk->slot_count * sizeof *slot);
    sort_slots(slot, walk->slot_count);
    unit->has_granules = ft_unit_repeats_strings(unit);
    return 0;
}

int ft_unit_plan(const uint8_t *code, size_t available_bytes, uint64_t pc,
                 const struct ft_plan_limits *limits, struct ft_unit *ret_unit,
                 struct ft_diag *diag)
{
    struct ft_unit_decoding decoding;
    return ft_unit_plan_decoded(code, available_bytes, pc, limits, ret_unit, &decoding, diag);
}

int ft_unit_plan_decoded(const uint8_t *code, size_t available_bytes, uint64_t pc,
                         const struct ft_plan_limits *limits, struct ft_unit *ret_unit,
                         struct ft_unit_decoding *ret_decoding, struct ft_diag *diag)
{
    struct ft_plan_body body;
    ft_plan_start(&body, pc, code, ret_decoding);
    int status = cut(&body, available_bytes, limits, diag);
    if (status)
        return status;
    struct ft_plan_walk walk;
    struct ft_unit unit = {0};
    uint32_t entry = 0;
    if (!limits->no_loops)
        leave_loop_out(&body, &walk);
    bool is_loop = !limits->no_loops && may_be_loop(&body) &&
                   ft_plan_loop(&walk, &body, FT_GENERAL_REGISTERS, &unit, &entry);
    if (!is_loop)
        ft_plan_walk_body(&walk, &body, FT_STATE_REGISTERS);
    if (walk.overflows)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the unit at 0x%llx would log too many values",
                       (unsigned long long)pc);
    status = ft_plan_build(&body, &walk, entry, &unit, diag);
    if (!status)
        *ret_unit = unit;
    return status;
}

int ft_unit_decode(const struct ft_unit *unit, struct ft_unit_decoding *ret_decoding,
                   struct ft_diag *diag)
{
    const uint8_t *code = unit->code;
    int status = 0;
    for (unsigned i = 0; i < unit->instruction_count && !status; i++) {
        const struct ft_instruction *next = &unit->instructions[i];
        status = ft_effect_decode_full(code, next->length, next->pc, &ret_decoding->instructions[i],
                                       &ret_decoding->effects[i], &ret_decoding->zydis[i], diag);
        code += next->length;
    }
    return status;
}
