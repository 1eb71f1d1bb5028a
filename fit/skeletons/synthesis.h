/*
 * The accesses of a program at a size, made from its skeleton over sizes; and how much of it is
 * known there. What was recorded one by one, and loops without laws, are as at the largest training
 * size. Irregular loops are drawn at random, by a fixed seed, or make no accesses.
 */
#ifndef FT_FIT_SKELETONS_SYNTHESIS_H
#define FT_FIT_SKELETONS_SYNTHESIS_H

#include "engine/skeleton/placed_source.h"
#include "fit/skeletons/sized_skeleton.h"

struct ft_synthesis {
    const struct ft_sized_skeleton *sized; /* the caller's */
    struct ft_nest nest;
    struct ft_placed_block *blocks; /* [block, as the size numbers them] */
    uint32_t block_count;
    uint64_t unknown_cleared;    /* bytes that calloc clears or not (cleared_blocks.h) */
    struct ft_drawn_loop *drawn; /* [irregular loop] */
    double accesses_max;  /* from which on its sources fail (limited_source.h); at first INFINITY */
    double simulated_max; /* accesses that may be simulated one by one, likewise */
};
int ft_synthesis_init(const struct ft_sized_skeleton *sized, double size,
                      struct ft_synthesis *ret_synthesis, struct ft_diag *diag);
void ft_synthesis_fini(struct ft_synthesis *synthesis);
#define FT_SYNTHESIS_SEED 1U /* of what is drawn */
struct ft_places ft_synthesis_places(const struct ft_synthesis *synthesis);
/* All accesses, as often as asked; references are those of the largest training size. */
int ft_synthesis_source(const struct ft_synthesis *synthesis, struct ft_run_source **ret_source,
                        struct ft_diag *diag);

/* Of a scope, exclusive. */
struct ft_synthetic_share {
    double accesses;
    double sized;     /* that follow laws */
    double single;    /* outside of loops, without a law: as recorded */
    double recorded;  /* in loops without laws: as they were */
    double drawn;     /* in irregular loops that are drawn at random */
    double cut;       /* of these, of loops that are cut: how often is known */
    double irregular; /* left out */
};
/* At the largest training size. ret_shares: [scope]. */
int ft_synthetic_shares(const struct ft_sized_skeleton *sized,
                        struct ft_synthetic_share *ret_shares, struct ft_diag *diag);
/* Of the whole program. */
int ft_synthetic_share_sum(const struct ft_sized_skeleton *sized,
                           struct ft_synthetic_share *ret_sum, struct ft_diag *diag);
/* Of the accesses that are made, but for those that are drawn. */
int ft_synthesis_shares(const struct ft_synthesis *synthesis, struct ft_synthetic_share *ret_shares,
                        struct ft_diag *diag);

#endif
