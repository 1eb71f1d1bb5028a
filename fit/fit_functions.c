/*
 * What a group's functions may look like (expect); fitting the functions of a group (accesses,
 * executions, cold touches, histograms), of a scope, and of the blocks of the code. Groups, scopes
 * and blocks are independent: OpenMP fits them in any order, and each writes to its own element.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit_work.h"
#include "fit/functions/shaped_fit.h"
#include "fit/methods/ensemble.h"
#include "fit/scope_counts.h"

#define SETTLED 0.02 /* relative error at the largest size, below which terms hold */

double ft_fit_group_accesses(const struct ft_fit_work *work, size_t group, size_t entry)
{
    double accesses = 0;
    for (size_t i = work->member_ends[entry][group]; i < work->member_ends[entry][group + 1]; i++)
        accesses += (double)work->entries[entry]->reference_accesses[work->members[entry][i]];
    return accesses;
}

/* Fitters over the training sizes, or over all counted sizes. */
struct family {
    const struct ft_axis *axis;
    const struct ft_leave_out_axes *without;        /* of replicas */
    struct ft_fitter *of_versions[FT_VERSIONS_MAX]; /* the model's, those without each set */
    struct ft_leave_out *leave_out;                 /* NULL: nothing is left out */
};

/* What a thread fits with. */
struct fitters {
    const struct ft_fit_work *work;
    struct ft_footprint *const *footprints; /* [version][block size] */
    struct family traced;
    struct family counted;          /* where there are sizes of counts alone */
    size_t confirmed, contradicted; /* laws: struct ft_counted_notes */
};

/* The one that counts are fitted with. */
static const struct family *counted_family(const struct fitters *fitters)
{
    return fitters->work->counted.alone > 0 ? &fitters->counted : &fitters->traced;
}

/* The sizes that a version is fitted without. */
static uint64_t sizes_without(const struct family *family, size_t version)
{
    return version > 0 ? family->without->sets.sizes[version - 1] : 0;
}

/* The values at the other sizes. */
static void leave_out(size_t count, uint64_t sizes, const double *values,
                      double ret_values[FT_TRAINING_MAX])
{
    for (size_t k = 0, at = 0; k < count; k++)
        if (!(sizes >> k & 1))
            ret_values[at++] = values[k];
}

/* What is expected of a version's function that is a part of its footprint at a block size;
 * SIZE_MAX: nothing. */
static struct ft_expectation expect(const struct fitters *fitters, const struct family *family,
                                    size_t version, size_t size)
{
    const struct ft_axis *axis = ft_fitter_axis(family->of_versions[version]);
    return size == SIZE_MAX ? ft_expect_nothing(axis)
                            : ft_expect_part(axis, &fitters->footprints[version][size].blocks);
}

static void fit_version(const struct fitters *fitters, const struct family *family, const double *y,
                        size_t version, size_t size, struct ft_function *ret_function)
{
    const struct ft_expectation expectation = expect(fitters, family, version, size);
    double values[FT_TRAINING_MAX];
    leave_out(family->axis->count, sizes_without(family, version), y, values);
    ft_fit_function(family->of_versions[version], values, 0, &expectation, ret_function);
}

/* Whether a version predicts the sizes that it left out. */
static bool is_settled(const struct family *family, const double *y, size_t version,
                       const struct ft_function *function)
{
    const uint64_t left_out = sizes_without(family, version);
    for (size_t k = 0; k < family->axis->count; k++)
        if (left_out >> k & 1 && !(fabs(ft_function_at(function, &family->axis->points[k]) -
                                        y[k]) <= SETTLED * ft_error_magnitude(y[k])))
            return false;
    return true;
}

/* A function of all versions. If the largest size is predicted from the others, the terms hold, and
 * leaving out another size changes the coefficients only. */
static void fit_versions(const struct fitters *fitters, const struct family *family,
                         const double *y, size_t size,
                         struct ft_function ret_versions[FT_VERSIONS_MAX])
{
    const size_t last = ft_fit_versions(fitters->work) - 1;
    fit_version(fitters, family, y, 0, size, &ret_versions[0]);
    if (last == 0)
        return;
    fit_version(fitters, family, y, last, size, &ret_versions[last]);
    if (is_settled(family, y, last, &ret_versions[last]))
        ft_leave_out_each(family->leave_out, y, &ret_versions[0], &ret_versions[1]);
    else
        for (size_t i = 1; i < last; i++)
            fit_version(fitters, family, y, i, size, &ret_versions[i]);
}

