/*
 * 1. Entries are sorted by the parameters that vary over them (training_sizes.h).
 * 2. References and scopes are matched over the sizes (match.h).
 * 3. Footprints first: they bound distances. Then every group at every block size, and every scope,
 *    in parallel: each writes its own place only, so the result does not depend on who does what.
 */
#include "fit/fit_model.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "fit/footprints.h"
#include "fit/functions/alignment.h"
#include "fit/functions/cross_terms.h"
#include "fit/matching/join_groups.h"
#include "fit/matching/match.h"
#include "fit/matching/whole_program.h"
#include "fit/methods/ensemble.h"
#include "fit/methods/patterns.h"
#include "fit/scope_counts.h"
#include "fit/training_sizes.h"
#include "formats/base/table.h"

#define MATCHED_LEAST 0.2 /* of the accesses: less is another program */
#define REPLICAS_MOST 9U

/* What all steps share. */
struct work {
    const struct ft_histograms **entries; /* by size */
    size_t count;
    struct ft_axis axis;
    struct ft_match match;
    double *scope_counts; /* [scope][quantity][entry] */
    const struct ft_fit_method *method;
    const struct ft_fit_method *methods[FT_METHODS_MAX]; /* that are weighed, then NULL */
    struct ft_axis data_axis;                            /* the traces' data sizes */
    struct ft_held_out_axes held_out;
    struct ft_footprint *footprints; /* [block size] */
    uint32_t **members;              /* [entry]: references ordered by group */
    size_t **member_ends;            /* [entry][group + 1]: where each group's begin */
    struct ft_model *model;
    const struct ft_model *like; /* whose members a replica's are of; NULL: weigh all methods */
};

/* References of each entry in the order of their groups (a counting sort); none without a group. */
static int list_members(struct work *work, struct ft_diag *diag)
{
    size_t groups = work->match.group_count;
    work->members = calloc(work->count, sizeof *work->members);
    work->member_ends = calloc(work->count, sizeof *work->member_ends);
    for (size_t e = 0; e < work->count; e++) {
        size_t references = work->entries[e]->scopes.reference_count;
        if (!work->members || !work->member_ends)
            return ft_fail_memory(diag, "groups");
        uint32_t *members = work->members[e] = calloc(references + 1, sizeof *members);
        size_t *ends = work->member_ends[e] = calloc(groups + 2, sizeof *ends);
        if (!members || !ends)
            return ft_fail_memory(diag, "groups");
        const uint32_t *group_of = work->match.group_of[e];
        for (size_t i = 0; i < references; i++)
            if (group_of[i] != FT_NO_GROUP)
                ends[group_of[i] + 2]++;
        for (size_t g = 1; g <= groups; g++)
            ends[g + 1] += ends[g];
        for (uint32_t i = 0; i < references; i++)
            if (group_of[i] != FT_NO_GROUP)
                members[ends[group_of[i] + 1]++] = i;
    }
    return FT_OK;
}

static const struct ft_axis *data_axis(const struct work *work)
{
    return work->data_axis.count > 0 ? &work->data_axis : NULL;
}

/* What a thread fits with. */
struct fitters {
    struct ft_fitter *all_sizes;
    struct ft_held_out_fitters held_out;
};

/* Members of the same methods and weights as another histogram's. */
static int fit_alike(const struct work *work, const struct ft_fit_task *task,
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
static int fit_histogram(const struct work *work, const struct fitters *fitters, size_t group,
                         size_t size, double cold[FT_TRAINING_MAX], struct ft_diag *diag)
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
                                   data_axis(work)};
        status = work->like
                     ? fit_alike(work, &task, &work->like->groups[group].histograms[size],
                                 histogram, diag)
                     : ft_ensemble_fit(&fitters->held_out, work->methods, &task, histogram, diag);
    }
    for (size_t e = 0; e < work->count; e++)
        ft_profile_fini(&profiles[e]);
    return status;
}

