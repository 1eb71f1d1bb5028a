/*
 * Paths of all sizes are numbered as they come; then a table of metrics by path and size is filled
 * from blocks, references and loops, and written row by row, without rows that are 0 at each size.
 */
#include "formats/commands/extrap_export.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/base/number_text.h"
#include "formats/cli/json.h"
#include "formats/scopes/scope_path.h"

/* The first ones are there once, and at these indices; the others for each block size. */
enum kind {
    ACCESSES,
    INSTRUCTIONS,
    FLOPS,
    CALLS,
    ENTRIES,
    ITERATIONS,
    PLAIN_METRICS,
    FOOTPRINT = PLAIN_METRICS,
    COLD,
    MISSES,
};
static const char *const kind_names[] = {"accesses",  "instructions", "flops",
                                         "calls",     "entries",      "iterations",
                                         "footprint", "cold touches", "misses"};

struct metric {
    enum kind kind;
    size_t size;              /* index of the block size */
    uint64_t capacity_blocks; /* of MISSES */
    char name[32 + 2 * FT_NUMBER_TEXT];
};

struct exporter {
    const struct ft_histogram_file *file;
    const struct ft_extrap_capacities *capacities;
    struct metric *metrics;
    size_t metric_count, metric_capacity;
    char **paths;
    size_t path_count, path_capacity;
    struct ft_hash_table path_ids;
    double *values; /* [(path * file->count + entry) * metric_count + metric] */
};

/* ---- paths ---- */

static int find_path(struct exporter *exporter, const struct ft_scopes *scopes, uint32_t scope,
                     uint32_t *ret_id, struct ft_diag *diag)
{
    char *path;
    uint64_t hash = 0;
    FT_TRY(ft_scope_path(scopes, scope, &path, diag));
    for (const char *at = path; *at; at++)
        hash = ft_hash_add(hash, (uint8_t)*at);
    for (size_t probe = hash; ft_hash_next(&exporter->path_ids, hash, &probe, ret_id);)
        if (strcmp(exporter->paths[*ret_id], path) == 0) {
            free(path);
            return FT_OK;
        }
    if (!FT_RESERVE(exporter->paths, exporter->path_capacity, exporter->path_count + 1) ||
        !ft_hash_table_add(&exporter->path_ids, hash, (uint32_t)exporter->path_count)) {
        free(path);
        return ft_fail_memory(diag, "the paths");
    }
    *ret_id = (uint32_t)exporter->path_count;
    exporter->paths[exporter->path_count++] = path;
    return FT_OK;
}

/* The number of each scope's path, of all sizes; freed by the caller. */
static int number_paths(struct exporter *exporter, uint32_t **ret_ids, struct ft_diag *diag)
{
    size_t count = 0, at = 0;
    for (size_t e = 0; e < exporter->file->count; e++)
        count += exporter->file->entries[e].scopes.scope_count;
    uint32_t *ids = calloc(count, sizeof *ids);
    if (!ids)
        return ft_fail_memory(diag, "the scopes");
    for (size_t e = 0; e < exporter->file->count; e++) {
        const struct ft_scopes *scopes = &exporter->file->entries[e].scopes;
        for (uint32_t s = 0; s < scopes->scope_count; s++) {
            int status = find_path(exporter, scopes, s, &ids[at++], diag);
            if (status) {
                free(ids);
                return status;
            }
        }
    }
    *ret_ids = ids;
    return FT_OK;
}

/* ---- metrics ---- */

