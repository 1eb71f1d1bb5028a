#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit_work.h"
#include "fit/methods/ensemble.h"
#include "fit/scope_counts.h"

double ft_fit_group_accesses(const struct ft_fit_work *work, size_t group, size_t entry)
{
    double accesses = 0;
    for (size_t i = work->member_ends[entry][group]; i < work->member_ends[entry][group + 1]; i++)
        accesses += (double)work->entries[entry]->reference_accesses[work->members[entry][i]];
    return accesses;
}

/* What a thread fits with. */
struct fitters {
    struct ft_fitter *all_sizes;
    struct ft_held_out held_out;
};

/* Members of the same methods and weights as another histogram's. */
static int fit_alike(const struct ft_fit_work *work, const struct ft_fit_task *task,
                     const struct ft_model_histogram *other, struct ft_model_histogram *histogram,
                     struct ft_diag *diag)
{
    int status = FT_OK;
    histogram->members = calloc(other->member_count + 1, sizeof *histogram->members);
    if (!histogram->members)
        return ft_fail_memory(diag, "a modelled histogram");
    for (size_t i = 0; i < other->member_count && status == FT_OK; i++) {
        struct ft_model_member *member = &histogram->members[histogram->member_count++];
        member->method = other->members[i].method;
        member->weight = other->members[i].weight;
        status = work->methods[member->method]->fit(task, member, diag);
    }
    return status;
}

/* One group at one block size. `cold` are its cold touches at the next smaller one, and then those
 * at this one. */
static int fit_histogram(const struct ft_fit_work *work, const struct fitters *fitters,
                         size_t group, size_t size, double cold[FT_TRAINING_MAX],
                         struct ft_diag *diag)
{
    struct ft_model_histogram *histogram = &work->model->groups[group].histograms[size];
    struct ft_profile profiles[FT_TRAINING_MAX] = {0};
    struct ft_fitter *fitter = fitters->all_sizes;
    const struct ft_footprint *footprint = &work->footprints[size];
    double smaller_cold[FT_TRAINING_MAX], touches[FT_TRAINING_MAX];
    int status = FT_OK;
    memcpy(smaller_cold, cold, work->count * sizeof *cold);
    for (size_t e = 0; e < work->count && status == FT_OK; e++) {
        const struct ft_histograms *entry = work->entries[e];
        size_t begin = work->member_ends[e][group], end = work->member_ends[e][group + 1];
        const struct ft_histogram **histograms = malloc((end - begin + 1) * sizeof *histograms);
        if (!histograms) {
            status = ft_fail_memory(diag, "the histograms of a group");
            break;
        }
        for (size_t i = begin; i < end; i++)
            histograms[i - begin] =
                &entry->histograms[work->members[e][i] * entry->size_count + size];
        status = ft_profile_init(&profiles[e], histograms, end - begin, diag);
        free(histograms);
        cold[e] = (double)profiles[e].cold;
        touches[e] = cold[e] + profiles[e].touches;
    }
    if (status == FT_OK) {
        struct ft_expectation nothing = ft_expect_nothing(&work->axis);
        ft_fit_function(fitter, touches, 0, &nothing, &histogram->touches);
        struct ft_expectation part =
            ft_expect_part(&work->axis, &work->model->distinct_blocks[size]);
        if (footprint->follows == FT_OWN_LAW)
            ft_fit_function(fitter, cold, 0, &part, &histogram->cold);
        else
            histogram->cold = ft_cold_unexplained(footprint, cold, smaller_cold, work->count);
        struct ft_fit_task task = {fitter,
                                   profiles,
                                   &histogram->touches,
                                   &histogram->cold,
                                   &work->model->distinct_blocks[size],
                                   ft_fit_data_axis(work)};
        status = work->like
                     ? fit_alike(work, &task, &work->like->groups[group].histograms[size],
                                 histogram, diag)
                     : ft_ensemble_fit(&fitters->held_out, work->methods, &task, histogram, diag);
    }
    for (size_t e = 0; e < work->count; e++)
        ft_profile_fini(&profiles[e]);
    return status;
}

