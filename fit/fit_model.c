/*
 * 1. Entries are sorted by the parameters that vary over them (training_sizes.h).
 * 2. References and scopes are matched over the sizes (match.h), and counts at further sizes with
 *    them (counted_sizes.h).
 * 3. All functions are fitted, and without each of the sizes (fit_functions.c).
 * 4. Over the data size: how that grows with what the traces recorded (growth.c).
 */
#include "fit/fit_model.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "fit/block_executions.h"
#include "fit/count_periods.h"
#include "fit/counted_skeleton.h"
#include "fit/data_origin.h"
#include "fit/fit_work.h"
#include "fit/group_data.h"
#include "fit/group_strides.h"
#include "fit/growth.h"
#include "fit/matching/join_groups.h"
#include "fit/measured_counts.h"
#include "fit/methods/patterns.h"
#include "fit/model_skeleton.h"
#include "fit/model_terms.h"
#include "fit/scope_counts.h"
#include "fit/shared_models.h"
#include "fit/thread_counts.h"
#include "fit/thread_shares.h"
#include "fit/training_sizes.h"
#include "formats/base/file_name.h"
#include "formats/base/number_text.h"

#define SCALES_LAYOUT 0.25 /* of growth in proportion to a parameter */
#define MATCHED_MIN   0.2  /* of the accesses: less is another program */

/* References of each entry in the order of their groups (a counting sort); none without a group. */
static int list_members(struct ft_fit_work *work, struct ft_diag *diag)
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

/* What is known of groups without a fit. */
static int fill_groups(const struct ft_fit_work *work, struct ft_diag *diag)
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
        into->accesses_at_largest = (uint64_t)ft_fit_group_accesses(work, i, last);
        into->histograms = calloc(work->model->size_count + 1, sizeof *into->histograms);
        if (!into->histograms)
            return ft_fail_memory(diag, "a model");
    }
    return FT_OK;
}

/* Scopes that execute something themselves, in order. */
static int list_scopes(struct ft_fit_work *work, struct ft_diag *diag)
{
    size_t scopes = work->entries[work->count - 1]->scopes.scope_count;
    struct ft_model *model = work->model;
    model->counts = calloc(scopes + 1, sizeof *model->counts);
    if (!model->counts)
        return ft_fail_memory(diag, "a model");
    for (size_t scope = 0; scope < scopes; scope++) {
        const size_t columns = work->counted.count;
        const double *counts = work->scope_counts + scope * FT_QUANTITY_COUNT * columns;
        double largest = 0;
        for (size_t i = 0; i < FT_QUANTITY_COUNT * columns; i++)
            largest = fmax(largest, counts[i]);
        if (largest > 0)
            model->counts[model->counts_count++].scope = (uint32_t)scope;
    }
    return FT_OK;
}

/* The program's name without its folder, unless another one was chosen. */
static const char *model_name(const struct ft_fit_options *choice,
                              const struct ft_histograms *entry)
{
    const char *program = entry->metadata.program ? entry->metadata.program : "";
    return choice->name ? choice->name : ft_file_name(program);
}

/* False where memory runs out. */
static bool fill_methods(const struct ft_fit_work *work)
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

static int fill_header(struct ft_fit_work *work, const struct ft_fit_options *choice,
                       const double *values, struct ft_diag *diag)
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
             choice->over_data_size ? "--data-size" : "--parameter ",
             choice->over_data_size ? "" : names, work->method->name,
             choice->whole ? " --whole" : "", choice->basis ? " --basis " : "",
             choice->basis ? choice->basis : "");
    model->program = strdup(last->metadata.program ? last->metadata.program : "");
    model->name = strdup(model_name(choice, last));
    model->method = strdup(work->method->name);
    bool named = fill_methods(work);
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

