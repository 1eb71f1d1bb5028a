/*
 * 1. Cut: decode instructions up to the end of the unit, past forward branches as if not taken.
 * 2. Walk: follow where each register's value comes from. A value is known, or it hangs on one
 *    symbol: an unknown value that some register holds just before some instruction (at the unit's
 *    start, after a load). What is computed from known values and one symbol hangs on the same
 *    symbol; what is computed from two becomes a symbol of its own. When an address needs a value
 *    that hangs on a symbol, the symbol is logged where it came into being, and all that hangs on
 *    it is known, before and after.
 * 3. Loops: first the largest set of registers that stays known from head to head (start with all,
 *    remove those lost over an iteration, until none is). Walk one iteration with these known;
 *    the addresses' sources among them, closed over the sources of their next values, are the entry
 *    slots, and the symbols that had to be logged are the slots of each iteration. Code that runs
 *    into a loop is a unit of its own.
 */
#include "formats/code/plan.h"

#include <stdlib.h>
#include <string.h>

#include "formats/code/known_registers.h"
#include "formats/code/lanes.h"

#define GENERAL_REGISTERS ((1U << FT_FS_BASE) - 1)
#define SYMBOLS_MAX       (FT_REGISTER_COUNT + FT_PATH_INSTRUCTIONS_MAX * FT_REGISTER_COUNT)

/* A unit as it is being cut. */
struct body {
    uint64_t pc;
    const uint8_t *code;
    unsigned code_bytes;
    unsigned count;
    uint32_t registers_used;
    unsigned side_exits;
    struct ft_instruction *instructions; /* `count` of these are set; not owned */
    struct ft_effect *effects;
    ZydisDecodedInstruction *zydis;
};

struct symbol {
    uint8_t number;      /* register that holds it ... */
    uint8_t instruction; /* ... just before this instruction */
    uint8_t size_bytes;
    bool is_logged;
};

struct value {
    uint32_t heads; /* registers known at the start that it is computed from */
    int16_t symbol; /* that it hangs on, or -1 */
    uint8_t base;   /* it is the start value of this register plus offset; or FT_NO_REGISTER */
    uint64_t offset;
};

struct walk {
    const struct body *body;
    struct value values[FT_REGISTER_COUNT];
    uint32_t needed_heads;
    struct symbol symbols[SYMBOLS_MAX];
    unsigned symbol_count;
    struct ft_lanes lanes;
    struct ft_slot slots[FT_UNIT_SLOTS_MAX];
    unsigned slot_count;
    uint32_t shifted; /* registers that wherever the body may be left have just been added to */
    bool overflows;
};

static void start_body(struct body *body, uint64_t pc, const uint8_t *code,
                       struct ft_unit_decoding *decoding)
{
    body->pc = pc;
    body->code = code;
    body->code_bytes = 0;
    body->count = 0;
    body->registers_used = 1U << FT_RSP;
    body->side_exits = 0;
    body->instructions = decoding->instructions;
    body->effects = decoding->effects;
    body->zydis = decoding->zydis;
}

/* ---- Cutting ---- */

static int refuse(const struct body *body, size_t available_bytes, struct ft_diag *diag)
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

static bool is_string(const struct ft_instruction *instruction)
{
    return instruction->access_count && instruction->accesses[0].mode == FT_ACCESS_STRING;
}

/* String instructions with 32-bit addresses wrap where the expansion does not. */
static bool is_traceable(const struct ft_instruction *instruction)
{
    return !instruction->unsupported &&
           !(is_string(instruction) && instruction->accesses[0].address_is_32_bit);
}

/* Whether the unit goes on behind its latest instruction. Not behind branches back, which close
 * loops, nor those that reach 127 bytes at most. */
static bool goes_on(struct body *body)
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

static int cut(struct body *body, size_t available_bytes, const struct ft_plan_limits *limits,
               struct ft_diag *diag)
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
            (GENERAL_REGISTERS & (instruction->registers_read | instruction->registers_written));
        bool fits = is_traceable(instruction) &&
                    body->code_bytes + instruction->length <= FT_UNIT_BYTES_MAX &&
                    (used != GENERAL_REGISTERS || body->count == 0) &&
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

