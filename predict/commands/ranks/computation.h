/*
 * How long the computation of each rank takes, per instruction: of options of `ranks`.
 */
#ifndef FT_PREDICT_COMMANDS_RANKS_COMPUTATION_H
#define FT_PREDICT_COMMANDS_RANKS_COMPUTATION_H

#include "formats/cli/options.h"
#include "formats/trace/mpi_job.h"
#include "machines/machine.h"
#include "predict/ranks/laws/rank_space.h"

struct ft_rank_speeds {
    double *seconds_per_instruction; /* [index of a rank]; owned */
    char source[160];                /* "2.00 G instructions per second", as text says it */
};

/* The run that is forecast: what models of its ranks are asked at, besides what is the same for all
 * ranks, where each has its own block. */
struct ft_rank_places {
    const struct ft_rank_space *space;
    const struct ft_rank_size *size;
    const uint32_t *classes; /* [rank] */
};

/* places: NULL for a run that was captured. Of --rate, --seconds, or --model with the machine: one
 * of them must be given. machine: NULL without --machine. FT_ERROR_USAGE or FT_ERROR_DATA names the
 * rank for which there is nothing. */
int ft_rank_speeds_read(const struct ft_arguments *arguments, const struct ft_mpi_job *job,
                        const struct ft_rank_places *places, const struct ft_machine *machine,
                        struct ft_rank_speeds *ret_speeds, struct ft_diag *diag);
void ft_rank_speeds_fini(struct ft_rank_speeds *speeds);

#endif
