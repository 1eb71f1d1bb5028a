/*
 * The runs that `ranks` was given the traces of, each with all its ranks, and where it is to
 * forecast one: of the operands and --at.
 */
#ifndef FT_PREDICT_COMMANDS_RANKS_CAPTURED_RUNS_H
#define FT_PREDICT_COMMANDS_RANKS_CAPTURED_RUNS_H

#include "formats/cli/options.h"
#include "formats/trace/trace.h"
#include "predict/ranks/laws/job_laws.h"

struct ft_captured_runs {
    struct ft_trace **traces;
    size_t trace_count;
    struct ft_mpi_job *jobs;      /* [run_count] */
    struct ft_captured_run *runs; /* [run_count] */
    size_t run_count;
    const char *names[FT_RANK_PARAMETERS_MAX]; /* the traces' */
    size_t parameter_count;
};

/* Whether --at names the number of ranks. */
bool ft_at_has_ranks(const struct ft_arguments *arguments);

/* Traces belong to a run by their parameters, the size of MPI_COMM_WORLD, and the order in which
 * they are given. FT_ERROR_DATA where a run lacks ranks, or traces have other parameters. */
int ft_captured_runs_open(const struct ft_arguments *arguments, struct ft_captured_runs *ret_runs,
                          struct ft_diag *diag);
void ft_captured_runs_close(struct ft_captured_runs *runs);

/* A parameter that --at does not give has the value of all runs, or FT_ERROR_USAGE. */
int ft_captured_runs_target(const struct ft_captured_runs *runs,
                            const struct ft_arguments *arguments, struct ft_rank_size *ret_target,
                            struct ft_diag *diag);

/* target: NULL: laws for no size in particular. */
int ft_captured_runs_learn(const struct ft_captured_runs *runs, const struct ft_rank_size *target,
                           struct ft_job_laws *ret_laws, struct ft_diag *diag);

#endif