static double accesses_of(const struct work *work, size_t group, size_t entry)
{
    double accesses = 0;
    for (size_t i = work->member_ends[entry][group]; i < work->member_ends[entry][group + 1]; i++)
        accesses += (double)work->entries[entry]->reference_accesses[work->members[entry][i]];
    return accesses;
}

/* What is known of groups without a fit. */
static int describe_groups(const struct work *work, struct ft_diag *diag)
{
    const size_t last = work->count - 1;
    const struct ft_histograms *entry = work->entries[last];
    for (size_t i = 0; i < work->match.group_count; i++) {
        struct ft_model_group *into = &work->model->groups[i];
        const struct ft_matched_group *from = &work->match.groups[i];
        into->scope = from->scope;
        into->rest = from->rest;
        into->stride_bytes = FT_STRIDE_NONE;
        if (from->first_reference != UINT32_MAX) {
            into->line = entry->scopes.references[from->first_reference].line;
            into->stride_bytes = entry->reference_strides[from->first_reference];
        }
        into->reference_count =
            (uint32_t)(work->member_ends[last][i + 1] - work->member_ends[last][i]);
        into->accesses_at_largest = (uint64_t)accesses_of(work, i, last);
        into->histograms = calloc(work->model->size_count + 1, sizeof *into->histograms);
        if (!into->histograms)
            return ft_fail_memory(diag, "a model");
    }
    return FT_OK;
}

static int fit_group(const struct work *work, const struct fitters *fitters, size_t group,
                     struct ft_diag *diag)
{
    double accesses[FT_TRAINING_MAX];
    for (size_t e = 0; e < work->count; e++)
        accesses[e] = accesses_of(work, group, e);
    struct ft_expectation nothing = ft_expect_nothing(&work->axis);
    ft_fit_function(fitters->all_sizes, accesses, 0, &nothing,
                    &work->model->groups[group].accesses);
    int status = FT_OK;
    double cold[FT_TRAINING_MAX] = {0};
    for (size_t size = 0; size < work->model->size_count && status == FT_OK; size++)
        status = fit_histogram(work, fitters, group, size, cold, diag);
    return status;
}

static void fit_scope(const struct work *work, struct ft_fitter *fitter,
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

/* Scopes that execute something themselves, in order. */
static int list_scopes(struct work *work, struct ft_diag *diag)
{
    size_t scopes = work->entries[work->count - 1]->scopes.scope_count;
    struct ft_model *model = work->model;
    model->counts = calloc(scopes + 1, sizeof *model->counts);
    if (!model->counts)
        return ft_fail_memory(diag, "a model");
    for (size_t scope = 0; scope < scopes; scope++) {
        const double *counts = work->scope_counts + scope * FT_QUANTITY_COUNT * work->count;
        double most = 0;
        for (size_t i = 0; i < FT_QUANTITY_COUNT * work->count; i++)
            most = fmax(most, counts[i]);
        if (most > 0)
            model->counts[model->counts_count++].scope = (uint32_t)scope;
    }
    return FT_OK;
}

/* Step 3. */
static int fit_all(struct work *work, int threads, struct ft_diag *diag)
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
            result = ft_held_out_fitters_init(&fitters.held_out, &work->held_out, &own);
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
        ft_held_out_fitters_fini(&fitters.held_out);
#pragma omp critical
        if (result < 0 && status == FT_OK)
            status = ft_fail(diag, result, "%s", own.message);
    }
    return status;
}

static int fit_footprints(struct work *work, struct ft_diag *diag)
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

/* All functions of the model, over the sizes of the work. */
static int fit_functions(struct work *work, int threads, struct ft_diag *diag)
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

