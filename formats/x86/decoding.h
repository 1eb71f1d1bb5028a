/*
 * Between the files that decode instructions and what they do.
 */
#ifndef FT_FORMATS_X86_DECODING_H
#define FT_FORMATS_X86_DECODING_H

#include "formats/x86/instruction.h"

/* What one decoding works on. */
struct ft_decoding {
    const ZydisDecodedInstruction *zydis;
    const ZydisDecodedOperand *operands;
    struct ft_instruction *instruction;
    bool has_accesses;
};

/* The number of a general register or of a part of one, else FT_NO_REGISTER. */
static inline uint8_t ft_decoded_register(ZydisRegister reg)
{
    ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (ZydisRegisterGetClass(wide) != ZYDIS_REGCLASS_GPR64)
        return FT_NO_REGISTER;
    return (uint8_t)ZydisRegisterGetId(wide);
}

static inline bool ft_decoded_is_immediate(const ZydisDecodedOperand *operand)
{
    return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static inline bool ft_decoded_is_string(const ZydisDecodedInstruction *zydis)
{
    return zydis->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Whether memory is touched at all; the flow must be there. */
bool ft_decoded_has_accesses(const struct ft_decoding *decoding);
/* The instruction's accesses, loads first. */
void ft_decode_accesses(struct ft_decoding *decoding);

#endif
