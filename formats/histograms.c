#include "formats/histograms.h"

#include <stdlib.h>

void ft_histograms_fini(struct ft_histograms *histograms)
{
    if (histograms->histograms)
        for (size_t i = 0; i < histograms->reference_count * histograms->size_count; i++)
            free(histograms->histograms[i].bins);
    free(histograms->histograms);
    free(histograms->trace_hash);
    free(histograms->block_bytes);
    free(histograms->reference_accesses);
    free(histograms->reference_strides);
    free(histograms->distinct_blocks);
    *histograms = (struct ft_histograms){0};
}