/* Counts over all counted sizes. What functions say of the sizes that they left out is in training
 * sizes. */
static void fit_counts(const struct fitters *fitters, const double *y,
                       struct ft_function ret_versions[FT_VERSIONS_MAX])
{
    const struct ft_fit_work *work = fitters->work;
    fit_versions(fitters, counted_family(fitters), y, SIZE_MAX, ret_versions);
    for (size_t i = 0; i < ft_fit_versions(work) && work->counted.alone > 0; i++)
        ret_versions[i].left_out =
            (uint32_t)ft_counted_sizes_traced(&work->counted, ret_versions[i].left_out);
}

/* A group at one block size, at all training sizes. */
struct group_counts {
    struct ft_profile profiles[FT_TRAINING_MAX];
    double touches[FT_TRAINING_MAX];
    double cold[FT_TRAINING_MAX];
    double smaller_cold[FT_TRAINING_MAX]; /* at the next smaller block size */
};

static int count_group(const struct ft_fit_work *work, size_t group, size_t size,
                       struct group_counts *counts, struct ft_diag *diag)
{
    memcpy(counts->smaller_cold, counts->cold, work->count * sizeof *counts->cold);
    for (size_t e = 0; e < work->count; e++) {
        const struct ft_histograms *entry = work->entries[e];
        struct ft_profile *profile = &counts->profiles[e];
        size_t begin = work->member_ends[e][group], end = work->member_ends[e][group + 1];
        const struct ft_histogram **histograms = malloc((end - begin + 1) * sizeof *histograms);
        if (!histograms)
            return ft_fail_memory(diag, "the histograms of a group");
        for (size_t i = begin; i < end; i++)
            histograms[i - begin] =
                &entry->histograms[work->members[e][i] * entry->size_count + size];
        int status = ft_profile_init(profile, histograms, end - begin, diag);
        free(histograms);
        if (status < 0)
            return status;
        counts->cold[e] = (double)profile->cold;
        counts->touches[e] = counts->cold[e] + profile->touches;
    }
    return FT_OK;
}

static void fit_cold(const struct fitters *fitters, const struct group_counts *counts, size_t size,
                     struct ft_function ret_versions[FT_VERSIONS_MAX])
{
    const struct ft_fit_work *work = fitters->work;
    double cold[FT_TRAINING_MAX], smaller[FT_TRAINING_MAX];
    bool alike = true;
    for (size_t i = 0; i < ft_fit_versions(work); i++)
        alike = alike && fitters->footprints[i][size].follows == FT_OWN_LAW;
    if (alike) {
        fit_versions(fitters, &fitters->traced, counts->cold, size, ret_versions);
        return;
    }
    for (size_t i = 0; i < ft_fit_versions(work); i++) {
        const struct ft_footprint *footprint = &fitters->footprints[i][size];
        if (footprint->follows == FT_OWN_LAW) {
            fit_version(fitters, &fitters->traced, counts->cold, i, size, &ret_versions[i]);
            continue;
        }
        const uint64_t out = sizes_without(&fitters->traced, i);
        leave_out(work->count, out, counts->cold, cold);
        leave_out(work->count, out, counts->smaller_cold, smaller);
        ret_versions[i] = ft_cold_unexplained(
            footprint, cold, smaller, ft_fitter_axis(fitters->traced.of_versions[i])->count);
    }
}

/* Profiles of a version's sizes, which belong to the counts. */
static void list_profiles(const struct ft_fit_work *work, size_t version,
                          const struct group_counts *counts, struct ft_profile *ret_profiles)
{
    for (size_t k = 0, at = 0; k < work->count; k++)
        if (!(ft_fit_version(work, version)->left_out >> k & 1))
            ret_profiles[at++] = counts->profiles[k];
}

