#include "formats/commands/distances_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/sparkline.h"
#include "formats/cli/table.h"
#include "formats/commands/scope_report.h"

#define SHOWN        10U
#define BAR_OCTAVES  2U /* a bar of a sparkline: distances up to four times the one before */
#define BARS_MAX     (FT_BIN_COUNT / FT_BINS_PER_OCTAVE / BAR_OCTAVES + 2)
#define MATTERS      1e-3 /* of all reuses: the farthest bar that has so many is the last */
#define COLUMN_COLD  FT_BIN_COUNT
#define COLUMN_COUNT (FT_BIN_COUNT + 1U)

/* Touches by bin of each scope and the scopes in it, and cold ones. */
static double *sum_scopes(const struct ft_histograms *entry, size_t size)
{
    double *rows = calloc(entry->scopes.scope_count * COLUMN_COUNT + 1, sizeof *rows);
    for (size_t r = 0; rows && r < entry->reference_count; r++) {
        const struct ft_histogram *histogram = &entry->histograms[r * entry->size_count + size];
        double *row = rows + entry->scopes.references[r].scope * COLUMN_COUNT;
        row[COLUMN_COLD] += (double)histogram->cold;
        for (size_t i = 0; i < histogram->bin_count; i++)
            row[histogram->bins[i].bin] += (double)histogram->bins[i].count;
    }
    if (rows)
        ft_scopes_add_nested(&entry->scopes, rows, COLUMN_COUNT);
    return rows;
}

static double reuses_of(const double *row)
{
    double reuses = 0;
    for (size_t bin = 0; bin < FT_BIN_COUNT; bin++)
        reuses += row[bin];
    return reuses;
}

/* Bar 0: distance 0, which one block suffices for; bar k: what 4^k blocks do. */
static size_t bar_of(uint32_t bin)
{
    const uint64_t blocks = ft_bin_low(bin) + 1;
    const unsigned octaves = blocks > 1 ? 64U - (unsigned)__builtin_clzll(blocks - 1) : 0;
    return (octaves + BAR_OCTAVES - 1) / BAR_OCTAVES;
}

static void fill_bars(const double *row, double bars[BARS_MAX])
{
    memset(bars, 0, BARS_MAX * sizeof *bars);
    for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++)
        bars[bar_of(bin)] += row[bin];
}

/* How many bars are worth it. */
static size_t count_bars(const double *row)
{
    double bars[BARS_MAX];
    const double least = MATTERS * reuses_of(row);
    size_t count = BARS_MAX;
    fill_bars(row, bars);
    while (count > 1 && bars[count - 1] <= least)
        count--;
    return count;
}

/* The capacity in bytes that a share of the reuses hit in. */
static void capacity_cell(struct ft_table *table, const double *row, uint64_t block_bytes,
                          double share)
{
    const double wanted = share * reuses_of(row);
    double sum = 0;
    uint32_t bin = 0;
    if (wanted == 0) {
        ft_table_empty(table);
        return;
    }
    while (bin + 1 < FT_BIN_COUNT && (sum += row[bin]) < wanted)
        bin++;
    ft_table_bytes(table, ((double)ft_bin_high(bin) + 1) * (double)block_bytes);
}

static void print_row(struct ft_table *table, const double *row, uint64_t block_bytes,
                      size_t bar_count)
{
    double bars[BARS_MAX];
    char text[FT_SPARKLINE_TEXT(BARS_MAX)];
    const double touches = row[COLUMN_COLD] + reuses_of(row);
    fill_bars(row, bars);
    ft_table_count(table, touches);
    ft_table_text(table, ft_sparkline(text, bars, bar_count));
    capacity_cell(table, row, block_bytes, 0.5);
    capacity_cell(table, row, block_bytes, 0.9);
    ft_table_share(table, touches > 0 ? row[COLUMN_COLD] / touches : 0);
}

static int print_rows(const struct ft_histograms *entry, size_t size, const double *rows,
                      const uint32_t *list, size_t count, FILE *stream, struct ft_diag *diag)
{
    const uint64_t block_bytes = entry->block_bytes[size];
    const size_t bar_count = count_bars(rows);
    char nearest[FT_NUMBER_TEXT], farthest[FT_NUMBER_TEXT], title[2 * FT_NUMBER_TEXT + 8];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    const double reach = ldexp((double)block_bytes, (int)(BAR_OCTAVES * (bar_count - 1)));
    snprintf(title, sizeof title, "%s to %s", ft_text_bytes(nearest, (double)block_bytes),
             ft_text_bytes(farthest, reach));
    ft_scope_columns(table, false);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, title, "distances", false);
    ft_table_column(table, "half hit in", "half", true);
    ft_table_column(table, "90 % in", "most", true);
    ft_table_column(table, "first touches", "cold", true);
    for (size_t i = 0; i < count; i++) {
        ft_scope_cells(table, false, &entry->scopes, list[i]);
        print_row(table, rows + list[i] * COLUMN_COUNT, block_bytes, bar_count);
    }
    fputs("\nReuses by the capacity of an LRU cache that they hit in, a bar for each factor of "
          "four\n\n",
          stream);
    const int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_distances_print(const struct ft_histograms *entry, FILE *stream, struct ft_diag *diag)
{
    const size_t scope_count = entry->scopes.scope_count, size = ft_histograms_shown_size(entry);
    double *rows = sum_scopes(entry, size), *weights = calloc(scope_count + 1, sizeof *weights);
    uint32_t *list = NULL;
    size_t count = 0;
    int status = rows && weights ? FT_OK : ft_fail_memory(diag, "reuse distances");
    for (size_t scope = 0; status == FT_OK && scope < scope_count; scope++)
        weights[scope] =
            rows[scope * COLUMN_COUNT + COLUMN_COLD] + reuses_of(rows + scope * COLUMN_COUNT);
    if (status == FT_OK)
        status = ft_scopes_select(&entry->scopes, weights, SHOWN, &list, &count, diag);
    if (status == FT_OK && count > 0)
        status = print_rows(entry, size, rows, list, count, stream, diag);
    free(list);
    free(weights);
    free(rows);
    return status;
}
