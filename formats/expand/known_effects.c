#include "formats/expand/known_effects.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/x86/known_registers.h"

int ft_known_effects_of(struct ft_known_effects *known, const struct ft_unit *unit,
                        const struct ft_effect **ret_effects, struct ft_diag *diag)
{
    if (!FT_RESERVE(known->of_units, known->capacity, unit->id + (size_t)1))
        return ft_fail_memory(diag, "the units");
    while (known->count <= unit->id)
        known->of_units[known->count++] = NULL;
    struct ft_effect *effects = known->of_units[unit->id];
    if (!effects) {
        effects = calloc(unit->instruction_count + (size_t)1, sizeof *effects);
        int status =
            effects ? ft_unit_effects(unit, effects, diag) : ft_fail_memory(diag, "the units");
        if (status) {
            free(effects);
            return status;
        }
        known->of_units[unit->id] = effects;
    }
    *ret_effects = effects;
    return FT_OK;
}

void ft_known_effects_fini(struct ft_known_effects *known)
{
    for (size_t i = 0; i < known->count; i++)
        free(known->of_units[i]);
    free(known->of_units);
    *known = (struct ft_known_effects){0};
}
