/*
 * Skeletons of traces are gathered in a list with their sizes, wherever they come from; what is
 * learned from them has copies.
 */
#include "fit/commands/synthesis_input.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/trace_skeleton.h"
#include "fit/skeletons/sized_skeleton.h"
#include "formats/base/array.h"
#include "formats/commands/trace_operand.h"
#include "formats/histograms/histograms.h"

struct gathering {
    struct ft_synthesis_input *input;
    const char *parameter;
    struct ft_progress *progress;
    struct ft_skeleton **skeletons;
    double *sizes;
    size_t count, skeleton_capacity, size_capacity;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the skeletons of traces");
}

static void gathering_fini(struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->count; i++)
        ft_skeleton_free(gathering->skeletons[i]);
    free(gathering->skeletons);
    free(gathering->sizes);
}

/* Program and parameters are what reports show. */
static int keep_metadata(const char *program, const struct ft_parameter *parameters, size_t count,
                         const char *hash, struct ft_synthesis_input *input, struct ft_diag *diag)
{
    struct ft_metadata *metadata = &input->metadata;
    ft_metadata_fini(metadata);
    free(input->hash);
    input->hash = strdup(hash);
    metadata->program = strdup(program);
    metadata->parameters = calloc(count + 1, sizeof *metadata->parameters);
    if (!input->hash || !metadata->program || !metadata->parameters)
        return no_memory(diag);
    for (size_t i = 0; i < count; i++) {
        metadata->parameters[i].value = parameters[i].value;
        metadata->parameters[i].name = strdup(parameters[i].name);
        if (!metadata->parameters[i].name)
            return no_memory(diag);
        metadata->parameter_count = i + 1;
    }
    return FT_OK;
}

static int find_size(const struct gathering *gathering, const struct ft_metadata *metadata,
                     const char *path, double *ret_size, struct ft_diag *diag)
{
    const struct ft_parameter *parameter = ft_metadata_parameter(metadata, gathering->parameter);
    if (!parameter)
        return ft_fail(diag, FT_ERROR_USAGE, "%s has no %s: capture with -D %s=VALUE", path,
                       gathering->parameter, gathering->parameter);
    *ret_size = parameter->value;
    return FT_OK;
}

/* The skeleton is taken over, also after a failure. */
static int add(struct gathering *gathering, struct ft_skeleton *skeleton,
               const struct ft_metadata *metadata, const char *hash, const char *path,
               struct ft_diag *diag)
{
    double size = 0;
    int status = find_size(gathering, metadata, path, &size, diag);
    if (!status &&
        (!FT_RESERVE(gathering->skeletons, gathering->skeleton_capacity, gathering->count + 1) ||
         !FT_RESERVE(gathering->sizes, gathering->size_capacity, gathering->count + 1)))
        status = no_memory(diag);
    if (status) {
        ft_skeleton_free(skeleton);
        return status;
    }
    bool is_largest = true;
    for (size_t i = 0; i < gathering->count; i++)
        is_largest = is_largest && gathering->sizes[i] <= size;
    gathering->sizes[gathering->count] = size;
    gathering->skeletons[gathering->count++] = skeleton;
    return is_largest ? keep_metadata(metadata->program, metadata->parameters,
                                      metadata->parameter_count, hash, gathering->input, diag)
                      : FT_OK;
}

/* ---- traces ---- */

static int add_trace(struct gathering *gathering, struct ft_trace *trace, struct ft_diag *diag)
{
    const struct ft_skeleton_options options = {.places = true};
    FT_TRY(ft_trace_require_addresses(trace, diag));
    struct ft_skeleton *skeleton = calloc(1, sizeof *skeleton);
    if (!skeleton)
        return no_memory(diag);
    int status = ft_trace_skeleton(trace, &options, gathering->progress, skeleton, diag);
    if (!status && !skeleton->has_calls)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "%s has no calls of allocation functions, which say where arrays are: "
                         "capture with --allocations",
                         ft_trace_path(trace));
    if (status) {
        ft_skeleton_free(skeleton);
        return status;
    }
    return add(gathering, skeleton, ft_trace_metadata(trace), ft_trace_content_hash(trace),
               ft_trace_path(trace), diag);
}