/* The counts of scopes, without those of one entry. */
static double *leave_out_counts(const struct work *work, size_t left_out)
{
    size_t rows = work->entries[work->count - 1]->scopes.scope_count * FT_QUANTITY_COUNT;
    double *counts = malloc((rows * (work->count - 1) + 1) * sizeof *counts);
    double *to = counts;
    for (size_t i = 0; counts && i < rows; i++)
        for (size_t e = 0; e < work->count; e++)
            if (e != left_out)
                *to++ = work->scope_counts[i * work->count + e];
    return counts;
}

/* The same fit without one of the sizes. */
static int fit_replica(const struct work *work, struct ft_model *replica, int threads,
                       struct ft_diag *diag)
{
    const struct ft_histograms *entries[FT_TRAINING_MAX];
    uint32_t *members[FT_TRAINING_MAX];
    size_t *member_ends[FT_TRAINING_MAX];
    struct work fewer = *work;
    fewer.entries = entries;
    fewer.members = members;
    fewer.member_ends = member_ends;
    fewer.model = replica;
    fewer.like = work->model;
    fewer.held_out = (struct ft_held_out_axes){0};
    fewer.count = 0;
    for (size_t e = 0; e < work->count; e++) {
        if (e == replica->left_out)
            continue;
        entries[fewer.count] = work->entries[e];
        members[fewer.count] = work->members[e];
        member_ends[fewer.count++] = work->member_ends[e];
    }
    fewer.axis = fewer.data_axis = (struct ft_axis){0};
    fewer.scope_counts = leave_out_counts(work, replica->left_out);
    if (!fewer.scope_counts)
        return ft_fail_memory(diag, "the counts of scopes");
    int status = ft_axis_leave_out(&work->axis, replica->left_out, &fewer.axis, diag);
    if (status == FT_OK && data_axis(work))
        status = ft_axis_leave_out(&work->data_axis, replica->left_out, &fewer.data_axis, diag);
    if (status == FT_OK)
        status = fit_functions(&fewer, threads, diag);
    ft_axis_fini(&fewer.axis);
    ft_axis_fini(&fewer.data_axis);
    free(fewer.scope_counts);
    return status;
}

/* Jackknife: one replica without each size, of many sizes without each of the largest. */
static int fit_replicas(struct work *work, int threads, struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    if (work->count <= FT_SIZES_LEAST)
        return FT_OK;
    size_t count = work->count < REPLICAS_MOST ? work->count : REPLICAS_MOST;
    int status = ft_model_add_replicas(model, count, diag);
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        model->replicas[i].left_out = work->count - count + i;
        status = fit_replica(work, &model->replicas[i], threads, diag);
    }
    return status;
}

/* The program's name without its folder, unless another one was chosen. */
static const char *model_name(const struct ft_fit_options *choice,
                              const struct ft_histograms *entry)
{
    const char *program = entry->metadata.program ? entry->metadata.program : "";
    const char *slash = strrchr(program, '/');
    return choice->name ? choice->name : slash ? slash + 1 : program;
}

/* False where memory runs out. */
static bool describe_methods(const struct work *work)
{
    struct ft_model *model = work->model;
    model->methods = calloc(FT_METHODS_MAX, sizeof *model->methods);
    for (size_t i = 0; model->methods && work->methods[i]; i++)
        if ((model->methods[i] = strdup(work->methods[i]->name)))
            model->method_count = i + 1;
        else
            return false;
    return model->methods != NULL;
}