/* ---- Walking ---- */

static int16_t add_symbol(struct walk *walk, unsigned number, unsigned instruction,
                          uint8_t size_bytes)
{
    walk->symbols[walk->symbol_count] = (struct symbol){
        .number = (uint8_t)number, .instruction = (uint8_t)instruction, .size_bytes = size_bytes};
    return (int16_t)walk->symbol_count++;
}

static struct value symbol_value(int16_t symbol)
{
    return (struct value){.symbol = symbol, .base = FT_NO_REGISTER};
}

static void add_slot(struct walk *walk, struct ft_slot slot)
{
    if (walk->slot_count == FT_UNIT_SLOTS_MAX)
        walk->overflows = true;
    else
        walk->slots[walk->slot_count++] = slot;
}

static bool hangs(const struct walk *walk, const struct value *value)
{
    return value->symbol >= 0 && !walk->symbols[value->symbol].is_logged;
}

/* Makes a register's present value known. */
static void need(struct walk *walk, unsigned number)
{
    const struct value *value = &walk->values[number];
    walk->needed_heads |= value->heads;
    if (!hangs(walk, value))
        return;
    struct symbol *symbol = &walk->symbols[value->symbol];
    symbol->is_logged = true;
    add_slot(walk, (struct ft_slot){FT_SLOT_REGISTER, symbol->number, symbol->size_bytes,
                                    symbol->instruction});
}

static void need_lanes(struct walk *walk, unsigned index, const struct ft_access *access,
                       struct ft_slot needed)
{
    struct ft_lane_source source;
    if (ft_lanes_find(&walk->lanes, walk->slots, &needed, access, &source))
        return;
    needed.instruction = (uint8_t)index;
    add_slot(walk, needed);
    ft_lanes_set(&walk->lanes, &needed, (int16_t)(walk->slot_count - 1));
}

static void need_accesses(struct walk *walk, unsigned index)
{
    const struct ft_instruction *instruction = &walk->body->instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        struct ft_slot needed;
        for (uint32_t rest = ft_access_registers(instruction, access); rest; rest &= rest - 1)
            need(walk, (unsigned)__builtin_ctz(rest));
        if (ft_access_mask_slot(access, &needed))
            need_lanes(walk, index, access, needed);
        if (ft_access_index_slot(access, &needed))
            need_lanes(walk, index, access, needed);
    }
}

/* Where an assigned value comes from. Bytes and words that are cut out of an unknown register
 * become symbols of their own: 4 bytes instead of 8. */
static struct value assigned(struct walk *walk, const struct value old[FT_REGISTER_COUNT],
                             const struct ft_assignment *assignment, unsigned index)
{
    const struct ft_narrowing *narrowing = &assignment->narrowing;
    struct value result = {.symbol = -1, .base = FT_NO_REGISTER};
    bool is_own_symbol = false;
    const uint8_t sources[2] = {assignment->a, assignment->b};
    for (unsigned i = 0; i < 2; i++) {
        if (sources[i] == FT_NO_REGISTER)
            continue;
        const struct value *source = &old[sources[i]];
        result.heads |= source->heads;
        if (!hangs(walk, source))
            continue;
        if (narrowing->left >= 48 || (result.symbol >= 0 && result.symbol != source->symbol))
            is_own_symbol = true;
        result.symbol = source->symbol;
    }
    if (is_own_symbol)
        return symbol_value(
            add_symbol(walk, assignment->target, index + 1, narrowing->mask <= UINT32_MAX ? 4 : 8));
    if (assignment->b == FT_NO_REGISTER && assignment->a != FT_NO_REGISTER &&
        assignment->a_factor == 1 && ft_narrowing_is_none(narrowing)) {
        result.base = old[assignment->a].base;
        result.offset = old[assignment->a].offset + assignment->constant;
    }
    return result;
}