static void work_fini(struct ft_fit_work *work)
{
    ft_counted_sizes_fini(&work->counted);
    ft_counted_accesses_fini(&work->group_counts);
    ft_match_fini(&work->match);
    ft_axis_fini(&work->axis);
    ft_axis_fini(&work->data_axis);
    ft_leave_out_axes_fini(&work->without);
    ft_leave_out_axes_fini(&work->data_without);
    for (size_t e = 0; e < work->count; e++) {
        if (work->members)
            free(work->members[e]);
        if (work->member_ends)
            free(work->member_ends[e]);
    }
    free(work->members);
    free(work->member_ends);
    free(work->scope_counts);
    free(work->remapped_pages);
    free(work->executions);
    free(work->entries);
}

/* Hardly a reference is found at all sizes. */
static int fail_other_program(const struct ft_fit_work *work, struct ft_diag *diag)
{
    char share[FT_NUMBER_TEXT];
    char *first = ft_metadata_command(&work->entries[0]->metadata);
    char *last = ft_metadata_command(&work->entries[work->count - 1]->metadata);
    int status = ft_fail(
        diag, FT_ERROR_USAGE,
        "only %s of the accesses are in references that all traces have: these are "
        "different programs or builds. The smallest size ran '%.200s', the largest '%.200s'; "
        "'foretrace info' shows the command and the modules of a trace",
        ft_text_share(share, work->match.matched_share), first ? first : "", last ? last : "");
    free(first);
    free(last);
    return status;
}

/* Strides of the builds of a series, if the sizes are builds of their own. */
static int note_series(struct ft_fit_work *work, struct ft_diag *diag)
{
    work->series.builds = work->match.build_count;
    if (work->series.builds < 2)
        return FT_OK;
    return ft_series_strides_find(&work->match, work->entries, work->axis.n, &work->series.strides,
                                  diag);
}

/* Where the model does not run over the data sizes itself. */
static int init_data_axis(struct ft_fit_work *work, struct ft_diag *diag)
{
    double bytes[FT_TRAINING_MAX];
    struct ft_basis basis = {0};
    if (work->model->over_data_size)
        return FT_OK;
    for (size_t e = 0; e < work->count; e++)
        bytes[e] = fmax(ft_training_data_bytes(work->entries[e]), 1);
    int status = ft_basis_read(&basis, FT_DATA_SIZE, FT_PATTERN_TERMS, diag);
    if (status == FT_OK)
        status = ft_axis_init(&work->data_axis, &basis, bytes, work->count, diag);
    work->model->data_basis = basis;
    return status;
}

/* What counts are gathered from: without sizes of counts alone the training sizes. */
static const struct ft_match *counted_match(const struct ft_fit_work *work)
{
    return work->counted.alone > 0 ? &work->counted.match : &work->match;
}

static const struct ft_histograms *const *counted_entries(const struct ft_fit_work *work)
{
    return work->counted.alone > 0 ? work->counted.entries : work->entries;
}

/* Where there are sizes of counts alone; once more after groups were joined. */
static int gather_group_counts(struct ft_fit_work *work, struct ft_diag *diag)
{
    if (work->counted.alone == 0)
        return FT_OK;
    ft_counted_accesses_fini(&work->group_counts);
    return ft_counted_accesses_gather(&work->counted, &work->match, &work->group_counts, diag);
}

/* Executions of scopes and of groups. */
static int gather_counts(struct ft_fit_work *work, struct ft_diag *diag)
{
    const struct ft_counted_sizes *sizes = &work->counted;
    FT_TRY(ft_scope_counts_gather(counted_match(work), counted_entries(work), &work->scope_counts,
                                  diag));
    FT_TRY(ft_remapped_pages_gather(&work->match, work->entries, &work->remapped_pages, diag));
    ft_counted_sizes_order(sizes, work->scope_counts,
                           work->entries[work->count - 1]->scopes.scope_count * FT_QUANTITY_COUNT);
    return gather_group_counts(work, diag);
}

