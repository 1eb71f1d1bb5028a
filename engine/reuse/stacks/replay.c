/*
 * Creates, begins and destroys the parts of a replay. Runs are handled in take_runs.c, touches in
 * batch.c, results in replay_results.c.
 */

#include "engine/reuse/stacks/replay.h"

#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/repeated_pass.h"
#include "engine/reuse/stacks/repetition.h"
#include "engine/reuse/stacks/replay_state.h"
#include "engine/reuse/stacks/stack.h"

int ft_replay_create(const struct ft_block_sizes *sizes, const char *kernel,
                     struct ft_replay **ret_replay, struct ft_diag *diag)
{
    const struct ft_replay_kernel *chosen = NULL;
    const uint64_t *block_bytes = sizes->bytes;
    const size_t size_count = sizes->count;
    FT_TRY(ft_replay_kernel_choose(kernel, &chosen, diag));
    struct ft_replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return ft_fail_memory(diag, "replay");
    replay->kernel = chosen;
    replay->size_count = (unsigned)size_count;
    replay->region_shift = FT_REGION_SHIFT;
    replay->memory_max = UINT64_MAX;
    replay->first_step = replay->first_passed = UINT32_MAX;
    replay->threads.count = 1;
    memcpy(replay->block_bytes, block_bytes, size_count * sizeof *block_bytes);
    for (size_t i = 0; i < FT_RECENT_REGIONS; i++)
        replay->recent[i].region = UINT64_MAX;
    for (unsigned n = 1; n <= 64; n++)
        for (size_t s = 0; s < size_count; s++)
            replay->sizes_crossed[n] += (UINT64_C(1) << (n - 1)) >= block_bytes[s];
    replay->weights = calloc((FT_TOUCH_BATCH + 1) * size_count, sizeof *replay->weights);
    if (!replay->weights) {
        ft_replay_destroy(replay);
        return ft_fail_memory(diag, "replay");
    }
    for (size_t s = 0; s < size_count; s++)
        replay->weights[s] = 1;
    replay->row_count = 1;
    replay->times = 1;
    ft_repetition_init(&replay->repetition);
    *ret_replay = replay;
    return FT_OK;
}

void ft_replay_destroy(struct ft_replay *replay)
{
    if (!replay)
        return;
    if (replay->budget)
        ft_memory_note(replay->budget, &replay->memory_noted, 0);
    for (unsigned s = 0; s < replay->initialised; s++)
        ft_stack_fini(&replay->stacks[s]);
    for (unsigned s = 0; s < replay->size_count; s++)
        ft_dense_ids_fini(&replay->large_ids[s]);
    ft_dense_ids_fini(&replay->regions);
    ft_zero_array_fini(&replay->counts);
    ft_repetition_fini(&replay->repetition);
    ft_repeated_pass_fini(&replay->pass);
    if (replay->pairs)
        ft_pairs_fini(replay->pairs);
    free(replay->pairs);
    ft_scope_times_fini(&replay->scope_times);
    ft_scope_walk_fini(&replay->scopes);
    ft_thread_scopes_fini(&replay->threads);
    ft_without_steps_fini(&replay->without_steps);
    free(replay->references);
    free(replay->body);
    free(replay->weights);
    free(replay);
}

int ft_replay_want_pairs(struct ft_replay *replay, struct ft_diag *diag)
{
    replay->pairs = calloc(1, sizeof *replay->pairs);
    return replay->pairs ? FT_OK : ft_fail_memory(diag, "pairs of references");
}

void ft_replay_follow_scopes(struct ft_replay *replay, const struct ft_scope_steps *steps)
{
    replay->scopes.steps = steps;
    replay->first_step = steps->first;
}

void ft_replay_of_threads(struct ft_replay *replay, uint32_t thread_count)
{
    replay->threads.count = thread_count;
}

void ft_replay_skip_from(struct ft_replay *replay, uint32_t first)
{
    replay->first_passed = first;
}

void ft_replay_walk_for(struct ft_replay *replay, struct ft_touch_listener *listener)
{
    replay->listener = listener;
}

uint64_t ft_replay_accesses(const struct ft_replay *replay)
{
    return replay->access_count;
}

int ft_replay_begin(struct ft_replay *replay, const struct ft_reference *references,
                    uint32_t reference_count, struct ft_diag *diag)
{
    if (replay->references)
        return ft_fail(diag, FT_ERROR_FAILURE, "a replay takes one source");
    const uint32_t count = reference_count;
    const struct ft_scope_steps *steps = replay->scopes.steps;
    size_t rows =
        steps && steps->first + steps->count > count ? steps->first + steps->count : count;
    replay->references = calloc(rows + 1, sizeof *replay->references);
    if (!replay->references)
        return ft_fail_memory(diag, "references");
    replay->reference_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size_bytes = references[i].size_bytes;
        replay->references[i].stride = FT_STRIDE_NONE;
        replay->references[i].extra_bytes = size_bytes ? size_bytes - 1 : 0;
    }
    int status = FT_OK;
    if (replay->pairs)
        status = ft_scope_times_init(&replay->scope_times, steps != NULL, count, 0,
                                     replay->threads.count, diag);
    if (!status && replay->pairs && replay->threads.count > 1)
        status = ft_thread_scopes_init(&replay->threads, steps, count, diag);
    if (!status)
        status = ft_zero_array_reserve(
            &replay->counts, ft_front_counter(count, 0, 0, replay->size_count) * sizeof(uint64_t),
            diag);
    for (unsigned s = 0; !status && s < replay->size_count; s++) {
        replay->initialised = s + 1;
        status = ft_stack_init(&replay->stacks[s], replay->block_bytes[s], replay->region_shift,
                               count, diag);
        replay->stacks[s].keeps_first_touches = replay->keeps_first_touches;
    }
    return status;
}

struct ft_replay_skips ft_replay_skips(const struct ft_replay *replay)
{
    const struct ft_repetition *repetition = &replay->repetition;
    return (struct ft_replay_skips){.is_skipping = repetition->state == FT_REPETITION_SKIPPING,
                                    .number = repetition->skips,
                                    .skipped = repetition->skipped,
                                    .at = repetition->at};
}

bool ft_replay_skip_more(struct ft_replay *replay, const struct ft_replay_skips *since,
                         uint64_t times)
{
    const struct ft_replay_skips now = ft_replay_skips(replay);
    if (!now.is_skipping || !since->is_skipping || now.number != since->number ||
        now.at != since->at || now.skipped == since->skipped)
        return false;
    replay->repetition.skipped += times * (now.skipped - since->skipped);
    return true;
}

int ft_replay_run(struct ft_replay *replay, struct ft_run_source *source, struct ft_diag *diag)
{
    int status = ft_replay_begin(replay, source->references, source->reference_count, diag);
    while (!status) {
        struct ft_run_batch batch;
        status = source->next(source, &batch, diag);
        if (status || batch.run_count == 0)
            break;
        status = ft_replay_take(replay, &batch, diag);
    }
    return status ? status : ft_replay_end(replay, diag);
}
