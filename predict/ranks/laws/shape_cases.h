/*
 * What laws of a job are learned from, and what they are: for each class of ranks a shape of calls
 * with its laws (job_laws.h).
 */
#ifndef FT_PREDICT_RANKS_LAWS_SHAPE_CASES_H
#define FT_PREDICT_RANKS_LAWS_SHAPE_CASES_H

#include "predict/ranks/laws/call_laws.h"

struct ft_captured_run {
    const struct ft_mpi_job *job; /* with all its ranks */
    struct ft_rank_size size;
};

struct ft_job_laws_task {
    const struct ft_captured_run *runs;
    size_t run_count;
    const char *names[FT_RANK_PARAMETERS_MAX]; /* of the parameters of a size */
    size_t parameter_count;
    const struct ft_rank_size *target; /* NULL: laws that explain the runs, whatever they give
                                          elsewhere */
};

struct ft_shape_case {
    uint32_t category;
    struct ft_rank_size size; /* of a run, and the rank in it, that are of the category */
    uint32_t rank;
    struct ft_call_laws laws;
};

struct ft_job_laws {
    struct ft_rank_space space;
    enum ft_rank_key key; /* by which ranks have other shapes */
    struct ft_shape_case *cases;
    size_t case_count, case_capacity;
    uint64_t variables; /* that laws of calls use */
    bool has_positions; /* they depend on neighbours in a grid */
    bool needs_grid;    /* or on how it is divided */
    double work_error;  /* largest relative error of a captured rank's instructions */
};

#endif