static int describe(struct work *work, const struct ft_fit_options *choice, const double *values,
                    struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    const struct ft_histograms *last = work->entries[work->count - 1];
    char options[512], names[256] = "";
    for (size_t i = 0; i < model->basis.parameter_count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? "," : "",
                 model->basis.parameters[i]);
    }
    snprintf(options, sizeof options, "%s%s --method %s%s%s%s",
             choice->over_footprint ? "--over footprint" : "--parameter ",
             choice->over_footprint ? "" : names, work->method->name,
             choice->whole ? " --whole" : "", choice->basis ? " --basis " : "",
             choice->basis ? choice->basis : "");
    model->program = strdup(last->metadata.program ? last->metadata.program : "");
    model->name = strdup(model_name(choice, last));
    model->method = strdup(work->method->name);
    bool named = describe_methods(work);
    model->options = strdup(options);
    model->tool_version = strdup(FT_VERSION);
    model->training =
        calloc(work->count * model->basis.parameter_count + 1, sizeof *model->training);
    model->trace_hashes = calloc(work->count + 1, sizeof *model->trace_hashes);
    model->block_bytes = calloc(last->size_count + 1, sizeof *model->block_bytes);
    model->groups = calloc(work->match.group_count + 1, sizeof *model->groups);
    model->distinct_blocks = calloc(last->size_count + 1, sizeof *model->distinct_blocks);
    if (!model->program || !model->name || !model->method || !named || !model->options ||
        !model->tool_version || !model->training || !model->trace_hashes || !model->block_bytes ||
        !model->groups || !model->distinct_blocks)
        return ft_fail_memory(diag, "a model");
    model->size_count = last->size_count;
    model->group_count = work->match.group_count;
    model->matched_share = work->match.matched_share;
    memcpy(model->block_bytes, last->block_bytes, last->size_count * sizeof *last->block_bytes);
    memcpy(model->training, values,
           work->count * model->basis.parameter_count * sizeof *model->training);
    for (size_t e = 0; e < work->count; e++) {
        model->training_count = e + 1;
        if (!(model->trace_hashes[e] = strdup(work->entries[e]->trace_hash)))
            return ft_fail_memory(diag, "a model");
    }
    return FT_OK;
}

static void work_fini(struct work *work)
{
    ft_match_fini(&work->match);
    ft_axis_fini(&work->axis);
    ft_axis_fini(&work->data_axis);
    ft_held_out_axes_fini(&work->held_out);
    for (size_t e = 0; e < work->count; e++) {
        if (work->members)
            free(work->members[e]);
        if (work->member_ends)
            free(work->member_ends[e]);
    }
    free(work->members);
    free(work->member_ends);
    free(work->scope_counts);
    free(work->entries);
}

/* Hardly a reference is found at all sizes. */
static int refuse_strangers(const struct work *work, struct ft_diag *diag)
{
    char share[FT_NUMBER_TEXT];
    char *first = ft_metadata_command(&work->entries[0]->metadata);
    char *last = ft_metadata_command(&work->entries[work->count - 1]->metadata);
    int status = ft_fail(
        diag, FT_ERROR_USAGE,
        "only %s of the accesses are in references that all traces have: these are "
        "different programs or builds. The smallest was '%.200s', the largest '%.200s'; "
        "'foretrace info' shows what a trace is of",
        ft_text_share(share, work->match.matched_share), first ? first : "", last ? last : "");
    free(first);
    free(last);
    return status;
}

static int note_series(const struct work *work, const double *values, struct ft_series_notes *notes,
                       struct ft_diag *diag)
{
    *notes = (struct ft_series_notes){0};
    notes->builds = work->match.build_count;
    if (notes->builds < 2)
        return FT_OK;
    return ft_series_strides_find(&work->match, work->entries, values, &notes->strides, diag);
}

/* Where the model does not run over the data sizes itself. */
static int init_data_axis(struct work *work, struct ft_diag *diag)
{
    double bytes[FT_TRAINING_MAX];
    struct ft_basis basis = {0};
    if (work->model->over_footprint)
        return FT_OK;
    for (size_t e = 0; e < work->count; e++)
        bytes[e] = fmax(ft_training_data_bytes(work->entries[e]), 1);
    int status = ft_basis_read(&basis, FT_DATA_SIZE, FT_PATTERN_TERMS, diag);
    if (status == FT_OK)
        status = ft_axis_init(&work->data_axis, &basis, bytes, work->count, diag);
    work->model->data_basis = basis;
    return status;
}

