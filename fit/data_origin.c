#include "fit/data_origin.h"

#include <stdlib.h>
#include <string.h>

#define SAME      1.01 /* largest over smallest count: what a longer environment changes */
#define SHARE_MAX 0.99 /* of the smallest training size */

/* Blocks of the smallest size that each group touches first at one training size. */
static void count_cold(const struct ft_match *match, const struct ft_histograms *entry, size_t size,
                       uint64_t *counts)
{
    memset(counts, 0, match->group_count * sizeof *counts);
    for (size_t reference = 0; reference < entry->reference_count; reference++) {
        const uint32_t group = match->group_of[size][reference];
        if (group != FT_NO_GROUP)
            counts[group] += entry->histograms[reference * entry->size_count].cold;
    }
}

int ft_data_origin(const struct ft_match *match, const struct ft_histograms *const *entries,
                   double *ret_bytes, struct ft_diag *diag)
{
    const size_t groups = match->group_count;
    uint64_t *least = malloc((3 * groups + 1) * sizeof *least);
    uint64_t *most = least + groups, *counts = most + groups, blocks = 0;
    if (!least)
        return ft_fail_memory(diag, "the data that do not grow");
    for (size_t size = 0; size < match->entry_count; size++) {
        count_cold(match, entries[size], size, counts);
        for (size_t group = 0; group < groups; group++) {
            if (size == 0 || counts[group] < least[group])
                least[group] = counts[group];
            if (size == 0 || counts[group] > most[group])
                most[group] = counts[group];
        }
    }
    for (size_t group = 0; group < groups; group++)
        if ((double)most[group] <= SAME * (double)least[group])
            blocks += least[group];
    const bool nothing_grows = (double)blocks > SHARE_MAX * (double)entries[0]->distinct_blocks[0];
    *ret_bytes = nothing_grows ? 0 : (double)(blocks * entries[0]->block_bytes[0]);
    free(least);
    return FT_OK;
}
