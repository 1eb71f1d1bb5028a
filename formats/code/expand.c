/*
 * Expanding a record: put state and logged values into variables, evaluate the temporaries, then
 * the address of each entry. Runs of accesses are appended by the piece.
 *
 * Loops: where strides can be worked out and hold over all iterations (32-bit counters must not
 * wrap), the whole record is one run; otherwise each iteration is evaluated by itself.
 */
#include "formats/code/expand.h"

#include <stdlib.h>
#include <string.h>

#include "formats/code/known_registers.h"
#include "formats/code/lanes.h"
#include "formats/code/program.h"
#include "formats/code/run_buffer.h"
#include "formats/trace/kernel_calls.h"

/* ---- Programs ---- */

static bool uses_direction(const struct ft_unit *unit)
{
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (unit->instructions[i].access_count &&
            unit->instructions[i].accesses[0].mode == FT_ACCESS_STRING)
            return true;
    return false;
}

static unsigned count_prefetches(const struct ft_unit *unit, unsigned instruction_count)
{
    unsigned count = 0;
    for (unsigned i = 0; i < instruction_count; i++)
        for (unsigned a = 0; a < unit->instructions[i].access_count; a++)
            count += unit->instructions[i].accesses[a].kind == FT_PREFETCH &&
                     (unit->instructions[i].accesses[a].mode == FT_ACCESS_PLAIN ||
                      unit->instructions[i].accesses[a].mode == FT_ACCESS_LOGGED);
    return count;
}

/* What counts as executed when so many of its instructions run. */
static unsigned count_instructions(const struct ft_unit *unit, unsigned instruction_count)
{
    unsigned count = 0;
    for (unsigned i = 0; i < instruction_count; i++)
        count += !unit->instructions[i].accesses_only;
    return count;
}

/* The direction flag's fate: the last instruction that touches it decides. */
static void find_direction(struct ft_unit_program *program, const struct ft_effect *effects)
{
    const struct ft_unit *unit = program->unit;
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (effects[i].direction != FT_DIRECTION_KEPT)
            program->direction = effects[i].direction;
    uint16_t variable = FT_VARIABLE_SLOTS;
    for (unsigned s = 0; s < unit->slot_count; s++) {
        if (unit->slots[s].kind == FT_SLOT_FLAGS)
            program->flags_variable = variable;
        variable = (uint16_t)(variable + ft_slot_words(&unit->slots[s]));
    }
}

static int compile(struct ft_unit_program *program, struct ft_diag *diag)
{
    const struct ft_unit *unit = program->unit;
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    int status = ft_unit_effects(unit, effects, diag);
    if (status)
        return status;
    program->leaves_early = unit->turn_instructions > 0;
    program->turn_words = (uint16_t)ft_unit_turn_words(unit);
    program->head_words = (uint16_t)(ft_unit_value_count(unit, 0) - program->turn_words);
    program->iteration_words =
        (uint16_t)(ft_unit_value_count(unit, 1) - ft_unit_value_count(unit, 0));
    program->instruction_count = (uint8_t)count_instructions(unit, unit->instruction_count);
    program->prefetch_count = (uint8_t)count_prefetches(unit, unit->instruction_count);
    program->turn_instruction_count = (uint8_t)count_instructions(unit, unit->turn_instructions);
    program->turn_prefetch_count = (uint8_t)count_prefetches(unit, unit->turn_instructions);
    program->is_loop = ft_unit_is_loop(unit);
    program->has_directions = uses_direction(unit);
    find_direction(program, effects);
    unsigned variant_count = program->has_directions ? 2 : 1;
    for (unsigned down = 0; down < variant_count && !status; down++)
        status = ft_variant_compile(unit, effects, program->content, down, &program->variants[down],
                                    diag);
    if (!status && program->leaves_early)
        status = ft_variant_compile_turn(unit, effects, program->content, &program->turn, diag);
    return status;
}

int ft_unit_program_create(const struct ft_unit *unit, struct ft_unit_program **ret_program,
                           struct ft_diag *diag)
{
    return ft_unit_program_create_for(unit, FT_RUN_ACCESSES, ret_program, diag);
}

