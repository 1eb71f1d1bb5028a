/*
 * The reference: simulates the unit's registers instruction by instruction, sets logged values at
 * their slots, and computes each access from the registers before its instruction. Compiled
 * programs (expand.c) must give the same accesses; reading a unit (unit_reading.c) steps through it
 * with zeros as values to see that every address is known.
 */
#include "formats/expand/expand.h"

#include <string.h>

#include "formats/expand/string_granules.h"
#include "formats/x86/known_registers.h"
#include "formats/x86/lanes.h"

struct stepper {
    const struct ft_unit *unit;
    const struct ft_effect *effects; /* [instruction] */
    unsigned instruction_limit; /* of this body: instruction_count except in partial records and
                                   iterations that leave a loop */
    unsigned slot_limit;        /* likewise, the slots that it has logged */
    bool is_partial;
    struct ft_registers registers;
    struct ft_lanes lanes;
    const uint64_t *slot_values[FT_UNIT_SLOTS_MAX];
    bool direction_down;
    uint64_t iteration;
    ft_access_visitor *visit;
    void *context;
    struct ft_diag *diag;
};

static int fail(struct stepper *stepper, unsigned index, const char *what)
{
    return ft_fail(stepper->diag, FT_ERROR_DATA, "unit %u, instruction %u at 0x%llx: %s unknown",
                   stepper->unit->id, index,
                   (unsigned long long)stepper->unit->instructions[index].pc, what);
}

/* The number of an instruction's a-th access among the unit's. */
static uint16_t static_index(const struct ft_unit *unit, unsigned index,
                             const struct ft_access *access)
{
    uint16_t count = 0;
    for (unsigned i = 0; i <= index; i++)
        for (unsigned a = 0; a < unit->instructions[i].access_count; a++) {
            const struct ft_access *at = &unit->instructions[i].accesses[a];
            if (at == access)
                return count;
            count = (uint16_t)(count + ft_unit_access_references(unit, &unit->instructions[i], at));
        }
    return count;
}

/* is_whole_granule: the second of an access's two references. */
static int visit_reference(struct stepper *stepper, unsigned index, const struct ft_access *access,
                           uint64_t address, bool is_whole_granule)
{
    if (!stepper->visit)
        return 0;
    struct ft_expanded_access expanded = {
        .pc = stepper->unit->instructions[index].pc,
        .address = address,
        .size_bytes = is_whole_granule ? FT_STRING_GRANULE_BYTES : access->size_bytes,
        .kind = access->kind,
        .instruction = (uint8_t)index,
        .iteration = stepper->iteration,
        .static_index = (uint16_t)(static_index(stepper->unit, index, access) + is_whole_granule),
    };
    return stepper->visit(stepper->context, &expanded);
}

static int visit_at(struct stepper *stepper, unsigned index, const struct ft_access *access,
                    uint64_t address)
{
    return visit_reference(stepper, index, access, address, false);
}

/* The value that an access needs of a vector or mask register: *ret_value NULL for all ones. */
static bool find_lanes(struct stepper *stepper, const struct ft_access *access,
                       const struct ft_slot *needed, const uint64_t **ret_value)
{
    struct ft_lane_source source;
    if (!ft_lanes_find(&stepper->lanes, stepper->unit->slots, needed, access, &source))
        return false;
    *ret_value = source.slot < 0 ? NULL : stepper->slot_values[source.slot];
    return true;
}

static int step_lanes(struct stepper *stepper, unsigned index, const struct ft_access *access)
{
    struct ft_slot needed;
    const uint64_t *mask = NULL, *indices = NULL;
    if (ft_access_mask_slot(access, &needed) && !find_lanes(stepper, access, &needed, &mask))
        return fail(stepper, index, "a mask is");
    if (ft_access_index_slot(access, &needed) && !find_lanes(stepper, access, &needed, &indices))
        return fail(stepper, index, "an index vector is");
    uint64_t start = ft_access_address(access, stepper->registers.value);
    uint64_t active = ft_access_active(access, mask);
    for (unsigned lane = 0; lane < access->lanes; lane++) {
        if (!(active >> lane & 1))
            continue;
        uint64_t address = start + (uint64_t)lane * access->size_bytes;
        if (access->mode == FT_ACCESS_GATHER)
            address = start + (uint64_t)ft_access_lane_index(access, indices, lane) * access->scale;
        FT_TRY(visit_at(stepper, index, access, address));
    }
    return 0;
}