static int fit_warm(const struct fitters *fitters, const struct group_counts *counts, size_t group,
                    size_t size, const struct ft_function touches[FT_VERSIONS_MAX],
                    const struct ft_function cold[FT_VERSIONS_MAX], struct ft_diag *diag)
{
    const struct ft_fit_work *work = fitters->work;
    const bool over_data = ft_fit_data_axis(work) != NULL;
    struct ft_ensemble_histograms histograms = {.count = ft_fit_versions(work)};
    histograms.held_out = ft_fit_version(work, histograms.count - 1)->left_out;
    struct ft_fit_task tasks[FT_VERSIONS_MAX];
    struct ft_profile *profiles = malloc(histograms.count * work->count * sizeof *profiles);
    if (!profiles)
        return ft_fail_memory(diag, "the histograms of a group");
    for (size_t i = 0; i < histograms.count; i++) {
        struct ft_profile *listed = profiles + i * work->count;
        list_profiles(work, i, counts, listed);
        tasks[i] = (struct ft_fit_task){.fitter = fitters->traced.of_versions[i],
                                        .profiles = listed,
                                        .touches = &touches[i],
                                        .cold = &cold[i],
                                        .footprint = &fitters->footprints[i][size].blocks};
        if (over_data)
            tasks[i].data = i > 0 ? &work->data_without.without[i - 1] : &work->data_axis;
        histograms.all[i] = &ft_fit_version(work, i)->groups[group].histograms[size];
    }
    tasks[0].leave_out = fitters->traced.leave_out;
    int status = ft_ensemble_fit(work->methods, &tasks[0], &tasks[1], &histograms, diag);
    free(profiles);
    return status;
}

/* One group at one block size. */
static int fit_histogram(const struct fitters *fitters, size_t group, size_t size,
                         struct group_counts *counts, struct ft_diag *diag)
{
    const struct ft_fit_work *work = fitters->work;
    struct ft_function touches[FT_VERSIONS_MAX], cold[FT_VERSIONS_MAX];
    int status = count_group(work, group, size, counts, diag);
    if (status == FT_OK) {
        fit_versions(fitters, &fitters->traced, counts->touches, SIZE_MAX, touches);
        fit_cold(fitters, counts, size, cold);
        for (size_t i = 0; i < ft_fit_versions(work); i++) {
            struct ft_model_histogram *histogram =
                &ft_fit_version(work, i)->groups[group].histograms[size];
            histogram->touches = touches[i];
            histogram->cold = cold[i];
        }
        status = fit_warm(fitters, counts, group, size, touches, cold, diag);
    }
    for (size_t e = 0; e < work->count; e++)
        ft_profile_fini(&counts->profiles[e]);
    return status;
}

/* Whether the sizes of counts alone keep to a law of the training sizes. y: of all columns. */
static void note_law(struct fitters *fitters, const struct ft_function *traced, const double *y)
{
    const struct ft_counted_sizes *sizes = &fitters->work->counted;
    bool holds = true, ran = false;
    for (size_t e = 0; e < sizes->count; e++)
        ran = ran || y[sizes->columns[e]] > 0;
    for (size_t e = 0; e < sizes->alone; e++) {
        const size_t column = sizes->columns[e];
        holds = holds && ft_function_at(traced, &sizes->axis.points[column]) == y[column];
    }
    if (traced->exact && ran)
        (*(holds ? &fitters->confirmed : &fitters->contradicted))++;
}

/* Where there are sizes of counts alone: by the training sizes, and by all. */
static void fit_counted_accesses(struct fitters *fitters, size_t group)
{
    const struct ft_fit_work *work = fitters->work;
    const double *counts = work->group_counts.counts + group * work->counted.count;
    struct ft_function versions[FT_VERSIONS_MAX];
    for (size_t i = 0; i < ft_fit_versions(work); i++) {
        struct ft_model_group *into = &ft_fit_version(work, i)->groups[group];
        into->traced = into->accesses;
    }
    if (!work->group_counts.known[group])
        return;
    note_law(fitters, &work->model->groups[group].traced, counts);
    fit_counts(fitters, counts, versions);
    for (size_t i = 0; i < ft_fit_versions(work); i++)
        ft_fit_version(work, i)->groups[group].accesses = versions[i];
}

