/*
 * Timestamps where threads may hand work over to each other in memory: behind instructions that
 * are atomic, and behind the loops that wait for another thread. Code has them once there is a
 * second thread: what was translated before is then forgotten, so that a thread alone pays nothing.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TIMESTAMPS_H
#define FT_TRACE_CAPTURE_TRANSLATE_TIMESTAMPS_H

#include "formats/x86/unit.h"
#include "trace-capture/translate/emit_x86_64.h"

/* How many instructions the unit has up to its first atomic one, that included; 0: it has none. */
unsigned ft_timestamps_atomic(const struct ft_unit *unit);
/* Whether a loop is timestamped where it is left: it is atomic, pauses, or waits for memory that it
 * does not write. */
bool ft_timestamps_loop(const struct ft_unit *unit);
/* The escape, at the log pointer in r11, which moves on; it is taken when all loads before it are
 * done. */
void ft_timestamps_emit(struct ft_emitter *emitter);

#endif
