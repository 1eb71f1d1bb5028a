#include "fit/thread_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/shared_caches.h"

/* Of each scope, at each training size. */
struct gathering {
    const struct ft_fit_work *work;
    size_t scope_count;
    double *all, *first, *busiest; /* [scope * count + entry] */
    double *own;                   /* [scope]: of the thread at hand */
};

/* Adds what one thread makes. Fetches are in no group. */
static void add_thread(struct gathering *gathering, size_t entry, const uint32_t *references,
                       const uint64_t *accesses, size_t count, bool is_first)
{
    const struct ft_match *match = &gathering->work->match;
    const struct ft_histograms *from = gathering->work->entries[entry];
    memset(gathering->own, 0, gathering->scope_count * sizeof *gathering->own);
    for (size_t i = 0; i < count; i++) {
        const size_t reference = references ? references[i] : i;
        if (match->group_of[entry][reference] != FT_NO_GROUP)
            gathering->own[match->scope_of[entry][from->scopes.references[reference].scope]] +=
                (double)accesses[i];
    }
    for (size_t scope = 0; scope < gathering->scope_count; scope++) {
        const size_t place = scope * gathering->work->count + entry;
        gathering->all[place] += gathering->own[scope];
        gathering->first[place] += is_first ? gathering->own[scope] : 0;
        gathering->busiest[place] = fmax(gathering->busiest[place], gathering->own[scope]);
    }
}

/* False where some thread has no stack of its own. */
static bool add_entry(struct gathering *gathering, size_t entry)
{
    const struct ft_histograms *from = gathering->work->entries[entry];
    const uint32_t threads = ft_thread_count_of(from);
    if (threads <= 1)
        add_thread(gathering, entry, NULL, from->reference_accesses, from->reference_count, true);
    for (uint32_t t = 0; threads > 1 && t < threads; t++) {
        const struct ft_histogram_stack *stack = ft_shared_stack(from, t, t);
        if (!stack)
            return false;
        add_thread(gathering, entry, stack->references, stack->reference_accesses,
                   stack->reference_count, t == 0);
    }
    return true;
}

static void fit_share(struct ft_fitter *fitter, const struct gathering *gathering, uint32_t scope,
                      struct ft_thread_share *ret_share)
{
    const struct ft_expectation nothing = ft_expect_nothing(ft_fitter_axis(fitter));
    const size_t place = scope * gathering->work->count;
    *ret_share = (struct ft_thread_share){.scope = scope};
    ft_fit_function(fitter, gathering->all + place, 0, &nothing, &ret_share->accesses);
    ft_fit_function(fitter, gathering->first + place, 0, &nothing, &ret_share->first);
    ft_fit_function(fitter, gathering->busiest + place, 0, &nothing, &ret_share->busiest);
}

static int fit_shares(struct ft_fitter *fitter, const struct gathering *gathering,
                      struct ft_model_threads *threads, struct ft_diag *diag)
{
    threads->shares = calloc(gathering->scope_count + 1, sizeof *threads->shares);
    if (!threads->shares)
        return ft_fail_memory(diag, "the threads of a model");
    for (uint32_t scope = 0; scope < gathering->scope_count; scope++) {
        double most = 0;
        for (size_t e = 0; e < gathering->work->count; e++)
            most = fmax(most, gathering->all[scope * gathering->work->count + e]);
        if (most > 0)
            fit_share(fitter, gathering, scope, &threads->shares[threads->share_count++]);
    }
    return FT_OK;
}

static int gather(struct gathering *gathering, struct ft_fitter *fitter,
                  struct ft_model_threads *threads, struct ft_diag *diag)
{
    const size_t numbers = gathering->scope_count * gathering->work->count + 1;
    gathering->all = calloc(numbers, sizeof *gathering->all);
    gathering->first = calloc(numbers, sizeof *gathering->first);
    gathering->busiest = calloc(numbers, sizeof *gathering->busiest);
    gathering->own = calloc(gathering->scope_count + 1, sizeof *gathering->own);
    if (!gathering->all || !gathering->first || !gathering->busiest || !gathering->own)
        return ft_fail_memory(diag, "the threads of a model");
    for (size_t e = 0; e < gathering->work->count; e++)
        if (!add_entry(gathering, e))
            return FT_OK;
    return fit_shares(fitter, gathering, threads, diag);
}

static int fit_threads(const struct ft_fit_work *work, struct ft_fitter *fitter,
                       struct ft_diag *diag)
{
    struct ft_model_threads *threads = &work->model->threads;
    struct gathering gathering = {
        .work = work, .scope_count = work->entries[work->count - 1]->scopes.scope_count};
    double counts[FT_TRAINING_MAX];
    const struct ft_expectation nothing = ft_expect_nothing(&work->axis);
    for (size_t e = 0; e < work->count; e++)
        counts[e] = ft_thread_count_of(work->entries[e]);
    ft_fit_function(fitter, counts, 0, &nothing, &threads->count);
    int status = gather(&gathering, fitter, threads, diag);
    free(gathering.all);
    free(gathering.first);
    free(gathering.busiest);
    free(gathering.own);
    return status;
}

int ft_thread_shares_fit(const struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_model_threads *threads = &work->model->threads;
    struct ft_fitter *fitter;
    threads->most = ft_thread_count_max(work->entries, work->count);
    threads->cores = ft_shared_own_cores(work->entries, work->count);
    if (threads->most <= 1)
        return FT_OK;
    FT_TRY(ft_fitter_create(&work->axis, &fitter, diag));
    int status = fit_threads(work, fitter, diag);
    ft_fitter_destroy(fitter);
    return status;
}
