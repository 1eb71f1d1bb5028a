/*
 * What a model says of itself: its sizes, block sizes, counts of scopes, also as texts; then
 * memory: what a model owns, and what its replicas share with it.
 */
#include "formats/model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t ft_model_block_size(const struct ft_model *model, uint64_t block_bytes)
{
    size_t size = 0;
    while (size < model->size_count && model->block_bytes[size] != block_bytes)
        size++;
    return size;
}

const struct ft_model_scope_counts *ft_model_counts_of(const struct ft_model *model, uint32_t scope)
{
    for (size_t i = 0; i < model->counts_count; i++)
        if (model->counts[i].scope == scope)
            return &model->counts[i];
    return NULL;
}

struct ft_point ft_model_largest(const struct ft_model *model)
{
    return ft_point_at(&model->basis, ft_model_training(model, model->training_count - 1));
}

const struct ft_model *ft_model_replica_without(const struct ft_model *model, size_t size)
{
    for (size_t i = 0; i < model->replica_count; i++)
        if (model->replicas[i].left_out == (uint64_t)1 << size)
            return &model->replicas[i];
    return NULL;
}

const double *ft_model_training(const struct ft_model *model, size_t size)
{
    return model->training + size * model->basis.parameter_count;
}

bool ft_model_has_sized_skeleton(const struct ft_model *model)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    if (!sized || model->further[0] || sized->size_count != model->training_count)
        return false;
    for (size_t s = 0; s < sized->size_count; s++)
        if (sized->sizes[s] != *ft_model_training(model, s))
            return false;
    return true;
}

const double *ft_model_counted_size(const struct ft_model *model, size_t size)
{
    return model->counted.values + size * model->basis.parameter_count;
}

size_t ft_model_execution_sizes(const struct ft_model *model, size_t room, double *ret_sizes)
{
    const struct ft_model_counted *counted = &model->counted;
    size_t count = 0;
    if (model->basis.parameter_count > 1 || model->training_count + counted->count > room)
        return 0;
    for (size_t i = 0, k = 0; i < model->training_count || k < counted->count;) {
        const bool is_training = k == counted->count || (i < model->training_count &&
                                                         model->training[i] < counted->values[k]);
        const double size = is_training ? model->training[i++] : counted->values[k++];
        if (count == 0 || size > ret_sizes[count - 1])
            ret_sizes[count++] = size;
    }
    return count;
}

/* Appends to text what snprintf makes of the rest. */
__attribute__((format(printf, 2, 3))) static void append(char text[FT_TRAINING_TEXT],
                                                         const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, FT_TRAINING_TEXT - length, format, arguments);
    va_end(arguments);
}

static char *sizes_text(char text[FT_TRAINING_TEXT], const struct ft_basis *basis,
                        const double *sizes, size_t count)
{
    const size_t width = basis->parameter_count;
    text[0] = 0;
    for (size_t i = 0; i < width; i++)
        append(text, "%s%s", i > 0 ? ", " : "", basis->parameters[i]);
    append(text, " =");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < width; j++)
            append(text, "%s%.15g",
                   j > 0                ? ", "
                   : i > 0 && width > 1 ? "; "
                                        : " ",
                   sizes[i * width + j]);
    return text;
}

char *ft_model_training_text(char text[FT_TRAINING_TEXT], const struct ft_model *model)
{
    return sizes_text(text, &model->basis, model->training, model->training_count);
}

char *ft_model_counted_text(char text[FT_TRAINING_TEXT], const struct ft_model *model)
{
    return sizes_text(text, &model->basis, model->counted.values, model->counted.count);
}

void ft_model_range(const struct ft_model *model, size_t parameter, double *ret_min,
                    double *ret_largest)
{
    *ret_min = *ret_largest = ft_model_training(model, 0)[parameter];
    for (size_t i = 1; i < model->training_count; i++) {
        *ret_min = fmin(*ret_min, ft_model_training(model, i)[parameter]);
        *ret_largest = fmax(*ret_largest, ft_model_training(model, i)[parameter]);
    }
}

void ft_model_histogram_fini(struct ft_model_histogram *histogram)
{
    for (size_t i = 0; histogram->members && i < histogram->member_count; i++)
        free(histogram->members[i].bins);
    free(histogram->members);
    *histogram = (struct ft_model_histogram){0};
}

struct ft_point ft_model_data_point(const struct ft_model *model, const struct ft_point *at)
{
    double bytes = ft_function_at(&model->distinct_blocks[0], at) * (double)model->block_bytes[0];
    bytes = bytes > 1 ? bytes : 1; /* terms are of values above 0 */
    return ft_point_at(&model->data_basis, &bytes);
}

