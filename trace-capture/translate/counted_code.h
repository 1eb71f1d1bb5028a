/*
 * The code that counts edges (edge_counts.h), and the iterations of loops.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_COUNTED_CODE_H
#define FT_TRACE_CAPTURE_TRANSLATE_COUNTED_CODE_H

#include "formats/x86/instruction.h"
#include "trace-capture/translate/emission.h"

/* Whether a unit with these instructions writes the flags that an increment changes before anything
 * reads them. */
bool ft_counted_flags_free(const ZydisDecodedInstruction *instructions, unsigned count);
/* Emits a count that preserves all registers, and the flags unless they are free. Returns the
 * address from which on it has counted. */
uint64_t ft_counted_emit(struct ft_emitter *emitter, uint32_t counter, bool flags_free);
/* The same if rax is free, and the flags are not. */
uint64_t ft_counted_emit_in_rax(struct ft_emitter *emitter, uint32_t counter);

/* If edges are counted: the code before a loop that counts its iterations, at its head, and after
 * it. */
void ft_counted_enter_loop(struct ft_emission *emission);
void ft_counted_iteration(struct ft_emission *emission);
void ft_counted_leave_loop(struct ft_emission *emission);

#endif
