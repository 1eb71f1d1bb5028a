#include "formats/commands/distances_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/sparkline.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"

#define SHOWN       10U
#define BAR_OCTAVES 2U /* a bar of a sparkline: distances up to four times the one before */
#define BARS_MAX    (FT_BIN_COUNT / FT_BINS_PER_OCTAVE / BAR_OCTAVES + 2)
#define MATTERS     1e-3 /* of all reuses: the farthest bar that has so many is the last */

/* Touches of each scope with the scopes in it; NULL: out of memory. */
static double *count_touches(const struct ft_histograms *entry, size_t size)
{
    double *touches = calloc(entry->scopes.scope_count + 1, sizeof *touches);
    for (size_t r = 0; touches && r < entry->reference_count; r++)
        touches[entry->scopes.references[r].scope] +=
            (double)entry->histograms[r * entry->size_count + size].touches;
    if (touches)
        ft_scopes_add_nested(&entry->scopes, touches, 1);
    return touches;
}

static double reuses_of(const struct ft_histogram *histogram)
{
    return (double)(histogram->touches - histogram->cold);
}

/* Bar 0: distance 0, which one block suffices for; bar k: what 4^k blocks do. */
static size_t bar_of(uint32_t bin)
{
    const uint64_t blocks = ft_bin_low(bin) + 1;
    const unsigned octaves = blocks > 1 ? 64U - (unsigned)__builtin_clzll(blocks - 1) : 0;
    return (octaves + BAR_OCTAVES - 1) / BAR_OCTAVES;
}

static void fill_bars(const struct ft_histogram *histogram, double bars[BARS_MAX])
{
    memset(bars, 0, BARS_MAX * sizeof *bars);
    for (size_t i = 0; i < histogram->bin_count; i++)
        bars[bar_of(histogram->bins[i].bin)] += (double)histogram->bins[i].count;
}

/* How many bars are worth it. */
static size_t count_bars(const struct ft_histogram *histogram)
{
    double bars[BARS_MAX];
    const double least = MATTERS * reuses_of(histogram);
    size_t count = BARS_MAX;
    fill_bars(histogram, bars);
    while (count > 1 && bars[count - 1] <= least)
        count--;
    return count;
}

/* The capacity in bytes that a share of the reuses hit in. */
static void capacity_cell(struct ft_table *table, const struct ft_histogram *histogram,
                          uint64_t block_bytes, double share)
{
    const double wanted = share * reuses_of(histogram);
    double sum = 0;
    size_t i = 0;
    if (histogram->bin_count == 0) {
        ft_table_empty(table);
        return;
    }
    while (i + 1 < histogram->bin_count && (sum += (double)histogram->bins[i].count) < wanted)
        i++;
    ft_table_bytes(table, ((double)ft_bin_high(histogram->bins[i].bin) + 1) * (double)block_bytes);
}

static void histogram_cells(struct ft_table *table, const struct ft_histogram *histogram,
                            uint64_t block_bytes, size_t bar_count)
{
    double bars[BARS_MAX];
    char text[FT_SPARKLINE_TEXT(BARS_MAX)];
    const double touches = (double)histogram->touches;
    fill_bars(histogram, bars);
    ft_table_count(table, touches);
    ft_table_text(table, ft_sparkline(text, bars, bar_count));
    capacity_cell(table, histogram, block_bytes, 0.5);
    capacity_cell(table, histogram, block_bytes, 0.9);
    ft_table_share(table, touches > 0 ? (double)histogram->cold / touches : 0);
}

/* The columns; how many bars the program's histogram has. */
static int add_columns(struct ft_table *table, const struct ft_histograms *entry, size_t size,
                       size_t *ret_bar_count, struct ft_diag *diag)
{
    const double block_bytes = (double)entry->block_bytes[size];
    char nearest[FT_NUMBER_TEXT], farthest[FT_NUMBER_TEXT], title[2 * FT_NUMBER_TEXT + 8];
    struct ft_histogram program;
    const int status = ft_histograms_of_scope(entry, size, 0, &program, diag);
    *ret_bar_count = status == FT_OK ? count_bars(&program) : 0;
    free(program.bins);
    FT_TRY(status);
    snprintf(
        title, sizeof title, "%s to %s", ft_text_bytes(nearest, block_bytes),
        ft_text_bytes(farthest, ldexp(block_bytes, (int)(BAR_OCTAVES * (*ret_bar_count - 1)))));
    ft_scope_columns(table, false);
    ft_table_column(table, "touches", "touches", true);
    ft_table_column(table, title, "distances", false);
    ft_table_column(table, "half hit in", "half", true);
    ft_table_column(table, "90 % in", "most", true);
    ft_table_column(table, "first touches", "cold", true);
    return FT_OK;
}

static int add_rows(struct ft_table *table, const struct ft_histograms *entry, size_t size,
                    const uint32_t *list, size_t count, struct ft_diag *diag)
{
    size_t bar_count;
    FT_TRY(add_columns(table, entry, size, &bar_count, diag));
    for (size_t i = 0; i < count; i++) {
        struct ft_histogram histogram;
        const int status = ft_histograms_of_scope(entry, size, list[i], &histogram, diag);
        if (status == FT_OK) {
            ft_scope_cells(table, false, &entry->scopes, list[i]);
            histogram_cells(table, &histogram, entry->block_bytes[size], bar_count);
        }
        free(histogram.bins);
        FT_TRY(status);
    }
    return FT_OK;
}

static int print_table(const struct ft_histograms *entry, size_t size, const uint32_t *list,
                       size_t count, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    int status = add_rows(table, entry, size, list, count, diag);
    if (status == FT_OK) {
        ft_print_wrapped(
            stream, 0,
            "\nReuses by the capacity of an LRU cache that they hit in, a bar for each "
            "factor of four\n\n");
        status = ft_table_write(table, stream, false, diag);
    }
    ft_table_destroy(table);
    return status;
}

int ft_distances_print(const struct ft_histograms *entry, FILE *stream, struct ft_diag *diag)
{
    const size_t size = ft_histograms_shown_size(entry);
    double *touches = count_touches(entry, size);
    uint32_t *list = NULL;
    size_t count = 0;
    int status = touches ? ft_scopes_select(&entry->scopes, touches, SHOWN, &list, &count, diag)
                         : ft_fail_memory(diag, "reuse distances");
    if (status == FT_OK && count > 0)
        status = print_table(entry, size, list, count, stream, diag);
    free(list);
    free(touches);
    return status;
}
