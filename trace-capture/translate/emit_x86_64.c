/*
 * Encodings are written by hand: there are few of them, and every translated unit needs them. A
 * memory operand is always [base + disp8/32] (op_memory) or gs:[disp32].
 *
 * In order: bytes; encodings; loads and stores; addresses; constants; jumps.
 */
#include "trace-capture/translate/emit_x86_64.h"

#include <string.h>

void ft_emit_bytes(struct ft_emitter *emitter, const void *bytes, size_t count)
{
    if (count > (size_t)(emitter->end - emitter->at)) {
        emitter->overflow = true;
        return;
    }
    memcpy(emitter->at, bytes, count);
    emitter->at += count;
    emitter->address += count;
}

void ft_emit_u8(struct ft_emitter *emitter, uint8_t byte)
{
    ft_emit_bytes(emitter, &byte, 1);
}

void ft_emit_u32(struct ft_emitter *emitter, uint32_t value)
{
    ft_emit_bytes(emitter, &value, 4);
}

static void emit_u64(struct ft_emitter *emitter, uint64_t value)
{
    ft_emit_bytes(emitter, &value, 8);
}

void ft_emit_align(struct ft_emitter *emitter, unsigned alignment)
{
    static const uint8_t nops[9][9] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    unsigned missing = (unsigned)(-emitter->address & (alignment - 1));
    while (missing) {
        unsigned length = missing < 9 ? missing : 9;
        ft_emit_bytes(emitter, nops[length - 1], length);
        missing -= length;
    }
}

/* ModRM, SIB where the base needs one, and the displacement of [base + displacement]. */
static void op_memory(struct ft_emitter *emitter, unsigned field, unsigned base,
                      int32_t displacement)
{
    bool is_short = displacement >= -128 && displacement <= 127;
    ft_emit_u8(emitter, (uint8_t)((is_short ? 0x40 : 0x80) | (field & 7) << 3 | (base & 7)));
    if ((base & 7) == FT_RSP)
        ft_emit_u8(emitter, 0x24);
    if (is_short)
        ft_emit_u8(emitter, (uint8_t)displacement);
    else
        ft_emit_u32(emitter, (uint32_t)displacement);
}

static uint8_t rex(bool wide, unsigned field, unsigned base)
{
    return (uint8_t)(0x40 | (wide ? 8 : 0) | (field >= 8 ? 4 : 0) | (base >= 8 ? 1 : 0));
}

static void op_gs(struct ft_emitter *emitter, bool wide, uint8_t opcode, unsigned field,
                  uint32_t offset)
{
    uint8_t bytes[] = {0x65, rex(wide, field, 0), opcode, (uint8_t)(0x04 | (field & 7) << 3), 0x25};
    ft_emit_bytes(emitter, bytes, sizeof bytes);
    ft_emit_u32(emitter, offset);
}

void ft_emit_store_gs(struct ft_emitter *emitter, uint32_t offset, unsigned source)
{
    op_gs(emitter, true, 0x89, source, offset);
}

void ft_emit_load_gs(struct ft_emitter *emitter, unsigned destination, uint32_t offset)
{
    op_gs(emitter, true, 0x8b, destination, offset);
}

void ft_emit_store_gs32(struct ft_emitter *emitter, uint32_t offset, unsigned source)
{
    op_gs(emitter, false, 0x89, source, offset);
    op_gs(emitter, false, 0xc7, 0, offset + 4);
    ft_emit_u32(emitter, 0);
}

void ft_emit_load_gs32(struct ft_emitter *emitter, unsigned destination, uint32_t offset)
{
    op_gs(emitter, false, 0x8b, destination, offset);
}

void ft_emit_store(struct ft_emitter *emitter, unsigned base, int32_t displacement, unsigned source,
                   unsigned size_bytes)
{
    ft_emit_u8(emitter, rex(size_bytes == 8, source, base));
    ft_emit_u8(emitter, size_bytes == 1 ? 0x88 : 0x89);
    op_memory(emitter, source, base, displacement);
}

void ft_emit_load(struct ft_emitter *emitter, unsigned destination, unsigned base,
                  int32_t displacement)
{
    ft_emit_u8(emitter, rex(true, destination, base));
    ft_emit_u8(emitter, 0x8b);
    op_memory(emitter, destination, base, displacement);
}

void ft_emit_store_imm32(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                         uint32_t value)
{
    ft_emit_u8(emitter, rex(false, 0, base));
    ft_emit_u8(emitter, 0xc7);
    op_memory(emitter, 0, base, displacement);
    ft_emit_u32(emitter, value);
}

/* VEX for the lower sixteen registers up to 32 bytes, EVEX for the rest. */
void ft_emit_store_vector(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                          unsigned vector, unsigned size_bytes)
{
    if (vector < 16 && size_bytes <= 32) { /* vmovdqu [base+disp], xmm/ymm */
        ft_emit_u8(emitter, 0xc4);
        ft_emit_u8(emitter,
                   (uint8_t)((vector >= 8 ? 0 : 0x80) | 0x40 | (base >= 8 ? 0 : 0x20) | 1));
        ft_emit_u8(emitter, (uint8_t)(0x78 | (size_bytes == 32 ? 4 : 0) | 2));
        ft_emit_u8(emitter, 0x7f);
        op_memory(emitter, vector, base, displacement);
        return;
    }
    /* vmovdqu64 [base+disp32], xmm/ymm/zmm: EVEX scales disp8, so disp32 is written always */
    ft_emit_u8(emitter, 0x62);
    ft_emit_u8(emitter, (uint8_t)(((vector & 8) ? 0 : 0x80) | 0x40 | (base >= 8 ? 0 : 0x20) |
                                  ((vector & 16) ? 0 : 0x10) | 1));
    ft_emit_u8(emitter, 0xfe);
    ft_emit_u8(emitter, (uint8_t)((size_bytes == 64 ? 0x40 : size_bytes == 32 ? 0x20 : 0) | 0x08));
    ft_emit_u8(emitter, 0x7f);
    ft_emit_u8(emitter, (uint8_t)(0x80 | (vector & 7) << 3 | (base & 7)));
    if ((base & 7) == FT_RSP)
        ft_emit_u8(emitter, 0x24);
    ft_emit_u32(emitter, (uint32_t)displacement);
}