static int fit_group(struct fitters *fitters, size_t group, struct ft_diag *diag)
{
    const struct ft_fit_work *work = fitters->work;
    struct ft_function versions[FT_VERSIONS_MAX];
    double accesses[FT_TRAINING_MAX];
    for (size_t e = 0; e < work->count; e++)
        accesses[e] = ft_fit_group_accesses(work, group, e);
    fit_versions(fitters, &fitters->traced, accesses, SIZE_MAX, versions);
    for (size_t i = 0; i < ft_fit_versions(work); i++)
        ft_fit_version(work, i)->groups[group].accesses = versions[i];
    if (work->counted.alone > 0)
        fit_counted_accesses(fitters, group);
    int status = FT_OK;
    struct group_counts counts = {0};
    for (size_t size = 0; size < work->model->size_count && status == FT_OK; size++)
        status = fit_histogram(fitters, group, size, &counts, diag);
    return status;
}

static void set_scope_function(struct ft_model_scope_counts *into, size_t quantity,
                               const struct ft_function *function)
{
    struct ft_function *const functions[FT_QUANTITY_COUNT] = {
        [FT_QUANTITY_INSTRUCTIONS] = &into->instructions,
        [FT_QUANTITY_FLOPS] = &into->flops,
        [FT_QUANTITY_ENTRIES] = &into->entries,
        [FT_QUANTITY_ITERATIONS] = &into->iterations,
    };
    if (functions[quantity])
        *functions[quantity] = *function;
    else
        into->mix[quantity - FT_QUANTITY_MIX] = *function;
}

static void fit_remapped_pages(const struct fitters *fitters, size_t index)
{
    const struct ft_fit_work *work = fitters->work;
    const double *counts = work->remapped_pages + work->model->counts[index].scope * work->count;
    struct ft_function versions[FT_VERSIONS_MAX];
    fit_versions(fitters, &fitters->traced, counts, SIZE_MAX, versions);
    for (size_t i = 0; i < ft_fit_versions(work); i++)
        ft_fit_version(work, i)->counts[index].remapped_pages = versions[i];
}

static void fit_scope(const struct fitters *fitters, size_t index)
{
    const struct ft_fit_work *work = fitters->work;
    const double *counts = work->scope_counts + (size_t)work->model->counts[index].scope *
                                                    FT_QUANTITY_COUNT * work->counted.count;
    struct ft_function versions[FT_VERSIONS_MAX];
    for (size_t quantity = 0; quantity < FT_QUANTITY_COUNT; quantity++) {
        fit_counts(fitters, counts + quantity * work->counted.count, versions);
        for (size_t i = 0; i < ft_fit_versions(work); i++)
            set_scope_function(&ft_fit_version(work, i)->counts[index], quantity, &versions[i]);
    }
    if (work->remapped_pages)
        fit_remapped_pages(fitters, index);
}

/* Of blocks and edges, with the counts that they share. */
static void fit_executions(struct fitters *fitters, size_t index)
{
    const struct ft_fit_work *work = fitters->work;
    struct ft_function versions[FT_VERSIONS_MAX];
    const struct ft_counted_sizes *sizes = &work->counted;
    const double *counts = work->executions + index * sizes->count;
    fit_counts(fitters, counts, versions);
    if (sizes->alone > 0) {
        double traced[FT_TRAINING_MAX];
        struct ft_function law;
        for (size_t e = sizes->alone; e < sizes->count; e++)
            traced[e - sizes->alone] = counts[sizes->columns[e]];
        fit_version(fitters, &fitters->traced, traced, 0, SIZE_MAX, &law);
        note_law(fitters, &law, counts);
    }
    for (size_t i = 0; i < ft_fit_versions(work); i++)
        ft_fit_version(work, i)->executions.functions[index] = versions[i];
}

static int family_init(struct family *family, const struct ft_fit_work *work,
                       const struct ft_axis *axis, const struct ft_leave_out_axes *without,
                       struct ft_diag *diag)
{
    family->axis = axis;
    family->without = without;
    int status = ft_fitter_create(axis, &family->of_versions[0], diag);
    for (size_t i = 1; i < ft_fit_versions(work) && status == FT_OK; i++)
        status = ft_fitter_create(&without->without[i - 1], &family->of_versions[i], diag);
    if (status == FT_OK && ft_fit_versions(work) > 1)
        status = ft_leave_out_create(without, &family->leave_out, diag);
    return status;
}