static int add_metric(struct exporter *exporter, enum kind kind, size_t size,
                      uint64_t capacity_bytes, struct ft_diag *diag)
{
    char block[FT_NUMBER_TEXT], capacity[FT_NUMBER_TEXT];
    const uint64_t block_bytes = exporter->file->entries[0].block_bytes[size];
    if (!FT_RESERVE(exporter->metrics, exporter->metric_capacity, exporter->metric_count + 1))
        return ft_fail_memory(diag, "the metrics");
    struct metric *metric = &exporter->metrics[exporter->metric_count++];
    *metric = (struct metric){kind, size, capacity_bytes / block_bytes, ""};
    ft_text_bytes(block, (double)block_bytes);
    ft_text_bytes(capacity, (double)capacity_bytes);
    if (kind < PLAIN_METRICS)
        snprintf(metric->name, sizeof metric->name, "%s", kind_names[kind]);
    else if (kind < MISSES)
        snprintf(metric->name, sizeof metric->name, "%s, blocks of %s", kind_names[kind], block);
    else
        snprintf(metric->name, sizeof metric->name, "%s of %s, blocks of %s", kind_names[kind],
                 capacity, block);
    return FT_OK;
}

static int add_metrics(struct exporter *exporter, struct ft_diag *diag)
{
    const struct ft_histograms *first = &exporter->file->entries[0];
    for (unsigned kind = 0; kind < PLAIN_METRICS; kind++)
        FT_TRY(add_metric(exporter, kind, 0, 0, diag));
    for (size_t size = 0; size < first->size_count; size++) {
        FT_TRY(add_metric(exporter, FOOTPRINT, size, 0, diag));
        FT_TRY(add_metric(exporter, COLD, size, 0, diag));
        for (size_t c = 0; c < exporter->capacities->count; c++)
            if (exporter->capacities->bytes[c] >= first->block_bytes[size])
                FT_TRY(add_metric(exporter, MISSES, size, exporter->capacities->bytes[c], diag));
    }
    return FT_OK;
}

static double *row_of(const struct exporter *exporter, size_t entry, uint32_t path)
{
    return exporter->values +
           ((size_t)path * exporter->file->count + entry) * exporter->metric_count;
}

static void add_reference(const struct exporter *exporter, const struct ft_histograms *entry,
                          size_t reference, double *row)
{
    row[ACCESSES] += (double)entry->reference_accesses[reference];
    for (size_t m = PLAIN_METRICS; m < exporter->metric_count; m++) {
        const struct metric *metric = &exporter->metrics[m];
        const struct ft_histogram *histogram =
            &entry->histograms[reference * entry->size_count + metric->size];
        if (metric->kind == COLD)
            row[m] += (double)histogram->cold;
        else if (metric->kind == MISSES)
            row[m] += (double)ft_histogram_misses(histogram, metric->capacity_blocks);
    }
}

/* Of the program alone. */
static void add_footprints(const struct exporter *exporter, const struct ft_histograms *entry,
                           double *row)
{
    for (size_t m = PLAIN_METRICS; m < exporter->metric_count; m++)
        if (exporter->metrics[m].kind == FOOTPRINT)
            row[m] += (double)entry->distinct_blocks[exporter->metrics[m].size];
}

static void add_entry(const struct exporter *exporter, size_t e, const uint32_t *ids)
{
    const struct ft_histograms *entry = &exporter->file->entries[e];
    const struct ft_scopes *scopes = &entry->scopes;
    for (size_t s = 0; s < scopes->scope_count; s++) {
        const struct ft_scope *scope = &scopes->scopes[s];
        double *row = row_of(exporter, e, ids[s]);
        row[CALLS] += scope->kind == FT_SCOPE_ROUTINE ? (double)scope->entry_count : 0;
        row[ENTRIES] += scope->kind == FT_SCOPE_LOOP ? (double)scope->entry_count : 0;
        row[ITERATIONS] += scope->kind == FT_SCOPE_LOOP ? (double)scope->iteration_count : 0;
    }
    for (size_t b = 0; b < scopes->block_count; b++) {
        const struct ft_block *block = &scopes->blocks[b];
        double *row = row_of(exporter, e, ids[block->scope]);
        row[INSTRUCTIONS] += (double)block->execution_count * block->instruction_count;
        row[FLOPS] += (double)block->execution_count * block->flops;
    }
    for (size_t r = 0; r < scopes->reference_count; r++)
        add_reference(exporter, entry, r, row_of(exporter, e, ids[scopes->references[r].scope]));
    add_footprints(exporter, entry, row_of(exporter, e, ids[0]));
}

