#include "engine/skeleton/loop_cuts.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_loop_cuts_fini(struct ft_loop_cuts *cuts)
{
    ft_cut_elements_fini(&cuts->elements);
    ft_nest_fini(&cuts->kept);
    ft_nest_fini(&cuts->drawn);
    free(cuts->loops);
    *cuts = (struct ft_loop_cuts){0};
}

bool ft_loop_cuts_add(struct ft_loop_cuts *cuts, const struct ft_cut_loop *loop)
{
    if (!FT_RESERVE(cuts->loops, cuts->capacity, cuts->count + 1))
        return false;
    cuts->loops[cuts->count++] = *loop;
    return true;
}

const struct ft_cut_loop *ft_loop_cuts_find(const struct ft_loop_cuts *cuts, uint64_t context)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->loops[i].context == context)
            return &cuts->loops[i];
    return NULL;
}

int ft_loop_cuts_apply(struct ft_loop_cuts *cuts, const struct ft_cut_loop *loop,
                       const struct ft_nest *iteration, struct ft_irregular *irregular,
                       uint64_t *by_reference, struct ft_diag *diag)
{
    struct ft_loop_cut *cut = loop->cut;
    if (!ft_iteration_cut_apply(cut->cut, iteration, loop->irregular, &cuts->elements, &cuts->kept,
                                &cuts->drawn))
        return ft_fail_memory(diag, "the iterations of a loop");
    if (cuts->kept.token_count > cut->longest)
        cut->longest = cuts->kept.token_count;
    return cuts->drawn.token_count ? ft_irregular_add(irregular, &cuts->drawn, by_reference, diag)
                                   : FT_OK;
}

int ft_loop_cuts_leave(const struct ft_cut_loop *loop, struct ft_irregular *irregulars,
                       struct ft_diag *diag)
{
    if (!loop->cut->cut)
        return loop->cut->watch(loop->cut->watching, NULL, diag);
    if (irregulars[loop->irregular].entry_iterations > 0)
        ft_irregular_end_entry(&irregulars[loop->irregular]);
    return FT_OK;
}

struct ft_nest_context ft_loop_cut_context(struct ft_nest_context loop)
{
    return ft_nest_context_inside(loop, loop.token);
}