static int gather_executions(struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_model_executions *executions = &work->model->executions;
    FT_TRY(ft_executions_gather(counted_match(work), counted_entries(work), executions,
                                &work->executions, diag));
    ft_counted_sizes_order(&work->counted, work->executions, executions->count);
    return FT_OK;
}

static int join_groups(struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_fitter *fitter;
    int status = ft_fitter_create(&work->axis, &fitter, diag);
    if (status < 0)
        return status;
    status = ft_join_scattered(&work->match, work->entries, fitter, diag);
    ft_fitter_destroy(fitter);
    return status;
}

/* Room for the replicas (fit/functions/leave_out_axes.h), and the axes without what they leave out.
 * Where so few sizes remain that none can be left out, there are none. */
static int add_replicas(struct ft_fit_work *work, struct ft_diag *diag)
{
    const struct ft_left_out_sets sets = ft_left_out_sets_of(&work->axis);
    if (sets.count == 0)
        return FT_OK;
    int status = ft_leave_out_axes_init(&work->without, &work->axis, &sets, diag);
    if (status == FT_OK && ft_fit_data_axis(work))
        status = ft_leave_out_axes_init(&work->data_without, &work->data_axis, &sets, diag);
    if (status == FT_OK && work->counted.alone > 0)
        status = ft_counted_sizes_leave_out(&work->counted, &sets, diag);
    if (status == FT_OK)
        status = ft_model_add_replicas(work->model, sets.count, diag);
    for (size_t i = 0; i < work->model->replica_count; i++)
        work->model->replicas[i].left_out = sets.sizes[i];
    return status;
}

/* The axes of the training sizes and of all counted sizes; both have the same terms. */
static int init_axes(struct ft_fit_work *work, const double *values, struct ft_diag *diag)
{
    const struct ft_basis *basis = &work->model->basis;
    FT_TRY(ft_axis_init(&work->axis, basis, values, work->count, diag));
    return work->counted.alone > 0 ? ft_axis_init(&work->counted.axis, basis, work->counted.values,
                                                  work->counted.count, diag)
                                   : FT_OK;
}

static int fit_ordered(struct ft_fit_work *work, const double *values,
                       const struct ft_fit_options *options, struct ft_counted_notes *notes,
                       struct ft_diag *diag)
{
    const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    FT_TRY(ft_match_init(&work->match, work->entries, work->count, diag));
    if (work->match.matched_share < MATCHED_MIN)
        return fail_other_program(work, diag);
    if (work->model->over_data_size)
        FT_TRY(ft_data_origin(&work->match, work->entries, &work->model->basis.origin, diag));
    FT_TRY(init_axes(work, values, diag));
    FT_TRY(init_data_axis(work, diag));
    FT_TRY(gather_counts(work, diag));
    FT_TRY(ft_count_periods_add(work, diag));
    FT_TRY(join_groups(work, diag));
    FT_TRY(note_series(work, diag));
    if (options->whole)
        ft_match_join(&work->match, work->entries);
    FT_TRY(gather_group_counts(work, diag));
    FT_TRY(list_members(work, diag));
    FT_TRY(fill_header(work, options, values, diag));
    FT_TRY(fill_groups(work, diag));
    FT_TRY(ft_measured_counts_fill(work, diag));
    FT_TRY(ft_group_strides_find(work, &work->model->strides, diag));
    FT_TRY(ft_group_data_find(work, &work->model->data, diag));
    FT_TRY(list_scopes(work, diag));
    if (work->is_whole)
        FT_TRY(gather_executions(work, diag));
    FT_TRY(add_replicas(work, diag));
    if (work->is_whole)
        FT_TRY(ft_thread_shares_fit(work, diag));
    FT_TRY(ft_counted_sizes_look(&work->counted, notes, diag));
    return ft_fit_functions(work, threads, notes, diag);
}