int ft_unit_program_create_for(const struct ft_unit *unit, unsigned content,
                               struct ft_unit_program **ret_program, struct ft_diag *diag)
{
    struct ft_unit_program *program = calloc(1, sizeof *program);
    if (!program)
        return ft_fail_memory(diag, "the program of a unit");
    program->unit = unit;
    program->content = (uint8_t)content;
    int status = compile(program, diag);
    program->is_simple = !program->is_loop && program->variants[0].is_uniform &&
                         program->direction == FT_DIRECTION_KEPT;
    if (status)
        ft_unit_program_destroy(program);
    else
        *ret_program = program;
    return status;
}

void ft_unit_program_destroy(struct ft_unit_program *program)
{
    if (!program)
        return;
    ft_variant_fini(&program->variants[0]);
    ft_variant_fini(&program->variants[1]);
    ft_variant_fini(&program->turn);
    free(program);
}

/* ---- Evaluation ---- */

static const struct ft_variant *variant_for(const struct ft_unit_program *program,
                                            const struct ft_log_state *state)
{
    return &program->variants[program->has_directions && state->direction_down];
}

static void set_state(uint64_t *variables, const struct ft_log_state *state)
{
    variables[FT_VARIABLE_ZERO] = 0;
    variables[FT_VARIABLE_RSP] = state->rsp;
    variables[FT_VARIABLE_FS_BASE] = state->fs_base;
}

static void set_values(uint64_t *variables, const uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        variables[i] = values[i];
}

static inline void compute(const struct ft_computation *computations, unsigned count,
                           uint64_t *variables)
{
    for (unsigned i = 0; i < count; i++) {
        const struct ft_computation *at = &computations[i];
        uint64_t value = ft_form_value(&at->form, variables);
        variables[at->target] = at->is_linear ? value : ft_narrow(&at->narrowing, value);
    }
}

/* The direction flag after a pass. */
static void move_direction(const struct ft_unit_program *program, const uint64_t *variables,
                           struct ft_log_state *state)
{
    if (program->direction == FT_DIRECTION_LOADED)
        state->direction_down = variables[program->flags_variable] >> 10 & 1;
    else if (program->direction != FT_DIRECTION_KEPT)
        state->direction_down = program->direction == FT_DIRECTION_SET;
}

/* The state after a pass over plain code. */
static void move_state(const struct ft_unit_program *program, const struct ft_variant *variant,
                       const uint64_t *variables, struct ft_log_state *state)
{
    state->rsp = ft_form_value(&variant->rsp, variables);
    state->fs_base = ft_form_value(&variant->fs_base, variables);
    move_direction(program, variables, state);
}

/* Gives the head variables their values of the next iteration. */
static inline void update(const struct ft_variant *variant, uint64_t *variables)
{
    uint64_t next[FT_REGISTER_COUNT + FT_VARIABLE_SLOTS];
    for (unsigned i = 0; i < variant->update_count; i++)
        next[i] = ft_form_value(&variant->updates[i].form, variables);
    for (unsigned i = 0; i < variant->update_count; i++)
        variables[variant->updates[i].variable] = next[i];
}

static uint64_t active_elements(const struct ft_piece *piece, const uint64_t *variables)
{
    return ft_access_active(&piece->access,
                            piece->mask == FT_NO_VARIABLE ? NULL : variables + piece->mask);
}

static bool fits(const struct ft_unit_program *program, const struct ft_record *record)
{
    uint64_t fixed_words = (uint64_t)program->head_words + program->turn_words;
    uint64_t rest = record->value_count - fixed_words;
    return record->value_count >= fixed_words &&
           (program->iteration_words
                ? rest % program->iteration_words == 0 &&
                      rest / program->iteration_words == record->iteration_count
                : rest == 0);
}

/* ---- Counting ---- */

