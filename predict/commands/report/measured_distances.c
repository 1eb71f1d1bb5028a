#include "predict/commands/report/measured_distances.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/histograms/histograms.h"
#include "predict/commands/report/document.h"
#include "predict/commands/report/group_references.h"
#include "predict/metrics/misses.h"

/* A training size: the histogram of each group of the model, and its accesses. */
struct size {
    size_t training;             /* of the model */
    struct ft_histogram *groups; /* [group] */
    uint64_t *accesses;          /* [group] */
};

/* A reference of the model: by its instruction. */
struct place {
    const char *build_id;
    uint64_t offset;
    uint8_t access_index;
    size_t group; /* SIZE_MAX: not known */
};

struct ft_measured_distances {
    const struct ft_model *model;
    struct place *places; /* sorted */
    size_t place_count;
    struct size *sizes;
    size_t size_count, size_capacity;
};

/* ---- references ---- */

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->access_index != b->access_index)
        return a->access_index < b->access_index ? -1 : 1;
    return strcmp(a->build_id, b->build_id);
}

static struct place place_of(const struct ft_scopes *scopes, size_t reference)
{
    const struct ft_scoped_reference *one = &scopes->references[reference];
    const bool has_module = one->module < scopes->module_count;
    return (struct place){.build_id = has_module ? scopes->modules[one->module].build_id : "",
                          .offset = one->offset,
                          .access_index = one->access_index};
}

static int list_places(struct ft_measured_distances *measured, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &measured->model->scopes;
    size_t *groups = NULL;
    FT_TRY(ft_page_group_references(measured->model, &groups, diag));
    measured->places = calloc(scopes->reference_count + 1, sizeof *measured->places);
    for (size_t r = 0; measured->places && r < scopes->reference_count; r++) {
        struct place *place = &measured->places[measured->place_count++];
        *place = place_of(scopes, r);
        place->group =
            scopes->references[r].kind == FT_FETCH ? SIZE_MAX : groups[scopes->references[r].group];
    }
    free(groups);
    if (!measured->places)
        return ft_fail_memory(diag, "a report");
    qsort(measured->places, measured->place_count, sizeof *measured->places, compare_places);
    return FT_OK;
}

/* ---- files ---- */

/* The count of training sizes: it was not fitted to that trace. */
static size_t training_of(const struct ft_model *model, const struct ft_histograms *entry)
{
    size_t k = 0;
    while (k < model->training_count && strcmp(model->trace_hashes[k], entry->trace_hash) != 0)
        k++;
    return k;
}

static int fill_size(const struct ft_measured_distances *measured,
                     const struct ft_histograms *entry, size_t block_size, struct size *size,
                     struct ft_diag *diag)
{
    for (size_t r = 0; r < entry->reference_count; r++) {
        const struct place wanted = place_of(&entry->scopes, r);
        const struct place *found = entry->scopes.references[r].kind == FT_FETCH
                                        ? NULL
                                        : bsearch(&wanted, measured->places, measured->place_count,
                                                  sizeof *measured->places, compare_places);
        if (!found || found->group == SIZE_MAX)
            continue;
        size->accesses[found->group] += entry->reference_accesses[r];
        FT_TRY(ft_histogram_add(&size->groups[found->group],
                                &entry->histograms[r * entry->size_count + block_size], diag));
    }
    return FT_OK;
}

static int add_entry(struct ft_measured_distances *measured, const struct ft_histograms *entry,
                     size_t training, struct ft_diag *diag)
{
    const struct ft_model *model = measured->model;
    const size_t block_size = ft_histograms_block_size(entry, model->block_bytes[0]);
    if (block_size == entry->size_count)
        return ft_fail(diag, FT_ERROR_USAGE, "has no distances in blocks of %llu bytes",
                       (unsigned long long)model->block_bytes[0]);
    if (!FT_RESERVE(measured->sizes, measured->size_capacity, measured->size_count + 1))
        return ft_fail_memory(diag, "a report");
    struct size *size = &measured->sizes[measured->size_count++];
    *size = (struct size){training, calloc(model->group_count + 1, sizeof *size->groups),
                          calloc(model->group_count + 1, sizeof *size->accesses)};
    return size->groups && size->accesses ? fill_size(measured, entry, block_size, size, diag)
                                          : ft_fail_memory(diag, "a report");
}

