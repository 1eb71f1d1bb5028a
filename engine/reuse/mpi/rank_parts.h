/*
 * How the ranks of an MPI job share a replay: each takes about as much work, of all traces one
 * behind the other, and replays them to pieces (pieces.h). Rank 0 gathers these and joins
 * them, as it does after an interruption.
 */
#ifndef FT_ENGINE_REUSE_MPI_RANK_PARTS_H
#define FT_ENGINE_REUSE_MPI_RANK_PARTS_H

#include "engine/reuse/mpi/ranks.h"
#include "engine/reuse/work/replay_options.h"

/* What a rank has of a trace, and, at rank 0 once it is gathered, what it took all of them. */
struct ft_rank_part {
    struct ft_work_range work;
    double seconds;        /* of CPU, summed up */
    uint64_t memory_bytes; /* at most, of one rank */
};

/* parts: one for each trace; in .work the work of the whole trace, of which this rank's part is
 * left. */
void ft_rank_parts_share(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count);
/* Moves the pieces of all ranks to rank 0. sizes: all of them. */
int ft_rank_parts_gather(const struct ft_ranks *ranks, struct ft_rank_part *parts, size_t count,
                         const struct ft_block_sizes *sizes, struct ft_checkpoint_pieces *kept,
                         struct ft_diag *diag);

#endif