/* Counts that are too large to be true stay too large. */
static void add_repeats(uint64_t *sum, uint64_t repeats, uint64_t count)
{
    uint64_t accesses;
    if (__builtin_mul_overflow(repeats, count, &accesses) ||
        __builtin_add_overflow(*sum, accesses, sum))
        *sum = UINT64_MAX / 2;
}

static void count_pieces(const struct ft_variant *variant, const uint64_t *variables,
                         struct ft_log_totals *totals)
{
    for (unsigned i = 0; i < variant->piece_count; i++) {
        const struct ft_piece *piece = &variant->pieces[i];
        if (piece->kind == FT_PIECE_STRING) {
            add_repeats(&totals->accesses, ft_form_value(&piece->repeats, variables), piece->count);
        } else if (piece->kind == FT_PIECE_LANES) {
            unsigned active = (unsigned)__builtin_popcountll(active_elements(piece, variables));
            *(piece->is_prefetch ? &totals->prefetches : &totals->accesses) += active;
        }
    }
}

/* Sets the variables of the turn that leaves a loop, whose head variables have their values there.
 */
static void start_turn(const struct ft_unit_program *program, const struct ft_record *record,
                       uint64_t *variables)
{
    const struct ft_variant *turn = &program->turn;
    set_values(variables + FT_VARIABLE_SLOTS + program->head_words,
               record->values + record->value_count - program->turn_words, program->turn_words);
    compute(turn->computations, turn->computation_count, variables);
}

/* A record where what is counted depends on the values. */
static void count_values(const struct ft_unit_program *program, const struct ft_variant *variant,
                         const struct ft_record *record, struct ft_log_state *state,
                         struct ft_log_totals *totals)
{
    uint64_t variables[FT_VARIABLES_MAX];
    if (!fits(program, record))
        return;
    set_state(variables, state);
    set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
    if (!program->is_loop) {
        compute(variant->computations, variant->computation_count, variables);
        count_pieces(variant, variables, totals);
        move_state(program, variant, variables, state);
        return;
    }
    const uint64_t *values = record->values + program->head_words;
    for (uint64_t i = 0; i < record->iteration_count; i++, values += program->iteration_words) {
        set_values(variables + FT_VARIABLE_SLOTS + program->head_words, values,
                   program->iteration_words);
        compute(variant->computations, variant->computation_count, variables);
        count_pieces(variant, variables, totals);
        update(variant, variables);
        move_direction(program, variables, state);
        variant = variant_for(program, state);
    }
    state->rsp = variables[FT_VARIABLE_RSP];
    state->fs_base = variables[FT_VARIABLE_FS_BASE];
    if (program->leaves_early) {
        start_turn(program, record, variables);
        count_pieces(&program->turn, variables, totals);
        move_state(program, &program->turn, variables, state);
    }
}

static int count_access(void *context, const struct ft_expanded_access *access)
{
    struct ft_log_totals *totals = context;
    *(access->kind == FT_PREFETCH ? &totals->prefetches : &totals->accesses) += 1;
    return 0;
}

static void count_kernel_call(const struct ft_record *record, struct ft_log_totals *totals)
{
    const struct ft_kernel_call *call = ft_kernel_call_find(record->values[0]);
    totals->kernel_calls++;
    if (!call)
        return;
    uint64_t bytes = ft_kernel_call_bytes(call, record->values[2], record->values[3]);
    totals->kernel_reads_bytes += call->direction & FT_KERNEL_READS ? bytes : 0;
    totals->kernel_writes_bytes += call->direction & FT_KERNEL_WRITES ? bytes : 0;
}

static void count_escape(const struct ft_unit_program *program, const struct ft_record *record,
                         struct ft_log_state *state, struct ft_log_totals *totals)
{
    if (record->escape == FT_ESCAPE_KERNEL)
        count_kernel_call(record, totals);
    else if (record->escape == FT_ESCAPE_CALL)
        totals->library_calls++;
    else if (record->escape != FT_ESCAPE_PARTIAL)
        ft_log_state_escape(state, record);
    else if (program && !ft_unit_step(program->unit, record, state, count_access, totals, NULL))
        totals->instructions += record->values[1];
}

