/*
 * `verify` of a histogram file: everything read and each trace's results checked for conservation
 * (formats/histograms/conservation.h).
 */
#ifndef FT_FORMATS_COMMANDS_VERIFY_HISTOGRAMS_H
#define FT_FORMATS_COMMANDS_VERIFY_HISTOGRAMS_H

#include "formats/histograms/histograms.h"

struct ft_verified_histograms {
    struct ft_histogram_file file;
    size_t with_totals; /* entries */
};

int ft_verify_histograms(const char *path, struct ft_verified_histograms *ret_verified,
                         struct ft_diag *diag);
void ft_verified_histograms_fini(struct ft_verified_histograms *verified);

/* What each trace holds at each block size. */
int ft_verified_histograms_print(const char *path, const struct ft_verified_histograms *verified,
                                 struct ft_diag *diag);
int ft_verified_histograms_print_json(const char *path,
                                      const struct ft_verified_histograms *verified,
                                      struct ft_diag *diag);

#endif
