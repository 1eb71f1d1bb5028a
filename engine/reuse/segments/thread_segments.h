/*
 * The private stack of one thread of a trace: its log is replayed in segments (segment.h), several
 * side by side, and these are joined in their order (OpenMP tasks; all of it in the caller's thread
 * where no others are at hand). The result is the same for any number and length of segments.
 *
 * A part of the log, which another process does not replay, is kept as one piece, without
 * histograms: they take all parts. Where pieces are kept, those of the stack that are there are not
 * replayed again; a stop, or the end, leaves what was replayed there.
 */
#ifndef FT_ENGINE_REUSE_SEGMENTS_THREAD_SEGMENTS_H
#define FT_ENGINE_REUSE_SEGMENTS_THREAD_SEGMENTS_H

#include "engine/reuse/segments/stack_log.h"

struct ft_thread_segments_report {
    enum ft_replay_retry retry; /* after a failure */
    double helper_cpu_seconds;  /* of CPU, in other threads than home_thread */
    bool is_stopped;            /* before the end: there are no histograms */
};

/* reader: all zero; has the references, and in the end the strides and counts of all segments. */
int ft_thread_segments_replay(const struct ft_stack_log *segments, struct ft_thread_reader *reader,
                              struct ft_histograms *histograms,
                              struct ft_thread_segments_report *ret_report, struct ft_diag *diag);

#endif
