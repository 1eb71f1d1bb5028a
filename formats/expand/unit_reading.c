/*
 * Reading trusts nothing: instructions are decoded again, every field is validated, and the unit is
 * stepped through with zeros as values, which fails if an address would be unknown. A loop is
 * stepped until no further register can be lost from one iteration to the next.
 */
#include "formats/expand/unit_reading.h"

#include <stdlib.h>
#include <string.h>

#include "formats/expand/expand.h"
#include "formats/x86/known_registers.h"
#include "formats/x86/reference_unit.h"

static int bad_unit(struct ft_diag *diag, const struct ft_unit *unit, const char *what)
{
    return ft_fail(diag, FT_ERROR_DATA, "definition of unit %u is damaged: %s", unit->id, what);
}

/* Whether the unit may continue at pc after one of its instructions. */
static bool may_continue(const struct ft_unit *unit, const struct ft_instruction *instruction,
                         uint64_t pc)
{
    if (ft_unit_is_path(unit))
        return ft_path_may_go_on(instruction, pc);
    return instruction->flow == FT_FLOW_NEXT ||
           (instruction->flow == FT_FLOW_BRANCH && unit->kind == FT_UNIT_PLAIN);
}

/* The first instruction of each piece of a path already has its pc. */
static int decode_instructions(struct ft_unit *unit, struct ft_diag *diag)
{
    size_t position = 0;
    uint64_t next = unit->pc;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        struct ft_instruction *instruction = &unit->instructions[i];
        uint64_t pc = instruction->pc ? instruction->pc : next;
        if (i && !may_continue(unit, instruction - 1, pc))
            return bad_unit(diag, unit, "it continues after a branch");
        int status = ft_instruction_decode(unit->code + position, unit->code_bytes - position, pc,
                                           instruction, diag);
        if (status == FT_ERROR_MEMORY)
            return status;
        if (status || instruction->unsupported)
            return bad_unit(diag, unit, "an instruction cannot be decoded");
        position += instruction->length;
        next = pc + instruction->length;
    }
    return position == unit->code_bytes
               ? 0
               : bad_unit(diag, unit, "it has more code than instructions");
}

static bool slot_is_valid(const struct ft_slot *slot)
{
    switch (slot->kind) {
    case FT_SLOT_REGISTER:
        return slot->source < FT_REGISTER_COUNT && slot->source != FT_FS_BASE &&
               (slot->size_bytes == 4 || slot->size_bytes == 8);
    case FT_SLOT_VECTOR:
        return slot->source < 32 &&
               (slot->size_bytes == 16 || slot->size_bytes == 32 || slot->size_bytes == 64);
    case FT_SLOT_MASK:
        return slot->source < 8 && slot->size_bytes == 8;
    case FT_SLOT_FLAGS:
        return slot->size_bytes == 8;
    default:
        return false;
    }
}

/* Slots are in order; those of a loop's entry are whole registers at its head, each once. */
static int check_slots(const struct ft_unit *unit, struct ft_diag *diag)
{
    unsigned first = ft_unit_is_loop(unit) ? unit->entry_slot_count : 0;
    for (unsigned s = 0; s < unit->slot_count; s++) {
        const struct ft_slot *slot = &unit->slots[s];
        if (!slot_is_valid(slot) || slot->instruction > unit->instruction_count)
            return bad_unit(diag, unit, "a slot is of unknown kind");
        bool in_order = s == 0 || s == first ||
                        (s < first ? slot->source > slot[-1].source
                                   : slot->instruction >= slot[-1].instruction);
        bool is_entry = slot->kind == FT_SLOT_REGISTER && slot->size_bytes == 8 &&
                        slot->instruction == 0 && slot->source != FT_RSP;
        if (!in_order || (s < first && !is_entry))
            return bad_unit(diag, unit, "slots are out of order");
    }
    return 0;
}

static bool has_entry_slot(const struct ft_unit *unit, uint8_t number)
{
    for (unsigned s = 0; s < unit->entry_slot_count; s++)
        if (unit->slots[s].source == number)
            return true;
    return false;
}

/* Whether a path returns to its start, other than by a predicted branch. */
static bool comes_back(const struct ft_unit *unit)
{
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
    return !ft_is_predicted(last) && last->flow != FT_FLOW_CALL &&
           ft_path_may_go_on(last, unit->pc);
}

/* Loop paths: no string instructions, no change of the direction flag; an iteration that left the
 * loop did so after a branch, or before one whose destination is predicted, and logged the slots up
 * to there. */