void ft_emit_store_mask(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                        unsigned mask)
{
    ft_emit_u8(emitter, 0xc4); /* kmovq [base+disp], k */
    ft_emit_u8(emitter, (uint8_t)(0x80 | 0x40 | (base >= 8 ? 0 : 0x20) | 1));
    ft_emit_u8(emitter, 0xf8);
    ft_emit_u8(emitter, 0x91);
    op_memory(emitter, mask, base, displacement);
}

void ft_emit_prefetch_write(struct ft_emitter *emitter, unsigned base, int32_t displacement)
{
    if (base >= 8)
        ft_emit_u8(emitter, 0x41);
    ft_emit_u8(emitter, 0x0f);
    ft_emit_u8(emitter, 0x0d);
    op_memory(emitter, 1, base, displacement);
}

void ft_emit_lea(struct ft_emitter *emitter, unsigned destination, unsigned base,
                 int32_t displacement)
{
    ft_emit_u8(emitter, rex(true, destination, base));
    ft_emit_u8(emitter, 0x8d);
    op_memory(emitter, destination, base, displacement);
}

void ft_emit_lea_sum(struct ft_emitter *emitter, unsigned destination, unsigned base,
                     unsigned index, unsigned scale, int32_t displacement)
{
    ft_emit_u8(emitter, (uint8_t)(rex(true, destination, base) | (index >= 8 ? 2 : 0)));
    ft_emit_u8(emitter, 0x8d);
    ft_emit_u8(emitter, (uint8_t)(0x84 | (destination & 7) << 3));
    ft_emit_u8(emitter,
               (uint8_t)((unsigned)__builtin_ctz(scale) << 6 | (index & 7) << 3 | (base & 7)));
    ft_emit_u32(emitter, (uint32_t)displacement);
}

bool ft_reaches(uint64_t next, uint64_t to)
{
    int64_t distance = (int64_t)(to - next);
    return distance >= INT32_MIN && distance <= INT32_MAX;
}

bool ft_emit_lea_address(struct ft_emitter *emitter, unsigned destination, uint64_t address)
{
    if (!ft_reaches(emitter->address + 7, address))
        return false;
    uint8_t bytes[] = {rex(true, destination, 0), 0x8d, (uint8_t)(0x05 | (destination & 7) << 3)};
    ft_emit_bytes(emitter, bytes, sizeof bytes);
    ft_emit_u32(emitter, (uint32_t)(address - (emitter->address + 4)));
    return true;
}

void ft_emit_mov(struct ft_emitter *emitter, unsigned destination, unsigned source)
{
    uint8_t bytes[] = {rex(true, source, destination), 0x89,
                       (uint8_t)(0xc0 | (source & 7) << 3 | (destination & 7))};
    ft_emit_bytes(emitter, bytes, sizeof bytes);
}

void ft_emit_not(struct ft_emitter *emitter, unsigned number)
{
    uint8_t bytes[] = {rex(true, 0, number), 0xf7, (uint8_t)(0xd0 | (number & 7))};
    ft_emit_bytes(emitter, bytes, sizeof bytes);
}

void ft_emit_mov_imm32(struct ft_emitter *emitter, unsigned destination, uint32_t value)
{
    if (destination >= 8)
        ft_emit_u8(emitter, 0x41);
    ft_emit_u8(emitter, (uint8_t)(0xb8 | (destination & 7)));
    ft_emit_u32(emitter, value);
}

void ft_emit_mov_imm64(struct ft_emitter *emitter, unsigned destination, uint64_t value)
{
    ft_emit_u8(emitter, rex(true, 0, destination));
    ft_emit_u8(emitter, (uint8_t)(0xb8 | (destination & 7)));
    emit_u64(emitter, value);
}

void ft_emit_push_from(struct ft_emitter *emitter, uint64_t address)
{
    ft_emit_u8(emitter, 0xff);
    ft_emit_u8(emitter, 0x35);
    ft_emit_u32(emitter, (uint32_t)(address - (emitter->address + 4)));
}

uint64_t ft_emit_jump(struct ft_emitter *emitter, uint64_t to)
{
    ft_emit_u8(emitter, 0xe9);
    ft_emit_u32(emitter, (uint32_t)(to - (emitter->address + 4)));
    return emitter->address - 4;
}

uint64_t ft_emit_branch(struct ft_emitter *emitter, unsigned condition, uint64_t to)
{
    ft_emit_u8(emitter, 0x0f);
    ft_emit_u8(emitter, (uint8_t)(0x80 | condition));
    ft_emit_u32(emitter, (uint32_t)(to - (emitter->address + 4)));
    return emitter->address - 4;
}

void ft_emit_far_jump(struct ft_emitter *emitter, uint64_t to)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    ft_emit_bytes(emitter, jump, sizeof jump);
    emit_u64(emitter, to);
}