/* Whether whole turns and the one that leaves the loop only move the stack pointer by constants. */
static bool is_uniform(const struct ft_unit_program *program, const struct ft_variant *variant)
{
    return variant->is_uniform && (!program->leaves_early || program->turn.is_uniform);
}

void ft_unit_program_count(const struct ft_unit_program *program, const struct ft_record *record,
                           struct ft_log_state *state, struct ft_log_totals *totals)
{
    if (record->unit == 0) {
        count_escape(program, record, state, totals);
        return;
    }
    const struct ft_variant *variant = variant_for(program, state);
    uint64_t iterations = record->iteration_count;
    totals->instructions += iterations * program->instruction_count;
    totals->accesses += iterations * variant->access_count;
    totals->prefetches += iterations * program->prefetch_count;
    totals->instructions += program->turn_instruction_count;
    totals->accesses += program->turn.access_count;
    totals->prefetches += program->turn_prefetch_count;
    if (is_uniform(program, variant) && program->direction == FT_DIRECTION_KEPT)
        state->rsp += iterations * variant->rsp.constant + program->turn.rsp.constant;
    else
        count_values(program, variant, record, state, totals);
}

bool ft_unit_program_fixed(const struct ft_unit_program *program, struct ft_log_totals *ret_each,
                           uint64_t *ret_rsp)
{
    const struct ft_variant *variant = &program->variants[0];
    if (program->has_directions || !variant->is_uniform ||
        program->direction != FT_DIRECTION_KEPT || program->leaves_early)
        return false;
    *ret_each = (struct ft_log_totals){.instructions = program->instruction_count,
                                       .accesses = variant->access_count,
                                       .prefetches = program->prefetch_count};
    *ret_rsp = variant->rsp.constant;
    return true;
}

/* ---- Appending ---- */

void ft_run_buffer_fini(struct ft_run_buffer *buffer)
{
    free(buffer->runs);
    free(buffer->references);
    free(buffer->addresses);
    free(buffer->strides);
    *buffer = (struct ft_run_buffer){0};
}

void ft_run_buffer_clear(struct ft_run_buffer *buffer)
{
    buffer->run_count = 0;
    buffer->entry_count = 0;
}

bool ft_run_buffer_grow(struct ft_run_buffer *buffer, size_t more)
{
    size_t references = buffer->entry_capacity, addresses = references, strides = references;
    size_t need = buffer->entry_count + more;
    if (need < FT_RUN_BUFFER_ENTRIES)
        need = FT_RUN_BUFFER_ENTRIES;
    if (!FT_RESERVE(buffer->references, references, need) ||
        !FT_RESERVE(buffer->addresses, addresses, need) ||
        !FT_RESERVE(buffer->strides, strides, need))
        return false;
    buffer->entry_capacity = references;
    return true;
}

/* Writes a body's addresses and references where the caller has made room, from entry `at` on. */
static inline void put_entries_at(const struct ft_form *entries, unsigned count,
                                  const uint64_t *variables, const uint32_t *references,
                                  struct ft_run_buffer *buffer, size_t at)
{
    uint64_t *restrict addresses = buffer->addresses + at;
    uint32_t *restrict numbers = buffer->references + at;
    for (unsigned i = 0; i < count; i++) {
        addresses[i] = ft_form_value(&entries[i], variables);
        numbers[i] = references[i];
    }
}

static inline void put_entries(const struct ft_form *entries, unsigned count,
                               const uint64_t *variables, const uint32_t *references,
                               struct ft_run_buffer *buffer)
{
    put_entries_at(entries, count, variables, references, buffer, buffer->entry_count);
}

static void append_string(const struct ft_variant *variant, const struct ft_piece *piece,
                          const uint64_t *variables, const uint32_t *references,
                          struct ft_run_buffer *buffer)
{
    uint64_t repeats = ft_form_value(&piece->repeats, variables);
    if (repeats == 0)
        return;
    put_entries(variant->entries + piece->first, piece->count, variables, references + piece->first,
                buffer);
    for (unsigned i = 0; i < piece->count; i++)
        buffer->strides[buffer->entry_count + i] = piece->stride;
    ft_run_buffer_add(buffer, piece->count, repeats);
}

