#include "formats/histograms/data_histograms.h"

#include <stdlib.h>

void ft_data_histograms_free(struct ft_data_histograms *data, size_t size_count)
{
    if (!data)
        return;
    for (size_t i = 0; i < data->item_count; i++) {
        free(data->items[i].kind);
        free(data->items[i].name);
        free(data->items[i].file);
    }
    free(data->items);
    free(data->parts);
    ft_histogram_array_free(data->histograms, data->part_count * size_count);
    free(data);
}

int ft_data_histograms_of_items(const struct ft_data_histograms *data, size_t size_count,
                                size_t size, struct ft_histogram **ret_histograms,
                                struct ft_diag *diag)
{
    struct ft_histogram *sums = calloc(data->item_count + 1, sizeof *sums);
    int status = sums ? FT_OK : ft_fail_memory(diag, "the histograms of data");
    for (size_t p = 0; !status && p < data->part_count; p++)
        status = ft_histogram_add(&sums[data->parts[p].object],
                                  &data->histograms[p * size_count + size], diag);
    if (status)
        ft_histogram_array_free(sums, sums ? data->item_count : 0);
    else
        *ret_histograms = sums;
    return status;
}