/* A skeleton over sizes, if the traces have one and what was counted does not contradict it. */
static int learn_skeleton(const struct ft_fit_work *work, struct ft_diag *ret_reason,
                          struct ft_diag *diag)
{
    struct ft_model *model = work->model;
    FT_TRY(ft_model_skeleton_learn(work->entries, model, ret_reason, diag));
    if (!model->skeleton || work->counted.alone == 0)
        return FT_OK;
    const int status = ft_counted_skeleton_check(work, model->skeleton, ret_reason);
    if (status == FT_OK)
        return FT_OK;
    ft_sized_skeleton_free(model->skeleton);
    model->skeleton = NULL;
    if (status == FT_ERROR_MEMORY)
        *diag = *ret_reason;
    return status == FT_ERROR_MEMORY ? status : FT_OK;
}

/* Chooses what the model runs over, sorts the entries by it, and fits. */
static int fit_entries(struct ft_histograms *entries, const struct ft_fit_options *options,
                       struct ft_model_parameters *parameters, struct ft_fit_work *work,
                       struct ft_counted_notes *notes, struct ft_diag *diag)
{
    const size_t count = work->count;
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    FT_TRY(ft_thread_counts_offer(entries, count, options->parameter, diag));
    FT_TRY(ft_choose_parameters(entries, count, options, parameters, diag));
    FT_TRY(ft_training_order(entries, count, options->over_data_size ? NULL : parameters->names,
                             parameters->count, work->entries, values, diag));
    FT_TRY(ft_counted_sizes_init(&work->counted, work->entries, values, count, options->counted,
                                 options->counted_paths, options->counted_count, parameters->names,
                                 parameters->count, diag));
    FT_TRY(ft_choose_basis(work->model, parameters, values, count, options, diag));
    FT_TRY(fit_ordered(work, values, options, notes, diag));
    return work->model->over_data_size
               ? ft_growth_fit(entries, count, work->entries, work->model, diag)
               : FT_OK;
}

/* The scope tree moves from the largest entry into the model. */
static void take_scopes(struct ft_scopes *from, struct ft_model *model)
{
    ft_scopes_forget_groups(from);
    model->scopes = *from;
    for (size_t i = 0; i < model->replica_count; i++)
        model->replicas[i].scopes = model->scopes;
    *from = (struct ft_scopes){0};
}

/* is_whole: takes the scopes; else all that threads and code need is left out. */
static int fit_model(struct ft_histograms *entries, size_t entry_count,
                     const struct ft_fit_options *options, bool is_whole,
                     struct ft_model *ret_model, struct ft_fit_notes *ret_notes,
                     struct ft_diag *diag)
{
    struct ft_model model = {.over_data_size = options->over_data_size};
    struct ft_fit_work work = {.count = entry_count, .model = &model, .is_whole = is_whole};
    struct ft_model_parameters parameters = {0};
    gsl_set_error_handler_off(); /* GSL's own handler aborts */
    if (entry_count == 0 || entry_count > FT_TRAINING_MAX)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%zu traces were given: a model is fitted to %u to %u of them", entry_count,
                       FT_SIZES_MIN, FT_TRAINING_MAX);
    work.method = options->method ? options->method : ft_fit_methods[0];
    ft_fit_methods_of(work.method, work.methods);
    work.entries = calloc(entry_count, sizeof *work.entries);
    struct ft_diag no_skeleton = {0};
    struct ft_counted_notes counted = {0};
    int status = work.entries ? fit_entries(entries, options, &parameters, &work, &counted, diag)
                              : ft_fail_memory(diag, "the entries");
    if (status == FT_OK && is_whole)
        status = learn_skeleton(&work, &no_skeleton, diag);
    free(parameters.asked);
    if (status == FT_OK) {
        if (is_whole)
            take_scopes(&entries[work.entries[entry_count - 1] - entries].scopes, &model);
        *ret_model = model;
        if (ret_notes) {
            *ret_notes = (struct ft_fit_notes){.series = work.series,
                                               .counted = counted,
                                               .no_skeleton = no_skeleton,
                                               .match = work.match};
            work.match = (struct ft_match){0};
        }
    } else {
        ft_model_fini(&model);
    }
    work_fini(&work);
    return status;
}