static void append_lanes(const struct ft_variant *variant, const struct ft_piece *piece,
                         const uint64_t *variables, const uint32_t *references,
                         struct ft_run_buffer *buffer)
{
    const struct ft_access *access = &piece->access;
    const uint64_t *index = piece->index == FT_NO_VARIABLE ? NULL : variables + piece->index;
    uint64_t start = ft_form_value(&variant->entries[piece->first], variables);
    uint32_t count = 0;
    for (uint64_t rest = active_elements(piece, variables); rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t offset = access->mode == FT_ACCESS_GATHER
                              ? (uint64_t)ft_access_lane_index(access, index, lane) * access->scale
                              : (uint64_t)lane * access->size_bytes;
        buffer->addresses[buffer->entry_count + count] = start + offset;
        buffer->references[buffer->entry_count + count] = references[piece->first];
        count++;
    }
    ft_run_buffer_add(buffer, count, 1);
}

/* Appends one pass over a body with mixed pieces. */
static int append_pieces(const struct ft_variant *variant, const uint64_t *variables,
                         const uint32_t *references, struct ft_run_buffer *buffer,
                         struct ft_diag *diag)
{
    for (unsigned i = 0; i < variant->piece_count; i++) {
        const struct ft_piece *piece = &variant->pieces[i];
        if (!ft_run_buffer_make_room(buffer, piece->count + 64U))
            return ft_fail_memory(diag, "runs");
        if (piece->kind == FT_PIECE_STRING) {
            append_string(variant, piece, variables, references, buffer);
        } else if (piece->kind == FT_PIECE_ACCESSES) {
            put_entries(variant->entries + piece->first, piece->count, variables,
                        references + piece->first, buffer);
            ft_run_buffer_add(buffer, piece->count, 1);
        } else if (!piece->is_prefetch) {
            append_lanes(variant, piece, variables, references, buffer);
        }
    }
    return 0;
}

/* ---- Plain units ---- */

static int expand_plain(const struct ft_unit_program *program, const struct ft_record *record,
                        const uint32_t *references, struct ft_log_state *state,
                        struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    const struct ft_variant *variant = variant_for(program, state);
    uint64_t variables[FT_VARIABLES_MAX];
    set_state(variables, state);
    set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
    compute(variant->computations, variant->computation_count, variables);
    int status = append_pieces(variant, variables, references, buffer, diag);
    if (status)
        return status;
    move_state(program, variant, variables, state);
    return 0;
}

/* ---- Loops ---- */

/* Whether low 32 bits that start at `value` and move by `stride` in each of `steps` steps do not
 * wrap; *ret_stride is then the change of the extended value. */
static bool extends(enum ft_update_kind kind, uint64_t value, uint64_t stride, uint64_t steps,
                    uint64_t *ret_stride)
{
    int64_t change = (int32_t)stride;
    int64_t low = kind == FT_UPDATE_SIGNED ? INT32_MIN : 0;
    int64_t high = kind == FT_UPDATE_SIGNED ? INT32_MAX : UINT32_MAX;
    int64_t start = (int64_t)value;
    if (start < low || start > high || (change && steps > UINT32_MAX))
        return false;
    int64_t end;
    if (__builtin_mul_overflow(change, change ? (int64_t)steps : 0, &end))
        return false;
    end += start;
    *ret_stride = (uint64_t)change;
    return end >= low && end <= high;
}

/* The change of each variable from iteration to iteration; false where not all of them are affine
 * over the record. */
