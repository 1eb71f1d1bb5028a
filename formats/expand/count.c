/*
 * Counting what a record executed. Most units count the same in each iteration, whatever their
 * values; only strings, masks and state that changes by more than a constant are evaluated.
 */
#include "formats/expand/evaluation.h"
#include "formats/expand/expand.h"
#include "formats/expand/kernel_calls.h"

void ft_log_totals_add(struct ft_log_totals *sum, const struct ft_log_totals *part)
{
    sum->records += part->records;
    sum->instructions += part->instructions;
    sum->accesses += part->accesses;
    sum->prefetches += part->prefetches;
    sum->kernel_calls += part->kernel_calls;
    sum->kernel_reads_bytes += part->kernel_reads_bytes;
    sum->kernel_writes_bytes += part->kernel_writes_bytes;
    sum->library_calls += part->library_calls;
}

struct ft_log_totals ft_log_totals_times(const struct ft_log_totals *once, uint64_t times)
{
    struct ft_log_totals totals = *once;
    totals.records *= times;
    totals.instructions *= times;
    totals.accesses *= times;
    totals.prefetches *= times;
    totals.kernel_calls *= times;
    totals.kernel_reads_bytes *= times;
    totals.kernel_writes_bytes *= times;
    totals.library_calls *= times;
    return totals;
}

/* Saturates: a count too large to be true stays so. */
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
        } else if (piece->kind == FT_PIECE_GRANULES) {
            const struct ft_string string = ft_program_string(variant, piece, variables);
            add_repeats(&totals->accesses, ft_string_iterations(&string), string.operand_count);
        } else if (piece->kind == FT_PIECE_LANES) {
            unsigned active = (unsigned)__builtin_popcountll(ft_program_active(piece, variables));
            *(piece->is_prefetch ? &totals->prefetches : &totals->accesses) += active;
        }
    }
}

/* A record whose counts depend on its values. */
static void count_values(const struct ft_unit_program *program, const struct ft_variant *variant,
                         const struct ft_record *record, struct ft_log_state *state,
                         struct ft_log_totals *totals)
{
    uint64_t variables[FT_VARIABLES_MAX];
    if (!ft_program_fits(program, record))
        return;
    ft_program_set_state(variables, state);
    ft_program_set_values(variables + FT_VARIABLE_SLOTS, record->values, program->head_words);
    if (!program->is_loop) {
        ft_program_compute(variant->computations, variant->computation_count, variables);
        count_pieces(variant, variables, totals);
        ft_program_move_state(program, variant, variables, state);
        return;
    }
    const uint64_t *values = record->values + program->head_words;
    for (uint64_t i = 0; i < record->iteration_count; i++, values += program->iteration_words) {
        ft_program_set_values(variables + FT_VARIABLE_SLOTS + program->head_words, values,
                              program->iteration_words);
        ft_program_compute(variant->computations, variant->computation_count, variables);
        count_pieces(variant, variables, totals);
        ft_program_update(variant, variables);
        ft_program_move_direction(program, variables, state);
        variant = ft_program_variant(program, state);
    }
    state->rsp = variables[FT_VARIABLE_RSP];
    state->fs_base = variables[FT_VARIABLE_FS_BASE];
    if (program->leaves_early) {
        ft_program_start_last_iteration(program, record, variables);
        count_pieces(&program->last_iteration, variables, totals);
        ft_program_move_state(program, &program->last_iteration, variables, state);
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
    else if (record->escape == FT_ESCAPE_DETAIL)
        totals->has_details = true;
    else if (record->escape != FT_ESCAPE_PARTIAL)
        ft_log_state_escape(state, record);
    else if (program && !ft_unit_step(program->unit, record, state, count_access, totals, NULL))
        totals->instructions += record->values[1];
}

void ft_unit_program_count(const struct ft_unit_program *program, const struct ft_record *record,
                           struct ft_log_state *state, struct ft_log_totals *totals)
{
    if (record->unit == 0) {
        count_escape(program, record, state, totals);
        return;
    }
    const struct ft_variant *variant = ft_program_variant(program, state);
    uint64_t iterations = record->iteration_count;
    totals->instructions += iterations * program->instruction_count;
    totals->accesses += iterations * variant->access_count;
    totals->prefetches += iterations * program->prefetch_count;
    totals->instructions += program->last_iteration_instruction_count;
    totals->accesses += program->last_iteration.access_count;
    totals->prefetches += program->last_iteration_prefetch_count;
    if (ft_program_is_uniform(program, variant) && program->direction == FT_DIRECTION_KEPT)
        state->rsp += iterations * variant->rsp.constant + program->last_iteration.rsp.constant;
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
