/*
 * The loops directly inside one routine or loop, aligned with those inside of what it is in another
 * build: in the order of the source, which an edit does not change, as many as may be the same.
 *
 * Two may be the same if the same routines were inlined around them, in one file (or each in the
 * file of its routine, where that was renamed), and they begin with the same line, in the file or
 * from the start of their routine; or have the same loops inside and the same number of lines, one
 * more or less. Where there is a choice, the same line counts more than the same shape. Loops
 * without lines may be the same if they have the same loops inside, and both builds as many of
 * them.
 */
#ifndef FT_ENGINE_MATCH_LOOP_ALIGNMENT_H
#define FT_ENGINE_MATCH_LOOP_ALIGNMENT_H

#include "engine/match/scope_locations.h"

struct ft_loop_list {
    const struct ft_scope_locations *locations;
    uint32_t *scopes; /* sorted by the call */
    size_t count;
    uint32_t *alike; /* the call's: of each without lines, how many have its shape */
};

struct ft_aligned_loops {
    uint32_t scopes[2];
    bool same_line;
};

/* ret_pairs: malloc'ed. */
int ft_loops_align(struct ft_loop_list lists[2], struct ft_aligned_loops **ret_pairs,
                   size_t *ret_count, struct ft_diag *diag);

#endif
