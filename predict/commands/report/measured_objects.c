/*
 * Data objects (docs/data.md) with their accesses, their misses in the first machine's levels, and
 * the scopes that touch them most.
 */
#include <stdlib.h>

#include "predict/commands/page/page.h"
#include "predict/commands/report/measured.h"

#define OBJECTS_SHOWN 300U
#define SCOPES_SHOWN  5U

struct object {
    double accesses;
    size_t index;
};

static int heavier(const void *left, const void *right)
{
    const struct object *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* ---- who touches it ---- */

/* The scopes with most accesses to an object. rows: [scope], scratch. */
static json_t *scopes_json(const struct ft_measurement *measured, size_t object, double *rows)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    const size_t scope_count = entry->scopes.scope_count;
    json_t *list = json_array();
    for (size_t i = 0; i < scope_count; i++)
        rows[i] = 0;
    for (size_t i = 0; i < entry->data->part_count; i++) {
        const struct ft_data_part *part = &entry->data->parts[i];
        if (part->object == object)
            rows[ft_measurement_shown(measured, entry->scopes.references[part->reference].scope)] +=
                (double)part->accesses;
    }
    for (unsigned k = 0; k < SCOPES_SHOWN; k++) {
        const size_t most = ft_measurement_largest(rows, scope_count);
        if (!(rows[most] > 0))
            break;
        ft_json_append(&list, json_pack("{s:I, s:o}", "scope", (json_int_t)most, "accesses",
                                        ft_page_number(rows[most])));
        rows[most] = 0;
    }
    return list;
}

/* ---- what it misses ---- */

/* Histograms of all objects, for each block size. */
static int sum_objects(const struct ft_histograms *entry, struct ft_histogram **sums,
                       struct ft_diag *diag)
{
    for (size_t size = 0; size < entry->size_count; size++)
        FT_TRY(
            ft_data_histograms_of_items(entry->data, entry->size_count, size, &sums[size], diag));
    return FT_OK;
}

static json_t *misses_json(const struct ft_measurement *measured, struct ft_histogram *const *sums,
                           size_t object)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measured->sources[0].machine.level_count; i++) {
        const struct ft_histogram *of_size = sums[ft_measurement_block_size(measured, i)];
        ft_json_append(&list, ft_page_number(ft_measurement_misses(measured, i, &of_size[object])));
    }
    return list;
}

static json_t *object_json(const struct ft_measurement *measured, struct ft_histogram *const *sums,
                           const struct object *object, double *rows)
{
    const struct ft_data_item *item = &ft_measurement_entry(measured)->data->items[object->index];
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o}", "kind",
                     ft_json_text(item->kind), "name", ft_json_text(item->name), "file",
                     ft_json_text(item->file), "line", (json_int_t)item->line, "bytes",
                     ft_page_number((double)item->bytes), "blocks", (json_int_t)item->blocks,
                     "accesses", ft_page_number(object->accesses), "misses",
                     misses_json(measured, sums, object->index), "scopes",
                     scopes_json(measured, object->index, rows));
}

static json_t *list_json(const struct ft_measurement *measured, struct ft_histogram *const *sums,
                         const struct object *objects, double *rows)
{
    const size_t count = ft_measurement_entry(measured)->data->item_count;
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < OBJECTS_SHOWN && objects[i].accesses > 0; i++)
        ft_json_append(&list, object_json(measured, sums, &objects[i], rows));
    return list;
}

int ft_measurement_objects(const struct ft_measurement *measured, json_t **ret_objects,
                           struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    const struct ft_data_histograms *data = entry->data;
    if (!data) {
        *ret_objects = json_null();
        return FT_OK;
    }
    struct ft_histogram **sums = calloc(entry->size_count, sizeof(struct ft_histogram *));
    struct object *objects = calloc(data->item_count + 1, sizeof *objects);
    double *rows = calloc(entry->scopes.scope_count + 1, sizeof *rows);
    int status =
        sums && objects && rows ? sum_objects(entry, sums, diag) : ft_fail_memory(diag, "a report");
    for (size_t i = 0; status == FT_OK && i < data->item_count; i++)
        objects[i].index = i;
    for (size_t i = 0; status == FT_OK && i < data->part_count; i++)
        objects[data->parts[i].object].accesses += (double)data->parts[i].accesses;
    if (status == FT_OK) {
        qsort(objects, data->item_count, sizeof *objects, heavier);
        *ret_objects = list_json(measured, sums, objects, rows);
    }
    for (size_t size = 0; sums && size < entry->size_count; size++)
        if (sums[size])
            ft_histogram_array_free(sums[size], data->item_count);
    free(sums);
    free(objects);
    free(rows);
    return status;
}
