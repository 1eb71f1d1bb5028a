/*
 * Where a nest makes its accesses: the loops around each, by how many bytes it moves in them, how
 * often it is made. Of trip counts and strides that change with the iterations of other loops it
 * has those of the first iterations. Plain data, owned.
 */
#ifndef FT_PREDICT_EXPLAIN_NEST_SITES_H
#define FT_PREDICT_EXPLAIN_NEST_SITES_H

#include "formats/skeleton/skeleton.h"

#define FT_SITE_LOOPS_MAX 8U

struct ft_site_loop {
    uint32_t scope;
    uint64_t iterations; /* per entry */
    int64_t stride_bytes;
};

struct ft_nest_site {
    uint32_t reference;
    uint64_t place;  /* of the first access (formats/skeleton/places.h) */
    double accesses; /* in all */
    unsigned loop_count;
    struct ft_site_loop loops[FT_SITE_LOOPS_MAX]; /* the innermost first; without those of one
                                                     iteration */
};

struct ft_nest_sites {
    struct ft_nest_site *sites; /* in the order of the nest; those that are made */
    size_t count, capacity;
};

/* nest: of the skeleton's first thread, or of another size with the same tokens. */
int ft_nest_sites_find(const struct ft_nest *nest, const struct ft_skeleton *skeleton,
                       struct ft_nest_sites *ret_sites, struct ft_diag *diag);
void ft_nest_sites_fini(struct ft_nest_sites *sites);

/* The loop of that scope around a site; NULL: there is none. */
const struct ft_site_loop *ft_site_loop_of(const struct ft_nest_site *site, uint32_t scope);

#endif
