/*
 * Pairs are numbered in order of first appearance; in files they are sorted, and objects without
 * touches are left out.
 */
#include "engine/reuse/stacks/data_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "formats/histograms/data_histograms.h"

int ft_data_stacks_fold(const struct ft_data_runs *runs, const struct ft_histograms *by_pair,
                        size_t reference_count, struct ft_histograms *ret_histograms,
                        struct ft_diag *diag)
{
    const size_t sizes = by_pair->size_count;
    size_t pair_count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(runs, &pair_count);
    int status =
        ft_histograms_init(ret_histograms, by_pair->block_bytes, sizes, reference_count, diag);
    for (size_t s = 0; !status && s < sizes; s++) {
        ret_histograms->distinct_blocks[s] = by_pair->distinct_blocks[s];
        ret_histograms->touches[s] = by_pair->touches[s];
    }
    for (size_t p = 0; !status && p < pair_count; p++) {
        const size_t reference = pairs[p].reference;
        ret_histograms->reference_accesses[reference] += by_pair->reference_accesses[p];
        for (size_t s = 0; !status && s < sizes; s++)
            status = ft_histogram_add(&ret_histograms->histograms[reference * sizes + s],
                                      &by_pair->histograms[p * sizes + s], diag);
    }
    return status;
}

int ft_data_stacks_add(struct ft_histograms *sum, struct ft_histograms *by_pair,
                       struct ft_diag *diag)
{
    const size_t sizes = by_pair->size_count;
    int status = FT_OK;
    if (sum->size_count == 0) {
        *sum = *by_pair;
        *by_pair = (struct ft_histograms){0};
        return FT_OK;
    }
    for (size_t p = 0; !status && p < by_pair->reference_count; p++) {
        sum->reference_accesses[p] += by_pair->reference_accesses[p];
        for (size_t s = 0; !status && s < sizes; s++)
            status = ft_histogram_add(&sum->histograms[p * sizes + s],
                                      &by_pair->histograms[p * sizes + s], diag);
    }
    ft_histograms_fini(by_pair);
    return status;
}

/* ---- the data of a trace ---- */

static int copy_item(const struct ft_data_object *object, struct ft_data_item *item,
                     struct ft_diag *diag)
{
    *item = (struct ft_data_item){.kind = strdup(ft_data_kind_names[object->kind]),
                                  .name = strdup(object->name),
                                  .file = strdup(object->file),
                                  .module = object->module,
                                  .line = object->line,
                                  .offset = object->offset,
                                  .bytes = object->bytes,
                                  .blocks = object->blocks};
    return item->kind && item->name && item->file ? FT_OK
                                                  : ft_fail_memory(diag, "the data of a program");
}

/* Items of the objects that were touched; number[object]: their item. */
static int copy_items(const struct ft_data_runs *runs, const struct ft_histograms *by_pair,
                      uint32_t *number, struct ft_data_histograms *data, struct ft_diag *diag)
{
    const struct ft_data_objects *objects = ft_data_runs_objects(runs);
    const size_t count = ft_data_object_count(objects);
    size_t pair_count;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(runs, &pair_count);
    for (size_t p = 0; p < pair_count; p++)
        number[pairs[p].object] |= by_pair->reference_accesses[p] > 0;
    data->items = calloc(count + 1, sizeof *data->items);
    int status = data->items ? FT_OK : ft_fail_memory(diag, "the data of a program");
    for (uint32_t i = 0; !status && i < count; i++)
        if (number[i]) {
            number[i] = (uint32_t)data->item_count;
            status = copy_item(ft_data_object(objects, i), &data->items[data->item_count++], diag);
        }
    return status;
}

struct placed_part {
    struct ft_data_part part;
    size_t pair;
};

static int compare_parts(const void *left, const void *right)
{
    const struct ft_data_part *a = &((const struct placed_part *)left)->part;
    const struct ft_data_part *b = &((const struct placed_part *)right)->part;
    if (a->reference != b->reference)
        return a->reference < b->reference ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

/* Moves the histograms of all pairs to their parts. */
static void move_parts(const struct placed_part *sorted, size_t count,
                       struct ft_histograms *by_pair, struct ft_data_histograms *data)
{
    const size_t sizes = by_pair->size_count;
    for (size_t i = 0; i < count; i++) {
        struct ft_histogram *from = &by_pair->histograms[sorted[i].pair * sizes];
        data->parts[i] = sorted[i].part;
        memcpy(&data->histograms[i * sizes], from, sizes * sizeof *from);
        memset(from, 0, sizes * sizeof *from);
    }
    data->part_count = count;
}

static int copy_parts(const struct ft_data_runs *runs, struct ft_histograms *by_pair,
                      const uint32_t *number, struct ft_data_histograms *data, struct ft_diag *diag)
{
    size_t pair_count, count = 0;
    const struct ft_data_pair *pairs = ft_data_runs_pairs(runs, &pair_count);
    struct placed_part *sorted = calloc(pair_count + 1, sizeof *sorted);
    data->parts = calloc(pair_count + 1, sizeof *data->parts);
    data->histograms = calloc(pair_count * by_pair->size_count + 1, sizeof *data->histograms);
    int status = sorted && data->parts && data->histograms
                     ? FT_OK
                     : ft_fail_memory(diag, "the histograms of data");
    for (size_t p = 0; !status && p < pair_count; p++)
        if (by_pair->reference_accesses[p])
            sorted[count++] = (struct placed_part){
                {pairs[p].reference, number[pairs[p].object], by_pair->reference_accesses[p]}, p};
    if (!status) {
        qsort(sorted, count, sizeof *sorted, compare_parts);
        move_parts(sorted, count, by_pair, data);
    }
    free(sorted);
    return status;
}

int ft_data_stacks_finish(const struct ft_data_runs *runs, struct ft_histograms *by_pair,
                          struct ft_histograms *histograms, struct ft_diag *diag)
{
    const size_t objects = ft_data_object_count(ft_data_runs_objects(runs));
    uint32_t *number = calloc(objects + 1, sizeof *number);
    histograms->data = calloc(1, sizeof *histograms->data);
    int status =
        number && histograms->data ? FT_OK : ft_fail_memory(diag, "the histograms of data");
    if (!status)
        status = copy_items(runs, by_pair, number, histograms->data, diag);
    if (!status)
        status = copy_parts(runs, by_pair, number, histograms->data, diag);
    free(number);
    ft_histograms_fini(by_pair);
    return status;
}
