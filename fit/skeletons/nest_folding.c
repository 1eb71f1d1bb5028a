#include "fit/skeletons/nest_folding.h"

#include "engine/skeleton/refolding.h"

/* Code that the largest size does not have has ids that count down from the last one (same_code.h);
 * a builder has room for all below the largest id. So these are moved down while it is at work. */
#define FOREIGN_MIN (FT_NEST_ID_MAX / 2)

struct routine_ids {
    uint32_t own, all; /* one more than the largest id that is not foreign; and with those moved */
};

typedef uint32_t renamer(const struct routine_ids *ids, uint32_t id);

static uint32_t move_down(const struct routine_ids *ids, uint32_t id)
{
    return id < FOREIGN_MIN ? id : ids->own + (FT_NEST_ID_MAX - id);
}

static uint32_t move_back(const struct routine_ids *ids, uint32_t id)
{
    return id < ids->own ? id : FT_NEST_ID_MAX - (id - ids->own);
}

static struct routine_ids find_ids(const struct ft_nest *nest)
{
    struct routine_ids ids = {0};
    uint32_t foreign = 0;
    for (size_t at = 0; at < nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const bool is_foreign = element.id >= FOREIGN_MIN;
        const uint32_t count = is_foreign ? FT_NEST_ID_MAX - element.id + 1 : element.id + 1;
        uint32_t *most = is_foreign ? &foreign : &ids.own;
        if (element.kind == FT_NEST_ROUTINE && count > *most)
            *most = count;
        at += element.head; /* into the brackets */
    }
    ids.all = ids.own + foreign;
    return ids;
}

static void rename_routines(const struct ft_nest *nest, const struct routine_ids *ids,
                            renamer *rename)
{
    for (size_t at = 0; at < nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        if (element.kind == FT_NEST_ROUTINE)
            nest->tokens[at] = ft_nest_token(FT_NEST_ROUTINE, rename(ids, element.id));
        at += element.head;
    }
}

int ft_nest_fold_again(const bool *is_run, const struct ft_loop_contexts *kept_runs,
                       struct ft_nest *nest, struct ft_diag *diag)
{
    const struct routine_ids ids = find_ids(nest);
    const struct ft_thread_skeleton thread = {.nest = *nest};
    const struct ft_refolding refolding = {.thread = &thread,
                                           .routine_count = ids.all,
                                           .names = nest->tokens,
                                           .is_run = is_run,
                                           .kept_runs = kept_runs->contexts,
                                           .kept_run_count = kept_runs->count};
    struct ft_thread_skeleton folded;
    rename_routines(nest, &ids, move_down);
    FT_TRY(ft_nest_refold(&refolding, &folded, diag));
    rename_routines(&folded.nest, &ids, move_back);
    const struct ft_nest former = *nest;
    *nest = folded.nest;
    folded.nest = former;
    ft_thread_skeleton_fini(&folded);
    return FT_OK;
}
