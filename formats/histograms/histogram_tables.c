/*
 * The bins of all histograms are in one table, one histogram after the other; a second table has
 * the number of bins of each. What is read is checked here, so that no user need check a bin or a
 * sum.
 */
#include "formats/histograms/histogram_tables.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"

struct histogram_row {
    uint64_t touches, cold, bin_count;
};

static const struct ft_field histogram_fields[] = {
    FT_FIELD(histogram_row, touches, FT_FIELD_U64),
    FT_FIELD(histogram_row, cold, FT_FIELD_U64),
    FT_FIELD(histogram_row, bin_count, FT_FIELD_U64),
};
static const struct ft_field bin_fields[] = {
    FT_FIELD(ft_bin, bin, FT_FIELD_U32),
    FT_FIELD(ft_bin, count, FT_FIELD_U64),
    FT_FIELD(ft_bin, distance_sum, FT_FIELD_U64),
};
static const struct ft_record_type histogram_type = FT_RECORD_TYPE(histogram_row, histogram_fields);
static const struct ft_record_type bin_type = FT_RECORD_TYPE(ft_bin, bin_fields);

int ft_histogram_tables_write(hid_t group, const struct ft_histogram *histograms, size_t count,
                              struct ft_diag *diag)
{
    size_t bin_count = 0;
    for (size_t i = 0; i < count; i++)
        bin_count += histograms[i].bin_count;
    struct histogram_row *rows = calloc(count + 1, sizeof *rows);
    struct ft_bin *bins = calloc(bin_count + 1, sizeof *bins);
    int status = FT_OK;
    if (!rows || !bins)
        status = ft_fail_memory(diag, "histograms");
    size_t at = 0;
    for (size_t i = 0; !status && i < count; i++) {
        const struct ft_histogram *histogram = &histograms[i];
        rows[i] = (struct histogram_row){histogram->touches, histogram->cold, histogram->bin_count};
        if (histogram->bin_count)
            memcpy(bins + at, histogram->bins, histogram->bin_count * sizeof *bins);
        at += histogram->bin_count;
    }
    if (!status)
        status = ft_records_write(group, "histograms", &histogram_type, rows, count, diag);
    if (!status)
        status = ft_records_write(group, "bins", &bin_type, bins, bin_count, diag);
    free(rows);
    free(bins);
    return status;
}

/* Whether the bins ascend, and counts and sums can belong to them. */
static bool is_sound(const struct ft_histogram *histogram)
{
    uint64_t touches = histogram->cold;
    for (size_t i = 0; i < histogram->bin_count; i++) {
        const struct ft_bin *bin = &histogram->bins[i];
        if (bin->bin >= FT_BIN_COUNT || (i && bin->bin <= bin[-1].bin) || bin->count == 0 ||
            __builtin_add_overflow(touches, bin->count, &touches))
            return false;
        uint64_t mean = bin->distance_sum / bin->count;
        uint64_t high = ft_bin_high(bin->bin);
        if (mean < ft_bin_low(bin->bin) || mean > high ||
            (mean == high && bin->distance_sum % bin->count))
            return false;
    }
    return touches == histogram->touches;
}

/* Gives each histogram its part of the table of bins. */
static int share_bins(struct ft_histogram *histograms, size_t count,
                      const struct histogram_row *rows, const struct ft_bin *bins, size_t bin_count,
                      struct ft_diag *diag)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        struct ft_histogram *histogram = &histograms[i];
        if (rows[i].bin_count > bin_count - at)
            return ft_fail(diag, FT_ERROR_DATA, "histogram %zu: its bins are missing", i);
        histogram->touches = rows[i].touches;
        histogram->cold = rows[i].cold;
        if (rows[i].bin_count) {
            histogram->bins = malloc(rows[i].bin_count * sizeof *bins);
            if (!histogram->bins)
                return ft_fail_memory(diag, "a histogram");
            histogram->bin_count = rows[i].bin_count;
            memcpy(histogram->bins, bins + at, histogram->bin_count * sizeof *bins);
        }
        at += histogram->bin_count;
        if (!is_sound(histogram))
            return ft_fail(diag, FT_ERROR_DATA,
                           "histogram %zu: its totals and bins are inconsistent", i);
    }
    return at == bin_count ? FT_OK
                           : ft_fail(diag, FT_ERROR_DATA, "%zu bins, expected %zu", bin_count, at);
}

int ft_histogram_tables_read(hid_t group, size_t count, struct ft_histogram **ret_histograms,
                             struct ft_diag *diag)
{
    struct histogram_row *rows = NULL;
    struct ft_bin *bins = NULL;
    struct ft_histogram *histograms = NULL;
    size_t bin_count = 0;
    int status =
        ft_records_read_exactly(group, "histograms", &histogram_type, count, (void **)&rows, diag);
    if (!status)
        status = ft_records_read(group, "bins", &bin_type, (void **)&bins, &bin_count, diag);
    if (!status) {
        histograms = calloc(count + 1, sizeof *histograms);
        status = histograms ? share_bins(histograms, count, rows, bins, bin_count, diag)
                            : ft_fail_memory(diag, "histograms");
    }
    free(rows);
    free(bins);
    if (status)
        ft_histogram_array_free(histograms, count);
    else
        *ret_histograms = histograms;
    return status;
}
