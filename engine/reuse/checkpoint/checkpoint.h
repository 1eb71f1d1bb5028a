/*
 * The state of a `replay --checkpoint FILE`: which traces, by their hashes, with which options, and
 * the pieces that were replayed. It is saved now and then, and at SIGTERM and ctrl-C; the same
 * command goes on from the file, and removes it when all is done. What does not change the result,
 * such as the number of processors, may be another. A state that cannot be written leaves the
 * former one as it was.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_CHECKPOINT_H
#define FT_ENGINE_REUSE_CHECKPOINT_CHECKPOINT_H

#include "engine/reuse/checkpoint/pieces.h"

struct ft_checkpoint {
    const char *path;    /* the caller's */
    const char *options; /* likewise: those that the result depends on */
    char **hashes;       /* [trace_count] of traces that were opened, or NULL */
    size_t trace_count;
    struct ft_checkpoint_pieces kept;
};

/* Goes on from the file, if it is there; sizes: of the whole replay. */
int ft_checkpoint_open(struct ft_checkpoint *checkpoint, const char *path, const char *options,
                       size_t trace_count, const struct ft_block_sizes *sizes,
                       struct ft_diag *diag);
/* Notes the hash of a trace, which must be that of before. By any thread, once for each trace. */
int ft_checkpoint_meet(struct ft_checkpoint *checkpoint, size_t trace, const char *hash,
                       struct ft_diag *diag);
int ft_checkpoint_save(const struct ft_checkpoint *checkpoint, struct ft_diag *diag);
/* Removes the file, which is no longer needed. */
void ft_checkpoint_remove(const struct ft_checkpoint *checkpoint);
void ft_checkpoint_fini(struct ft_checkpoint *checkpoint);

#endif
