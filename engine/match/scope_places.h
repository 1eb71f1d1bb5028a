/*
 * Where the figures of one run's scopes belong in the tree of another run of the program: in the
 * same scope (scopes.h), or in the nearest one around it that the other run has.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_PLACES_H
#define FT_ENGINE_MATCH_SCOPE_PLACES_H

#include <stdbool.h>

#include "formats/scopes/scopes.h"

/* ret_places: [scope of `from`]: the scope of `to`. ret_is_same, if not NULL: likewise, whether it
 * is the same one. */
int ft_scope_places(const struct ft_scopes *from, const struct ft_scopes *to, uint32_t *ret_places,
                    bool *ret_is_same, struct ft_diag *diag);

#endif