static int join_groups(struct work *work, struct ft_diag *diag)
{
    struct ft_fitter *fitter;
    int status = ft_fitter_create(&work->axis, &fitter, diag);
    if (status < 0)
        return status;
    status = ft_join_scattered(&work->match, work->entries, fitter, diag);
    ft_fitter_destroy(fitter);
    return status;
}

static int fit_ordered(struct work *work, const double *values,
                       const struct ft_fit_options *options, struct ft_diag *diag)
{
    const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    int status = ft_axis_init(&work->axis, &work->model->basis, values, work->count, diag);
    if (status == FT_OK)
        status = init_data_axis(work, diag);
    if (status == FT_OK)
        status = ft_held_out_axes_init(&work->held_out, &work->axis, data_axis(work), diag);
    if (status == FT_OK)
        status = ft_match_init(&work->match, work->entries, work->count, diag);
    if (status == FT_OK && work->match.matched_share < MATCHED_LEAST)
        status = refuse_strangers(work, diag);
    if (status == FT_OK)
        status = join_groups(work, diag);
    if (status == FT_OK && options->series)
        status = note_series(work, work->axis.n, options->series, diag);
    if (status == FT_OK && options->whole)
        ft_match_join(&work->match, work->entries);
    if (status == FT_OK)
        status = list_members(work, diag);
    if (status == FT_OK)
        status = ft_scope_counts_gather(&work->match, work->entries, &work->scope_counts, diag);
    if (status == FT_OK)
        status = describe(work, options, values, diag);
    if (status == FT_OK)
        status = describe_groups(work, diag);
    if (status == FT_OK)
        status = list_scopes(work, diag);
    if (status == FT_OK)
        status = fit_functions(work, threads, diag);
    if (status == FT_OK)
        status = fit_replicas(work, threads, diag);
    return status;
}

/* What the model runs over. */
struct parameters {
    char *asked; /* the names asked for */
    const char *names[FT_PARAMETERS_MAX];
    size_t count;
};

/* Splits "N,M"; names that are more than can be are counted, not kept. */
static size_t split_names(char *text, const char *names[FT_PARAMETERS_MAX])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (count < FT_PARAMETERS_MAX)
            names[count] = name;
        count++;
    }
    return count;
}

static int choose_parameters(const struct ft_histograms *entries, size_t count,
                             const struct ft_fit_options *options, struct parameters *parameters,
                             struct ft_diag *diag)
{
    const char *asked[FT_PARAMETERS_MAX];
    size_t asked_count = 0;
    *parameters = (struct parameters){.names = {FT_DATA_SIZE}, .count = 1};
    if (options->over_footprint)
        return count < FT_SIZES_LEAST ? ft_training_refuse_few(count, diag) : FT_OK;
    if (options->parameter) {
        parameters->asked = strdup(options->parameter);
        if (!parameters->asked)
            return ft_fail_memory(diag, "the parameters");
        asked_count = split_names(parameters->asked, asked);
    }
    return ft_training_parameters(entries, count, asked, asked_count, parameters->names,
                                  &parameters->count, diag);
}

/* The default terms; the training sizes must tell them apart. */
static int default_basis(struct ft_basis *basis, const double *values, size_t count,
                         struct ft_diag *diag)
{
    const size_t width = basis->parameter_count;
    size_t distinct[FT_PARAMETERS_MAX];
    if (width == 1) {
        *basis = ft_basis_default(basis->parameters[0]);
        ft_alignment_extend(basis, values, count);
        return FT_OK;
    }
    for (size_t i = 0; i < width; i++)
        distinct[i] = ft_axis_distinct(values, count, width, i);
    *basis = ft_cross_basis(basis->parameters, width, distinct);
    return ft_training_tells(values, count, basis->parameters, width, diag);
}