static int fill(struct exporter *exporter, struct ft_diag *diag)
{
    uint32_t *ids = NULL;
    FT_TRY(number_paths(exporter, &ids, diag));
    exporter->values = calloc(exporter->path_count * exporter->file->count,
                              exporter->metric_count * sizeof *exporter->values);
    if (!exporter->values) {
        free(ids);
        return ft_fail_memory(diag, "the metrics");
    }
    const uint32_t *of_entry = ids;
    for (size_t e = 0; e < exporter->file->count; e++) {
        add_entry(exporter, e, of_entry);
        of_entry += exporter->file->entries[e].scopes.scope_count;
    }
    free(ids);
    return FT_OK;
}

/* ---- the file ---- */

static int check_parameters(const struct ft_histogram_file *file, const char *path,
                            struct ft_diag *diag)
{
    const struct ft_metadata *first = &file->entries[0].metadata;
    if (first->parameter_count == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: has no parameters; Extra-P models functions of one: capture with "
                       "-D NAME=NUMBER",
                       path);
    for (size_t e = 1; e < file->count; e++) {
        const struct ft_metadata *metadata = &file->entries[e].metadata;
        bool is_same = metadata->parameter_count == first->parameter_count &&
                       file->entries[e].size_count == file->entries[0].size_count &&
                       memcmp(file->entries[e].block_bytes, file->entries[0].block_bytes,
                              file->entries[0].size_count * sizeof(uint64_t)) == 0;
        for (size_t p = 0; is_same && p < first->parameter_count; p++)
            is_same = strcmp(metadata->parameters[p].name, first->parameters[p].name) == 0;
        if (!is_same)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "%s: trace %zu has other parameters or block sizes than the first", path,
                           e + 1);
    }
    return FT_OK;
}

static json_t *parameters_json(const struct ft_metadata *metadata)
{
    json_t *parameters = json_object();
    for (size_t p = 0; p < metadata->parameter_count; p++)
        json_object_set_new(parameters, metadata->parameters[p].name,
                            json_real(metadata->parameters[p].value));
    return parameters;
}

static int write_rows(const struct exporter *exporter, uint32_t path, size_t metric, FILE *stream,
                      struct ft_diag *diag)
{
    bool any = false;
    for (size_t e = 0; e < exporter->file->count; e++)
        any |= row_of(exporter, e, path)[metric] != 0;
    for (size_t e = 0; any && e < exporter->file->count; e++)
        FT_TRY(ft_json_write_line(json_pack("{s:o, s:o, s:s, s:f}", "params",
                                            parameters_json(&exporter->file->entries[e].metadata),
                                            "callpath", ft_json_text(exporter->paths[path]),
                                            "metric", exporter->metrics[metric].name, "value",
                                            row_of(exporter, e, path)[metric]),
                                  stream, diag));
    return FT_OK;
}

static int write_all(struct exporter *exporter, FILE *stream, struct ft_diag *diag)
{
    FT_TRY(add_metrics(exporter, diag));
    FT_TRY(fill(exporter, diag));
    for (uint32_t path = 0; path < exporter->path_count; path++)
        for (size_t metric = 0; metric < exporter->metric_count; metric++)
            FT_TRY(write_rows(exporter, path, metric, stream, diag));
    return FT_OK;
}

int ft_extrap_write(const struct ft_histogram_file *file, const char *path,
                    const struct ft_extrap_capacities *capacities, FILE *stream,
                    struct ft_diag *diag)
{
    struct exporter exporter = {.file = file, .capacities = capacities};
    FT_TRY(check_parameters(file, path, diag));
    int status = write_all(&exporter, stream, diag);
    for (size_t i = 0; i < exporter.path_count; i++)
        free(exporter.paths[i]);
    free(exporter.paths);
    free(exporter.metrics);
    free(exporter.values);
    ft_hash_table_fini(&exporter.path_ids);
    return status;
}