static int fit_shared(struct ft_histograms *entries, size_t entry_count,
                      const struct ft_fit_options *options, struct ft_model *ret_model,
                      struct ft_diag *diag)
{
    return fit_model(entries, entry_count, options, false, ret_model, NULL, diag);
}

int ft_fit_model(struct ft_histograms *entries, size_t entry_count,
                 const struct ft_fit_options *options, struct ft_model *ret_model,
                 struct ft_fit_notes *ret_notes, struct ft_diag *diag)
{
    struct ft_model_threads shared = {0};
    int status = ft_shared_models_fit(entries, entry_count, options, fit_shared, &shared, diag);
    if (status == FT_OK)
        status = fit_model(entries, entry_count, options, true, ret_model, ret_notes, diag);
    if (status == FT_OK)
        ft_shared_models_give(&shared, ret_model);
    ft_model_threads_fini(&shared);
    return status;
}

/* Whether data are laid out by a parameter: by the first one, and by others with which they grow;
 * not by repetitions, or by threads that share them. */
static bool scales_layout(const struct ft_model *model, size_t parameter)
{
    double values[FT_PARAMETERS_MAX] = {0}, smallest, largest;
    if (parameter == 0)
        return true;
    for (size_t i = 0; i < model->basis.parameter_count; i++)
        ft_model_range(model, i, &smallest, &values[i]);
    const struct ft_point high = ft_point_at(&model->basis, values);
    ft_model_range(model, parameter, &values[parameter], &largest);
    const struct ft_point low = ft_point_at(&model->basis, values);
    const double growth = ft_function_at(&model->distinct_blocks[0], &high) /
                          fmax(ft_function_at(&model->distinct_blocks[0], &low), 1);
    return growth - 1 > SCALES_LAYOUT * (largest / values[parameter] - 1);
}

uint64_t ft_fit_mixed_residues(const struct ft_model *model, size_t parameter)
{
    if (model->over_data_size || !scales_layout(model, parameter))
        return 0;
    for (size_t size = 0; size < model->size_count && model->block_bytes[size] <= 256; size++) {
        double modulus = (double)model->block_bytes[size] / 8; /* elements of 8 bytes in a line */
        for (size_t i = 1; i < model->training_count && modulus >= 2; i++)
            if (fmod(ft_model_training(model, i)[parameter], modulus) !=
                fmod(ft_model_training(model, 0)[parameter], modulus))
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
        for (size_t j = 0; j < ft_member_bins_count(heaviest->bins); j++)
            worst = fmax(worst, ft_member_bin(heaviest->bins, j).tail.rms_relative_error);
    }
    return worst;
}

/* The touches of a histogram in functions that miss training sizes: tails are cumulative, so the
 * largest one that does. */
static double misfit_touches(const struct ft_model_histogram *histogram,
                             const struct ft_point *largest)
{
    const struct ft_member_bins *bins = histogram->members[0].bins;
    double touches = 0;
    for (size_t j = 0; j < ft_member_bins_count(bins); j++)
        if (ft_member_bin(bins, j).tail.rms_relative_error > FT_MISFIT)
            touches = fmax(touches, ft_member_tail_at(bins, j, largest));
    if (histogram->cold.rms_relative_error > FT_MISFIT)
        touches += fmax(ft_function_at(&histogram->cold, largest), 0);
    return fmin(touches, fmax(ft_function_at(&histogram->touches, largest), 0));
}

double ft_fit_misfit_share(const struct ft_model *model, size_t block_size)
{
    const struct ft_point largest = ft_model_largest(model);
    double misfit = 0, total = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_histogram *histogram = &model->groups[i].histograms[block_size];
        total += fmax(ft_function_at(&histogram->touches, &largest), 0);
        misfit += histogram->member_count > 0 ? misfit_touches(histogram, &largest) : 0;
    }
    return total > 0 ? misfit / total : 0;
}
