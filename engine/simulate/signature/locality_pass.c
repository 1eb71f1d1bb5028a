/*
 * Steps and distances are those of a thread's own accesses: each has a replay of words, which gives
 * distances, and its own memory of where references were last.
 */
#include "engine/simulate/signature/locality_pass.h"

#include <stdlib.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/simulate/signature/locality.h"

struct thread {
    struct ft_spatial *spatial;
    struct ft_replay *replay; /* of FT_TEMPORAL_BLOCK_BYTES */
};

struct ft_locality_pass {
    uint32_t reference_count, thread_count;
    struct thread *threads;
};

static int begin_thread(struct thread *thread, const struct ft_run_source *source,
                        struct ft_diag *diag)
{
    static const struct ft_block_sizes word = {1, {FT_TEMPORAL_BLOCK_BYTES}};
    int status = ft_spatial_create(source->reference_count, &thread->spatial, diag);
    if (status == FT_OK)
        status = ft_replay_create(&word, NULL, &thread->replay, diag);
    if (status == FT_OK)
        status = ft_replay_begin(thread->replay, source->references, source->reference_count, diag);
    return status;
}

int ft_locality_pass_create(const struct ft_run_source *source, uint32_t thread_count,
                            struct ft_locality_pass **ret_pass, struct ft_diag *diag)
{
    struct ft_locality_pass *pass = calloc(1, sizeof *pass);
    if (!pass)
        return ft_fail_memory(diag, "scores of locality");
    pass->reference_count = source->reference_count;
    pass->thread_count = thread_count;
    pass->threads = calloc(thread_count + (size_t)1, sizeof *pass->threads);
    int status = pass->threads ? FT_OK : ft_fail_memory(diag, "scores of locality");
    for (uint32_t t = 0; status == FT_OK && t < thread_count; t++)
        status = begin_thread(&pass->threads[t], source, diag);
    if (status != FT_OK) {
        ft_locality_pass_destroy(pass);
        return status;
    }
    *ret_pass = pass;
    return FT_OK;
}

void ft_locality_pass_destroy(struct ft_locality_pass *pass)
{
    if (!pass)
        return;
    for (uint32_t t = 0; pass->threads && t < pass->thread_count; t++) {
        ft_spatial_destroy(pass->threads[t].spatial);
        ft_replay_destroy(pass->threads[t].replay);
    }
    free(pass->threads);
    free(pass);
}

int ft_locality_pass_take(struct ft_locality_pass *pass, const struct ft_run_source *source,
                          const struct ft_run_batch *batch, struct ft_diag *diag)
{
    struct thread *thread = &pass->threads[batch->thread];
    ft_spatial_feed(thread->spatial, source, batch);
    return ft_replay_take(thread->replay, batch, diag);
}

static int add_thread(const struct ft_locality_pass *pass, struct thread *thread,
                      struct ft_locality *scores, struct ft_diag *diag)
{
    struct ft_histograms histograms = {0};
    int status = ft_replay_end(thread->replay, diag);
    if (status == FT_OK)
        status = ft_replay_finish(thread->replay, &histograms, diag);
    for (uint32_t j = 0; status == FT_OK && j < pass->reference_count; j++) {
        const struct ft_spatial_score *spatial = &ft_spatial_scores(thread->spatial)[j];
        const struct ft_histogram *histogram = &histograms.histograms[j];
        scores[j].steps += spatial->steps;
        scores[j].spatial_sum += spatial->sum;
        scores[j].touches += histogram->touches;
        scores[j].temporal_sum += ft_temporal_sum(histogram);
    }
    ft_histograms_fini(&histograms);
    return status;
}

int ft_locality_pass_finish(struct ft_locality_pass *pass, struct ft_locality **ret_scores,
                            struct ft_diag *diag)
{
    struct ft_locality *scores = calloc(pass->reference_count + (size_t)1, sizeof *scores);
    int status = scores ? FT_OK : ft_fail_memory(diag, "scores of locality");
    for (uint32_t t = 0; status == FT_OK && t < pass->thread_count; t++)
        status = add_thread(pass, &pass->threads[t], scores, diag);
    if (status != FT_OK) {
        free(scores);
        return status;
    }
    *ret_scores = scores;
    return FT_OK;
}
