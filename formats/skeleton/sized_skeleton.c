#include "formats/skeleton/sized_skeleton.h"

#include <math.h>
#include <stdlib.h>

void ft_block_laws_fini(struct ft_block_laws *laws)
{
    free(laws->events);
    free(laws->is_confirmed);
    *laws = (struct ft_block_laws){0};
}

void ft_sized_skeleton_fini(struct ft_sized_skeleton *sized)
{
    ft_drawn_loops_free(sized->drawn, sized->drawn_count);
    ft_skeleton_fini(&sized->largest);
    free(sized->sizes);
    free(sized->numbers);
    free(sized->is_sized);
    free(sized->errors);
    ft_block_laws_fini(&sized->blocks);
    *sized = (struct ft_sized_skeleton){0};
}

void ft_sized_skeleton_free(struct ft_sized_skeleton *sized)
{
    if (sized)
        ft_sized_skeleton_fini(sized);
    free(sized);
}

bool ft_is_sized_size(double size)
{
    return fabs(size) < 1e9 && size == floor(size);
}

bool ft_block_laws_have_levels(const struct ft_block_laws *laws)
{
    for (size_t i = 0; i < laws->event_count; i++)
        if (laws->events[i].from != 0)
            return true;
    return false;
}

bool ft_sized_skeleton_is_by_level(const struct ft_sized_skeleton *sized)
{
    for (size_t i = 0; i < sized->number_count; i++)
        if (ft_law_is_by_level(&sized->numbers[i].law))
            return true;
    for (size_t i = 0; i < sized->blocks.event_count; i++)
        if (ft_law_is_by_level(&sized->blocks.events[i].bytes))
            return true;
    return ft_block_laws_have_levels(&sized->blocks);
}
