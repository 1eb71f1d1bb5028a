/*
 * RIP-relative operands out of reach of the translation (modules that are larger than the room that
 * zones leave): the copy of the instruction has a scratch register in the place of RIP, which is
 * spilled around it.
 */
#ifndef FT_TRACE_CAPTURE_FAR_OPERAND_H
#define FT_TRACE_CAPTURE_FAR_OPERAND_H

#include "formats/code/instruction.h"
#include "trace-capture/emit_x86_64.h"

/* The scratch register of such a copy, where `pointer` holds the log pointer; FT_NO_REGISTER where
 * the instruction leaves none. */
unsigned ft_far_scratch(const struct ft_instruction *instruction, unsigned pointer);
/* Emits the copy of an instruction that has a scratch register. */
void ft_far_emit(struct ft_emitter *emitter, const struct ft_instruction *instruction,
                 const ZydisDecodedInstruction *decoded, const uint8_t *code, unsigned scratch);
/* Bytes of it behind the instruction itself. */
#define FT_FAR_RESTORE_BYTES 9U

#endif
