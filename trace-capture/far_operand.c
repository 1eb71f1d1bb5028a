/*
 * ModRM says RIP + disp32 as mod 00, rm 101; mod 10 with another rm is register + disp32, so that
 * the copy is as long as the instruction. Registers up to rdi need no extension bit (which RIP
 * ignores, and which is cleared), rsp would need a SIB byte.
 */
#include "trace-capture/far_operand.h"

#include <string.h>

#include "trace-capture/context.h"

unsigned ft_far_scratch(const struct ft_instruction *instruction, unsigned pointer)
{
    static const uint8_t order[] = {FT_RDI, FT_RSI, FT_RDX, FT_RBX, FT_RBP, FT_RAX, FT_RCX};
    uint32_t used = instruction->registers_read | instruction->registers_written;
    if (pointer != FT_NO_REGISTER)
        used |= 1U << pointer;
    for (size_t i = 0; i < sizeof order; i++)
        if (!(used >> order[i] & 1))
            return order[i];
    return FT_NO_REGISTER;
}

static void clear_base_extension(const ZydisDecodedInstruction *decoded, uint8_t *bytes)
{
    switch (decoded->encoding) { /* all but REX hold the bit inverted */
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
        if (decoded->raw.vex.size == 3)
            bytes[decoded->raw.vex.offset + 1] |= 0x20;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_EVEX:
        bytes[decoded->raw.evex.offset + 1] |= 0x20;
        break;
    case ZYDIS_INSTRUCTION_ENCODING_XOP:
        bytes[decoded->raw.xop.offset + 1] |= 0x20;
        break;
    default:
        if (decoded->attributes & ZYDIS_ATTRIB_HAS_REX)
            bytes[decoded->raw.rex.offset] &= 0xfe;
        break;
    }
}

void ft_far_emit(struct ft_emitter *emitter, const struct ft_instruction *instruction,
                 const ZydisDecodedInstruction *decoded, const uint8_t *code, unsigned scratch)
{
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    uint8_t *modrm = &bytes[decoded->raw.modrm.offset];
    memcpy(bytes, code, instruction->length);
    *modrm = (uint8_t)((*modrm & 0x38) | 0x80 | scratch);
    memset(bytes + decoded->raw.disp.offset, 0, 4);
    clear_base_extension(decoded, bytes);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
    ft_emit_mov_imm64(emitter, scratch,
                      instruction->pc + instruction->length + (uint64_t)decoded->raw.disp.value);
    ft_emit_bytes(emitter, bytes, instruction->length);
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
}