static void family_fini(struct family *family)
{
    for (size_t i = 0; i < FT_VERSIONS_MAX; i++)
        ft_fitter_destroy(family->of_versions[i]);
    ft_leave_out_destroy(family->leave_out);
}

static int fitters_init(struct fitters *fitters, struct ft_diag *diag)
{
    const struct ft_fit_work *work = fitters->work;
    FT_TRY(family_init(&fitters->traced, work, &work->axis, &work->without, diag));
    return work->counted.alone > 0 ? family_init(&fitters->counted, work, &work->counted.axis,
                                                 &work->counted.without, diag)
                                   : FT_OK;
}

static void fitters_fini(struct fitters *fitters)
{
    family_fini(&fitters->traced);
    family_fini(&fitters->counted);
}

static int fit_all(const struct ft_fit_work *work, struct ft_footprint *const *footprints,
                   int threads, struct ft_counted_notes *notes, struct ft_diag *diag)
{
    const struct ft_model *model = work->model;
    int status = FT_OK;
    const size_t scopes = model->group_count + model->counts_count;
    const size_t items = scopes + model->executions.count;
#pragma omp parallel num_threads(threads)
    {
        struct ft_diag thread_diag = {0};
        struct fitters fitters = {.work = work, .footprints = footprints};
        int result = fitters_init(&fitters, &thread_diag);
#pragma omp for schedule(dynamic, 4)
        for (size_t i = 0; i < items; i++) {
            if (result < 0)
                continue;
            if (i < model->group_count)
                result = fit_group(&fitters, i, &thread_diag);
            else if (i < scopes)
                fit_scope(&fitters, i - model->group_count);
            else
                fit_executions(&fitters, i - scopes);
        }
        fitters_fini(&fitters);
#pragma omp critical
        {
            notes->confirmed += fitters.confirmed;
            notes->contradicted += fitters.contradicted;
            if (result < 0 && status == FT_OK)
                status = ft_fail(diag, result, "%s", thread_diag.message);
        }
    }
    return status;
}

/* Of one version: few functions, so each is a fit of its own. */
static int fit_footprints(const struct ft_fit_work *work, size_t version,
                          struct ft_footprint *footprints, struct ft_diag *diag)
{
    const struct ft_axis *axis = version > 0 ? &work->without.without[version - 1] : &work->axis;
    const size_t sizes = work->model->size_count;
    double values[FT_TRAINING_MAX];
    struct ft_fitter *fitter = NULL;
    double *blocks = calloc(sizes * axis->count + 1, sizeof *blocks);
    int status = blocks ? ft_fitter_create(axis, &fitter, diag) : ft_fail_memory(diag, "a model");
    for (size_t size = 0; size < sizes && status == FT_OK; size++) {
        for (size_t e = 0; e < work->count; e++)
            values[e] = (double)work->entries[e]->distinct_blocks[size];
        leave_out(work->count, ft_fit_version(work, version)->left_out, values,
                  blocks + size * axis->count);
        ft_footprint_fit(fitter, blocks, work->model->block_bytes, size, footprints);
        ft_fit_version(work, version)->distinct_blocks[size] = footprints[size].blocks;
    }
    ft_fitter_destroy(fitter);
    free(blocks);
    return status;
}

int ft_fit_functions(struct ft_fit_work *work, int threads, struct ft_counted_notes *notes,
                     struct ft_diag *diag)
{
    const size_t versions = ft_fit_versions(work);
    struct ft_footprint *footprints[FT_VERSIONS_MAX] = {NULL};
    int status = FT_OK;
    for (size_t i = 0; i < versions && status == FT_OK; i++) {
        footprints[i] = calloc(work->model->size_count + 1, sizeof *footprints[i]);
        status = footprints[i] ? fit_footprints(work, i, footprints[i], diag)
                               : ft_fail_memory(diag, "a model");
    }
    if (status == FT_OK)
        status = fit_all(work, footprints, threads, notes, diag);
    for (size_t i = 0; i < versions && status == FT_OK; i++)
        status = ft_footprints_resolve(ft_fit_version(work, i), footprints[i],
                                       i > 0 ? &work->without.without[i - 1] : &work->axis, diag);
    for (size_t i = 0; i < versions; i++)
        free(footprints[i]);
    return status;
}
