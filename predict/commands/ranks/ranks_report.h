/*
 * A simulated MPI job as text, CSV, JSON and as a picture (SVG).
 */
#ifndef FT_PREDICT_COMMANDS_RANKS_RANKS_REPORT_H
#define FT_PREDICT_COMMANDS_RANKS_RANKS_REPORT_H

#include <stdio.h>

#include "machines/network/network.h"
#include "predict/commands/ranks/captured_runs.h"
#include "predict/commands/ranks/computation.h"
#include "predict/ranks/laws/rank_classes.h"
#include "predict/ranks/rank_times.h"

struct ft_ranks_report {
    const struct ft_mpi_job *job;
    const struct ft_job_messages *messages;
    const struct ft_network *network;
    const struct ft_rank_speeds *speeds;
    const struct ft_job_times *times;
    const struct ft_captured_runs *runs; /* that the job is forecast from; NULL: it was captured */
    const struct ft_rank_size *size;     /* at which it is forecast */
    const struct ft_job_laws *laws;
    const struct ft_rank_classes *classes;
};

int ft_ranks_text(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag);
int ft_ranks_csv(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag);
int ft_ranks_json(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag);
/* The timeline: a bar a rank, and the critical path. */
void ft_ranks_svg(const struct ft_ranks_report *report, FILE *stream);

#endif
