/*
 * Emits the branch back of loops, and their exits.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_LOOP_EXITS_H
#define FT_TRACE_CAPTURE_TRANSLATE_LOOP_EXITS_H

#include "trace-capture/translate/emission.h"

#define FT_LOOP_ENTRY_BYTES 12 /* of a loop record before its entry slots */
#define FT_LOOP_END_WORD    4  /* offset of its end word */
/* Emits what follows the body of a loop, whose record has `entry_bytes` without its iterations: the
 * branch back, and the code that closes the record on each exit. */
int ft_emission_loop_exits(struct ft_emission *emission, int32_t entry_bytes, struct ft_diag *diag);

#endif
