/*
 * Timestamps where threads may hand over work in memory: after atomic instructions, and after loops
 * that wait for another thread. Code has them once there is a second thread: earlier translations
 * are forgotten then, so that a single thread pays nothing.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TIMESTAMPS_H
#define FT_TRACE_CAPTURE_TRANSLATE_TIMESTAMPS_H

#include "formats/x86/unit.h"
#include "trace-capture/translate/emit_x86_64.h"

/* How many instructions the unit has up to and including its first atomic one; 0: it has none. */
unsigned ft_timestamps_atomic(const struct ft_unit *unit);
/* Whether a loop takes a timestamp when it is left: it has an atomic instruction or a pause, or
 * waits for memory that it does not write. */
bool ft_timestamps_loop(const struct ft_unit *unit);
/* Emits the escape, at the log pointer in r11, which advances; the time is read when all earlier
 * loads are done. */
void ft_timestamps_emit(struct ft_emitter *emitter);

#endif