/* The parameters, and the terms of functions. */
static int choose_basis(struct ft_model *model, const struct parameters *parameters,
                        const double *values, size_t count, const struct ft_fit_options *options,
                        struct ft_diag *diag)
{
    const char *terms = options->basis, *names[FT_PARAMETERS_MAX];
    if (!terms && options->over_footprint)
        terms = FT_FOOTPRINT_TERMS;
    for (size_t i = 0; i < parameters->count; i++) {
        char *name = strdup(parameters->names[i]);
        if (!name)
            return ft_fail_memory(diag, "a model");
        *(i > 0 ? &model->further[i - 1] : &model->parameter) = name;
        names[i] = name;
    }
    model->basis = ft_basis_of(names, parameters->count);
    int status = terms ? ft_basis_add_list(&model->basis, terms, diag)
                       : default_basis(&model->basis, values, count, diag);
    model->basis.shape = options->shape;
    return status;
}

int ft_fit_model(struct ft_histograms *entries, size_t entry_count,
                 const struct ft_fit_options *options, struct ft_model *ret_model,
                 struct ft_diag *diag)
{
    struct ft_model model = {0};
    struct work work = {.count = entry_count, .model = &model};
    struct parameters parameters = {0};
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    gsl_set_error_handler_off(); /* GSL's own handler aborts */
    if (entry_count == 0 || entry_count > FT_TRAINING_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%zu traces: between %u and %u can be fitted",
                       entry_count, FT_SIZES_LEAST, FT_TRAINING_MAX);
    work.method = options->method ? options->method : ft_fit_methods[0];
    ft_fit_methods_of(work.method, work.methods);
    model.over_footprint = options->over_footprint;
    work.entries = calloc(entry_count, sizeof *work.entries);
    if (!work.entries)
        return ft_fail_memory(diag, "the entries");
    int status = choose_parameters(entries, entry_count, options, &parameters, diag);
    if (status == FT_OK)
        status = ft_training_order(entries, entry_count,
                                   options->over_footprint ? NULL : parameters.names,
                                   parameters.count, work.entries, values, diag);
    if (status == FT_OK)
        status = choose_basis(&model, &parameters, values, entry_count, options, diag);
    free(parameters.asked);
    if (status == FT_OK)
        status = fit_ordered(&work, values, options, diag);
    if (status == FT_OK) {
        struct ft_scopes *last = &entries[work.entries[entry_count - 1] - entries].scopes;
        ft_scopes_forget_groups(last);
        model.scopes = *last;
        *last = (struct ft_scopes){0};
        *ret_model = model;
        if (options->match) {
            *options->match = work.match;
            work.match = (struct ft_match){0};
        }
    } else {
        ft_model_fini(&model);
    }
    work_fini(&work);
    return status;
}

uint64_t ft_fit_mixed_residues(const struct ft_model *model)
{
    if (model->over_footprint)
        return 0;
    for (size_t size = 0; size < model->size_count && model->block_bytes[size] <= 256; size++) {
        double modulus = (double)model->block_bytes[size] / 8; /* elements of 8 bytes in a line */
        for (size_t i = 1; i < model->training_count && modulus >= 2; i++)
            if (fmod(ft_model_training(model, i)[0], modulus) !=
                fmod(ft_model_training(model, 0)[0], modulus))
                return (uint64_t)modulus;
    }
    return 0;
}

double ft_fit_residual(const struct ft_model *model, size_t block_size)
{
    double worst = 0, total = 0;
    const struct ft_point largest = ft_model_largest(model);
    for (size_t i = 0; i < model->group_count; i++)
        total += ft_function_at(&model->groups[i].histograms[block_size].touches, &largest);
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_histogram *histogram = &model->groups[i].histograms[block_size];
        if (ft_function_at(&histogram->touches, &largest) < 1e-3 * total)
            continue;
        worst = fmax(worst, histogram->cold.rms_relative_error);
        const struct ft_model_member *heaviest = histogram->members;
        for (size_t j = 0; j < heaviest->bin_count; j++)
            worst = fmax(worst, heaviest->bins[j].tail.rms_relative_error);
    }
    return worst;
}