/* How often a string instruction ran: once, rcx times, or as often as rcx was decremented. */
static int string_count(struct stepper *stepper, unsigned index, uint64_t *ret_count)
{
    const struct ft_unit *unit = stepper->unit;
    const struct ft_instruction *instruction = &unit->instructions[index];
    uint64_t before = stepper->registers.value[FT_RCX];
    *ret_count = instruction->rep ? before : 1;
    if (!instruction->rep_conditional)
        return 0;
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].kind == FT_SLOT_REGISTER && unit->slots[s].source == FT_RCX &&
            unit->slots[s].instruction == index + 1) {
            *ret_count = before - *stepper->slot_values[s];
            return 0;
        }
    return fail(stepper, index, "the count of a conditional rep is");
}

static int step_granules(struct stepper *stepper, unsigned index, uint64_t count)
{
    const struct ft_instruction *instruction = &stepper->unit->instructions[index];
    struct ft_string string = {.operand_count = instruction->access_count,
                               .element_bytes = instruction->accesses[0].size_bytes,
                               .is_down = stepper->direction_down,
                               .repeats = count};
    struct ft_string_run runs[FT_STRING_RUNS_MAX];
    for (unsigned a = 0; a < string.operand_count; a++)
        string.addresses[a] =
            ft_access_address(&instruction->accesses[a], stepper->registers.value);
    const unsigned run_count = ft_string_runs(&string, runs);
    for (unsigned r = 0; r < run_count; r++)
        for (uint64_t i = 0; i < runs[r].iterations; i++)
            for (unsigned a = 0; a < string.operand_count; a++)
                FT_TRY(
                    visit_reference(stepper, index, &instruction->accesses[a],
                                    runs[r].addresses[a] + i * (uint64_t)ft_string_stride(&string),
                                    runs[r].is_whole[a]));
    return 0;
}

static int step_string(struct stepper *stepper, unsigned index)
{
    const struct ft_instruction *instruction = &stepper->unit->instructions[index];
    uint64_t count;
    int status = string_count(stepper, index, &count);
    if (status || !stepper->visit)
        return status;
    if (stepper->unit->has_granules && instruction->rep)
        return step_granules(stepper, index, count);
    for (uint64_t i = 0; i < count && !status; i++)
        for (unsigned a = 0; a < instruction->access_count && !status; a++) {
            const struct ft_access *access = &instruction->accesses[a];
            uint64_t offset = i * access->size_bytes;
            status = visit_at(stepper, index, access,
                              ft_access_address(access, stepper->registers.value) +
                                  (stepper->direction_down ? -offset : offset));
        }
    return status;
}

static int step_accesses(struct stepper *stepper, unsigned index)
{
    const struct ft_instruction *instruction = &stepper->unit->instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        if (ft_access_registers(instruction, access) & ~stepper->registers.known)
            return fail(stepper, index, "a register of an address is");
        int status = 0;
        switch (access->mode) {
        case FT_ACCESS_PLAIN:
        case FT_ACCESS_BIT:
        case FT_ACCESS_TABLE:
            status = visit_at(stepper, index, access,
                              ft_access_address(access, stepper->registers.value));
            break;
        case FT_ACCESS_STRING:
            if (a + 1 == instruction->access_count)
                status = step_string(stepper, index);
            break;
        case FT_ACCESS_LOGGED:
            status = visit_at(stepper, index, access, *stepper->slot_values[access->slot]);
            break;
        default:
            status = step_lanes(stepper, index, access);
            break;
        }
        if (status)
            return status;
    }
    return 0;
}

/* Sets the slots from *slot on that are logged before instruction `index`. */
static void set_slots(struct stepper *stepper, unsigned index, unsigned *slot)
{
    const struct ft_unit *unit = stepper->unit;
    for (; *slot < stepper->slot_limit && unit->slots[*slot].instruction == index; ++*slot) {
        const struct ft_slot *at = &unit->slots[*slot];
        if (at->kind == FT_SLOT_REGISTER)
            ft_registers_set(&stepper->registers, at->source, *stepper->slot_values[*slot]);
        else
            ft_lanes_set(&stepper->lanes, at, (int16_t)*slot);
    }
}

static int step_direction(struct stepper *stepper, unsigned index)
{
    const struct ft_unit *unit = stepper->unit;
    switch (stepper->effects[index].direction) {
    case FT_DIRECTION_CLEARED:
        stepper->direction_down = false;
        return 0;
    case FT_DIRECTION_SET:
        stepper->direction_down = true;
        return 0;
    case FT_DIRECTION_LOADED:
        for (unsigned s = 0; s < unit->slot_count; s++)
            if (unit->slots[s].kind == FT_SLOT_FLAGS && unit->slots[s].instruction == index) {
                stepper->direction_down = *stepper->slot_values[s] >> 10 & 1;
                return 0;
            }
        return fail(stepper, index, "the direction flag is");
    default:
        return 0;
    }
}