static int check_loop_path(const struct ft_unit *unit, struct ft_diag *diag)
{
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    unsigned last_count = unit->last_iteration_instructions;
    if (!comes_back(unit))
        return bad_unit(diag, unit, "a loop path does not return to its start");
    if (ft_unit_effects(unit, effects, diag))
        return bad_unit(diag, unit, "an instruction cannot be decoded");
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (effects[i].direction != FT_DIRECTION_KEPT ||
            (unit->instructions[i].access_count &&
             unit->instructions[i].accesses[0].mode == FT_ACCESS_STRING))
            return bad_unit(diag, unit, "a loop path has string instructions");
    if (last_count == 0)
        return unit->beginning_of == 0 && unit->last_iteration_slots == 0
                   ? 0
                   : bad_unit(diag, unit, "it is said to be left early, but not where");
    unsigned slots = unit->entry_slot_count + unit->last_iteration_slots;
    bool may_leave = last_count < unit->instruction_count &&
                     ((unit->instructions[last_count - 1].flow == FT_FLOW_BRANCH &&
                       slots == ft_unit_slots_before(unit, last_count)) ||
                      (ft_is_predicted(&unit->instructions[last_count]) &&
                       slots == ft_unit_slots_before(unit, last_count + 1)));
    return may_leave && unit->beginning_of != 0
               ? 0
               : bad_unit(diag, unit, "it is left early where it cannot be left");
}

static int check_kind(const struct ft_unit *unit, struct ft_diag *diag)
{
    if (!ft_unit_is_loop(unit))
        return unit->count_source == FT_COUNT_NONE && unit->entry_slot_count == unit->slot_count
                   ? 0
                   : bad_unit(diag, unit, "a plain unit counts iterations");
    const struct ft_instruction *last = &unit->instructions[unit->instruction_count - 1];
    if (unit->kind == FT_UNIT_LOOP && (last->flow != FT_FLOW_BRANCH || last->target != unit->pc))
        return bad_unit(diag, unit, "a loop does not branch to its start");
    if (unit->kind == FT_UNIT_LOOP_PATH && check_loop_path(unit, diag))
        return FT_ERROR_DATA;
    bool has_values = unit->slot_count > unit->entry_slot_count;
    switch (unit->count_source) {
    case FT_COUNT_VALUES:
        return has_values ? 0
                          : bad_unit(diag, unit,
                                     "a loop counts its iterations by values that it does not log");
    case FT_COUNT_COUNTER:
        return has_values ? bad_unit(diag, unit, "a loop with a counter logs values") : 0;
    case FT_COUNT_INDUCTION:
        return !has_values && unit->induction_stride != 0 &&
                       has_entry_slot(unit, unit->induction_register)
                   ? 0
                   : bad_unit(diag, unit, "a loop has no induction register");
    default:
        return bad_unit(diag, unit, "a loop does not say how it counts its iterations");
    }
}

/* Checks that every address is known in this many iterations. */
static int check_iterations(const struct ft_unit *unit, uint64_t iterations, struct ft_diag *diag)
{
    size_t value_count = (size_t)ft_unit_value_count(unit, iterations);
    uint64_t *zeros = calloc(value_count + 1, sizeof *zeros);
    if (!zeros)
        return ft_fail_memory(diag, "the values of a unit");
    struct ft_record record = {.unit = unit->id ? unit->id : 1,
                               .iteration_count = iterations,
                               .values = zeros,
                               .value_count = value_count};
    struct ft_log_state state = {0};
    int status = ft_unit_step(unit, &record, &state, NULL, NULL, diag);
    free(zeros);
    return status;
}

/* Each iteration loses at least one more register or none is ever lost again, so one more iteration
 * than there are registers is enough. An iteration that leaves a loop must know its addresses from
 * what is known at the loop's start, without an iteration before it that sets other registers. */
static int check_known(const struct ft_unit *unit, struct ft_diag *diag)
{
    int status = check_iterations(unit, ft_unit_is_loop(unit) ? FT_REGISTER_COUNT + 1 : 1, diag);
    for (uint64_t iterations = 0; !status && unit->last_iteration_instructions && iterations < 2;
         iterations++)
        status = check_iterations(unit, iterations, diag);
    return status;
}

/* What follows the slots of a path or loop path. The first instruction of each piece gets its pc.
 */
