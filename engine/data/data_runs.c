/*
 * The first walk counts each pair; the source walks again with the same tables, in which nothing
 * new is found, and writes each batch again with pairs for references.
 */
#include "engine/data/data_runs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/data/data_walk.h"
#include "engine/streams/all_threads.h"
#include "engine/streams/run_batch.h"
#include "formats/base/array.h"

struct ft_data_runs {
    struct ft_trace *trace;
    unsigned content;
    struct ft_memory_events events;
    struct ft_data_objects *objects;
    struct ft_pair_table table;
    struct ft_reference *references; /* the trace's */
    uint32_t reference_count;
    struct ft_reference *pair_references; /* [pair] */
};

void ft_data_runs_destroy(struct ft_data_runs *runs)
{
    if (!runs)
        return;
    ft_memory_events_fini(&runs->events);
    ft_data_objects_destroy(runs->objects);
    ft_pair_table_fini(&runs->table);
    free(runs->references);
    free(runs->pair_references);
    free(runs);
}

/* ---- the first walk ---- */

static void note_stride(struct ft_data_pair *pair, int64_t stride)
{
    if (pair->stride_kind == FT_PAIR_STRIDE_NONE) {
        pair->stride_kind = FT_PAIR_STRIDE_ONE;
        pair->stride = stride;
    } else if (pair->stride != stride) {
        pair->stride_kind = FT_PAIR_STRIDE_SEVERAL;
    }
}

static int count_piece(void *context, const struct ft_run_batch *batch,
                       const struct ft_data_piece *piece, struct ft_diag *diag)
{
    struct ft_data_runs *runs = context;
    (void)diag;
    for (uint32_t j = 0; j < piece->entry_count; j++) {
        struct ft_data_pair *pair = &runs->table.pairs[piece->pairs[j]];
        pair->accesses += piece->count;
        if (piece->strides)
            note_stride(pair, batch->strides[piece->first_entry + j]);
    }
    return FT_OK;
}

static int walk_all(struct ft_data_runs *runs, struct ft_run_source *source,
                    struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_data_walk walk;
    struct ft_run_batch batch = {.run_count = 1};
    uint64_t done = 0;
    int status = ft_data_walk_init(&walk, runs->trace, &runs->events, runs->objects, source,
                                   &runs->table, diag);
    if (status)
        return status;
    while (status == FT_OK && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (status == FT_OK)
            status = ft_run_batch_check(source, &batch, diag);
        if (status == FT_OK)
            status = ft_data_walk_take(&walk, source, &batch, count_piece, runs, diag);
        for (size_t r = 0; status == FT_OK && r < batch.run_count; r++)
            done += batch.runs[r].reference_count * batch.runs[r].iteration_count;
        ft_progress_update(progress, done, source->access_count, "accesses");
    }
    ft_data_walk_fini(&walk);
    return status;
}

static int keep_references(struct ft_data_runs *runs, const struct ft_run_source *source,
                           struct ft_diag *diag)
{
    size_t bytes = source->reference_count * sizeof *runs->references;
    runs->reference_count = source->reference_count;
    runs->references = malloc(bytes + 1);
    runs->pair_references = calloc(runs->table.count + 1, sizeof *runs->pair_references);
    if (!runs->references || !runs->pair_references)
        return ft_fail_memory(diag, "the references of a trace");
    if (bytes)
        memcpy(runs->references, source->references, bytes);
    for (size_t p = 0; p < runs->table.count; p++)
        runs->pair_references[p] = runs->references[runs->table.pairs[p].reference];
    return FT_OK;
}

static int find_pairs(struct ft_data_runs *runs, unsigned callers,
                      struct ft_execution_counts *counts, struct ft_progress *progress,
                      struct ft_diag *diag)
{
    struct ft_run_source *source;
    int status = ft_memory_events_read(runs->trace, &runs->events, diag);
    if (status == FT_OK)
        status = ft_data_objects_create(runs->trace, callers, &runs->objects, diag);
    if (status == FT_OK)
        status = ft_all_threads_runs(runs->trace, runs->content, counts, &source, diag);
    if (status)
        return status;
    status = walk_all(runs, source, progress, diag);
    if (status == FT_OK)
        status = keep_references(runs, source, diag);
    source->destroy(source);
    return status;
}

int ft_data_runs_create(struct ft_trace *trace, unsigned callers, unsigned content,
                        struct ft_execution_counts *counts, struct ft_progress *progress,
                        struct ft_data_runs **ret_runs, struct ft_diag *diag)
{
    struct ft_data_runs *runs = calloc(1, sizeof *runs);
    if (!runs)
        return ft_fail_memory(diag, "the data of a program");
    runs->trace = trace;
    runs->content = content;
    int status = find_pairs(runs, callers, counts, progress, diag);
    if (status) {
        ft_data_runs_destroy(runs);
        return status;
    }
    *ret_runs = runs;
    return FT_OK;
}

const struct ft_data_objects *ft_data_runs_objects(const struct ft_data_runs *runs)
{
    return runs->objects;
}

const struct ft_data_pair *ft_data_runs_pairs(const struct ft_data_runs *runs, size_t *ret_count)
{
    *ret_count = runs->table.count;
    return runs->table.pairs;
}

