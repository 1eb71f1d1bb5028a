#include "engine/match/matching.h"

#include <stdlib.h>

const char *const ft_match_kind_names[FT_MATCH_KINDS] = {"",     "code",    "name",  "strides",
                                                         "line", "shifted", "shape", "moved"};

void ft_matching_fini(struct ft_matching *matching)
{
    free(matching->of[0]);
    free(matching->of[1]);
    *matching = (struct ft_matching){0};
}
