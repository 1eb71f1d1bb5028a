/*
 * What `replay` does with its traces: each is a job with an entry of its own, several at a time,
 * and with several ranks each rank has a part of them. The result is the same for any number of
 * threads and ranks.
 */
#ifndef FT_ENGINE_COMMANDS_REPLAY_TASK_H
#define FT_ENGINE_COMMANDS_REPLAY_TASK_H

#include <stdatomic.h>

#include "engine/reuse/checkpoint/checkpoint.h"
#include "engine/reuse/mpi/rank_parts.h"
#include "engine/reuse/passes.h"
#include "formats/base/block_sizes.h"
#include "formats/cli/options.h"
#include "formats/cli/progress_line.h"

struct ft_replay_job {
    const char *path; /* of operand `index` */
    size_t index;
    struct ft_histograms entry;
    struct ft_passes_report report;
    double seconds;    /* of CPU, of all ranks */
    bool is_done;      /* the entry is whole */
    uint64_t accesses; /* to be replayed, about; 0: not known yet */
    bool has_windows;  /* only parts of the run are in the trace */
    int status;
    struct ft_diag diag;
};

/* What all threads share. */
struct ft_replay_task {
    const struct ft_arguments *arguments;
    struct ft_trace_replay_options options; /* const once the jobs run */
    struct ft_checkpoint_pieces *pieces;   /* of an interrupted replay or of other ranks, or NULL */
    const atomic_bool *stop;               /* or NULL */
    bool is_part;                          /* this rank replays its parts alone */
    struct ft_process_limit process_limit; /* of --mem */
    struct ft_replay_job *jobs;
    size_t job_count;
    struct ft_ranks ranks;
    struct ft_rank_part *parts; /* [job] with several ranks */
    atomic_uint_fast64_t accesses_done, accesses_known;
    atomic_uint_fast64_t accesses_kept; /* of those done: from before this run */
    struct ft_checkpoint checkpoint;    /* path NULL without */
    char *options_kept;                 /* in it */
    uint64_t save_every_ns;
    atomic_uint_fast64_t save_at_ns;    /* as ft_clock_ns; 0: nothing was replayed in this turn */
    atomic_uint_fast64_t stopped_at_ns; /* likewise, to save; 0: not yet */
    bool has_saved;           /* once at least: what is kept from then on is of this run */
    unsigned save_failures;   /* while there was no need to stop */
    struct ft_diag save_diag; /* of the last of them */
    struct ft_progress_line progress;
    atomic_flag drawing; /* one thread draws at a time, the others go on */
};

/* One for each operand. options, block sizes, ranks and checkpoint are the caller's to set. */
int ft_replay_task_make_jobs(struct ft_replay_task *task, struct ft_diag *diag);
void ft_replay_task_fini(struct ft_replay_task *task);
/* The options that a result depends on, in one form: "-b 64,4096 --share all", to be freed; NULL
 * without memory. */
char *ft_replay_task_options(const struct ft_replay_task *task);
/* All jobs, with that many threads. The entries are rank 0's. status, diag: a failure of this rank
 * before, which all ranks are told. */
int ft_replay_task_run(struct ft_replay_task *task, uint64_t threads, int status,
                       struct ft_diag *diag);

#endif