static bool find_strides(const struct ft_variant *variant, const uint64_t *variables,
                         uint64_t iterations, uint64_t *strides)
{
    uint64_t steps = iterations - 1;
    unsigned first = variant->variable_count;
    if (variant->computation_count)
        first = variant->computations[0].target;
    memset(strides, 0, first * sizeof *strides);
    for (unsigned i = 0; i < variant->update_count; i++) {
        const struct ft_update *at = &variant->updates[i];
        uint64_t *stride = &strides[at->variable];
        *stride = ft_form_value(&at->stride, variables);
        if (at->kind != FT_UPDATE_AFFINE &&
            !extends(at->kind, variables[at->variable], *stride, steps, stride))
            return false;
    }
    for (unsigned i = 0; i < variant->computation_count; i++) {
        const struct ft_computation *at = &variant->computations[i];
        uint64_t stride =
            at->form.a_factor * strides[at->form.a] + at->form.b_factor * strides[at->form.b];
        enum ft_update_kind kind = ft_narrowing_kind(&at->narrowing);
        if (stride && kind == FT_UPDATE_IRREGULAR)
            return false;
        if (stride && kind != FT_UPDATE_AFFINE &&
            !extends(kind, variables[at->target], stride, steps, &stride))
            return false;
        strides[at->target] = stride;
    }
    return true;
}

/* Moves head variables on from the first iteration to behind the last one. */
static void skip_iterations(const struct ft_variant *variant, uint64_t iterations,
                            const uint64_t *strides, uint64_t *variables)
{
    for (unsigned i = 0; i < variant->update_count; i++)
        variables[variant->updates[i].variable] +=
            (iterations - 1) * strides[variant->updates[i].variable];
    compute(variant->computations, variant->computation_count, variables);
    update(variant, variables);
}

/* Appends all iterations as one run; *ret_done false where they do not make one. For the turn that
 * leaves the loop variables are then those of its head. */
static int expand_affine(const struct ft_unit_program *program, const struct ft_variant *variant,
                         uint64_t iterations, uint64_t *variables, const uint32_t *references,
                         struct ft_log_state *state, struct ft_run_buffer *buffer, bool *ret_done,
                         struct ft_diag *diag)
{
    uint64_t strides[FT_VARIABLES_MAX];
    compute(variant->computations, variant->computation_count, variables);
    *ret_done = find_strides(variant, variables, iterations, strides);
    if (!*ret_done)
        return 0;
    unsigned count = variant->entry_count;
    if (!ft_run_buffer_make_room(buffer, count))
        return ft_fail_memory(diag, "runs");
    put_entries(variant->entries, count, variables, references, buffer);
    for (unsigned i = 0; i < count; i++) {
        const struct ft_form *entry = &variant->entries[i];
        buffer->strides[buffer->entry_count + i] =
            (int64_t)(entry->a_factor * strides[entry->a] + entry->b_factor * strides[entry->b]);
    }
    ft_run_buffer_add(buffer, count, iterations);
    state->rsp += iterations * strides[FT_VARIABLE_RSP];
    state->fs_base += iterations * strides[FT_VARIABLE_FS_BASE];
    if (program->leaves_early)
        skip_iterations(variant, iterations, strides, variables);
    return 0;
}

/* Appends the turn that leaves the loop, from variables at its head. */
static int expand_turn(const struct ft_unit_program *program, const struct ft_record *record,
                       uint64_t *variables, const uint32_t *references, struct ft_log_state *state,
                       struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    if (!program->leaves_early)
        return 0;
    start_turn(program, record, variables);
    int status = append_pieces(&program->turn, variables, references, buffer, diag);
    if (!status)
        move_state(program, &program->turn, variables, state);
    return status;
}

/* Appends `count` iterations one by one: they share a run. */
static int append_iterations(const struct ft_unit_program *program,
                             const struct ft_variant *variant, const uint64_t *values,
                             uint64_t count, uint64_t *variables, const uint32_t *references,
                             struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    unsigned words = program->iteration_words, entry_count = variant->entry_count;
    uint64_t *slots = variables + FT_VARIABLE_SLOTS + program->head_words;
    if (!ft_run_buffer_make_room(buffer, (size_t)count * entry_count))
        return ft_fail_memory(diag, "runs");
    size_t at = buffer->entry_count;
    for (uint64_t i = 0; i < count; i++, at += entry_count, values += words) {
        set_values(slots, values, words);
        compute(variant->computations, variant->computation_count, variables);
        put_entries_at(variant->entries, entry_count, variables, references, buffer, at);
        update(variant, variables);
    }
    ft_run_buffer_add(buffer, (uint32_t)(count * entry_count), 1);
    return 0;
}

