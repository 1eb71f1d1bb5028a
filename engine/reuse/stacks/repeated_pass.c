#include "engine/reuse/stacks/repeated_pass.h"

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/repeated_counts.h"
#include "engine/reuse/stacks/repetition.h"
#include "engine/reuse/stacks/replay_state.h"

#define COUNTERS_AN_ACCESS 16U /* that may be copied for each access so far */

static bool is_worth_noting(struct ft_replay *replay)
{
    struct ft_repeated_pass *pass = &replay->pass;
    const uint64_t counters = ft_repeated_counters(replay);
    const uint64_t needed = counters * sizeof(uint64_t);
    const uint64_t kept = ft_repeated_counts_bytes(&pass->counts);
    return !replay->scopes.steps && replay->repetition.state != FT_REPETITION_SKIPPING &&
           pass->copied + counters <= COUNTERS_AN_ACCESS * replay->access_count &&
           (!replay->budget || needed <= kept || ft_memory_has_room(replay->budget, needed - kept));
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
    ft_repetition_break(&replay->repetition);
    return FT_OK;
}

void ft_repeated_pass_fini(struct ft_repeated_pass *pass)
{
    ft_repeated_counts_fini(&pass->counts);
}