static void walk_instruction(struct walk *walk, unsigned index)
{
    const struct ft_effect *effect = &walk->body->effects[index];
    need_accesses(walk, index);
    if (effect->direction == FT_DIRECTION_LOADED)
        add_slot(walk, (struct ft_slot){FT_SLOT_FLAGS, 0, 8, (uint8_t)index});
    struct value old[FT_REGISTER_COUNT];
    memcpy(old, walk->values, sizeof old);
    for (uint32_t rest = effect->forgotten; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        walk->values[number] = symbol_value(
            add_symbol(walk, number, index + 1, effect->upper_zero >> number & 1 ? 4 : 8));
    }
    for (unsigned i = 0; i < effect->assignment_count; i++)
        walk->values[effect->assignments[i].target] =
            assigned(walk, old, &effect->assignments[i], index);
    ft_lanes_step(&walk->lanes, effect);
    if (walk->body->instructions[index].rep_conditional)
        need(walk, FT_RCX);
}

/* What the next unit starts from. */
static void need_state(struct walk *walk)
{
    for (unsigned number = 0; number < FT_REGISTER_COUNT; number++)
        if (FT_STATE_REGISTERS >> number & 1)
            need(walk, number);
}

static void note_shifted(struct walk *walk)
{
    for (uint32_t rest = walk->shifted; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        if (walk->values[number].base != number)
            walk->shifted &= ~(1U << number);
    }
}

/* Whether another unit may follow behind the index-th instruction: it is the last, a branch, or
 * stands before a branch whose destination a path foretells. */
static bool may_leave_behind(const struct body *body, unsigned index)
{
    if (body->instructions[index].flow != FT_FLOW_NEXT || index + 1 == body->count)
        return true;
    return ft_is_foretold(&body->instructions[index + 1]);
}

/* Walks the body once from a start where `known` registers are known. */
static void walk_body(struct walk *walk, const struct body *body, uint32_t known)
{
    walk->body = body;
    walk->needed_heads = 0;
    walk->symbol_count = 0;
    walk->slot_count = 0;
    walk->shifted = GENERAL_REGISTERS;
    walk->overflows = false;
    ft_lanes_init(&walk->lanes);
    for (unsigned number = 0; number < FT_REGISTER_COUNT; number++) {
        if (known >> number & 1)
            walk->values[number] =
                (struct value){.heads = 1U << number, .symbol = -1, .base = (uint8_t)number};
        else
            walk->values[number] = symbol_value(add_symbol(walk, number, 0, 8));
    }
    for (unsigned index = 0; index < body->count; index++) {
        walk_instruction(walk, index);
        if (may_leave_behind(body, index)) {
            need_state(walk);
            note_shifted(walk);
        }
    }
}

/* ---- Loops ---- */

static bool may_be_loop(const struct body *body)
{
    const struct ft_instruction *last = &body->instructions[body->count - 1];
    if (last->flow != FT_FLOW_BRANCH || last->target != body->pc ||
        body->effects[body->count - 1].is_counted_branch)
        return false;
    for (unsigned i = 0; i < body->count; i++)
        if (is_string(&body->instructions[i]) || body->effects[i].direction != FT_DIRECTION_KEPT ||
            (body->instructions[i].flow != FT_FLOW_NEXT && i + 1 < body->count))
            return false;
    return true;
}

/* The largest set of registers that, known at the head, are known at the next head. */
static uint32_t lasting_registers(const struct body *body)
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
static uint32_t close_over_sources(const struct walk *walk, uint32_t needed)
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
static bool find_induction(const struct walk *walk, uint32_t candidates, struct ft_unit *unit)
{
    for (uint32_t rest = candidates & walk->shifted; rest; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        const struct value *value = &walk->values[number];
        if (value->base == number && value->offset != 0) {
            unit->count_source = FT_COUNT_INDUCTION;
            unit->induction_register = (uint8_t)number;
            unit->induction_stride = (int64_t)value->offset;
            return true;
        }
    }
    return false;
}

/* Gives the entry registers of a loop and how it counts, which registers not among `inductions` may
 * not; false where it is planned as plain. */
