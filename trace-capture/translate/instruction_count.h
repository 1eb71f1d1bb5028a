/*
 * The code that counts instructions (thread_count.h says how the count works).
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_INSTRUCTION_COUNT_H
#define FT_TRACE_CAPTURE_TRANSLATE_INSTRUCTION_COUNT_H

#include "trace-capture/translate/emit_x86_64.h"

/* Emits a count, with a scratch register; returns the address of the instruction that may fault. */
uint64_t ft_emit_count(struct ft_emitter *emitter, unsigned scratch, unsigned instructions);
/* Emits the subtraction of a count. */
void ft_emit_count_undo(struct ft_emitter *emitter, unsigned instructions);
#define FT_COUNT_BACK_BYTES 48U

#endif
