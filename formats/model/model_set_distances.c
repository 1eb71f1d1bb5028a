#include "formats/model/model_set_distances.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/result_file.h"
#include "formats/histograms/set_distance_tables.h"

#define NAME_BYTES 32

int ft_model_set_distances_add(struct ft_model *model, size_t training,
                               struct ft_set_distances *distances, struct ft_diag *diag)
{
    uint64_t *blocks = calloc(model->size_count + 1, sizeof *blocks);
    if (!model->set_distances)
        model->set_distances = calloc(model->training_count + 1, sizeof *model->set_distances);
    if (!model->set_distances || !blocks) {
        free(blocks);
        ft_set_distances_free(distances);
        return ft_fail_memory(diag, "a model");
    }
    for (size_t size = 0; size < model->size_count; size++)
        blocks[size] = model->training_blocks[size * model->training_count + training];
    model->set_distances[model->set_distance_count++] =
        (struct ft_model_set_distances){training, blocks, distances};
    return FT_OK;
}

/* ---- tables ---- */

static const char *group_name(char name[NAME_BYTES], size_t training)
{
    snprintf(name, NAME_BYTES, "sets_%zu", training);
    return name;
}

int ft_model_set_distances_write(hid_t group, const struct ft_model *model, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < model->set_distance_count && !status; i++) {
        const struct ft_model_set_distances *from = &model->set_distances[i];
        char name[NAME_BYTES];
        hid_t inside;
        FT_TRY(ft_result_group_create(group, group_name(name, from->training), &inside, diag));
        status = ft_set_distances_write(inside, from->distances, diag);
        if (H5Gclose(inside) < 0 && !status)
            status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    }
    return status;
}

static int read_one(hid_t inside, struct ft_model *model, size_t training, struct ft_diag *diag)
{
    struct ft_set_distances *distances;
    if (inside < 0)
        return ft_fail(diag, FT_ERROR_DATA, "it cannot be opened");
    if (!model->training_blocks)
        return ft_fail(diag, FT_ERROR_DATA, "the table training_blocks is missing");
    FT_TRY(ft_set_distances_read(inside, model->size_count, &distances, diag));
    return distances ? ft_model_set_distances_add(model, training, distances, diag) : FT_OK;
}

int ft_model_set_distances_read(hid_t group, struct ft_model *model, struct ft_diag *diag)
{
    for (size_t i = 0; i < model->training_count; i++) {
        char name[NAME_BYTES];
        struct ft_diag inner = {0};
        if (H5Lexists(group, group_name(name, i), H5P_DEFAULT) <= 0)
            continue;
        const hid_t inside = H5Gopen2(group, name, H5P_DEFAULT);
        const int status = read_one(inside, model, i, &inner);
        if (inside >= 0)
            H5Gclose(inside);
        if (status)
            return ft_fail(diag, status, "%s: %s", name, inner.message);
    }
    return FT_OK;
}
