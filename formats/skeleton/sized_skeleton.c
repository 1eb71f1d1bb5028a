#include "formats/skeleton/sized_skeleton.h"

#include <math.h>
#include <stdlib.h>

void ft_block_loops_fini(struct ft_block_loops *loops)
{
    free(loops->calls);
    ft_nest_fini(&loops->nest);
    free(loops->numbers);
    *loops = (struct ft_block_loops){0};
}

void ft_block_laws_fini(struct ft_block_laws *laws)
{
    free(laws->events);
    ft_block_loops_fini(&laws->loops);
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

static bool have_levels(const struct ft_block_laws *laws)
{
    for (size_t i = 0; i < laws->event_count; i++)
        if (laws->events[i].from != 0)
            return true;
    return false;
}

bool ft_block_laws_are_renumbered(const struct ft_block_laws *laws)
{
    return laws->loops.nest.token_count > 0 || have_levels(laws);
}

const struct ft_size_law *ft_sized_skeleton_law(const struct ft_sized_skeleton *sized, size_t index)
{
    const struct ft_block_laws *blocks = &sized->blocks;
    if (index < sized->number_count)
        return &sized->numbers[index].law;
    index -= sized->number_count;
    if (index < blocks->event_count)
        return &blocks->events[index].bytes;
    index -= blocks->event_count;
    return index < blocks->loops.number_count ? &blocks->loops.numbers[index].law : NULL;
}

bool ft_sized_skeleton_has_cuts(const struct ft_sized_skeleton *sized)
{
    for (size_t i = 0; i < sized->drawn_count; i++)
        if (ft_drawn_loop_is_cut(&sized->drawn[i], (uint32_t)i))
            return true;
    return false;
}

bool ft_sized_skeleton_is_by_level(const struct ft_sized_skeleton *sized)
{
    const struct ft_size_law *law;
    bool found = have_levels(&sized->blocks);
    for (size_t i = 0; !found && (law = ft_sized_skeleton_law(sized, i)); i++)
        found = ft_law_is_by_level(law);
    return found;
}
