/*
 * Expanding a record: put state and logged values into variables, evaluate the temporaries, then
 * the address of each entry, and append the runs piece by piece.
 *
 * A loop is one run if the strides are known and hold over all iterations (32-bit counters must not
 * wrap); otherwise each iteration is evaluated by itself. Partial records are stepped through
 * (ft_unit_step).
 */
#include "formats/expand/expand.h"

#include <string.h>

#include "formats/expand/evaluation.h"
#include "formats/expand/run_buffer.h"
#include "formats/x86/lanes.h"

/* ---- Appending ---- */

/* Writes a body's addresses and references from entry `at` on, where the caller has made room. */
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

static void append_granules(const struct ft_variant *variant, const struct ft_piece *piece,
                            const uint64_t *variables, const uint32_t *references,
                            struct ft_run_buffer *buffer)
{
    const struct ft_string string = ft_program_string(variant, piece, variables);
    struct ft_string_run runs[FT_STRING_RUNS_MAX];
    const unsigned run_count = ft_string_runs(&string, runs);
    for (unsigned r = 0; r < run_count; r++) {
        for (unsigned i = 0; i < string.operand_count; i++) {
            const size_t at = buffer->entry_count + i;
            buffer->addresses[at] = runs[r].addresses[i];
            buffer->references[at] = references[piece->first + 2 * i + runs[r].is_whole[i]];
            buffer->strides[at] = ft_string_stride(&string);
        }
        ft_run_buffer_add(buffer, string.operand_count, runs[r].iterations);
    }
}

static void append_lanes(const struct ft_variant *variant, const struct ft_piece *piece,
                         const uint64_t *variables, const uint32_t *references,
                         struct ft_run_buffer *buffer)
{
    const struct ft_access *access = &piece->access;
    const uint64_t *index = piece->index == FT_NO_VARIABLE ? NULL : variables + piece->index;
    uint64_t start = ft_form_value(&variant->entries[piece->first], variables);
    uint32_t count = 0;
    for (uint64_t rest = ft_program_active(piece, variables); rest; rest &= rest - 1) {
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

/* Appends one execution of a body with mixed pieces. */
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
        } else if (piece->kind == FT_PIECE_GRANULES) {
            append_granules(variant, piece, variables, references, buffer);
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
    const struct ft_variant *variant = ft_program_variant(program, state);
    uint64_t variables[FT_VARIABLES_MAX];
    ft_program_set_state(variables, state);
    ft_program_set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
    ft_program_compute(variant->computations, variant->computation_count, variables);
    FT_TRY(append_pieces(variant, variables, references, buffer, diag));
    ft_program_move_state(program, variant, variables, state);
    return 0;
}

/* ---- Loops ---- */

/* Whether the low 32 bits, starting at `value` and changing by `stride` in each of `steps` steps,
 * do not wrap; *ret_stride is then the change of the extended value. */
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

/* The change of each variable per iteration; false unless all of them are affine over the record.
 */
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

/* Moves head variables from the first iteration past the last one. */
static void skip_iterations(const struct ft_variant *variant, uint64_t iterations,
                            const uint64_t *strides, uint64_t *variables)
{
    for (unsigned i = 0; i < variant->update_count; i++)
        variables[variant->updates[i].variable] +=
            (iterations - 1) * strides[variant->updates[i].variable];
    ft_program_compute(variant->computations, variant->computation_count, variables);
    ft_program_update(variant, variables);
}

/* Appends all iterations as one run; *ret_done is false if they do not make one. Leaves the
 * variables at the head of the iteration that leaves the loop. */
static int expand_affine(const struct ft_unit_program *program, const struct ft_variant *variant,
                         uint64_t iterations, uint64_t *variables, const uint32_t *references,
                         struct ft_log_state *state, struct ft_run_buffer *buffer, bool *ret_done,
                         struct ft_diag *diag)
{
    uint64_t strides[FT_VARIABLES_MAX];
    ft_program_compute(variant->computations, variant->computation_count, variables);
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

/* Appends the iteration that leaves the loop early, from the variables at its head. */
static int expand_last_iteration(const struct ft_unit_program *program,
                                 const struct ft_record *record, uint64_t *variables,
                                 const uint32_t *references, struct ft_log_state *state,
                                 struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    if (!program->leaves_early)
        return 0;
    ft_program_start_last_iteration(program, record, variables);
    FT_TRY(append_pieces(&program->last_iteration, variables, references, buffer, diag));
    ft_program_move_state(program, &program->last_iteration, variables, state);
    return 0;
}

/* Appends `count` iterations one by one; they share a run. */
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
        ft_program_set_values(slots, values, words);
        ft_program_compute(variant->computations, variant->computation_count, variables);
        put_entries_at(variant->entries, entry_count, variables, references, buffer, at);
        ft_program_update(variant, variables);
    }
    ft_run_buffer_add(buffer, (uint32_t)(count * entry_count), 1);
    return 0;
}

/* The same for iterations of mixed pieces, or that change the direction of the next one; stops at a
 * full buffer. */
