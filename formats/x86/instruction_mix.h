/*
 * Classes of work: which generic class an instruction's operation belongs to, and how many
 * operations it makes on which type of number, in all lanes of a vector (docs/structure.md,
 * "What counts as an operation"). Part of decoding (instruction.c).
 */
#ifndef FT_FORMATS_X86_INSTRUCTION_MIX_H
#define FT_FORMATS_X86_INSTRUCTION_MIX_H

#include "formats/x86/instruction.h"

/* Sets mix_class, number_type, operation_width, operations and masked; flow must be known. */
void ft_instruction_classify(const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *operands,
                             struct ft_instruction *instruction);

#endif