/* Runs the body once, with slot_values set. */
static int step_body(struct stepper *stepper)
{
    const struct ft_unit *unit = stepper->unit;
    unsigned slot = ft_unit_is_loop(unit) ? unit->entry_slot_count : 0;
    ft_lanes_init(&stepper->lanes);
    for (unsigned index = 0; index < stepper->instruction_limit; index++) {
        set_slots(stepper, index, &slot);
        FT_TRY(step_accesses(stepper, index));
        FT_TRY(step_direction(stepper, index));
        ft_registers_step(&stepper->registers, &stepper->effects[index], stepper->direction_down);
        ft_lanes_step(&stepper->lanes, &stepper->effects[index]);
    }
    set_slots(stepper, stepper->instruction_limit, &slot);
    if (!stepper->is_partial && (FT_STATE_REGISTERS & ~stepper->registers.known))
        return fail(stepper, stepper->instruction_limit - 1U, "the stack pointer after it is");
    return 0;
}

/* Points slot_values of slots [first, end) at consecutive values; returns the next value. */
static const uint64_t *take_values(struct stepper *stepper, unsigned first, unsigned end,
                                   const uint64_t *values)
{
    for (unsigned s = first; s < end; s++) {
        const struct ft_slot *slot = &stepper->unit->slots[s];
        if (slot->instruction > stepper->instruction_limit)
            continue;
        stepper->slot_values[s] = values;
        values += ft_slot_words(slot);
    }
    return values;
}

static int step_record(struct stepper *stepper, const uint64_t *values, uint64_t iteration_count)
{
    const struct ft_unit *unit = stepper->unit;
    if (!ft_unit_is_loop(unit)) {
        take_values(stepper, 0, unit->slot_count, values);
        return step_body(stepper);
    }
    values = take_values(stepper, 0, unit->entry_slot_count, values);
    unsigned slot = 0;
    for (; slot < unit->entry_slot_count; slot++)
        ft_registers_set(&stepper->registers, unit->slots[slot].source,
                         *stepper->slot_values[slot]);
    int status = 0;
    for (uint64_t i = 0; i < iteration_count && !status; i++) {
        values = take_values(stepper, slot, unit->slot_count, values);
        stepper->iteration = i;
        status = step_body(stepper);
    }
    if (status || !unit->last_iteration_instructions || stepper->is_partial)
        return status;
    stepper->instruction_limit = unit->last_iteration_instructions;
    stepper->slot_limit = slot + unit->last_iteration_slots;
    take_values(stepper, slot, stepper->slot_limit, values);
    stepper->iteration = iteration_count;
    return step_body(stepper);
}

/* Whether a record is of a unit; else it is an escape without one. */
static bool is_of_unit(const struct ft_record *record)
{
    return record->unit != 0 || record->escape == FT_ESCAPE_PARTIAL;
}

int ft_unit_step(const struct ft_unit *unit, const struct ft_record *record,
                 struct ft_log_state *state, ft_access_visitor *visit, void *context,
                 struct ft_diag *diag)
{
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    if (is_of_unit(record))
        FT_TRY(ft_unit_effects(unit, effects, diag));
    return ft_unit_step_known(unit, effects, record, state, visit, context, diag);
}

int ft_unit_step_known(const struct ft_unit *unit, const struct ft_effect *effects,
                       const struct ft_record *record, struct ft_log_state *state,
                       ft_access_visitor *visit, void *context, struct ft_diag *diag)
{
    const bool is_partial = record->unit == 0 && record->escape == FT_ESCAPE_PARTIAL;
    if (!is_of_unit(record)) {
        ft_log_state_escape(state, record);
        return 0;
    }
    struct stepper stepper = {.unit = unit,
                              .effects = effects,
                              .instruction_limit = unit->instruction_count,
                              .slot_limit = unit->slot_count,
                              .is_partial = is_partial,
                              .direction_down = state->direction_down,
                              .visit = visit,
                              .context = context,
                              .diag = diag};
    ft_registers_set(&stepper.registers, FT_RSP, state->rsp);
    ft_registers_set(&stepper.registers, FT_FS_BASE, state->fs_base);
    const uint64_t *values = record->values;
    FT_TRY(ft_record_check(unit, record, diag));
    if (is_partial) {
        stepper.instruction_limit = (unsigned)values[1];
        values += 2;
    }
    FT_TRY(step_record(&stepper, values, is_partial ? 1 : record->iteration_count));
    if (stepper.registers.known >> FT_RSP & 1)
        state->rsp = stepper.registers.value[FT_RSP];
    if (stepper.registers.known >> FT_FS_BASE & 1)
        state->fs_base = stepper.registers.value[FT_FS_BASE];
    state->direction_down = stepper.direction_down;
    return 0;
}