const struct ft_reference *ft_data_runs_references(const struct ft_data_runs *runs,
                                                   uint32_t *ret_count)
{
    *ret_count = runs->reference_count;
    return runs->references;
}

bool ft_data_runs_has_calls(const struct ft_data_runs *runs)
{
    return runs->events.has_calls;
}

/* ---- batches ---- */

struct ft_data_batches {
    struct ft_data_runs *data;
    const struct ft_run_source *source; /* whose references the batches have */
    struct ft_data_walk walk;
    struct ft_run *runs;
    size_t run_count, run_capacity;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t entry_count, reference_capacity, address_capacity, stride_capacity;
};

static int write_piece(void *context, const struct ft_run_batch *batch,
                       const struct ft_data_piece *piece, struct ft_diag *diag)
{
    struct ft_data_batches *batches = context;
    size_t first = batches->entry_count, end = first + piece->entry_count;
    if (!FT_RESERVE(batches->references, batches->reference_capacity, end) ||
        !FT_RESERVE(batches->addresses, batches->address_capacity, end) ||
        !FT_RESERVE(batches->strides, batches->stride_capacity, end) ||
        !FT_RESERVE(batches->runs, batches->run_capacity, batches->run_count + 1))
        return ft_fail_memory(diag, "the data of a program");
    for (uint32_t j = 0; j < piece->entry_count; j++) {
        size_t entry = piece->first_entry + j;
        int64_t stride = batch->strides[entry];
        batches->references[first + j] = piece->pairs[j];
        batches->strides[first + j] = stride;
        batches->addresses[first + j] =
            batch->addresses[entry] + (piece->strides ? piece->iteration * (uint64_t)stride : 0);
    }
    batches->runs[batches->run_count++] = (struct ft_run){first, piece->entry_count, piece->count};
    batches->entry_count = end;
    return FT_OK;
}

int ft_data_batches_create(struct ft_data_runs *runs, const struct ft_run_source *source,
                           struct ft_data_batches **ret_batches, struct ft_diag *diag)
{
    struct ft_data_batches *batches = calloc(1, sizeof *batches);
    if (!batches)
        return ft_fail_memory(diag, "the data of a program");
    batches->data = runs;
    batches->source = source;
    ft_data_objects_forget_blocks(runs->objects);
    int status = ft_data_walk_init(&batches->walk, runs->trace, &runs->events, runs->objects,
                                   source, &runs->table, diag);
    if (status) {
        ft_data_batches_destroy(batches);
        return status;
    }
    *ret_batches = batches;
    return FT_OK;
}

int ft_data_batches_take(struct ft_data_batches *batches, const struct ft_run_batch *batch,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    const size_t pairs = batches->data->table.count;
    batches->run_count = batches->entry_count = 0;
    int status =
        ft_data_walk_take(&batches->walk, batches->source, batch, write_piece, batches, diag);
    if (status)
        return status;
    if (batches->data->table.count > pairs)
        return ft_fail(diag, FT_ERROR_FAILURE, "the trace changed while it was read");
    *ret_batch = (struct ft_run_batch){batches->runs,      batches->run_count, batches->references,
                                       batches->addresses, batches->strides,   batches->entry_count,
                                       batch->thread};
    return FT_OK;
}

void ft_data_batches_destroy(struct ft_data_batches *batches)
{
    if (!batches)
        return;
    ft_data_walk_fini(&batches->walk);
    free(batches->runs);
    free(batches->references);
    free(batches->addresses);
    free(batches->strides);
    free(batches);
}

/* ---- the source ---- */

struct pair_source {
    struct ft_run_source base; /* first, so that a source is cast to its whole */
    struct ft_run_source *inner;
    struct ft_data_batches *batches;
};

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct pair_source *source = (struct pair_source *)base;
    struct ft_run_batch batch;
    int status = source->inner->next(source->inner, &batch, diag);
    return status ? status : ft_data_batches_take(source->batches, &batch, ret_batch, diag);
}

static void destroy(struct ft_run_source *base)
{
    struct pair_source *source = (struct pair_source *)base;
    ft_data_batches_destroy(source->batches);
    if (source->inner)
        source->inner->destroy(source->inner);
    free(source);
}

const struct ft_reference *ft_data_runs_pair_references(const struct ft_data_runs *runs)
{
    return runs->pair_references;
}

int ft_data_runs_source(struct ft_data_runs *runs, struct ft_run_source **ret_source,
                        struct ft_diag *diag)
{
    struct pair_source *source = calloc(1, sizeof *source);
    if (!source)
        return ft_fail_memory(diag, "the data of a program");
    source->base = (struct ft_run_source){.references = runs->pair_references,
                                          .reference_count = (uint32_t)runs->table.count,
                                          .next = next,
                                          .destroy = destroy};
    int status = ft_all_threads_runs(runs->trace, runs->content, NULL, &source->inner, diag);
    if (status == FT_OK) {
        source->base.access_count = source->inner->access_count;
        status = ft_data_batches_create(runs, source->inner, &source->batches, diag);
    }
    if (status) {
        destroy(&source->base);
        return status;
    }
    *ret_source = &source->base;
    return FT_OK;
}