/* The same where iterations are made of mixed pieces, or change the direction of the next; stops at
 * a full buffer. */
static int append_mixed_iterations(const struct ft_unit_program *program, const uint64_t *values,
                                   uint64_t count, uint64_t *variables, const uint32_t *references,
                                   struct ft_log_state *state, struct ft_run_buffer *buffer,
                                   uint64_t *ret_done, struct ft_diag *diag)
{
    unsigned words = program->iteration_words;
    uint64_t *slots = variables + FT_VARIABLE_SLOTS + program->head_words;
    uint64_t done = 0;
    do {
        const struct ft_variant *variant = variant_for(program, state);
        set_values(slots, values, words);
        compute(variant->computations, variant->computation_count, variables);
        int status = append_pieces(variant, variables, references, buffer, diag);
        if (status)
            return status;
        update(variant, variables);
        move_direction(program, variables, state);
        values += words;
    } while (++done < count && buffer->entry_count < FT_RUN_BUFFER_ENTRIES);
    *ret_done = done;
    return 0;
}

/* Appends iterations from where the buffer says to the end or to a full buffer, at least one. */
static int expand_iterations(const struct ft_unit_program *program,
                             const struct ft_variant *variant, const struct ft_record *record,
                             uint64_t *variables, const uint32_t *references,
                             struct ft_log_state *state, struct ft_run_buffer *buffer,
                             struct ft_diag *diag)
{
    uint64_t before = buffer->iterations_done, count = record->iteration_count - before;
    const uint64_t *values =
        record->values + program->head_words + before * program->iteration_words;
    int status = 0;
    if (count == 0)
        return 0;
    if (variant->is_uniform) {
        size_t room = buffer->entry_count < FT_RUN_BUFFER_ENTRIES
                          ? FT_RUN_BUFFER_ENTRIES - buffer->entry_count
                          : 0;
        uint64_t fitting = variant->entry_count ? room / variant->entry_count + 1 : count;
        count = count < fitting ? count : fitting;
        status =
            append_iterations(program, variant, values, count, variables, references, buffer, diag);
    } else {
        status = append_mixed_iterations(program, values, count, variables, references, state,
                                         buffer, &count, diag);
    }
    uint64_t done = before + count;
    if (!status)
        buffer->iterations_done = done < record->iteration_count ? done : 0;
    return status;
}

static int expand_loop(const struct ft_unit_program *program, const struct ft_record *record,
                       const uint32_t *references, struct ft_log_state *state,
                       struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    const struct ft_variant *variant = variant_for(program, state);
    if (is_uniform(program, variant) && variant->entry_count == 0 &&
        program->direction != FT_DIRECTION_LOADED) {
        state->rsp += record->iteration_count * variant->rsp.constant + program->turn.rsp.constant;
        if (record->iteration_count)
            move_direction(program, NULL, state);
        return 0;
    }
    uint64_t variables[FT_VARIABLES_MAX];
    unsigned head_variables = FT_VARIABLE_SLOTS + program->head_words;
    if (buffer->iterations_done) {
        memcpy(variables, buffer->heads, head_variables * sizeof *variables);
    } else {
        set_state(variables, state);
        set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
        if (variant->is_affine && record->iteration_count > 1) {
            bool is_done;
            int status = expand_affine(program, variant, record->iteration_count, variables,
                                       references, state, buffer, &is_done, diag);
            if (is_done && !status)
                move_direction(program, variables, state);
            if (is_done && !status)
                status = expand_turn(program, record, variables, references, state, buffer, diag);
            if (status || is_done)
                return status;
        }
    }
    int status =
        expand_iterations(program, variant, record, variables, references, state, buffer, diag);
    if (status)
        return status;
    if (buffer->iterations_done) {
        memcpy(buffer->heads, variables, head_variables * sizeof *variables);
        return 0;
    }
    state->rsp = variables[FT_VARIABLE_RSP];
    state->fs_base = variables[FT_VARIABLE_FS_BASE];
    if (record->iteration_count)
        move_direction(program, variables, state);
    return expand_turn(program, record, variables, references, state, buffer, diag);
}

