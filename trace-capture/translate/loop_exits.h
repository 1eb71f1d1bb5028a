/*
 * Emits the branch back of loops, and their exits.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_LOOP_EXITS_H
#define FT_TRACE_CAPTURE_TRANSLATE_LOOP_EXITS_H

#include "trace-capture/translate/emission.h"

#define FT_LOOP_ENTRY_BYTES 12 /* of a loop record before its entry slots */
#define FT_LOOP_END_WORD    4  /* offset of its end word */
/* Behind the body of a loop, whose record has `entry_bytes` without its iterations: the branch
 * back, and what closes the record wherever the loop is left. */
int ft_emission_loop_exits(struct ft_emission *emission, int32_t entry_bytes, struct ft_diag *diag);

#endif
