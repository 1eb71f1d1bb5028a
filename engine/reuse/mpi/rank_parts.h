/*
 * How the ranks of an MPI job share a replay: each takes an equal share of the work, with all
 * traces laid end to end, and replays it into pieces (pieces.h). Rank 0 gathers and joins them, as
 * after an interruption.
 */
#ifndef FT_ENGINE_REUSE_MPI_RANK_PARTS_H
#define FT_ENGINE_REUSE_MPI_RANK_PARTS_H

#include "engine/reuse/mpi/ranks.h"
#include "engine/reuse/work/replay_options.h"

/* A rank's part of a trace; at rank 0, once gathered, with what all ranks spent on it. */
struct ft_rank_part {
    struct ft_work_range work;
    double seconds;        /* CPU time, summed over ranks */
    uint64_t memory_bytes; /* maximum over ranks */
};

/* parts: one per trace; .work is the work of the whole trace, and becomes that of this rank's
 * part. */
void ft_rank_parts_share(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count);
/* Moves the pieces of all ranks to rank 0. sizes: of the whole replay. */
int ft_rank_parts_gather(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count,
                         const struct ft_block_sizes *sizes, struct ft_checkpoint_pieces *kept,
                         struct ft_diag *diag);

#endif
