/*
 * The calls of a captured rank that take part in communication, with requests as small numbers: the
 * lowest that is free when a call makes one, 0 for none. So the same program numbers them alike on
 * all ranks, whatever handles its library gives.
 */
#ifndef FT_PREDICT_RANKS_LAWS_RANK_CALLS_H
#define FT_PREDICT_RANKS_LAWS_RANK_CALLS_H

#include "formats/trace/mpi_job.h"

struct ft_rank_call {
    const char *name;
    const struct ft_mpi_function *function;
    uint64_t communicator;             /* 0: none */
    uint64_t instructions;             /* since the call before it */
    size_t first_detail, detail_count; /* in details: pairs of a key and a value */
};

struct ft_rank_calls {
    const struct ft_mpi_rank *rank;
    struct ft_rank_call *items;
    size_t count, capacity;
    uint64_t *details;
    size_t detail_count, detail_capacity;
    uint64_t tail_instructions; /* behind the last */
};

/* FT_ERROR_DATA names trace, rank and call that cannot be simulated. */
int ft_rank_calls_read(const struct ft_mpi_rank *rank, struct ft_rank_calls *ret_calls,
                       struct ft_diag *diag);
void ft_rank_calls_fini(struct ft_rank_calls *calls);

/* The index-th value of a key; false: there are not so many. */
bool ft_rank_call_detail(const struct ft_rank_calls *calls, const struct ft_rank_call *call,
                         uint64_t key, size_t index, uint64_t *ret_value);

#endif
