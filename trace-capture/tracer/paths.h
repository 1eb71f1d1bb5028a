/*
 * Hot paths: if the log shows that units run repeatedly in the same order, they become one unit, a
 * path (formats/x86/unit.h), that runs instead of the first of them.
 *
 * Only the contents of the log decide, so that a program with one thread gets the same paths each
 * time. Nothing fails: if a path cannot be made, the units remain as they are. One thread.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_PATHS_H
#define FT_TRACE_CAPTURE_TRACER_PATHS_H

#include "trace-capture/tracer/capture_state.h"

/* Scans the records that a stopped thread has added since the last scan, up to the address `end`,
 * if there are enough and a scan is due. */
void ft_paths_scan(struct ft_thread *thread, uint64_t end);
void ft_paths_fini(struct ft_paths *paths);

#endif
