#include "engine/simulate/warping/watching.h"

#include "formats/base/array.h"

#define UNTOUCHED_MIN 16U /* iterations of a loop of which some may touch no set */

static int find_loop_moves(struct ft_warping *warping, const struct ft_walked_loop *walked,
                           uint64_t iteration, struct ft_recurrence *recurrence, bool *ret_found,
                           struct ft_diag *diag)
{
    FT_TRY(ft_watch_find_hulls(warping, &walked->body, walked->steps, walked->is_back, ret_found,
                               diag));
    if (*ret_found)
        FT_TRY(ft_watch_find_moves(warping, iteration, walked->iterations_left, recurrence,
                                   ret_found, diag));
    return FT_OK;
}

static int begin_watch(struct ft_warping *warping, struct ft_warped_loop *loop,
                       const struct ft_walked_loop *walked, struct ft_diag *diag)
{
    bool found;
    FT_TRY(find_loop_moves(warping, walked, loop->iteration, &loop->recurrence, &found, diag));
    loop->watch = found ? FT_WATCHED : FT_LEFT_ALONE;
    if (found)
        ft_recurrence_start(&loop->recurrence, loop->iteration,
                            (double)(warping->cache->touches - loop->touches) /
                                (double)loop->iteration);
    else
        ft_watch_fail(loop->site);
    return FT_OK;
}

/* Of some sets: skips the iterations that touch none of them, up to the next look. *ret_ends: those
 * were the last ones. */
static void skip_untouched(struct ft_warping *warping, struct ft_warped_loop *loop, size_t depth,
                           bool *ret_ends)
{
    *ret_ends = false;
    if (!loop->may_be_untouched)
        return;
    const struct ft_walked_loop walked = ft_nest_walk_loop(warping->walk, depth);
    uint64_t most = walked.alike_left;
    if (loop->watch == FT_WATCHED && loop->recurrence.next - loop->iteration < most)
        most = loop->recurrence.next - loop->iteration;
    const uint64_t skipped =
        ft_untouched_iterations(&loop->untouched, warping->cache, loop->iteration, most);
    if (skipped)
        ft_nest_walk_skip(warping->walk, skipped);
    loop->iteration += skipped;
    *ret_ends = skipped == walked.iterations_left;
}

int ft_warped_loop_iterate(struct ft_warping *warping, struct ft_diag *diag)
{
    const size_t depth = ft_nest_walk_depth(warping->walk);
    struct ft_warped_loop *loop = &warping->loops[depth];
    const struct ft_single_cache *cache = warping->cache;
    bool ends;
    loop->iteration++;
    skip_untouched(warping, loop, depth, &ends);
    if (ends || loop->watch == FT_LEFT_ALONE ||
        (loop->watch == FT_NOT_WATCHED &&
         cache->touches - loop->touches < ft_recurrence_look_touches(cache, 0)))
        return FT_OK;
    const struct ft_walked_loop walked = ft_nest_walk_loop(warping->walk, depth);
    if (loop->watch == FT_NOT_WATCHED)
        FT_TRY(begin_watch(warping, loop, &walked, diag));
    if (loop->watch == FT_LEFT_ALONE || loop->iteration < loop->recurrence.next)
        return FT_OK;
    uint64_t skipped;
    FT_TRY(ft_watch_look(warping, &loop->recurrence, loop->site, loop->iteration, walked.alike_left,
                         &skipped, diag));
    if (skipped)
        ft_nest_walk_skip(warping->walk, skipped);
    loop->iteration += skipped;
    if (loop->recurrence.next == UINT64_MAX)
        loop->watch = FT_LEFT_ALONE;
    return FT_OK;
}

/* A loop of some sets. */
static int begin_untouched(struct ft_warping *warping, struct ft_warped_loop *loop,
                           const struct ft_walked_loop *walked, size_t depth, struct ft_diag *diag)
{
    bool found, ends;
    FT_TRY(
        ft_watch_find_hulls(warping, &walked->body, walked->steps, walked->is_back, &found, diag));
    if (!found)
        return FT_OK;
    const struct ft_loop_accesses accesses = ft_watch_accesses(warping, 0, walked->iterations_left);
    loop->may_be_untouched = ft_untouched_sets_start(&loop->untouched, &accesses);
    skip_untouched(warping, loop, depth, &ends);
    return FT_OK;
}

int ft_warped_loop_enter(struct ft_warping *warping, struct ft_diag *diag)
{
    const size_t depth = ft_nest_walk_depth(warping->walk);
    if (!FT_RESERVE(warping->loops, warping->loop_capacity, depth + 1))
        return ft_warping_no_memory(diag);
    while (warping->loop_count <= depth)
        warping->loops[warping->loop_count++] = (struct ft_warped_loop){0};
    struct ft_warped_loop *loop = &warping->loops[depth];
    const struct ft_walked_loop walked = ft_nest_walk_loop(warping->walk, depth);
    loop->iteration = 0;
    loop->touches = warping->cache->touches;
    loop->site = ft_watch_site(warping, walked.body.tokens);
    loop->watch = (double)walked.iterations_left < FT_WATCH_LOOKS || ft_watch_rests(loop->site)
                      ? FT_LEFT_ALONE
                      : FT_NOT_WATCHED;
    loop->accesses = 0;
    if (loop->site) {
        const uint64_t *before =
            warping->program->executions->before + (loop->site - warping->sites);
        loop->accesses = (double)(before[walked.body.token_count] - before[0]);
    }
    loop->may_be_untouched = false;
    if (warping->cache->some && walked.iterations_left >= UNTOUCHED_MIN)
        FT_TRY(begin_untouched(warping, loop, &walked, depth, diag));
    return FT_OK;
}

int ft_warped_loop_is_promising(struct ft_warping *warping, size_t depth, bool *ret_is,
                                struct ft_diag *diag)
{
    struct ft_warped_loop *loop = &warping->loops[depth];
    const struct ft_walked_loop walked = ft_nest_walk_loop(warping->walk, depth);
    const uint64_t iterations = loop->iteration + walked.iterations_left;
    *ret_is = false;
    if (loop->watch == FT_LEFT_ALONE || loop->accesses < FT_LOOP_SHARE * warping->all_accesses)
        return FT_OK;
    if (loop->watch == FT_NOT_WATCHED) {
        bool found;
        FT_TRY(find_loop_moves(warping, &walked, loop->iteration, &loop->recurrence, &found, diag));
        if (!found)
            return FT_OK;
    }
    /* Blocks of other loops must first be displaced. */
    const struct ft_block_moves *moves = &loop->recurrence.moves;
    *ret_is = moves->is_uniform && 8 * moves->period <= iterations + 4 &&
              loop->iteration <= 2 * moves->period + 1 + iterations / 8;
    return FT_OK;
}
