#include "engine/simulate/warping/warping.h"

#include <stdlib.h>

#include "engine/simulate/warping/watching.h"

#define PROGRESS_STEPS (UINT64_C(1) << 16)

#define SIMULATED_MIN 1e6 /* accesses, before it is given up */
#define PATIENCE      4.0 /* times as many, outside of loops that make most of them */
#define SKIPPED_MIN   8.0 /* times the accesses that are simulated: worth going on */

static bool is_in_large_loop(const struct ft_warping *warping)
{
    for (size_t depth = 1; depth <= ft_nest_walk_depth(warping->walk); depth++)
        if (warping->loops[depth].accesses >= FT_LOOP_SHARE * warping->all_accesses)
            return true;
    return false;
}

static int must_end(struct ft_warping *warping, bool *ret_must, struct ft_diag *diag)
{
    const double simulated = warping->accesses - warping->skipped;
    *ret_must = simulated > warping->task->simulated_max;
    if (*ret_must || simulated < warping->check_at)
        return FT_OK;
    if (!is_in_large_loop(warping) && simulated < PATIENCE * warping->check_at)
        return FT_OK;
    warping->check_at = 2 * simulated;
    const double left = warping->all_accesses - warping->accesses;
    if (warping->skipped >= SKIPPED_MIN * simulated || (left > 0 && left < simulated))
        return FT_OK;
    for (size_t depth = 1; depth <= ft_nest_walk_depth(warping->walk); depth++) {
        bool is;
        FT_TRY(ft_warped_loop_is_promising(warping, depth, &is, diag));
        if (is)
            return FT_OK;
    }
    *ret_must = true;
    return FT_OK;
}

/* ---- walk ---- */

static int take_step(struct ft_warping *warping, const struct ft_walk_step *step,
                     struct ft_diag *diag)
{
    switch (step->event) {
    case FT_WALK_ACCESS:
        return ft_warped_access(warping, step, diag);
    case FT_WALK_RUN:
        return ft_warped_run(warping, step, diag);
    case FT_WALK_ENTER:
        return ft_warped_loop_enter(warping, diag);
    case FT_WALK_ITERATE:
        return ft_warped_loop_iterate(warping, diag);
    default:
        return FT_OK;
    }
}

static int walk_all(struct ft_warping *warping, bool *ret_is_done, struct ft_diag *diag)
{
    struct ft_walk_step step = {.event = FT_WALK_ENTER};
    bool must_end_now = false;
    for (uint64_t steps = 0; step.event != FT_WALK_END && !must_end_now; steps++) {
        FT_TRY(ft_nest_walk_next(warping->walk, &step, diag));
        FT_TRY(take_step(warping, &step, diag));
        if (warping->accesses > warping->program->accesses_max)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED, "there would be more than %.3g accesses",
                           warping->program->accesses_max);
        if (step.event != FT_WALK_END) /* then there are loops to look at */
            FT_TRY(must_end(warping, &must_end_now, diag));
        if (steps % PROGRESS_STEPS == 0)
            ft_progress_update(warping->task->progress, (uint64_t)warping->accesses,
                               (uint64_t)warping->all_accesses, "accesses");
    }
    *ret_is_done = !must_end_now;
    return FT_OK;
}

static void fini(struct ft_warping *warping)
{
    ft_nest_walk_destroy(warping->walk);
    for (size_t i = 0; i < warping->loop_count; i++) {
        ft_recurrence_fini(&warping->loops[i].recurrence);
        ft_untouched_sets_fini(&warping->loops[i].untouched);
    }
    ft_recurrence_fini(&warping->run);
    ft_nest_hulls_fini(&warping->hulls);
    free(warping->loops);
    free(warping->sites);
    free(warping->seen);
    free(warping->entries);
}

static int init(struct ft_warping *warping, struct ft_diag *diag)
{
    const struct ft_warped_program *program = warping->program;
    struct ft_drawing *drawing;
    warping->sites = calloc(program->nest->token_count + 1, sizeof *warping->sites);
    warping->seen = calloc(program->reference_count + (size_t)1, sizeof *warping->seen);
    if (!warping->sites || !warping->seen)
        return ft_warping_no_memory(diag);
    FT_TRY(ft_drawing_create(program->drawn, program->drawn_count, program->seed, &drawing, diag));
    return ft_nest_walk_create(program->nest, drawing, &warping->walk, diag);
}

int ft_warp(const struct ft_warped_program *program, const struct ft_warp_task *task,
            struct ft_single_cache *cache, bool *ret_is_done, struct ft_diag *diag)
{
    struct ft_warping warping = {.program = program, .task = task, .cache = cache};
    warping.all_accesses = (double)program->executions->before[program->nest->token_count];
    warping.check_at = task->simulated_share * warping.all_accesses + SIMULATED_MIN;
    int status = init(&warping, diag);
    if (status == FT_OK)
        status = walk_all(&warping, ret_is_done, diag);
    fini(&warping);
    return status;
}