static int fit_group(const struct ft_fit_work *work, const struct fitters *fitters, size_t group,
                     struct ft_diag *diag)
{
    double accesses[FT_TRAINING_MAX];
    for (size_t e = 0; e < work->count; e++)
        accesses[e] = ft_fit_group_accesses(work, group, e);
    struct ft_expectation nothing = ft_expect_nothing(&work->axis);
    ft_fit_function(fitters->all_sizes, accesses, 0, &nothing,
                    &work->model->groups[group].accesses);
    int status = FT_OK;
    double cold[FT_TRAINING_MAX] = {0};
    for (size_t size = 0; size < work->model->size_count && status == FT_OK; size++)
        status = fit_histogram(work, fitters, group, size, cold, diag);
    return status;
}

static void fit_scope(const struct ft_fit_work *work, struct ft_fitter *fitter,
                      struct ft_model_scope_counts *into)
{
    const double *counts =
        work->scope_counts + (size_t)into->scope * FT_QUANTITY_COUNT * work->count;
    struct ft_function *functions[FT_QUANTITY_COUNT] = {
        [FT_QUANTITY_INSTRUCTIONS] = &into->instructions,
        [FT_QUANTITY_FLOPS] = &into->flops,
        [FT_QUANTITY_ENTRIES] = &into->entries,
        [FT_QUANTITY_ITERATIONS] = &into->iterations,
    };
    for (size_t class = 0; class < FT_MIX_COUNT; class ++)
        functions[FT_QUANTITY_MIX + class] = &into->mix[class];
    struct ft_expectation nothing = ft_expect_nothing(&work->axis);
    for (size_t quantity = 0; quantity < FT_QUANTITY_COUNT; quantity++)
        ft_fit_function(fitter, counts + quantity * work->count, 0, &nothing, functions[quantity]);
}

static int fit_all(struct ft_fit_work *work, int threads, struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    int status = FT_OK;
    size_t items = model->group_count + model->counts_count;
#pragma omp parallel num_threads(threads)
    {
        struct ft_diag own = {0};
        struct fitters fitters = {0};
        int result = ft_fitter_create(&work->axis, &fitters.all_sizes, &own);
        if (result == FT_OK)
            result = ft_held_out_init(&fitters.held_out, &work->held_out, &own);
#pragma omp for schedule(dynamic, 4)
        for (size_t i = 0; i < items; i++) {
            if (result < 0)
                continue;
            if (i < model->group_count)
                result = fit_group(work, &fitters, i, &own);
            else
                fit_scope(work, fitters.all_sizes, &model->counts[i - model->group_count]);
        }
        ft_fitter_destroy(fitters.all_sizes);
        ft_held_out_fini(&fitters.held_out);
#pragma omp critical
        if (result < 0 && status == FT_OK)
            status = ft_fail(diag, result, "%s", own.message);
    }
    return status;
}

static int fit_footprints(struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    struct ft_fitter *fitter = NULL;
    work->footprints = calloc(model->size_count + 1, sizeof *work->footprints);
    double *blocks = calloc(model->size_count * work->count + 1, sizeof *blocks);
    int status = work->footprints && blocks ? ft_fitter_create(&work->axis, &fitter, diag)
                                            : ft_fail_memory(diag, "a model");
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++) {
        for (size_t e = 0; e < work->count; e++)
            blocks[size * work->count + e] = (double)work->entries[e]->distinct_blocks[size];
        ft_footprint_fit(fitter, blocks, model->block_bytes, size, work->footprints);
        model->distinct_blocks[size] = work->footprints[size].blocks;
    }
    ft_fitter_destroy(fitter);
    free(blocks);
    return status;
}

int ft_fit_functions(struct ft_fit_work *work, int threads, struct ft_diag *diag)
{
    int status = fit_footprints(work, diag);
    if (status == FT_OK)
        status = fit_all(work, threads, diag);
    if (status == FT_OK)
        status = ft_footprints_settle(work->model, work->footprints, &work->axis, diag);
    free(work->footprints);
    work->footprints = NULL;
    return status;
}