static int add_file(struct ft_measured_distances *measured, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    struct ft_diag inner = {0};
    size_t found = 0;
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < file.count; i++) {
        const size_t training = training_of(measured->model, &file.entries[i]);
        if (training == measured->model->training_count)
            continue;
        found++;
        status = add_entry(measured, &file.entries[i], training, &inner);
    }
    ft_histogram_file_fini(&file);
    if (status != FT_OK)
        return ft_fail(diag, status, "--histograms %s: %s", path, inner.message);
    return found > 0 ? FT_OK
                     : ft_fail(diag, FT_ERROR_USAGE,
                               "--histograms %s: has none of the traces that the model was fitted "
                               "to; give what 'foretrace fit' was given",
                               path);
}

static int compare_sizes(const void *left, const void *right)
{
    const struct size *a = left, *b = right;
    return (a->training > b->training) - (a->training < b->training);
}

int ft_measured_distances_read(const struct ft_model *model, const char *const *paths, size_t count,
                               struct ft_measured_distances **ret_measured, struct ft_diag *diag)
{
    if (model->fixed_count > 0 || model->basis.parameter_count > 1)
        return ft_fail(diag, FT_ERROR_USAGE, "--histograms goes with models of one parameter");
    struct ft_measured_distances *measured = calloc(1, sizeof *measured);
    if (!measured)
        return ft_fail_memory(diag, "a report");
    measured->model = model;
    int status = list_places(measured, diag);
    for (size_t i = 0; status == FT_OK && i < count; i++)
        status = add_file(measured, paths[i], diag);
    if (status != FT_OK) {
        ft_measured_distances_destroy(measured);
        return status;
    }
    if (measured->size_count > 0)
        qsort(measured->sizes, measured->size_count, sizeof *measured->sizes, compare_sizes);
    *ret_measured = measured;
    return FT_OK;
}

void ft_measured_distances_destroy(struct ft_measured_distances *measured)
{
    if (!measured)
        return;
    for (size_t i = 0; i < measured->size_count; i++) {
        if (measured->sizes[i].groups)
            ft_histogram_array_free(measured->sizes[i].groups, measured->model->group_count);
        free(measured->sizes[i].accesses);
    }
    free(measured->sizes);
    free(measured->places);
    free(measured);
}

/* ---- of a group ---- */

/* As many accesses as the fit found, where the model says it. */
static bool is_whole(const struct ft_model *model, const struct size *size, size_t group)
{
    return size->groups[group].touches > size->groups[group].cold &&
           (!model->training_accesses ||
            model->training_accesses[group * model->training_count + size->training] ==
                size->accesses[group]);
}

int ft_measured_distances_json(const struct ft_measured_distances *measured, size_t group,
                               json_t **ret_json, struct ft_diag *diag)
{
    const struct ft_model *model = measured->model;
    struct ft_forecast_bin *bins = calloc(FT_BIN_COUNT, sizeof *bins);
    json_t *list = json_array();
    for (size_t i = 0; bins && i < measured->size_count; i++) {
        const struct size *size = &measured->sizes[i];
        struct ft_forecast forecast = {.bins = bins};
        if (!is_whole(model, size, group))
            continue;
        ft_forecast_of_histogram(&size->groups[group], &forecast);
        ft_json_append(&list, json_pack("[o, o]", ft_json_number(model->training[size->training]),
                                        ft_page_distances_of(&forecast)));
    }
    *ret_json = json_pack("{s:o}", "measured", list);
    const int status = bins ? FT_OK : ft_fail_memory(diag, "a report");
    free(bins);
    return status;
}
