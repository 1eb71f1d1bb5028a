/*
 * A thread's nest with more of its loops irregular, as if that had been known when it was built:
 * what is in them is summed up, and the loops around them are folded again. Likewise with loops
 * whose runs are kept (cycles.h), with such in which something else was put in its place, and with
 * loops that are cut (iteration_cut.h).
 */
#ifndef FT_ENGINE_SKELETON_REFOLDING_H
#define FT_ENGINE_SKELETON_REFOLDING_H

#include "engine/skeleton/loop_cuts.h"
#include "formats/skeleton/skeleton.h"

struct ft_refolding {
    const struct ft_thread_skeleton *thread;
    uint32_t reference_count;
    size_t routine_count;
    /* Contexts (irregular_search.h) of the loops that become irregular, by these tokens, which may
     * have other ids than the nest's. */
    const uint32_t *names;
    const uint64_t *contexts;
    size_t context_count;
    const uint64_t *kept_runs; /* likewise, of the loops whose runs are kept */
    size_t kept_run_count;
    const bool *is_run; /* [token of the nest]: other loops that are folded again; NULL: none */
    struct ft_loop_cut *cuts; /* likewise, of those whose iterations are cut */
    size_t cut_count;
    bool only_cuts; /* what is outside of these is left out, but for what is around them */
};
/* Whether one of the loops that become irregular is in the nest. */
bool ft_nest_must_refold(const struct ft_refolding *refolding);
/* ret_thread: the caller's; its irregular loops are those of the thread, then the new ones. */
int ft_nest_refold(const struct ft_refolding *refolding, struct ft_thread_skeleton *ret_thread,
                   struct ft_diag *diag);

#endif
