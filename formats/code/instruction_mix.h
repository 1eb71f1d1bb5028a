/*
 * Classes of work: which generic class an instruction's operation belongs to, and how many
 * floating-point operations it makes (additions, multiplications, divisions, roots, minima and
 * maxima of all lanes; a fused multiply-add counts two). Part of decoding (instruction.c).
 */
#ifndef FT_FORMATS_CODE_INSTRUCTION_MIX_H
#define FT_FORMATS_CODE_INSTRUCTION_MIX_H

#include "formats/code/instruction.h"

/* Sets mix_class and flops; flow must be known. */
void ft_instruction_classify(const ZydisDecodedInstruction *decoded,
                             const ZydisDecodedOperand *operands,
                             struct ft_instruction *instruction);

#endif
