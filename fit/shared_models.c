#include "fit/shared_models.h"

#include <stdlib.h>

#include "fit/shared_caches.h"
#include "fit/thread_counts.h"

/* Entries as shared caches see them, in the order of the others. */
struct shared_entries {
    struct ft_histograms *items;
    size_t count;
};

static int make_entries(const struct ft_histograms *const *entries, size_t count, uint32_t cores,
                        struct shared_entries *shared, struct ft_diag *diag)
{
    int status = FT_OK;
    shared->items = calloc(count + 1, sizeof *shared->items);
    if (!shared->items)
        return ft_fail_memory(diag, "the distances in shared caches");
    while (!status && shared->count < count) {
        status = ft_shared_entry_make(entries[shared->count], cores, &shared->items[shared->count],
                                      diag);
        shared->count++;
    }
    return status;
}

static void shared_entries_fini(struct shared_entries *shared)
{
    for (size_t i = 0; i < shared->count; i++)
        ft_shared_entry_fini(&shared->items[i]);
    free(shared->items);
}

static int fit_one(const struct ft_histograms *const *entries, size_t count, uint32_t cores,
                   const struct ft_fit_options *options, ft_shared_fit *fit,
                   struct ft_model_threads *threads, struct ft_diag *diag)
{
    struct shared_entries shared = {0};
    struct ft_model *model = calloc(1, sizeof *model);
    int status = model ? make_entries(entries, count, cores, &shared, diag)
                       : ft_fail_memory(diag, "the distances in shared caches");
    if (!status)
        status = fit(shared.items, shared.count, options, model, diag);
    shared_entries_fini(&shared);
    if (status)
        free(model);
    else
        threads->shared[threads->shared_count++] = (struct ft_shared_model){cores, model};
    return status;
}

static int fit_all(const struct ft_histograms *const *entries, size_t count,
                   const struct ft_fit_options *options, ft_shared_fit *fit,
                   struct ft_model_threads *threads, struct ft_diag *diag)
{
    const uint32_t most = ft_thread_count_max(entries, count);
    const uint32_t own = ft_shared_own_cores(entries, count);
    int status = FT_OK;
    if (most <= 1 || options->over_data_size)
        return FT_OK;
    threads->shared = calloc(most, sizeof *threads->shared);
    if (!threads->shared)
        return ft_fail_memory(diag, "the distances in shared caches");
    for (uint32_t cores = 2; !status && cores <= most; cores++)
        if (cores != own && ft_shared_are_replayed(entries, count, cores))
            status = fit_one(entries, count, cores, options, fit, threads, diag);
    return status;
}

int ft_shared_models_fit(struct ft_histograms *entries, size_t entry_count,
                         const struct ft_fit_options *options, ft_shared_fit *fit,
                         struct ft_model_threads *threads, struct ft_diag *diag)
{
    FT_TRY(ft_thread_counts_offer(entries, entry_count, options->parameter, diag));
    const struct ft_histograms **list = calloc(entry_count + 1, sizeof *list);
    if (!list)
        return ft_fail_memory(diag, "the distances in shared caches");
    for (size_t i = 0; i < entry_count; i++)
        list[i] = &entries[i];
    int status = fit_all(list, entry_count, options, fit, threads, diag);
    free(list);
    return status;
}

void ft_shared_models_give(struct ft_model_threads *threads, struct ft_model *model)
{
    model->threads.shared = threads->shared;
    model->threads.shared_count = threads->shared_count;
    *threads = (struct ft_model_threads){0};
    for (size_t i = 0; i < model->threads.shared_count; i++) {
        struct ft_model *shared = model->threads.shared[i].model;
        shared->scopes = model->scopes;
        shared->has_scopes_of_whole = true;
        for (size_t k = 0; k < shared->replica_count; k++)
            shared->replicas[k].scopes = model->scopes;
    }
}
