#include "engine/reuse/stacks/replay_limits.h"

#include "engine/reuse/stacks/replay_state.h"
#include "engine/reuse/stacks/stack.h"

void ft_replay_limit(struct ft_replay *replay, unsigned region_shift, uint64_t memory_max)
{
    replay->region_shift = region_shift;
    replay->memory_max = memory_max;
}

void ft_replay_share_budget(struct ft_replay *replay, struct ft_memory_budget *budget)
{
    replay->budget = budget;
}

enum ft_replay_retry ft_replay_retry(const struct ft_replay *replay)
{
    return replay->retry;
}

uint64_t ft_replay_bytes(const struct ft_replay *replay)
{
    const uint64_t rows = replay->reference_count + (uint64_t)1;
    uint64_t bytes =
        sizeof *replay + rows * sizeof *replay->references +
        (FT_TOUCH_BATCH + 1) * replay->size_count * sizeof *replay->weights +
        ft_repetition_bytes(&replay->repetition) + ft_repeated_counts_bytes(&replay->pass.counts) +
        ft_dense_ids_bytes(&replay->regions) +
        ft_front_counter(replay->reference_count, 0, 0, replay->size_count) * sizeof(uint64_t) +
        ft_scope_walk_bytes(&replay->scopes) + ft_scope_times_bytes(&replay->scope_times) +
        ft_thread_scopes_bytes(&replay->threads);
    for (unsigned s = 0; s < replay->initialised; s++)
        bytes += ft_stack_bytes(&replay->stacks[s]) + ft_dense_ids_bytes(&replay->large_ids[s]);
    if (replay->pairs)
        bytes += ft_pairs_bytes(replay->pairs, replay->stacks, replay->initialised);
    return bytes;
}

int ft_replay_check_memory(struct ft_replay *replay, uint64_t more_bytes, struct ft_diag *diag)
{
    uint64_t bytes = ft_replay_bytes(replay);
    if (replay->budget)
        ft_memory_note(replay->budget, &replay->memory_noted, bytes);
    if (bytes + more_bytes <= replay->memory_max &&
        (!replay->budget || ft_memory_is_enough(replay->budget, more_bytes)))
        return FT_OK;
    replay->retry = FT_RETRY_FEWER_SIZES;
    return ft_fail(diag, FT_ERROR_MEMORY, "replay needs %llu MiB after %llu accesses",
                   (unsigned long long)(bytes >> 20), (unsigned long long)replay->access_count);
}
