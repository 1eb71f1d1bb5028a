/*
 * The form of an instruction: its mnemonic and the kinds of its operands, "add r64, m64", by which
 * core files name it (docs/schedule.md). Encodings of one form (VEX and EVEX, or those with
 * register and memory exchanged) have one name. Pure, thread safe.
 */
#ifndef FT_FORMATS_X86_INSTRUCTION_FORM_H
#define FT_FORMATS_X86_INSTRUCTION_FORM_H

#include <Zydis/Zydis.h>

#define FT_FORM_BYTES 96

/* Registers are r8 to r64, mm, st, xmm, ymm, zmm, k, and cl where it is a count; memory is m and
 * its bits; immediates i. lea names the parts of its address instead: "lea r64, bisd", of base,
 * index, scale that is not 1 and displacement. Masks are left out, and so are operands that an
 * instruction only implies. */
void ft_instruction_form(const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operands, char ret_form[FT_FORM_BYTES]);

#endif
