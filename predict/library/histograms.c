#include <math.h>
#include <stdlib.h>

#include "formats/histograms/histograms.h"
#include "predict/library/shared.h"

struct foretrace_histograms {
    struct ft_histogram_file file;
    struct foretrace_bin bins[FT_BIN_COUNT]; /* that were read last */
};

int foretrace_histograms_open(const char *path, struct foretrace_histograms **ret_histograms,
                              struct foretrace_error *error)
{
    struct ft_diag diag;
    struct foretrace_histograms *histograms = calloc(1, sizeof *histograms);
    int status = histograms ? ft_histogram_file_read(path, &histograms->file, &diag)
                            : ft_fail_memory(&diag, path);
    if (status != FT_OK) {
        free(histograms);
        return ft_library_fail(error, status, &diag);
    }
    *ret_histograms = histograms;
    return FORETRACE_OK;
}

void foretrace_histograms_close(struct foretrace_histograms *histograms)
{
    if (!histograms)
        return;
    ft_histogram_file_fini(&histograms->file);
    free(histograms);
}

size_t foretrace_histograms_entry_count(const struct foretrace_histograms *histograms)
{
    return histograms->file.count;
}

int foretrace_histograms_parameter(const struct foretrace_histograms *histograms, size_t entry,
                                   const char *name, double *ret_value,
                                   struct foretrace_error *error)
{
    return ft_library_parameter(&histograms->file.entries[entry].metadata, name, ret_value, error);
}

size_t foretrace_histograms_block_sizes(const struct foretrace_histograms *histograms, size_t entry,
                                        const uint64_t **ret_block_bytes)
{
    *ret_block_bytes = histograms->file.entries[entry].block_bytes;
    return histograms->file.entries[entry].size_count;
}

size_t foretrace_histograms_scope_count(const struct foretrace_histograms *histograms, size_t entry)
{
    return histograms->file.entries[entry].scopes.scope_count;
}

struct foretrace_scope foretrace_histograms_scope(const struct foretrace_histograms *histograms,
                                                  size_t entry, size_t scope)
{
    return ft_library_scope(&histograms->file.entries[entry].scopes, scope);
}

int foretrace_histograms_read(struct foretrace_histograms *histograms, size_t entry,
                              uint64_t block_bytes, size_t scope,
                              struct foretrace_histogram *ret_histogram,
                              struct foretrace_error *error)
{
    const struct ft_histograms *from = &histograms->file.entries[entry];
    struct ft_histogram sum = {0};
    struct ft_diag diag;
    const size_t size = ft_histograms_block_size(from, block_bytes);
    const int status =
        size < from->size_count
            ? ft_histograms_of_scope(from, size, (uint32_t)scope, &sum, &diag)
            : ft_fail(&diag, FT_ERROR_USAGE, "the trace was not replayed with blocks of %llu bytes",
                      (unsigned long long)block_bytes);
    if (status == FT_OK) {
        for (size_t i = 0; i < sum.bin_count; i++)
            histograms->bins[i] =
                (struct foretrace_bin){.low_blocks = ft_bin_low(sum.bins[i].bin),
                                       .high_blocks = ft_bin_high(sum.bins[i].bin),
                                       .touches = sum.bins[i].count,
                                       .distance_sum_blocks = sum.bins[i].distance_sum};
        *ret_histogram = (struct foretrace_histogram){.touches = sum.touches,
                                                      .cold = sum.cold,
                                                      .bin_count = sum.bin_count,
                                                      .bins = histograms->bins};
    }
    free(sum.bins);
    return status == FT_OK ? FORETRACE_OK : ft_library_fail(error, status, &diag);
}

double foretrace_histogram_misses(const struct foretrace_histogram *histogram,
                                  uint64_t capacity_blocks)
{
    const double capacity = (double)capacity_blocks;
    double misses = (double)histogram->cold;
    for (size_t i = 0; i < histogram->bin_count; i++) {
        const struct foretrace_bin *bin = &histogram->bins[i];
        const double low = (double)bin->low_blocks, end = (double)bin->high_blocks + 1;
        const double beyond = fmin(fmax((end - capacity) / (end - low), 0), 1);
        misses += beyond * (double)bin->touches;
    }
    return misses;
}
