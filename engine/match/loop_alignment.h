/*
 * Aligns the loops directly inside a routine or loop with those inside its match in another build:
 * in source order, which an edit rarely changes, matching as many as possible.
 *
 * Two loops may match if the same routines were inlined around them in the same file (or each in
 * its routine's file, if that was renamed), and they start on the same line, absolute or relative
 * to the routine; or if they have the same nest inside and the same number of lines, give or take
 * one. Given a choice, the same line counts for more than the same shape. Loops without lines may
 * match if they have the same nest inside and are equally frequent in both builds.
 */
#ifndef FT_ENGINE_MATCH_LOOP_ALIGNMENT_H
#define FT_ENGINE_MATCH_LOOP_ALIGNMENT_H

#include "engine/match/scope_locations.h"

struct ft_loop_list {
    const struct ft_scope_locations *locations;
    uint32_t *scopes; /* sorted by the call */
    size_t count;
    uint32_t *alike; /* the callee's: how many loops without lines have the shape of each */
};

struct ft_aligned_loops {
    uint32_t scopes[2];
    bool same_line;
};

/* ret_pairs: malloc'ed. */
int ft_loops_align(struct ft_loop_list lists[2], struct ft_aligned_loops **ret_pairs,
                   size_t *ret_count, struct ft_diag *diag);

#endif
