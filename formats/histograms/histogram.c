#include "formats/histograms/histogram.h"

#include <stdlib.h>

void ft_histogram_array_free(struct ft_histogram *histograms, size_t count)
{
    for (size_t i = 0; histograms && i < count; i++)
        free(histograms[i].bins);
    free(histograms);
}

bool ft_histogram_is_same(const struct ft_histogram *a, const struct ft_histogram *b)
{
    bool same = a->touches == b->touches && a->cold == b->cold && a->bin_count == b->bin_count;
    for (size_t i = 0; same && i < a->bin_count; i++)
        same = a->bins[i].bin == b->bins[i].bin && a->bins[i].count == b->bins[i].count &&
               a->bins[i].distance_sum == b->bins[i].distance_sum;
    return same;
}

int ft_histogram_add(struct ft_histogram *sum, const struct ft_histogram *histogram,
                     struct ft_diag *diag)
{
    size_t max = sum->bin_count + histogram->bin_count, count = 0;
    struct ft_bin *bins = malloc((max + 1) * sizeof *bins);
    if (!bins)
        return ft_fail_memory(diag, "a histogram");
    for (size_t i = 0, j = 0; i < sum->bin_count || j < histogram->bin_count;) {
        bool ends = j >= histogram->bin_count;
        bool is_of_sum = i < sum->bin_count && (ends || sum->bins[i].bin <= histogram->bins[j].bin);
        bins[count] = is_of_sum ? sum->bins[i++] : histogram->bins[j++];
        if (is_of_sum && !ends && histogram->bins[j].bin == bins[count].bin) {
            bins[count].count += histogram->bins[j].count;
            bins[count].distance_sum += histogram->bins[j++].distance_sum;
        }
        count++;
    }
    free(sum->bins);
    sum->bins = bins;
    sum->bin_count = count;
    sum->touches += histogram->touches;
    sum->cold += histogram->cold;
    return FT_OK;
}
