/*
 * A unit's program: what of its records is the same for all, and a variant for each direction of
 * its string instructions.
 */
#include <stdlib.h>

#include "formats/expand/expand.h"
#include "formats/expand/program.h"
#include "formats/x86/known_registers.h"

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
unsigned ft_program_instructions(const struct ft_unit *unit, unsigned instruction_count)
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
    program->leaves_early = unit->last_iteration_instructions > 0;
    program->last_iteration_words = (uint16_t)ft_unit_last_iteration_words(unit);
    program->head_words = (uint16_t)(ft_unit_value_count(unit, 0) - program->last_iteration_words);
    program->iteration_words =
        (uint16_t)(ft_unit_value_count(unit, 1) - ft_unit_value_count(unit, 0));
    program->instruction_count = (uint8_t)ft_program_instructions(unit, unit->instruction_count);
    program->prefetch_count = (uint8_t)count_prefetches(unit, unit->instruction_count);
    program->last_iteration_instruction_count =
        (uint8_t)ft_program_instructions(unit, unit->last_iteration_instructions);
    program->last_iteration_prefetch_count =
        (uint8_t)count_prefetches(unit, unit->last_iteration_instructions);
    program->is_loop = ft_unit_is_loop(unit);
    program->has_directions = uses_direction(unit);
    find_direction(program, effects);
    unsigned variant_count = program->has_directions ? 2 : 1;
    for (unsigned down = 0; down < variant_count && !status; down++)
        status = ft_variant_compile(unit, effects, program->content, down, &program->variants[down],
                                    diag);
    if (!status && program->leaves_early)
        status = ft_variant_compile_last_iteration(unit, effects, program->content,
                                                   &program->last_iteration, diag);
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
    ft_variant_fini(&program->last_iteration);
    free(program);
}
