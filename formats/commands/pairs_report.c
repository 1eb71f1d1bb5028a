#include "formats/commands/pairs_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/table.h"

#define SHOWN_BLOCK_BYTES 64U

struct ranked {
    double distance_sum;
    size_t pair;
};

static double distance_sum(const struct ft_histogram *histogram)
{
    double sum = 0;
    for (size_t i = 0; i < histogram->bin_count; i++)
        sum += (double)histogram->bins[i].distance_sum;
    return sum;
}

/* Longer reuse first, then as in the file. */
static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->distance_sum != b->distance_sum)
        return a->distance_sum > b->distance_sum ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

static size_t shown_size(const struct ft_histograms *histograms)
{
    size_t size = 0;
    while (size + 1 < histograms->size_count && histograms->block_bytes[size] < SHOWN_BLOCK_BYTES)
        size++;
    return size;
}

/* "load in insert, tree.c:45". */
static void add_location(struct ft_table *table, const struct ft_scopes *scopes, uint32_t reference)
{
    const struct ft_scoped_reference *at = &scopes->references[reference];
    const char *kind = at->kind == FT_STORE ? "store" : "load";
    const char *name = scopes->scopes[ft_scope_routine(scopes, at->scope)].name;
    const char *file = scopes->scopes[at->scope].file;
    if (at->line && *file)
        ft_table_format(table, "%s in %s, %s:%" PRIu32, kind, name, ft_file_name(file), at->line);
    else
        ft_table_format(table, "%s in %s, 0x%" PRIx64, kind, name, at->offset);
}

/* "loop matmul.c:20", where it carries the reuse from one iteration to another. */
static void carrier_cell(struct ft_table *table, const struct ft_scopes *scopes,
                         const struct ft_reuse_pair *pair)
{
    if (pair->scope == FT_NO_SCOPE) {
        ft_table_empty(table);
        return;
    }
    if (pair->scope == FT_OTHER_THREAD) {
        ft_table_text(table, "another thread");
        return;
    }
    const struct ft_scope *scope = &scopes->scopes[pair->scope];
    const struct ft_inlined_call *calls;
    size_t count = ft_scope_inlined(scopes, pair->scope, &calls);
    ft_table_format(table, "%s%s%s%s", pair->is_carried ? "" : "inside ", scope->name,
                    count ? ", inlined " : "", count ? calls[count - 1].name : "");
}

static int print_ranked(const struct ft_histograms *histograms, size_t size, const char *title,
                        const struct ranked *ranked, size_t count, FILE *stream,
                        struct ft_diag *diag)
{
    const struct ft_reuse_pairs *pairs = &histograms->pairs[size];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    char bytes[FT_NUMBER_TEXT];
    ft_text_bytes(bytes, (double)histograms->block_bytes[size]);
    double all = 0;
    for (size_t i = 0; i < pairs->count; i++)
        all += distance_sum(&pairs->histograms[i]);
    ft_table_column(table, "touched by", "sink", false);
    ft_table_column(table, "last by", "source", false);
    ft_table_column(table, "carried by", "carrier", false);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, "mean distance", "mean_distance_blocks", true);
    ft_table_column(table, "share", "distance_share", true);
    for (size_t i = 0; i < count; i++) {
        const struct ft_reuse_pair *pair = &pairs->pairs[ranked[i].pair];
        const struct ft_histogram *histogram = &pairs->histograms[ranked[i].pair];
        add_location(table, &histograms->scopes, pair->sink);
        add_location(table, &histograms->scopes, pair->source);
        carrier_cell(table, &histograms->scopes, pair);
        ft_table_count(table, (double)histogram->touches);
        ft_table_count(table, ranked[i].distance_sum / (double)histogram->touches);
        ft_table_share(table, all > 0 ? ranked[i].distance_sum / all : 0);
    }
    fprintf(stream, "\n%s: reuse between references, blocks of %s, by the sum of distances\n\n",
            title, bytes);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_pairs_print(const struct ft_histograms *histograms, const char *title, size_t limit,
                   FILE *stream, struct ft_diag *diag)
{
    if (!histograms->pairs)
        return FT_OK;
    const size_t size = shown_size(histograms);
    const struct ft_reuse_pairs *pairs = &histograms->pairs[size];
    struct ranked *ranked = calloc(pairs->count + 1, sizeof *ranked);
    if (!ranked)
        return ft_fail_memory(diag, "pairs of references");
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->pairs[i].source != FT_NO_SOURCE)
            ranked[count++] = (struct ranked){distance_sum(&pairs->histograms[i]), i};
    qsort(ranked, count, sizeof *ranked, compare);
    int status =
        print_ranked(histograms, size, title, ranked, count < limit ? count : limit, stream, diag);
    free(ranked);
    return status;
}
