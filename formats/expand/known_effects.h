/*
 * The effects of a trace's units, each decoded once, for what steps through many records
 * (ft_unit_step_known). For one thread.
 */
#ifndef FT_FORMATS_EXPAND_KNOWN_EFFECTS_H
#define FT_FORMATS_EXPAND_KNOWN_EFFECTS_H

#include "formats/x86/effect.h"
#include "formats/x86/unit.h"

/* Starts as zeros. */
struct ft_known_effects {
    struct ft_effect **of_units; /* [id of the unit]; NULL: not decoded yet */
    size_t count, capacity;
};
/* ret_effects: [instruction of the unit], until the end. */
int ft_known_effects_of(struct ft_known_effects *known, const struct ft_unit *unit,
                        const struct ft_effect **ret_effects, struct ft_diag *diag);
void ft_known_effects_fini(struct ft_known_effects *known);

#endif
