/*
 * What is measured of one group at one block size and one training size: its histogram as a curve
 * of distance over rank. Touches are sorted by distance and numbered from 0 ("rank"); a range of
 * ranks has a mean distance, exact as far as the histogram's bins are (histograms.h). Real-valued
 * ranks may cut a bin: both parts then have its mean. Cold touches stand apart.
 */
#ifndef FT_FIT_METHODS_PROFILE_H
#define FT_FIT_METHODS_PROFILE_H

#include "formats/histograms/histograms.h"

struct ft_profile {
    uint64_t cold;
    double touches;           /* warm ones: the end of the ranks */
    size_t atom_count;        /* bins with touches */
    double *distances_blocks; /* [atom_count]: their mean distances, rising */
    double *ranks;            /* [atom_count + 1]: rank of each atom's first touch, then the end */
    double *sums;             /* [atom_count + 1]: sum of distances before each atom */
};

/* The sum of histograms. */
int ft_profile_init(struct ft_profile *profile, const struct ft_histogram *const *histograms,
                    size_t count, struct ft_diag *diag);
void ft_profile_fini(struct ft_profile *profile);

/* The atom that holds a rank in [0, touches). */
size_t ft_profile_atom(const struct ft_profile *profile, double rank);
/* Mean distance of the ranks [begin, end), begin < end. */
double ft_profile_mean(const struct ft_profile *profile, double begin, double end);
/* The same for ranges that follow one another: *atom is that of their beginning or one before, 0 at
 * first, and then that of the end. */
double ft_profile_next_mean(const struct ft_profile *profile, double begin, double end,
                            size_t *atom);
/* The rank of the first touch at or beyond a distance. */
double ft_profile_rank(const struct ft_profile *profile, double distance_blocks);

#endif
