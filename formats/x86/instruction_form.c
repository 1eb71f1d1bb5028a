#include "formats/x86/instruction_form.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *register_kind(const ZydisDecodedOperand *operand)
{
    switch (ZydisRegisterGetClass(operand->reg.value)) {
    case ZYDIS_REGCLASS_GPR8:
        return operand->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT &&
                       operand->reg.value == ZYDIS_REGISTER_CL
                   ? "cl"
                   : "r8";
    case ZYDIS_REGCLASS_GPR16:
        return "r16";
    case ZYDIS_REGCLASS_GPR32:
        return "r32";
    case ZYDIS_REGCLASS_GPR64:
        return "r64";
    case ZYDIS_REGCLASS_X87:
        return "st";
    case ZYDIS_REGCLASS_MMX:
        return "mm";
    case ZYDIS_REGCLASS_XMM:
        return "xmm";
    case ZYDIS_REGCLASS_YMM:
        return "ymm";
    case ZYDIS_REGCLASS_ZMM:
        return "zmm";
    case ZYDIS_REGCLASS_MASK:
        return "k";
    default:
        return "sys";
    }
}

static void address_kind(const ZydisDecodedOperand *operand, char text[16])
{
    const bool has_index = operand->mem.index != ZYDIS_REGISTER_NONE;
    snprintf(text, 16, "%s%s%s%s", operand->mem.base != ZYDIS_REGISTER_NONE ? "b" : "",
             has_index ? "i" : "", has_index && operand->mem.scale > 1 ? "s" : "",
             operand->mem.disp.value != 0 ? "d" : "");
}

static void operand_kind(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operand,
                         char text[16])
{
    switch (operand->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        snprintf(text, 16, "%s", register_kind(operand));
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN && decoded->mnemonic == ZYDIS_MNEMONIC_LEA)
            address_kind(operand, text);
        else
            snprintf(text, 16, "%s%u", operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB ? "vm" : "m",
                     (unsigned)operand->size);
        break;
    default:
        snprintf(text, 16, "i");
        break;
    }
}

static const char *prefix(const ZydisDecodedInstruction *decoded)
{
    const ZydisInstructionAttributes repeats =
        ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    if (decoded->attributes & ZYDIS_ATTRIB_HAS_LOCK)
        return "lock ";
    return decoded->meta.category == ZYDIS_CATEGORY_STRINGOP && (decoded->attributes & repeats)
               ? "rep "
               : "";
}

void ft_instruction_form(const ZydisDecodedInstruction *decoded,
                         const ZydisDecodedOperand *operands, char ret_form[FT_FORM_BYTES])
{
    size_t used = (size_t)snprintf(ret_form, FT_FORM_BYTES, "%s%s", prefix(decoded),
                                   ZydisMnemonicGetString(decoded->mnemonic));
    const char *separator = " ";
    for (unsigned i = 0; i < decoded->operand_count_visible && used < FT_FORM_BYTES; i++) {
        const bool is_mask = decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
                             operands[i].encoding == ZYDIS_OPERAND_ENCODING_MASK;
        char kind[16];
        if (is_mask)
            continue; /* k0 where there is none; else the suffix says it */
        operand_kind(decoded, &operands[i], kind);
        used += (size_t)snprintf(ret_form + used, FT_FORM_BYTES - used, "%s%s", separator, kind);
        separator = ", ";
    }
}
