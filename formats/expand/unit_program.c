/*
 * A unit's program: what all its records have in common, and a variant for each direction of its
 * string instructions. Fetches that are not asked for are removed from the pieces; no computation
 * or update depends on them.
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

unsigned ft_program_instructions(const struct ft_unit *unit, unsigned instruction_count)
{
    unsigned count = 0;
    for (unsigned i = 0; i < instruction_count; i++)
        count += !unit->instructions[i].accesses_only;
    return count;
}

/* The last instruction that sets the direction flag decides. */
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
    FT_TRY(ft_unit_effects(unit, effects, diag));
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
    for (unsigned down = 0; down < variant_count; down++)
        FT_TRY(ft_variant_compile(unit, effects, program->content, down, &program->variants[down],
                                  diag));
    if (program->leaves_early)
        FT_TRY(ft_variant_compile_last_iteration(unit, effects, program->content,
                                                 &program->last_iteration, diag));
    return FT_OK;
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

/* ---- Leaving out fetches ---- */

/* Whether the entry is a fetch to leave out; that of the unit's first instruction never is. */
static bool is_passed(const uint32_t *references, unsigned entry, uint32_t first_fetch,
                      const bool *passed)
{
    return entry && references[entry] >= first_fetch && passed[references[entry] - first_fetch];
}

static void drop_entries(struct ft_variant *variant, const uint32_t *references,
                         uint32_t first_fetch, const bool *passed)
{
    uint16_t kept = 0;
    for (unsigned i = 0; i < variant->piece_count; i++) {
        struct ft_piece *piece = &variant->pieces[i];
        const uint16_t first = kept;
        for (unsigned j = piece->first; j < (unsigned)piece->first + piece->count; j++)
            if (!is_passed(references, j, first_fetch, passed))
                variant->entries[kept++] = variant->entries[j];
        if (piece->kind == FT_PIECE_ACCESSES)
            variant->access_count =
                (uint16_t)(variant->access_count - piece->count + (kept - first));
        piece->first = first;
        piece->count = (uint16_t)(kept - first);
    }
    variant->entry_count = kept;
}

int ft_unit_program_skip_fetches(struct ft_unit_program *program, const uint32_t *references,
                                 uint32_t first_fetch, const bool *passed,
                                 uint32_t **ret_references, struct ft_diag *diag)
{
    const unsigned count = program->variants[0].entry_count;
    uint32_t *kept = malloc((count + 1U) * sizeof *kept);
    unsigned kept_count = 0;
    if (!kept)
        return ft_fail_memory(diag, "the program of a unit");
    for (unsigned i = 0; i < count; i++)
        if (!is_passed(references, i, first_fetch, passed))
            kept[kept_count++] = references[i];
    drop_entries(&program->variants[0], references, first_fetch, passed);
    drop_entries(&program->variants[1], references, first_fetch, passed);
    drop_entries(&program->last_iteration, references, first_fetch, passed);
    *ret_references = kept;
    return FT_OK;
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
