/*
 * The tokens of a skeleton with the ids that the same code has in another one of the same program:
 * references, loops and routines by their places in modules, which are known by name. Code that the
 * other does not have gets ids beyond all of its own.
 */
#ifndef FT_FIT_SKELETONS_SAME_CODE_H
#define FT_FIT_SKELETONS_SAME_CODE_H

#include "formats/skeleton/skeleton.h"

/* An irregular loop of a skeleton. */
struct ft_renamed_loop {
    uint32_t id;      /* in the other; beyond its ids where it has none */
    uint64_t context; /* (engine/skeleton/irregular_search.h), by the other's ids */
    uint32_t **paths; /* [path]: its tokens */
    size_t path_count;
};

struct ft_renamed_thread {
    uint32_t *tokens; /* of the nest */
    struct ft_renamed_loop *loops;
    size_t loop_count;
};
void ft_renamed_thread_fini(struct ft_renamed_thread *renamed);

/* FT_ERROR_DATA where the modules differ, so that places mean nothing. */
int ft_skeleton_rename(const struct ft_skeleton *skeleton, uint32_t thread,
                       const struct ft_skeleton *of, struct ft_renamed_thread *ret_renamed,
                       struct ft_diag *diag);

#endif