static bool plan_loop(struct walk *walk, const struct body *body, uint32_t inductions,
                      struct ft_unit *unit, uint32_t *ret_entry)
{
    uint32_t lasting = lasting_registers(body);
    if (FT_STATE_REGISTERS & ~lasting)
        return false;
    walk_body(walk, body, lasting);
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
static void leave_loop_out(struct body *body, struct walk *walk)
{
    uint64_t head = body->instructions[body->count - 1].target;
    unsigned first = 1;
    while (first < body->count && body->instructions[first].pc != head)
        first++;
    if (first >= body->count || body->instructions[body->count - 1].flow != FT_FLOW_BRANCH)
        return;
    struct ft_unit ignored = {0};
    uint32_t entry;
    const struct body loop = {.pc = head,
                              .code = body->code + (head - body->pc),
                              .count = body->count - first,
                              .registers_used = body->registers_used,
                              .instructions = body->instructions + first,
                              .effects = body->effects + first,
                              .zydis = body->zydis + first};
    if (!may_be_loop(&loop) || !plan_loop(walk, &loop, GENERAL_REGISTERS, &ignored, &entry))
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

static int build(const struct body *body, const struct walk *walk, uint32_t entry,
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
    struct body body;
    start_body(&body, pc, code, ret_decoding);
    int status = cut(&body, available_bytes, limits, diag);
    if (status)
        return status;
    struct walk walk;
    struct ft_unit unit = {0};
    uint32_t entry = 0;
    if (!limits->no_loops)
        leave_loop_out(&body, &walk);
    bool is_loop = !limits->no_loops && may_be_loop(&body) &&
                   plan_loop(&walk, &body, GENERAL_REGISTERS, &unit, &entry);
    if (!is_loop)
        walk_body(&walk, &body, FT_STATE_REGISTERS);
    if (walk.overflows)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the unit at 0x%llx would log too many values",
                       (unsigned long long)pc);
    status = build(&body, &walk, entry, &unit, diag);
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

/* ---- Paths ---- */

/* The units of a path, one behind the other. */
struct row {
    struct body body; /* in what was decoded */
    struct ft_unit_decoding decoding;
    uint8_t code[FT_PATH_BYTES_MAX];
    struct ft_unit_piece pieces[FT_PATH_INSTRUCTIONS_MAX];
    unsigned piece_count;
};

static int refuse_path(struct ft_diag *diag, const char *why)
{
    return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the units are no path: %s", why);
}

bool ft_path_takes(const struct ft_unit *unit)
{
    unsigned last = unit->instructions[unit->instruction_count - 1].flow;
    return (unit->kind == FT_UNIT_PLAIN || unit->kind == FT_UNIT_PATH) && last != FT_FLOW_SYSCALL &&
           last != FT_FLOW_INTERRUPT_RETURN && last != FT_FLOW_TRAP;
}

static bool goes_on_behind(const struct ft_effect *effect)
{
    return !effect->is_counted_branch && effect->direction != FT_DIRECTION_LOADED;
}

bool ft_path_goes_on_behind(const struct ft_unit *unit)
{
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
    struct ft_instruction instruction;
    struct ft_effect effect;
    return !ft_effect_decode(ft_unit_code(unit, last), last->length, last->pc, &instruction,
                             &effect, NULL) &&
           goes_on_behind(&effect);
}

/* Appends a unit's instructions, whose code goes behind that of the others. */
static int append_unit(struct body *body, uint8_t *code, const struct ft_unit *unit,
                       struct ft_diag *diag)
{
    if (!ft_path_takes(unit))
        return refuse_path(diag, "one is a loop, or a system call");
    if (body->count + unit->instruction_count > FT_PATH_INSTRUCTIONS_MAX ||
        body->code_bytes + unit->code_bytes > FT_PATH_BYTES_MAX)
        return refuse_path(diag, "they are too long");
    memcpy(code + body->code_bytes, unit->code, unit->code_bytes);
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *next = &unit->instructions[i];
        unsigned last = body->count - 1;
        bool follows =
            body->count == 0 || (ft_path_may_go_on(&body->instructions[last], next->pc) &&
                                 goes_on_behind(&body->effects[last]));
        if (!follows)
            return refuse_path(diag, "one does not follow on the other");
        int status =
            ft_effect_decode(code + body->code_bytes, next->length, next->pc,
                             &body->instructions[body->count], &body->effects[body->count], diag);
        if (status)
            return status;
        body->code_bytes += next->length;
        body->count++;
    }
    return 0;
}

static unsigned record_bytes(const struct walk *walk)
{
    unsigned bytes = sizeof(uint32_t);
    for (unsigned s = 0; s < walk->slot_count; s++)
        bytes += walk->slots[s].size_bytes;
    return bytes;
}

static int make_row(const struct ft_unit *const *units, size_t count, struct row *row,
                    struct ft_diag *diag)
{
    struct body *body = &row->body;
    uint32_t module_before = units[0]->module;
    row->piece_count = 0;
    start_body(body, units[0]->pc, row->code, &row->decoding);
    for (size_t i = 0; i < count; i++) {
        unsigned first = body->count;
        int status = append_unit(body, row->code, units[i], diag);
        if (status)
            return status;
        for (unsigned k = first ? first : 1; k < body->count; k++) {
            uint32_t module = ft_unit_module(units[i], k - first);
            const struct ft_instruction *at = &body->instructions[k];
            if (at->pc != at[-1].pc + at[-1].length || module != module_before)
                row->pieces[row->piece_count++] =
                    (struct ft_unit_piece){.module = module, .first = (uint8_t)k};
            module_before = module;
        }
    }
    return body->count ? 0 : refuse_path(diag, "there are none");
}

static int build_path(const struct row *row, const struct walk *walk, uint32_t entry,
                      uint32_t module, struct ft_unit *path, struct ft_diag *diag)
{
    path->pieces = calloc(row->piece_count + 1U, sizeof *path->pieces);
    if (!path->pieces)
        return ft_fail_memory(diag, "a unit");
    path->piece_count = (uint8_t)row->piece_count;
    memcpy(path->pieces, row->pieces, row->piece_count * sizeof *row->pieces);
    int status = build(&row->body, walk, entry, path, diag);
    path->module = module;
    if (status)
        ft_unit_fini(path);
    return status;
}

int ft_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_path,
                 struct ft_diag *diag)
{
    struct row row;
    struct walk walk;
    struct ft_unit path = {.kind = FT_UNIT_PATH};
    int status = make_row(units, count, &row, diag);
    if (status)
        return status;
    walk_body(&walk, &row.body, FT_STATE_REGISTERS);
    if (walk.overflows || record_bytes(&walk) > FT_PATH_RECORD_BYTES_MAX)
        return refuse_path(diag, "they log too many values");
    status = build_path(&row, &walk, 0, units[0]->module, &path, diag);
    if (!status)
        *ret_path = path;
    return status;
}

