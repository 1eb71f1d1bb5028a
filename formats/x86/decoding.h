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

/* The number of a general register or of a part of one, else FT_NO_REGISTER. Asking Zydis
 * took 18 of the 380 million instructions of a capture of /bin/true. */
static inline uint8_t ft_decoded_register(ZydisRegister reg)
{
    if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
        return (uint8_t)(reg - ZYDIS_REGISTER_RAX);
    if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D)
        return (uint8_t)(reg - ZYDIS_REGISTER_EAX);
    if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W)
        return (uint8_t)(reg - ZYDIS_REGISTER_AX);
    if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
        return (uint8_t)(reg - ZYDIS_REGISTER_AL);
    if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
        return (uint8_t)(reg - ZYDIS_REGISTER_AH);
    if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
        return (uint8_t)(FT_RSP + (reg - ZYDIS_REGISTER_SPL));
    return FT_NO_REGISTER;
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
