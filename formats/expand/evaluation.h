/*
 * Evaluating a unit's program on the values of a record, for counting and expanding. Inline, as
 * both are hot. Internal to expand.c and count.c.
 */
#ifndef FT_FORMATS_EXPAND_EVALUATION_H
#define FT_FORMATS_EXPAND_EVALUATION_H

#include "formats/expand/program.h"
#include "formats/expand/string_granules.h"
#include "formats/x86/lanes.h"

static inline const struct ft_variant *ft_program_variant(const struct ft_unit_program *program,
                                                          const struct ft_log_state *state)
{
    return &program->variants[program->has_directions && state->direction_down];
}

static inline void ft_program_set_state(uint64_t *variables, const struct ft_log_state *state)
{
    variables[FT_VARIABLE_ZERO] = 0;
    variables[FT_VARIABLE_RSP] = state->rsp;
    variables[FT_VARIABLE_FS_BASE] = state->fs_base;
}

static inline void ft_program_set_values(uint64_t *variables, const uint64_t *values,
                                         unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        variables[i] = values[i];
}

static inline void ft_program_compute(const struct ft_computation *computations, unsigned count,
                                      uint64_t *variables)
{
    for (unsigned i = 0; i < count; i++) {
        const struct ft_computation *at = &computations[i];
        uint64_t value = ft_form_value(&at->form, variables);
        variables[at->target] = at->is_linear ? value : ft_narrow(&at->narrowing, value);
    }
}

/* The direction flag after one execution. */
static inline void ft_program_move_direction(const struct ft_unit_program *program,
                                             const uint64_t *variables, struct ft_log_state *state)
{
    if (program->direction == FT_DIRECTION_LOADED)
        state->direction_down = variables[program->flags_variable] >> 10 & 1;
    else if (program->direction != FT_DIRECTION_KEPT)
        state->direction_down = program->direction == FT_DIRECTION_SET;
}

/* The state after one execution of plain code. */
static inline void ft_program_move_state(const struct ft_unit_program *program,
                                         const struct ft_variant *variant,
                                         const uint64_t *variables, struct ft_log_state *state)
{
    state->rsp = ft_form_value(&variant->rsp, variables);
    state->fs_base = ft_form_value(&variant->fs_base, variables);
    ft_program_move_direction(program, variables, state);
}

/* Moves the head variables on to the next iteration. */
static inline void ft_program_update(const struct ft_variant *variant, uint64_t *variables)
{
    uint64_t next[FT_REGISTER_COUNT + FT_VARIABLE_SLOTS];
    for (unsigned i = 0; i < variant->update_count; i++)
        next[i] = ft_form_value(&variant->updates[i].form, variables);
    for (unsigned i = 0; i < variant->update_count; i++)
        variables[variant->updates[i].variable] = next[i];
}

static inline uint64_t ft_program_active(const struct ft_piece *piece, const uint64_t *variables)
{
    return ft_access_active(&piece->access,
                            piece->mask == FT_NO_VARIABLE ? NULL : variables + piece->mask);
}

/* What a piece of kind GRANULES ran. */
static inline struct ft_string ft_program_string(const struct ft_variant *variant,
                                                 const struct ft_piece *piece,
                                                 const uint64_t *variables)
{
    struct ft_string string = {
        .operand_count = piece->count / 2U,
        .element_bytes = (uint32_t)(piece->stride < 0 ? -piece->stride : piece->stride),
        .is_down = piece->stride < 0,
        .repeats = ft_form_value(&piece->repeats, variables),
    };
    for (unsigned i = 0; i < string.operand_count; i++)
        string.addresses[i] = ft_form_value(&variant->entries[piece->first + 2 * i], variables);
    return string;
}

static inline bool ft_program_fits(const struct ft_unit_program *program,
                                   const struct ft_record *record)
{
    uint64_t fixed_words = (uint64_t)program->head_words + program->last_iteration_words;
    uint64_t rest = record->value_count - fixed_words;
    return record->value_count >= fixed_words &&
           (program->iteration_words
                ? rest % program->iteration_words == 0 &&
                      rest / program->iteration_words == record->iteration_count
                : rest == 0);
}

/* Sets the variables of the iteration that leaves a loop early; the head variables are set. */
static inline void ft_program_start_last_iteration(const struct ft_unit_program *program,
                                                   const struct ft_record *record,
                                                   uint64_t *variables)
{
    const struct ft_variant *last = &program->last_iteration;
    ft_program_set_values(variables + FT_VARIABLE_SLOTS + program->head_words,
                          record->values + record->value_count - program->last_iteration_words,
                          program->last_iteration_words);
    ft_program_compute(last->computations, last->computation_count, variables);
}

/* Whether complete iterations and the one that leaves the loop move the stack pointer by constants
 * and change nothing else. */
static inline bool ft_program_is_uniform(const struct ft_unit_program *program,
                                         const struct ft_variant *variant)
{
    return variant->is_uniform && (!program->leaves_early || program->last_iteration.is_uniform);
}

#endif
