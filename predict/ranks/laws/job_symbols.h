/*
 * The calls of all captured ranks as symbols, one for each function and communicator, and the
 * shapes that they may have: each rank's calls are folded with and without their tags and peers,
 * and loops of few iterations are also unrolled.
 */
#ifndef FT_PREDICT_RANKS_LAWS_JOB_SYMBOLS_H
#define FT_PREDICT_RANKS_LAWS_JOB_SYMBOLS_H

#include "formats/base/hash_table.h"
#include "predict/ranks/laws/call_shape.h"
#include "predict/ranks/laws/rank_calls.h"
#include "predict/ranks/laws/value_rule.h"

struct ft_symbol_rank {
    struct ft_rank_calls calls;
    struct ft_value_source source;
    uint32_t *symbols; /* [calls.count] */
};
struct ft_symbol_key {
    const void *function;
    uint64_t parts[5];
};
struct ft_job_symbols {
    struct ft_symbol_rank *ranks;
    size_t rank_count, rank_capacity;
    struct ft_symbol_key *keys; /* that were met: a symbol is a place in them */
    size_t key_count, key_capacity;
    struct ft_hash_table table;   /* of keys */
    struct ft_call_shape *shapes; /* different ones, the shortest first */
    size_t shape_count, shape_capacity;
};

int ft_job_symbols_add(struct ft_job_symbols *symbols, const struct ft_mpi_job *job, uint32_t run,
                       struct ft_diag *diag);
/* Once all runs are added. */
int ft_job_symbols_fold(struct ft_job_symbols *symbols, struct ft_diag *diag);
void ft_job_symbols_fini(struct ft_job_symbols *symbols);

#endif