/* Whether the last instruction leads to the first, and no other may be foretold there. */
static bool comes_back(const struct body *body)
{
    const struct ft_instruction *last = &body->instructions[body->count - 1];
    bool leads_on = last->flow == FT_FLOW_NEXT || last->flow == FT_FLOW_JUMP ||
                    (last->flow == FT_FLOW_BRANCH && last->target != last->pc + last->length);
    return leads_on && goes_on_behind(&body->effects[body->count - 1]) &&
           ft_path_may_go_on(last, body->pc) && !ft_is_foretold(&body->instructions[0]);
}

static bool repeats_strings(const struct body *body)
{
    for (unsigned i = 0; i < body->count; i++)
        if (is_string(&body->instructions[i]) || body->effects[i].direction != FT_DIRECTION_KEPT)
            return true;
    return false;
}

int ft_loop_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_loop,
                      struct ft_diag *diag)
{
    struct row row = {0};
    struct walk walk;
    struct ft_unit loop = {0};
    uint32_t entry;
    int status = make_row(units, count, &row, diag);
    if (status)
        return status;
    if (!comes_back(&row.body) || repeats_strings(&row.body))
        return refuse_path(diag, "they are no loop");
    /* the log pointer is in r11 where the loop is left */
    if (!plan_loop(&walk, &row.body, ~(1U << FT_R11), &loop, &entry))
        return refuse_path(diag, "what is known is lost in a turn");
    unsigned entry_bytes = 8 + 8 * (unsigned)__builtin_popcount(entry);
    if (walk.overflows || record_bytes(&walk) + entry_bytes > FT_PATH_RECORD_BYTES_MAX)
        return refuse_path(diag, "they log too many values");
    loop.kind = FT_UNIT_LOOP_PATH;
    status = build_path(&row, &walk, entry, units[0]->module, &loop, diag);
    if (!status)
        *ret_loop = loop;
    return status;
}