static int add_operand(struct gathering *gathering, const struct ft_arguments *arguments,
                       size_t operand, struct ft_diag *diag)
{
    struct ft_trace *trace;
    FT_TRY(ft_trace_open_operand_at(arguments, operand, &trace, diag));
    int status = add_trace(gathering, trace, diag);
    ft_trace_close(trace);
    return status;
}

/* ---- histograms ---- */

static int add_histograms(struct gathering *gathering, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < file.count; i++) {
        struct ft_histograms *entry = &file.entries[i];
        if (!entry->skeleton) {
            status = ft_fail(diag, FT_ERROR_USAGE,
                             "%s: the trace %s has no skeleton: replay a trace that was captured "
                             "with --allocations, of one thread",
                             path, entry->trace_hash);
            break;
        }
        struct ft_skeleton *skeleton = entry->skeleton;
        entry->skeleton = NULL;
        status = add(gathering, skeleton, &entry->metadata, entry->trace_hash, path, diag);
    }
    ft_histogram_file_fini(&file);
    return status;
}

/* ---- models ---- */

static int take_model(const struct ft_arguments *arguments, const char *parameter,
                      struct ft_synthesis_input *input, struct ft_diag *diag)
{
    const char *path = ft_operands(arguments)[0];
    struct ft_model *model = &input->model;
    FT_TRY(ft_model_read(path, ft_option_last(arguments, "model"), model, diag));
    if (!model->skeleton)
        return ft_fail(diag, FT_ERROR_USAGE, "%s has no skeleton: 'foretrace fit' says why", path);
    if (strcmp(model->parameter, parameter) != 0)
        return ft_fail(diag, FT_ERROR_USAGE, "%s is over %s, not %s", path, model->parameter,
                       parameter);
    input->sized = model->skeleton;
    const size_t last = model->training_count - 1;
    const struct ft_parameter size = {model->parameter, model->training[last]};
    return keep_metadata(model->program, &size, 1, model->trace_hashes[last], input, diag);
}

/* ---- all ---- */

static int learn(struct gathering *gathering, struct ft_diag *diag)
{
    struct ft_synthesis_input *input = gathering->input;
    const struct ft_skeleton **skeletons = calloc(gathering->count + 1, sizeof *skeletons);
    if (!skeletons)
        return no_memory(diag);
    for (size_t i = 0; i < gathering->count; i++)
        skeletons[i] = gathering->skeletons[i];
    int status = ft_sized_skeleton_learn(skeletons, gathering->sizes, gathering->count,
                                         &input->learned, diag);
    free(skeletons);
    input->sized = &input->learned;
    return status;
}

int ft_synthesis_input_read(const struct ft_arguments *arguments, const char *parameter,
                            struct ft_progress *progress, struct ft_synthesis_input *ret_input,
                            struct ft_diag *diag)
{
    struct gathering gathering = {.input = ret_input, .parameter = parameter, .progress = progress};
    const size_t count = ft_operand_count(arguments);
    char *const *paths = ft_operands(arguments);
    *ret_input = (struct ft_synthesis_input){0};
    if (count == 1 && ft_model_file_is(paths[0]))
        return take_model(arguments, parameter, ret_input, diag);
    int status = FT_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = ft_histogram_file_is(paths[i]) ? add_histograms(&gathering, paths[i], diag)
                                                : add_operand(&gathering, arguments, i, diag);
    if (!status)
        status = learn(&gathering, diag);
    gathering_fini(&gathering);
    return status;
}

void ft_synthesis_input_fini(struct ft_synthesis_input *input)
{
    ft_sized_skeleton_fini(&input->learned);
    ft_model_fini(&input->model);
    ft_metadata_fini(&input->metadata);
    free(input->hash);
}
