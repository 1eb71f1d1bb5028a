/*
 * The code that counts edges (edge_counts.h), and the iterations of loops.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_COUNTED_CODE_H
#define FT_TRACE_CAPTURE_TRANSLATE_COUNTED_CODE_H

#include "formats/x86/instruction.h"
#include "trace-capture/translate/emission.h"

/* Whether the flags that an increment changes are written before anything reads them, by the unit
 * whose instructions these are. */
bool ft_counted_flags_free(const ZydisDecodedInstruction *instructions, unsigned count);
/* Counts, with all registers as they are, and the flags unless they are free. Returns the address
 * behind which it has counted. */
uint64_t ft_counted_emit(struct ft_emitter *emitter, uint32_t counter, bool flags_free);
/* The same where rax is free, and the flags are not. */
uint64_t ft_counted_emit_in_rax(struct ft_emitter *emitter, uint32_t counter);

/* Where edges are counted, else nothing: in front of a loop that counts its iterations, at its
 * head, and behind it. */
void ft_counted_enter_loop(struct ft_emission *emission);
void ft_counted_iteration(struct ft_emission *emission);
void ft_counted_leave_loop(struct ft_emission *emission);

#endif
