/*
 * `verify` of a histogram file: everything read and each trace's results checked for conservation
 * (formats/histograms/conservation.h).
 */
#ifndef FT_FORMATS_COMMANDS_VERIFY_HISTOGRAMS_H
#define FT_FORMATS_COMMANDS_VERIFY_HISTOGRAMS_H

#include "formats/cli/table.h"

struct ft_verified_histograms {
    size_t trace_count, with_totals;
    struct ft_table *table; /* what each trace holds at each block size; the caller's */
};

int ft_verify_histograms(const char *path, struct ft_verified_histograms *ret_verified,
                         struct ft_diag *diag);

#endif
