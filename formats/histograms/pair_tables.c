/*
 * In a file the pairs of all sizes stand in one table, size by size, and their histograms beside
 * them.
 */
#include "formats/histograms/pair_tables.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/histograms/histogram_tables.h"

struct pair_row {
    uint32_t size, sink, source, scope;
    uint8_t is_carried;
};

static const struct ft_field pair_fields[] = {
    FT_FIELD(pair_row, size, FT_FIELD_U32),      FT_FIELD(pair_row, sink, FT_FIELD_U32),
    FT_FIELD(pair_row, source, FT_FIELD_U32),    FT_FIELD(pair_row, scope, FT_FIELD_U32),
    FT_FIELD(pair_row, is_carried, FT_FIELD_U8),
};
static const struct ft_record_type pair_type = FT_RECORD_TYPE(pair_row, pair_fields);

static int write_tables(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    size_t count = 0, at = 0;
    for (size_t s = 0; s < entry->size_count; s++)
        count += entry->pairs[s].count;
    struct pair_row *rows = calloc(count + 1, sizeof *rows);
    struct ft_histogram *histograms = calloc(count + 1, sizeof *histograms); /* borrowed bins */
    int status = rows && histograms ? FT_OK : ft_fail_memory(diag, "pairs of references");
    for (size_t s = 0; !status && s < entry->size_count; s++)
        for (size_t i = 0; i < entry->pairs[s].count; i++, at++) {
            const struct ft_reuse_pair *pair = &entry->pairs[s].pairs[i];
            rows[at] = (struct pair_row){(uint32_t)s, pair->sink, pair->source, pair->scope,
                                         pair->is_carried};
            histograms[at] = entry->pairs[s].histograms[i];
        }
    if (!status)
        status = ft_records_write(group, "pairs", &pair_type, rows, count, diag);
    if (!status)
        status = ft_histogram_tables_write(group, histograms, count, diag);
    free(rows);
    free(histograms);
    return status;
}

int ft_reuse_pairs_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    hid_t inside;
    FT_TRY(ft_result_group_create(group, "pairs", &inside, diag));
    int status = write_tables(inside, entry, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group 'pairs' cannot be written");
    return status;
}

static struct ft_reuse_pair pair_of(const struct pair_row *row)
{
    return (struct ft_reuse_pair){row->sink, row->source, row->scope, row->is_carried != 0};
}

/* Whether a row may follow the one before it. */
static bool is_in_order(const struct pair_row *row, const struct pair_row *before)
{
    const struct ft_reuse_pair a = pair_of(before), b = pair_of(row);
    return before->size < row->size ||
           (before->size == row->size && ft_reuse_pair_compare(&a, &b) < 0);
}

static int check_row(const struct ft_histograms *entry, const struct pair_row *rows, size_t i,
                     const struct ft_histogram *histogram, struct ft_diag *diag)
{
    const struct pair_row *row = &rows[i];
    bool is_cold = row->source == FT_NO_SOURCE;
    if (row->size >= entry->size_count || row->sink >= entry->reference_count ||
        (!is_cold && row->source >= entry->reference_count))
        return ft_fail(diag, FT_ERROR_DATA, "pair %zu: no such reference", i);
    const bool has_scope = row->scope != FT_NO_SCOPE && row->scope != FT_OTHER_THREAD;
    if (has_scope ? row->scope >= entry->scopes.scope_count : row->is_carried)
        return ft_fail(diag, FT_ERROR_DATA, "pair %zu: no such carrying scope", i);
    if (is_cold && row->scope != FT_NO_SCOPE)
        return ft_fail(diag, FT_ERROR_DATA, "pair %zu: cold touches with a carrying scope", i);
    if (i > 0 && !is_in_order(row, row - 1))
        return ft_fail(diag, FT_ERROR_DATA, "pair %zu is out of order", i);
    if (is_cold ? histogram->bin_count > 0 : histogram->cold > 0)
        return ft_fail(diag, FT_ERROR_DATA, "pair %zu: only cold touches have no source", i);
    return FT_OK;
}

/* Moves the histograms of the rows from `first` on that are of one size. */
static int take_size(struct ft_reuse_pairs *pairs, const struct pair_row *rows,
                     struct ft_histogram *histograms, size_t count, struct ft_diag *diag)
{
    pairs->pairs = malloc((count + 1) * sizeof *pairs->pairs);
    pairs->histograms = calloc(count + 1, sizeof *pairs->histograms);
    if (!pairs->pairs || !pairs->histograms)
        return ft_fail_memory(diag, "pairs of references");
    for (size_t i = 0; i < count; i++) {
        pairs->pairs[i] = pair_of(&rows[i]);
        pairs->histograms[i] = histograms[i];
        histograms[i] = (struct ft_histogram){0};
    }
    pairs->count = count;
    return FT_OK;
}

static int read_tables(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct pair_row *rows = NULL;
    struct ft_histogram *histograms = NULL;
    size_t count = 0;
    int status = ft_records_read(group, "pairs", &pair_type, (void **)&rows, &count, diag);
    if (!status)
        status = ft_histogram_tables_read(group, count, &histograms, diag);
    entry->pairs = calloc(entry->size_count + 1, sizeof *entry->pairs);
    if (!status && !entry->pairs)
        status = ft_fail_memory(diag, "pairs of references");
    for (size_t i = 0; !status && i < count; i++)
        status = check_row(entry, rows, i, &histograms[i], diag);
    for (size_t s = 0, first = 0; !status && s < entry->size_count; s++) {
        size_t end = first;
        while (end < count && rows[end].size == s)
            end++;
        status = take_size(&entry->pairs[s], rows + first, histograms + first, end - first, diag);
        first = end;
    }
    ft_histogram_array_free(histograms, histograms ? count : 0);
    free(rows);
    return status;
}

int ft_reuse_pairs_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    hid_t inside = H5Gopen2(group, "pairs", H5P_DEFAULT);
    int status = inside < 0 ? ft_fail(&inner, FT_ERROR_DATA, "it cannot be opened")
                            : read_tables(inside, entry, &inner);
    if (inside >= 0)
        H5Gclose(inside);
    return status ? ft_fail(diag, status, "pairs: %s", inner.message) : FT_OK;
}
