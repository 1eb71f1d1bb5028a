/*
 * The models of a file are its groups `model_0`, `model_1`..., each with tables (model_tables.h)
 * and, where several threads ran, a group `threads` (model_threads_tables.h). Before version 3 a
 * file was one model, whose tables stood in the root.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/result_file.h"
#include "formats/model/model_threads_tables.h"

#define KIND       "model"
#define NAME_BYTES 32
#define MODELS_MAX 4096U /* in files that can be right */

static char *group_name(char name[NAME_BYTES], size_t number)
{
    snprintf(name, NAME_BYTES, "model_%zu", number);
    return name;
}

/* The first model before `end` that has this name; the count where none has. */
static size_t find_name(const struct ft_model_file *file, size_t end, const char *name)
{
    for (size_t i = 0; i < end; i++)
        if (strcmp(file->models[i].name, name) == 0)
            return i;
    return file->count;
}

static int write_models(hid_t root, const void *contents, struct ft_diag *diag)
{
    const struct ft_model_file *file = contents;
    int status = FT_OK;
    for (size_t i = 0; !status && i < file->count; i++) {
        char name[NAME_BYTES];
        hid_t group;
        if (find_name(file, i, file->models[i].name) < file->count)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "two models are called '%s': name one of them by NAME=MODEL",
                           file->models[i].name);
        status = ft_result_group_create(root, group_name(name, i), &group, diag);
        if (status)
            return status;
        status = ft_model_tables_write(group, &file->models[i], diag);
        if (!status)
            status = ft_model_threads_write(group, &file->models[i], diag);
        if (H5Gclose(group) < 0 && !status)
            status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    }
    return status;
}

/* The oldest version that knows all that a model has. */
static uint32_t version_of(const struct ft_model *model)
{
    if (model->data.touched_count > 0)
        return FT_MODEL_VERSION_DATA;
    if (model->scopes.remapped_pages)
        return FT_MODEL_VERSION_REMAPPED;
    if (model->scopes.predictions)
        return FT_MODEL_VERSION_BRANCHES;
    if (model->skeleton && ft_sized_skeleton_has_cuts(model->skeleton))
        return FT_MODEL_VERSION_CUTS;
    if (model->skeleton && model->skeleton->blocks.loops.nest.token_count > 0)
        return FT_MODEL_VERSION_BLOCKS;
    if (model->threads.most > 1)
        return FT_MODEL_VERSION_THREADS;
    if (model->skeleton && ft_sized_skeleton_is_by_level(model->skeleton))
        return FT_MODEL_VERSION_LEVELS;
    if (model->counted.count > 0)
        return FT_MODEL_VERSION_COUNTED;
    if (model->scopes.sources.count > 0)
        return FT_MODEL_VERSION_SOURCES;
    if (model->set_distance_count > 0)
        return FT_MODEL_VERSION_SETS;
    if (model->scopes.code)
        return FT_MODEL_VERSION_CODE;
    return model->skeleton ? FT_MODEL_VERSION_SKELETON : FT_MODEL_VERSION_MEMBERS;
}

int ft_model_file_write(const char *path, const struct ft_model_file *file, struct ft_diag *diag)
{
    uint32_t version = FT_MODEL_VERSION_MEMBERS;
    for (size_t i = 0; i < file->count; i++)
        if (version_of(&file->models[i]) > version)
            version = version_of(&file->models[i]);
    return ft_result_file_write(path, KIND, version, write_models, file, diag);
}

int ft_model_write(const char *path, const struct ft_model *model, struct ft_diag *diag)
{
    struct ft_model only = *model;
    const struct ft_model_file file = {&only, 1};
    return ft_model_file_write(path, &file, diag);
}

static size_t count_models(hid_t root)
{
    size_t count = 0;
    char name[NAME_BYTES];
    while (count < MODELS_MAX && H5Lexists(root, group_name(name, count), H5P_DEFAULT) > 0)
        count++;
    return count;
}

static int read_models(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_model_file *file = contents;
    size_t count = count_models(root);
    file->models = calloc(count + 1, sizeof *file->models);
    if (!file->models)
        return ft_fail_memory(diag, "models");
    if (count == 0) {
        file->count = 1;
        return ft_model_tables_read(root, &file->models[0], diag);
    }
    int status = FT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        char name[NAME_BYTES];
        hid_t group = H5Gopen2(root, group_name(name, i), H5P_DEFAULT);
        if (group < 0)
            return ft_fail(diag, FT_ERROR_DATA, "the group '%s' cannot be read", name);
        file->count = i + 1;
        status = ft_model_tables_read(group, &file->models[i], diag);
        if (!status)
            status = ft_model_threads_read(group, &file->models[i], diag);
        H5Gclose(group);
        if (!status && find_name(file, i, file->models[i].name) < file->count)
            status =
                ft_fail(diag, FT_ERROR_DATA, "two models are called '%s'", file->models[i].name);
    }
    return status;
}

bool ft_model_file_is(const char *path)
{
    return ft_result_file_is(path, KIND);
}

int ft_model_file_read(const char *path, struct ft_model_file *ret_file, struct ft_diag *diag)
{
    struct ft_model_file file = {0};
    int status = ft_result_file_read(path, KIND, FT_MODEL_VERSION, read_models, &file, diag);
    if (status)
        ft_model_file_fini(&file);
    else
        *ret_file = file;
    return status;
}

void ft_model_file_fini(struct ft_model_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        ft_model_fini(&file->models[i]);
    free(file->models);
    *file = (struct ft_model_file){0};
}

static int refuse_name(const char *path, const char *name, const struct ft_model_file *file,
                       struct ft_diag *diag)
{
    char names[512] = "";
    for (size_t i = 0; i < file->count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                 file->models[i].name);
    }
    if (name)
        return ft_fail(diag, FT_ERROR_USAGE, "%s has no model '%s'; it has %s", path, name, names);
    return ft_fail(diag, FT_ERROR_USAGE, "%s has %zu models: choose one by --model NAME, of %s",
                   path, file->count, names);
}

int ft_model_read(const char *path, const char *name, struct ft_model *ret_model,
                  struct ft_diag *diag)
{
    struct ft_model_file file;
    int status = ft_model_file_read(path, &file, diag);
    if (status)
        return status;
    size_t found = name ? find_name(&file, file.count, name) : file.count == 1 ? 0 : file.count;
    if (found < file.count) {
        *ret_model = file.models[found];
        file.models[found] = (struct ft_model){0};
    } else {
        status = refuse_name(path, name, &file, diag);
    }
    ft_model_file_fini(&file);
    return status;
}