double ft_member_distance(const struct ft_model *model, const struct ft_model_member *member,
                          size_t bin, const struct ft_point *at)
{
    if (!member->over_data)
        return ft_member_distance_at(member->bins, bin, at);
    struct ft_point data = ft_model_data_point(model, at);
    return ft_member_distance_at(member->bins, bin, &data);
}

/* What a replica does not share. */
static void free_functions(struct ft_model *model)
{
    for (size_t i = 0; model->groups && i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        for (size_t j = 0; group->histograms && j < model->size_count; j++)
            ft_model_histogram_fini(&group->histograms[j]);
        free(group->histograms);
    }
    free(model->distinct_blocks);
    free(model->groups);
    free(model->counts);
    free(model->executions.functions);
    model->executions.functions = NULL;
}

void ft_model_threads_fini(struct ft_model_threads *threads)
{
    for (size_t i = 0; i < threads->shared_count; i++) {
        ft_model_fini(threads->shared[i].model);
        free(threads->shared[i].model);
    }
    free(threads->shared);
    free(threads->shares);
    *threads = (struct ft_model_threads){0};
}

void ft_model_fini(struct ft_model *model)
{
    for (size_t i = 0; i < model->replica_count; i++)
        free_functions(&model->replicas[i]);
    free(model->replicas);
    free_functions(model);
    for (size_t i = 0; model->trace_hashes && i < model->training_count; i++)
        free(model->trace_hashes[i]);
    for (size_t i = 0; model->methods && i < model->method_count; i++)
        free(model->methods[i]);
    free(model->name);
    free(model->program);
    free(model->parameter);
    for (size_t i = 0; i + 1 < FT_PARAMETERS_MAX; i++)
        free(model->further[i]);
    free(model->training);
    free(model->training_accesses);
    free(model->training_blocks);
    free(model->training_remapped);
    for (size_t i = 0; i < model->set_distance_count; i++) {
        free(model->set_distances[i].blocks);
        ft_set_distances_free(model->set_distances[i].distances);
    }
    free(model->set_distances);
    free(model->trace_hashes);
    for (size_t i = 0; model->counted.trace_hashes && i < model->counted.count; i++)
        free(model->counted.trace_hashes[i]);
    free(model->counted.trace_hashes);
    free(model->counted.values);
    free(model->block_bytes);
    free(model->method);
    free(model->methods);
    free(model->options);
    free(model->tool_version);
    ft_model_threads_fini(&model->threads);
    if (!model->has_scopes_of_whole)
        ft_scopes_fini(&model->scopes);
    ft_sized_skeleton_free(model->skeleton);
    ft_group_strides_fini(&model->strides);
    ft_group_data_fini(&model->data);
    ft_data_growth_fini(&model->growth);
    ft_executions_fini(&model->executions);
    *model = (struct ft_model){0};
}

static int init_replica(const struct ft_model *model, struct ft_model *replica,
                        struct ft_diag *diag)
{
    *replica = *model;
    replica->replicas = NULL;
    replica->replica_count = 0;
    replica->threads = (struct ft_model_threads){0};
    replica->distinct_blocks = calloc(model->size_count + 1, sizeof *replica->distinct_blocks);
    replica->groups = calloc(model->group_count + 1, sizeof *replica->groups);
    replica->counts = calloc(model->counts_count + 1, sizeof *replica->counts);
    replica->executions.functions =
        calloc(model->executions.count + 1, sizeof *replica->executions.functions);
    if (!replica->distinct_blocks || !replica->groups || !replica->counts ||
        !replica->executions.functions)
        return ft_fail_memory(diag, "a replica of a model");
    for (size_t i = 0; i < model->counts_count; i++)
        replica->counts[i].scope = model->counts[i].scope;
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_model_group *group = &replica->groups[i];
        *group = model->groups[i];
        group->accesses = group->traced = (struct ft_function){0};
        group->histograms = calloc(model->size_count + 1, sizeof *group->histograms);
        if (!group->histograms) {
            replica->group_count = i;
            return ft_fail_memory(diag, "a replica of a model");
        }
    }
    return FT_OK;
}

int ft_model_add_replicas(struct ft_model *model, size_t count, struct ft_diag *diag)
{
    model->replicas = calloc(count + 1, sizeof *model->replicas);
    if (!model->replicas)
        return ft_fail_memory(diag, "the replicas of a model");
    for (size_t i = 0; i < count; i++) {
        model->replica_count = i + 1;
        int status = init_replica(model, &model->replicas[i], diag);
        if (status < 0)
            return status;
        model->replicas[i].left_out = (uint64_t)1 << i;
    }
    return FT_OK;
}
