/*
 * Memory operands that a copy cannot name as the instruction does: RIP-relative ones out of reach
 * of the translation (modules that are larger than the room that zones leave), and those in the GS
 * segment, whose base is the thread's context in translated code. The copy has a scratch register
 * with the address in their place, which is spilled around it.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_MOVED_OPERAND_H
#define FT_TRACE_CAPTURE_TRANSLATE_MOVED_OPERAND_H

#include <stdbool.h>

#include "formats/x86/instruction.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Whether an instruction's operand is in the GS segment. */
bool ft_moved_is_gs(const struct ft_instruction *instruction);

/* The scratch register of such a copy, where `pointer` holds the log pointer; FT_NO_REGISTER where
 * the instruction leaves none. */
unsigned ft_moved_scratch(const struct ft_instruction *instruction, unsigned pointer);
/* Emits the copy of an instruction that has a scratch register; returns the bytes of the
 * instruction itself, behind which FT_MOVED_RESTORE_BYTES restore the register. */
unsigned ft_moved_emit(struct ft_emitter *emitter, const struct ft_instruction *instruction,
                       const ZydisDecodedInstruction *decoded, const uint8_t *code,
                       unsigned scratch);
#define FT_MOVED_RESTORE_BYTES 9U

#endif
