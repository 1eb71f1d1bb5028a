#include "engine/match/group_match.h"

#include <stdlib.h>

const char *const ft_group_match_names[FT_GROUP_MOVED + 1] = {"",        "code",  "strides", "line",
                                                              "shifted", "shape", "moved"};

void ft_group_matching_fini(struct ft_group_matching *matching)
{
    free(matching->of[0]);
    free(matching->of[1]);
    *matching = (struct ft_group_matching){0};
}