static int append_mixed_iterations(const struct ft_unit_program *program, const uint64_t *values,
                                   uint64_t count, uint64_t *variables, const uint32_t *references,
                                   struct ft_log_state *state, struct ft_run_buffer *buffer,
                                   uint64_t *ret_done, struct ft_diag *diag)
{
    unsigned words = program->iteration_words;
    uint64_t *slots = variables + FT_VARIABLE_SLOTS + program->head_words;
    uint64_t done = 0;
    do {
        const struct ft_variant *variant = ft_program_variant(program, state);
        ft_program_set_values(slots, values, words);
        ft_program_compute(variant->computations, variant->computation_count, variables);
        FT_TRY(append_pieces(variant, variables, references, buffer, diag));
        ft_program_update(variant, variables);
        ft_program_move_direction(program, variables, state);
        values += words;
    } while (++done < count && buffer->entry_count < FT_RUN_BUFFER_ENTRIES);
    *ret_done = done;
    return 0;
}

/* Appends iterations from where the buffer left off to the end, or until the buffer is full; at
 * least one. */
static int expand_iterations(const struct ft_unit_program *program,
                             const struct ft_variant *variant, const struct ft_record *record,
                             uint64_t *variables, const uint32_t *references,
                             struct ft_log_state *state, struct ft_run_buffer *buffer,
                             struct ft_diag *diag)
{
    uint64_t before = buffer->iterations_done, count = record->iteration_count - before;
    const uint64_t *values =
        record->values + program->head_words + before * program->iteration_words;
    if (count == 0)
        return 0;
    if (variant->is_uniform) {
        size_t room = buffer->entry_count < FT_RUN_BUFFER_ENTRIES
                          ? FT_RUN_BUFFER_ENTRIES - buffer->entry_count
                          : 0;
        uint64_t fitting = variant->entry_count ? room / variant->entry_count + 1 : count;
        count = count < fitting ? count : fitting;
        FT_TRY(append_iterations(program, variant, values, count, variables, references, buffer,
                                 diag));
    } else {
        FT_TRY(append_mixed_iterations(program, values, count, variables, references, state, buffer,
                                       &count, diag));
    }
    uint64_t done = before + count;
    buffer->iterations_done = done < record->iteration_count ? done : 0;
    return 0;
}

static int expand_loop(const struct ft_unit_program *program, const struct ft_record *record,
                       const uint32_t *references, struct ft_log_state *state,
                       struct ft_run_buffer *buffer, struct ft_diag *diag)
{
    const struct ft_variant *variant = ft_program_variant(program, state);
    if (ft_program_is_uniform(program, variant) && variant->entry_count == 0 &&
        program->direction != FT_DIRECTION_LOADED) {
        state->rsp +=
            record->iteration_count * variant->rsp.constant + program->last_iteration.rsp.constant;
        if (record->iteration_count)
            ft_program_move_direction(program, NULL, state);
        return 0;
    }
    uint64_t variables[FT_VARIABLES_MAX];
    unsigned head_variables = FT_VARIABLE_SLOTS + program->head_words;
    if (buffer->iterations_done) {
        memcpy(variables, buffer->heads, head_variables * sizeof *variables);
    } else {
        ft_program_set_state(variables, state);
        ft_program_set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
        if (variant->is_affine && record->iteration_count > 1) {
            bool is_done;
            FT_TRY(expand_affine(program, variant, record->iteration_count, variables, references,
                                 state, buffer, &is_done, diag));
            if (is_done) {
                ft_program_move_direction(program, variables, state);
                return expand_last_iteration(program, record, variables, references, state, buffer,
                                             diag);
            }
        }
    }
    FT_TRY(expand_iterations(program, variant, record, variables, references, state, buffer, diag));
    if (buffer->iterations_done) {
        memcpy(buffer->heads, variables, head_variables * sizeof *variables);
        return 0;
    }
    state->rsp = variables[FT_VARIABLE_RSP];
    state->fs_base = variables[FT_VARIABLE_FS_BASE];
    if (record->iteration_count)
        ft_program_move_direction(program, variables, state);
    return expand_last_iteration(program, record, variables, references, state, buffer, diag);
}

/* ---- Partial records ---- */

/* A record of which only the first instructions ran: rare, so that each access and fetch is
 * appended by itself. */
struct partial {
    const struct ft_unit_program *program;
    const uint32_t *references;
    struct ft_run_buffer *buffer;
    unsigned fetched; /* instructions whose fetches have been appended */
    struct ft_diag *diag;
};

/* Entries of the accesses of the first instructions, and of their fetches. */
static unsigned access_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    const struct ft_unit *unit = program->unit;
    unsigned count = 0;
    if (!(program->content & FT_RUN_ACCESSES))
        return 0;
    for (unsigned i = 0; i < instruction_count; i++)
        for (unsigned a = 0; a < unit->instructions[i].access_count; a++)
            count += ft_unit_access_references(unit, &unit->instructions[i],
                                               &unit->instructions[i].accesses[a]);
    return count;
}

static unsigned fetch_entries(const struct ft_unit_program *program, unsigned instruction_count)
{
    return program->content & FT_RUN_FETCHES
               ? ft_program_instructions(program->unit, instruction_count)
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

/* The fetches of the first instructions, as far as they have not been appended. */
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
    FT_TRY(ft_unit_step(program->unit, record, state, append_access, &partial, diag));
    return append_fetches(&partial, (unsigned)record->values[1]);
}

/* ---- All records ---- */

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
    if (!ft_program_fits(program, record))
        return ft_fail(diag, FT_ERROR_DATA, "a record does not fit unit %u", record->unit);
    return program->is_loop ? expand_loop(program, record, references, state, buffer, diag)
                            : expand_plain(program, record, references, state, buffer, diag);
}
