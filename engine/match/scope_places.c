#include "engine/match/scope_places.h"

#include "engine/match/scopes.h"

int ft_scope_places(const struct ft_scopes *from, const struct ft_scopes *to, uint32_t *ret_places,
                    bool *ret_is_same, struct ft_diag *diag)
{
    struct ft_scope_locations locations[2] = {0};
    struct ft_matching matching = {0};
    int status = ft_scope_locations_make(from, &locations[0], diag);
    if (!status)
        status = ft_scope_locations_make(to, &locations[1], diag);
    if (!status)
        status = ft_scopes_match(locations, &matching, diag);
    for (uint32_t i = 0; !status && i < from->scope_count; i++) {
        const bool is_same = matching.of[0][i].kind != FT_MATCH_NONE;
        /* parents come before children, and programs match */
        ret_places[i] = is_same ? matching.of[0][i].item : ret_places[from->scopes[i].parent];
        if (ret_is_same)
            ret_is_same[i] = is_same;
    }
    ft_matching_fini(&matching);
    for (unsigned side = 0; side < 2; side++)
        ft_scope_locations_fini(&locations[side]);
    return status;
}
