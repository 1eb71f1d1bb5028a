/*
 * Memory operands that a copy cannot address as the original does: RIP-relative ones out of reach
 * of the translation (in modules that are too large for zones to be near), and those in the GS
 * segment, whose base is the thread's context in translated code. The copy addresses them through a
 * scratch register, which is spilled around it.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_MOVED_OPERAND_H
#define FT_TRACE_CAPTURE_TRANSLATE_MOVED_OPERAND_H

#include <stdbool.h>

#include "formats/x86/instruction.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Whether an instruction's operand is in the GS segment. */
bool ft_moved_is_gs(const struct ft_instruction *instruction);

/* The scratch register of such a copy, if `pointer` holds the log pointer; FT_NO_REGISTER if the
 * instruction leaves none. */
unsigned ft_moved_scratch(const struct ft_instruction *instruction, unsigned pointer);
/* Emits the copy of an instruction with a scratch register; returns the length of the copied
 * instruction, which is followed by FT_MOVED_RESTORE_BYTES that restore the register. */
unsigned ft_moved_emit(struct ft_emitter *emitter, const struct ft_instruction *instruction,
                       const ZydisDecodedInstruction *decoded, const uint8_t *code,
                       unsigned scratch);
#define FT_MOVED_RESTORE_BYTES 9U

#endif
