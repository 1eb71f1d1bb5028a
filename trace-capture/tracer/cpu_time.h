/*
 * The CPU time of a captured process, and of foretrace.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_CPU_TIME_H
#define FT_TRACE_CAPTURE_TRACER_CPU_TIME_H

#include "trace-capture/tracer/capture_state.h"

/* User and system time of the process so far. */
double ft_cpu_seconds_of(pid_t pid);
/* The same of foretrace. */
double ft_host_cpu_seconds(void);
/* Notes the CPU time that the process has taken so far: metadata.target_cpu_seconds. */
void ft_capture_note_cpu(struct ft_capture *capture);

#endif
