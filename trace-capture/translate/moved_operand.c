/*
 * ModRM mod 10 is register + disp32, which serves for all operands. Registers up to rdi need no
 * extension bit (which is cleared: RIP ignores it, another base may have set it), rsp would need a
 * SIB byte. An address in GS is the sum of its base with that of the program's segment, then with
 * index and displacement: two `lea` with one register.
 */
#include "trace-capture/translate/moved_operand.h"

#include <string.h>

#include "trace-capture/target/context.h"
#include "trace-capture/translate/emit_x86_64.h"

#define GS_PREFIX 0x65

static const struct ft_access *gs_access(const struct ft_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->access_count; i++)
        if (instruction->accesses[i].gs)
            return &instruction->accesses[i];
    return NULL;
}

bool ft_moved_is_gs(const struct ft_instruction *instruction)
{
    return gs_access(instruction) != NULL;
}

unsigned ft_moved_scratch(const struct ft_instruction *instruction, unsigned pointer)
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

static void emit_gs_address(struct ft_emitter *emitter, const struct ft_access *access,
                            unsigned scratch)
{
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(program_gs));
    if (access->base != FT_NO_REGISTER)
        ft_emit_lea_sum(emitter, scratch, access->base, scratch, 1, 0);
    if (access->index != FT_NO_REGISTER)
        ft_emit_lea_sum(emitter, scratch, scratch, access->index, access->scale,
                        (int32_t)access->displacement);
    else
        ft_emit_lea(emitter, scratch, scratch, (int32_t)access->displacement);
}

unsigned ft_moved_emit(struct ft_emitter *emitter, const struct ft_instruction *instruction,
                       const ZydisDecodedInstruction *decoded, const uint8_t *code,
                       unsigned scratch)
{
    static const uint8_t no_displacement[4] = {0};
    const struct ft_access *in_gs = gs_access(instruction);
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    unsigned modrm = decoded->raw.modrm.offset, first = 0;
    unsigned behind =
        modrm + 1U + (decoded->raw.modrm.rm == FT_RSP ? 1U : 0) +
        decoded->raw.disp.size / 8U; /* a memory operand's rsp stands for a SIB byte */
    memcpy(bytes, code, instruction->length);
    bytes[modrm] = (uint8_t)((bytes[modrm] & 0x38) | 0x80 | scratch);
    clear_base_extension(decoded, bytes);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
    if (in_gs)
        emit_gs_address(emitter, in_gs, scratch);
    else
        ft_emit_mov_imm64(emitter, scratch,
                          instruction->pc + instruction->length +
                              (uint64_t)decoded->raw.disp.value);
    uint64_t start = emitter->address;
    for (; first < decoded->raw.prefix_count; first++)
        if (bytes[first] != GS_PREFIX)
            ft_emit_u8(emitter, bytes[first]);
    ft_emit_bytes(emitter, bytes + first, modrm + 1U - first);
    ft_emit_bytes(emitter, no_displacement, sizeof no_displacement);
    ft_emit_bytes(emitter, bytes + behind, instruction->length - behind);
    unsigned length = (unsigned)(emitter->address - start);
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
    return length;
}