/* ---- Escapes ---- */

/* A record of which only the first instructions ran. */
struct partial {
    const struct ft_unit_program *program;
    const uint32_t *references;
    struct ft_run_buffer *buffer;
    unsigned fetched; /* instructions whose fetches are there */
    struct ft_diag *diag;
};

/* Entries of the accesses, and of the fetches, of the first instructions. */
static unsigned access_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    const struct ft_unit *unit = program->unit;
    unsigned count = 0;
    if (!(program->content & FT_RUN_ACCESSES))
        return 0;
    for (unsigned i = 0; i < instruction_count; i++)
        for (unsigned a = 0; a < unit->instructions[i].access_count; a++)
            count += unit->instructions[i].accesses[a].kind != FT_PREFETCH;
    return count;
}

static unsigned fetch_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    return program->content & FT_RUN_FETCHES ? count_instructions(program->unit, instruction_count)
                                             : 0;
}

static int append_entry(struct partial *partial, unsigned entry, uint64_t address)
{
    struct ft_run_buffer *buffer = partial->buffer;
    if (buffer->entry_count >= buffer->entry_limit)
        return ft_fail(partial->diag, FT_ERROR_DATA, "more accesses than the chunk counts");
    if (!ft_run_buffer_make_room(buffer, 1))
        return ft_fail_memory(partial->diag, "runs");
    buffer->addresses[buffer->entry_count] = address;
    buffer->references[buffer->entry_count] = partial->references[entry];
    ft_run_buffer_add(buffer, 1, 1);
    return 0;
}

/* The fetches up to so many instructions that are not there yet. */
static int append_fetches(struct partial *partial, unsigned instruction_count)
{
    const struct ft_unit_program *program = partial->program;
    int status = 0;
    for (; !status && partial->fetched < instruction_count; partial->fetched++) {
        const struct ft_instruction *at = &program->unit->instructions[partial->fetched];
        if ((program->content & FT_RUN_FETCHES) && !at->accesses_only)
            status = append_entry(partial,
                                  access_entries(program, partial->fetched) +
                                      fetch_entries(program, partial->fetched),
                                  at->pc);
    }
    return status;
}

static int append_access(void *context, const struct ft_expanded_access *access)
{
    struct partial *partial = context;
    int status = append_fetches(partial, access->instruction + 1U);
    if (status || access->kind == FT_PREFETCH || !(partial->program->content & FT_RUN_ACCESSES))
        return status;
    return append_entry(
        partial, access->static_index + fetch_entries(partial->program, access->instruction + 1U),
        access->address);
}

static int expand_partial(const struct ft_unit_program *program, const struct ft_record *record,
                          const uint32_t *references, struct ft_log_state *state,
                          struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    struct partial partial = {
        .program = program, .references = references, .buffer = buffer, .diag = diag};
    int status = ft_unit_step(program->unit, record, state, append_access, &partial, diag);
    return status ? status : append_fetches(&partial, (unsigned)record->values[1]);
}

int ft_unit_program_expand(const struct ft_unit_program *program, const struct ft_record *record,
                           const uint32_t *references, struct ft_log_state *state,
                           struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    if (record->unit == 0 && record->escape != FT_ESCAPE_PARTIAL) {
        ft_log_state_escape(state, record);
        return 0;
    }
    if (record->unit == 0)
        return expand_partial(program, record, references, state, buffer, diag);
    if (!fits(program, record))
        return ft_fail(diag, FT_ERROR_DATA, "a record does not fit unit %u", record->unit);
    return program->is_loop ? expand_loop(program, record, references, state, buffer, diag)
                            : expand_plain(program, record, references, state, buffer, diag);
}
