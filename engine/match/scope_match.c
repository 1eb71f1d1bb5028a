#include "engine/match/scope_match.h"

#include <stdlib.h>

const char *const ft_match_kind_names[FT_MATCH_SHAPE + 1] = {"",        "code",  "name", "line",
                                                             "shifted", "moved", "shape"};

void ft_scope_matching_fini(struct ft_scope_matching *matching)
{
    free(matching->of[0]);
    free(matching->of[1]);
    *matching = (struct ft_scope_matching){0};
}
