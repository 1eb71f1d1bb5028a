/*
 * Hot paths: where the log shows that units run again and again in the same order, they become one
 * unit, a path (formats/x86/unit.h), that runs in place of the first of them.
 *
 * What the log holds decides, so that a program of one thread gets the same paths each time.
 * Nothing fails: where a path cannot be made, the units go on as they are. One thread.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_PATHS_H
#define FT_TRACE_CAPTURE_TRACER_PATHS_H

#include "trace-capture/tracer/capture_state.h"

/* Looks at the records that a stopped thread has added since the last look, up to the address
 * `end`, if there are enough and it is time. */
void ft_paths_look(struct ft_thread *thread, uint64_t end);
void ft_paths_fini(struct ft_paths *paths);

#endif
