#include "formats/commands/data_histograms_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/histograms/data_histograms.h"

static const uint64_t shown_capacities[] = {UINT64_C(32) << 10, UINT64_C(1) << 20,
                                            UINT64_C(32) << 20};
#define SHOWN_CAPACITIES (sizeof shown_capacities / sizeof *shown_capacities)

struct ranked {
    uint64_t accesses;
    uint32_t object;
};

/* More accesses first, then as in the file. */
static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->object > b->object) - (a->object < b->object);
}

/* All objects in the order in which they are shown; NULL without memory. */
static struct ranked *rank_items(const struct ft_data_histograms *data)
{
    struct ranked *ranked = calloc(data->item_count + 1, sizeof *ranked);
    for (uint32_t i = 0; ranked && i < data->item_count; i++)
        ranked[i].object = i;
    for (size_t p = 0; ranked && p < data->part_count; p++)
        ranked[data->parts[p].object].accesses += data->parts[p].accesses;
    if (ranked)
        qsort(ranked, data->item_count, sizeof *ranked, compare);
    return ranked;
}

static const char *module_name(const struct ft_histograms *entry, const struct ft_data_item *item)
{
    return item->module < entry->scopes.module_count ? entry->scopes.modules[item->module].name
                                                     : "";
}

static double distance_sum(const struct ft_histogram *histogram)
{
    double sum = 0;
    for (size_t i = 0; i < histogram->bin_count; i++)
        sum += (double)histogram->bins[i].distance_sum;
    return sum;
}

/* ---- as text ---- */

static void add_columns(struct ft_table *table)
{
    ft_table_column(table, "kind", "kind", false);
    ft_table_column(table, "data", "name", false);
    ft_table_column(table, "module", "module", false);
    ft_table_column(table, "size", "bytes", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "first touches", "cold", true);
    ft_table_column(table, "mean distance", "mean_distance_blocks", true);
    for (size_t c = 0; c < SHOWN_CAPACITIES; c++) {
        char title[FT_NUMBER_TEXT + 16], text[FT_NUMBER_TEXT];
        snprintf(title, sizeof title, "%s%s", c ? "" : "misses of ",
                 ft_text_bytes(text, (double)shown_capacities[c]));
        ft_table_column(table, title, title, true);
    }
}

static void add_row(struct ft_table *table, const struct ft_histograms *entry,
                    const struct ranked *ranked, const struct ft_histogram *histogram,
                    uint64_t block_bytes)
{
    const struct ft_data_item *item = &entry->data->items[ranked->object];
    const double reuses = (double)(histogram->touches - histogram->cold);
    ft_table_text(table, item->kind);
    ft_table_text(table, item->name);
    ft_table_text(table, module_name(entry, item));
    if (item->bytes)
        ft_table_bytes(table, (double)item->bytes);
    else
        ft_table_empty(table);
    ft_table_count(table, (double)ranked->accesses);
    ft_table_count(table, (double)histogram->cold);
    ft_table_count(table, reuses > 0 ? distance_sum(histogram) / reuses : 0);
    for (size_t c = 0; c < SHOWN_CAPACITIES; c++)
        if (shown_capacities[c] < block_bytes)
            ft_table_empty(table);
        else
            ft_table_count(
                table, (double)ft_histogram_misses(histogram, shown_capacities[c] / block_bytes));
}

static int print_ranked(const struct ft_histograms *entry, const struct ranked *ranked,
                        const struct ft_histogram *histograms, uint64_t block_bytes, size_t limit,
                        FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_columns(table);
    for (size_t i = 0; i < limit && i < entry->data->item_count; i++)
        add_row(table, entry, &ranked[i], &histograms[ranked[i].object], block_bytes);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_data_histograms_print(const struct ft_histograms *entry, const char *title, size_t limit,
                             FILE *stream, struct ft_diag *diag)
{
    char bytes[FT_NUMBER_TEXT];
    struct ft_histogram *histograms = NULL;
    if (!entry->data)
        return FT_OK;
    const size_t size = ft_histograms_shown_size(entry);
    struct ranked *ranked = rank_items(entry->data);
    int status = ranked ? ft_data_histograms_of_items(entry->data, entry->size_count, size,
                                                      &histograms, diag)
                        : ft_fail_memory(diag, "the data of a program");
    if (!status) {
        ft_print_wrapped(stream, 2, "\n%s: reuse by data, blocks of %s, most accesses first\n\n",
                         title, ft_text_bytes(bytes, (double)entry->block_bytes[size]));
        status =
            print_ranked(entry, ranked, histograms, entry->block_bytes[size], limit, stream, diag);
    }
    ft_histogram_array_free(histograms, entry->data->item_count);
    free(ranked);
    return status;
}

/* ---- JSON ---- */

static json_t *bins_json(const struct ft_histogram *histogram)
{
    json_t *list = json_array();
    for (size_t b = 0; b < histogram->bin_count; b++) {
        const struct ft_bin *bin = &histogram->bins[b];
        ft_json_append(&list,
                       json_pack("{s:I, s:I, s:I, s:I}", "least", (json_int_t)ft_bin_low(bin->bin),
                                 "most", (json_int_t)ft_bin_high(bin->bin), "touches",
                                 (json_int_t)bin->count, "distance_sum",
                                 (json_int_t)bin->distance_sum));
    }
    return list;
}

static json_t *item_json(const struct ft_histograms *entry, const struct ranked *ranked,
                         struct ft_histogram *const *histograms)
{
    const struct ft_data_item *item = &entry->data->items[ranked->object];
    json_t *sizes = json_array();
    for (size_t s = 0; s < entry->size_count; s++) {
        const struct ft_histogram *histogram = &histograms[s][ranked->object];
        ft_json_append(&sizes,
                       json_pack("{s:I, s:I, s:I, s:o}", "block_bytes",
                                 (json_int_t)entry->block_bytes[s], "touches",
                                 (json_int_t)histogram->touches, "cold",
                                 (json_int_t)histogram->cold, "distances", bins_json(histogram)));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "kind", item->kind,
                     "name", ft_json_text(item->name), "module",
                     ft_json_text(module_name(entry, item)), "file", ft_json_text(item->file),
                     "line", (json_int_t)item->line, "offset", (json_int_t)item->offset, "bytes",
                     (json_int_t)item->bytes, "blocks", (json_int_t)item->blocks, "accesses",
                     (json_int_t)ranked->accesses, "block_sizes", sizes);
}

json_t *ft_data_histograms_json(const struct ft_histograms *entry)
{
    const struct ft_data_histograms *data = entry->data;
    struct ft_diag diag;
    struct ranked *ranked = rank_items(data);
    struct ft_histogram **histograms = calloc(entry->size_count + 1, sizeof *histograms);
    bool complete = ranked && histograms;
    for (size_t s = 0; complete && s < entry->size_count; s++)
        complete = ft_data_histograms_of_items(entry->data, entry->size_count, s, &histograms[s],
                                               &diag) == FT_OK;
    json_t *list = complete ? json_array() : NULL;
    for (size_t i = 0; complete && i < data->item_count; i++)
        ft_json_append(&list, item_json(entry, &ranked[i], histograms));
    for (size_t s = 0; histograms && s < entry->size_count; s++)
        ft_histogram_array_free(histograms[s], data->item_count);
    free(histograms);
    free(ranked);
    return list;
}
