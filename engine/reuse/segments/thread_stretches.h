/*
 * The private stack of one thread of a trace: its log is replayed in stretches (stretch.h), several
 * side by side, and these are joined in their order (OpenMP tasks; all of it in the caller's thread
 * where no others are at hand). The result is the same for any number and length of stretches.
 *
 * A part of the log, which another process does not replay, is kept as one piece, without
 * histograms: they take all parts. Where pieces are kept, those of the stack that are there are not
 * replayed again; a stop, or the end, leaves what was replayed there.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_THREAD_STRETCHES_H
#define FT_ENGINE_REUSE_SEGMENTS_THREAD_STRETCHES_H

#include "engine/reuse/checkpoint/kept_pieces.h"
#include "engine/reuse/work/replay_options.h"
#include "engine/reuse/work/thread_reader.h"

struct ft_thread_stretches_report {
    enum ft_replay_wish wish; /* after a failure */
    double seconds_elsewhere; /* of CPU, in other threads than home_thread */
    bool is_stopped;          /* before the end: there are no histograms */
};

struct ft_thread_stretches {
    struct ft_trace *trace;
    uint32_t thread;
    unsigned content;                       /* a sum of enum ft_run_content */
    const struct ft_run_source *references; /* of the stack, or NULL: those of its reader */
    uint32_t reference_count;               /* how many of them have histograms */
    bool pairs;                             /* wanted; then the log is one stretch */
    const struct ft_scope_steps *steps;     /* to be followed, with pairs, or NULL */
    const struct ft_trace_replay_options *options;
    struct ft_listener listener;
    struct ft_piece_key key;   /* of the pieces in options->kept */
    bool is_part;              /* no histograms, only a piece of */
    struct ft_work_range part; /* the log's work, about: cut where all who share it cut it */
    struct ft_memory_budget *budget;
    int home_thread; /* omp_get_thread_num() of who measures its own time */
};

/* reader: all zero; has the references, and in the end the strides and counts of all stretches. */
int ft_thread_stretches_replay(const struct ft_thread_stretches *stretches,
                               struct ft_thread_reader *reader, struct ft_histograms *histograms,
                               struct ft_thread_stretches_report *ret_report, struct ft_diag *diag);

#endif
