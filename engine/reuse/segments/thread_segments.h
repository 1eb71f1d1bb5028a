/*
 * The private stack of one thread of a trace: its log is replayed in segments (segment.h), several
 * in parallel, which are joined in order (OpenMP tasks; all in the calling thread if no others are
 * free). The result is the same for any number and length of segments.
 *
 * A part of the log, where ranks share it, is kept as one piece, without histograms, which need all
 * parts. With a list of pieces, pieces of this stack that it has are not replayed again, and a
 * stop, or the end, adds what was replayed.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_THREAD_SEGMENTS_H
#define FT_ENGINE_REUSE_SEGMENTS_THREAD_SEGMENTS_H

#include "engine/reuse/segments/stack_log.h"

struct ft_thread_segments_report {
    enum ft_replay_retry retry; /* after a failure */
    double helper_cpu_seconds;  /* of threads other than home_thread */
    bool is_stopped;            /* before the end: no histograms were made */
};

/* reader: all zero; gets the references, and finally the strides and counts of all segments. */
int ft_thread_segments_replay(const struct ft_stack_log *segments, struct ft_thread_reader *reader,
                              struct ft_histograms *histograms,
                              struct ft_thread_segments_report *ret_report, struct ft_diag *diag);

#endif
