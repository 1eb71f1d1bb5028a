#include "engine/reuse/stacks/repeated_pass.h"

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/repeated_counts.h"
#include "engine/reuse/stacks/repetition.h"
#include "engine/reuse/stacks/replay_state.h"

static bool is_worth_noting(struct ft_replay *replay)
{
    const struct ft_repeated_pass *pass = &replay->pass;
    const struct ft_repetition *repetition = &replay->repetition;
    return !replay->scopes.steps && repetition->state != FT_REPETITION_SKIPPING &&
           (pass->copied + ft_repeated_counters(replay)) / repetition->counters_an_access <=
               replay->access_count &&
           ft_repeated_counts_have_room(&pass->counts, replay);
}

int ft_replay_note_pass(struct ft_replay *replay, struct ft_diag *diag)
{
    struct ft_repeated_pass *pass = &replay->pass;
    pass->is_noted = is_worth_noting(replay);
    if (!pass->is_noted)
        return FT_OK;
    FT_TRY(ft_replay_flush(replay, diag));
    FT_TRY(ft_repeated_counts_note(&pass->counts, replay, diag));
    pass->copied += ft_repeated_counters(replay);
    pass->skips = replay->repetition.skips;
    return FT_OK;
}

/* Not if periods of it were skipped, whose counts are still to be added. */
bool ft_replay_has_pass(const struct ft_replay *replay)
{
    return replay->pass.is_noted && replay->pass.skips == replay->repetition.skips;
}

int ft_replay_add_passes(struct ft_replay *replay, uint64_t times, struct ft_diag *diag)
{
    struct ft_repeated_pass *pass = &replay->pass;
    FT_TRY(ft_replay_flush(replay, diag));
    FT_TRY(ft_repeated_counts_measure(&pass->counts, replay, diag));
    ft_repeated_counts_add(&pass->counts, replay, times);
    pass->is_noted = false;
    ft_repetition_restart(&replay->repetition);
    return FT_OK;
}

void ft_repeated_pass_fini(struct ft_repeated_pass *pass)
{
    ft_repeated_counts_fini(&pass->counts);
}
