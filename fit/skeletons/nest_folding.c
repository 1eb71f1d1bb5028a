#include "fit/skeletons/nest_folding.h"

#include "engine/skeleton/refolding.h"

/* More than the ids of routines. */
static size_t count_routines(const struct ft_nest *nest)
{
    size_t count = 0;
    for (size_t at = 0; at < nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        if (element.kind == FT_NEST_ROUTINE && element.id >= count)
            count = (size_t)element.id + 1;
        at += element.head; /* into the brackets */
    }
    return count;
}

int ft_nest_fold_again(const bool *is_run, const struct ft_loop_contexts *kept_runs,
                       struct ft_nest *nest, struct ft_diag *diag)
{
    const struct ft_thread_skeleton thread = {.nest = *nest};
    const struct ft_refolding refolding = {.thread = &thread,
                                           .routine_count = count_routines(nest),
                                           .names = nest->tokens,
                                           .is_run = is_run,
                                           .kept_runs = kept_runs->contexts,
                                           .kept_run_count = kept_runs->count};
    struct ft_thread_skeleton folded;
    FT_TRY(ft_nest_refold(&refolding, &folded, diag));
    const struct ft_nest former = *nest;
    *nest = folded.nest;
    folded.nest = former;
    ft_thread_skeleton_fini(&folded);
    return FT_OK;
}
