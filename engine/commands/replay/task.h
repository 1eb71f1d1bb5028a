/*
 * The replay of all traces of one command: each trace is a job that fills its own entry. Several
 * jobs run at a time, and several MPI ranks share them. The result is the same for any number of
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
    double seconds;               /* CPU time, over all ranks */
    bool is_done;                 /* the entry is whole */
    uint64_t accesses;            /* to be replayed, estimated; 0: not known yet */
    bool has_windows;             /* only parts of the run are in the trace */
    struct ft_diag skeleton_diag; /* why there is no skeleton, where there could be one */
    int status;
    struct ft_diag diag;
};

/* What all threads share. */
struct ft_replay_task {
    const struct ft_arguments *arguments;
    struct ft_trace_replay_options options; /* const once the jobs run */
    bool makes_skeletons;
    bool samples_sets;
    bool samples_branches;
    struct ft_checkpoint_pieces *pieces;   /* of an interrupted replay or of other ranks, or NULL */
    const atomic_bool *stop;               /* or NULL */
    bool is_part;                          /* this rank replays only its parts */
    struct ft_process_limit process_limit; /* of --mem */
    struct ft_replay_job *jobs;
    size_t job_count;
    struct ft_ranks ranks;
    struct ft_rank_part *parts; /* [job] with several ranks */
    atomic_uint_fast64_t accesses_done, accesses_known;
    atomic_uint_fast64_t accesses_kept; /* of those done, accesses that the checkpoint had */
    struct ft_checkpoint checkpoint;    /* path NULL without */
    char *options_kept;                 /* in it */
    uint64_t save_every_ns;
    atomic_uint_fast64_t save_at_ns; /* as ft_clock_ns; 0: nothing replayed since the last save */
    atomic_uint_fast64_t
        stopped_at_ns;      /* when the stop to save began, likewise; 0: none is under way */
    bool has_saved;         /* at least once: what is kept from then on was replayed in this run */
    unsigned save_failures; /* failed saves after which the replay went on */
    struct ft_diag save_diag; /* of the last failed save */
    struct ft_progress_line progress;
    atomic_flag drawing; /* one thread draws at a time; others do not wait for it */
};

/* Makes one job per operand. The caller sets options, ranks and checkpoint. */
int ft_replay_task_make_jobs(struct ft_replay_task *task, struct ft_diag *diag);
void ft_replay_task_fini(struct ft_replay_task *task);
/* The options that the result depends on, in a canonical form: "-b 64,4096 --share all". The caller
 * frees it; NULL when out of memory. */
char *ft_replay_task_options(const struct ft_replay_task *task);
/* Runs all jobs on that many threads; rank 0 gets the entries. status, diag: an earlier failure of
 * this rank, which is passed on to all ranks. */
int ft_replay_task_run(struct ft_replay_task *task, uint64_t threads, int status,
                       struct ft_diag *diag);

#endif
