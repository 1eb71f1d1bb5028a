/*
 * The state of a `replay --checkpoint FILE`: the hashes of the traces, the options, and the pieces
 * replayed so far. It is saved at intervals, and on SIGTERM and SIGINT; the same command resumes
 * from the file, and removes it once it has finished. Options that do not change the result, such
 * as the number of threads, may differ. If a state cannot be written, the previous file stays
 * intact.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_CHECKPOINT_H
#define FT_ENGINE_REUSE_CHECKPOINT_CHECKPOINT_H

#include "engine/reuse/checkpoint/pieces.h"

struct ft_checkpoint {
    const char *path;    /* borrowed */
    const char *options; /* borrowed: those that the result depends on */
    char **hashes;       /* [trace_count], NULL for traces not opened yet */
    size_t trace_count;
    struct ft_checkpoint_pieces kept;
};

/* Loads the file, if it exists; sizes: of the whole replay. */
int ft_checkpoint_open(struct ft_checkpoint *checkpoint, const char *path, const char *options,
                       size_t trace_count, const struct ft_block_sizes *sizes,
                       struct ft_diag *diag);
/* Records the hash of a trace, which must equal that in the checkpoint. Any thread, once per
 * trace. */
int ft_checkpoint_meet(struct ft_checkpoint *checkpoint, size_t trace, const char *hash,
                       struct ft_diag *diag);
int ft_checkpoint_save(const struct ft_checkpoint *checkpoint, struct ft_diag *diag);
/* Removes the file, which is no longer needed. */
void ft_checkpoint_remove(const struct ft_checkpoint *checkpoint);
void ft_checkpoint_fini(struct ft_checkpoint *checkpoint);

#endif
