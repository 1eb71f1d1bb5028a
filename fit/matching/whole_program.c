#include "fit/matching/whole_program.h"

void ft_match_join(struct ft_match *match, const struct ft_histograms *const *entries)
{
    if (match->group_count == 0)
        return;
    for (size_t e = 0; e < match->entry_count; e++)
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (match->group_of[e][i] != FT_NO_GROUP)
                match->group_of[e][i] = 0;
    match->groups[0] = (struct ft_matched_group){.scope = 0, .first_reference = UINT32_MAX};
    match->group_count = 1;
}