static int read_path(struct ft_cursor *cursor, struct ft_unit *unit, struct ft_diag *diag)
{
    unsigned first = 1;
    unit->beginning_of = ft_get_u32(cursor);
    unit->piece_count = ft_get_u8(cursor);
    unit->pieces = calloc(unit->piece_count + 1U, sizeof *unit->pieces);
    if (!unit->pieces)
        return ft_fail_memory(diag, "a unit");
    for (unsigned p = 0; p < unit->piece_count; p++) {
        struct ft_unit_piece *piece = &unit->pieces[p];
        piece->first = ft_get_u8(cursor);
        piece->module = ft_get_u32(cursor);
        uint64_t pc = ft_get_u64(cursor);
        if (cursor->failed || piece->first < first || piece->first >= unit->instruction_count ||
            pc == 0)
            return bad_unit(diag, unit, "its pieces are out of order");
        unit->instructions[piece->first].pc = pc;
        first = piece->first + 1U;
    }
    if (unit->kind == FT_UNIT_LOOP_PATH) {
        unit->last_iteration_instructions = ft_get_u8(cursor);
        unit->last_iteration_slots = ft_get_u16(cursor);
        if (unit->last_iteration_slots > unit->slot_count - unit->entry_slot_count)
            return bad_unit(diag, unit, "its last iteration logs more than the loop does");
    }
    return cursor->failed ? bad_unit(diag, unit, "it ends early") : 0;
}

static int read_fields(struct ft_cursor *cursor, struct ft_unit *unit, struct ft_diag *diag)
{
    unit->id = ft_get_u32(cursor);
    unit->module = ft_get_u32(cursor);
    unit->pc = ft_get_u64(cursor);
    unit->kind = ft_get_u8(cursor);
    unit->has_granules = unit->kind & FT_UNIT_GRANULES;
    unit->kind = (uint8_t)(unit->kind & ~FT_UNIT_GRANULES);
    unit->count_source = ft_get_u8(cursor);
    unit->induction_register = ft_get_u8(cursor);
    unit->instruction_count = ft_get_u8(cursor);
    unit->induction_stride = (int64_t)ft_get_u64(cursor);
    unit->code_bytes = ft_get_u16(cursor);
    unit->slot_count = ft_get_u16(cursor);
    unit->entry_slot_count = ft_get_u16(cursor);
    const uint8_t *code = ft_get(cursor, unit->code_bytes);
    bool is_path = ft_unit_is_path(unit);
    if (cursor->failed || unit->id == 0 || unit->kind > FT_UNIT_LOOP_PATH ||
        unit->instruction_count == 0 || unit->code_bytes == 0 ||
        unit->instruction_count > (is_path ? FT_PATH_INSTRUCTIONS_MAX : FT_UNIT_INSTRUCTIONS_MAX) ||
        unit->code_bytes > (is_path ? FT_PATH_BYTES_MAX : FT_UNIT_BYTES_MAX) ||
        unit->slot_count > FT_UNIT_SLOTS_MAX || unit->entry_slot_count > unit->slot_count)
        return bad_unit(diag, unit, "a field is out of range");
    unit->code = malloc(unit->code_bytes);
    unit->slots = calloc(unit->slot_count + 1U, sizeof *unit->slots);
    unit->instructions = calloc(unit->instruction_count, sizeof *unit->instructions);
    if (!unit->code || !unit->slots || !unit->instructions)
        return ft_fail_memory(diag, "a unit");
    memcpy(unit->code, code, unit->code_bytes);
    for (unsigned s = 0; s < unit->slot_count; s++) {
        const uint8_t *slot = ft_get(cursor, 4);
        if (!slot)
            return bad_unit(diag, unit, "it ends early");
        unit->slots[s] = (struct ft_slot){slot[0], slot[1], slot[2], slot[3]};
    }
    return is_path ? read_path(cursor, unit, diag) : 0;
}

int ft_unit_read(struct ft_cursor *cursor, struct ft_unit *ret_unit, struct ft_diag *diag)
{
    struct ft_unit unit = {0};
    int status;
    FT_TRY_TO(fail, status, read_fields(cursor, &unit, diag));
    if (unit.kind == FT_UNIT_REFERENCES) {
        FT_TRY_TO(fail, status, ft_reference_unit_decode(&unit, diag));
    } else {
        FT_TRY_TO(fail, status, decode_instructions(&unit, diag));
        FT_TRY_TO(fail, status, check_slots(&unit, diag));
    }
    if (unit.has_granules && !ft_unit_repeats_strings(&unit))
        FT_TRY_TO(fail, status, bad_unit(diag, &unit, "it repeats no string instruction"));
    FT_TRY_TO(fail, status, check_kind(&unit, diag));
    FT_TRY_TO(fail, status, check_known(&unit, diag));
    *ret_unit = unit;
    return FT_OK;
fail:
    ft_unit_fini(&unit);
    return status;
}
