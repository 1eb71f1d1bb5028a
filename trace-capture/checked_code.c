/*
 * The pieces overlap at the end rather than read beyond the unit, where nothing may be mapped. The
 * way out is a far jump through a word of its own, which is aligned: other threads that are there
 * find the one target or the other.
 */
#include "trace-capture/checked_code.h"

#include <string.h>

#include "trace-capture/context.h"

#define WAY_OUT_BYTES  16
#define WAY_OUT_TARGET 8 /* offset of the address that it jumps to */

unsigned ft_checked_instructions(const struct ft_unit *unit)
{
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        for (unsigned k = 0; k < instruction->access_count; k++) {
            const struct ft_access *access = &instruction->accesses[k];
            bool is_store = access->kind == FT_STORE || access->kind == FT_STORE_NONTEMPORAL;
            if (is_store && (access->base != FT_RSP || access->index != FT_NO_REGISTER))
                return i + 1;
        }
    }
    return unit->instruction_count;
}

static unsigned piece_bytes(unsigned rest)
{
    return rest >= 8 ? 8 : rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
}

/* mov rcx, [rip + piece], zero-extended. */
static bool load_piece(struct ft_emitter *emitter, uint64_t address, unsigned bytes)
{
    static const struct {
        uint8_t length, code[3];
    } loads[9] = {[1] = {3, {0x0f, 0xb6, 0x0d}},
                  [2] = {3, {0x0f, 0xb7, 0x0d}},
                  [4] = {2, {0x8b, 0x0d}},
                  [8] = {3, {0x48, 0x8b, 0x0d}}};
    ft_emit_bytes(emitter, loads[bytes].code, loads[bytes].length);
    if (!ft_reaches(emitter->address + 4, address))
        return false;
    ft_emit_u32(emitter, (uint32_t)(address - (emitter->address + 4)));
    return true;
}

static void emit_way_out(struct ft_emitter *emitter, struct ft_translation *translation)
{
    if (translation->changed) {
        ft_emit_jump(emitter, translation->changed);
        return;
    }
    ft_emit_align(emitter, WAY_OUT_BYTES);
    translation->changed = emitter->address;
    for (unsigned i = 0; i < WAY_OUT_BYTES; i++)
        ft_emit_u8(emitter, 0xcc);
}

bool ft_checked_emit(struct ft_emitter *emitter, struct ft_translation *translation)
{
    static const uint8_t add_rax_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx+rax] */
    static const uint8_t if_same[] = {0xe3, 0};                       /* jrcxz */
    const struct ft_unit *unit = &translation->unit;
    unsigned count = unit->code_bytes;
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rcx), FT_RCX);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
    for (unsigned done = 0; done < count;) {
        bool overlaps = count >= 8 && count - done < 8;
        unsigned bytes = overlaps ? 8 : piece_bytes(count - done);
        unsigned from = overlaps ? count - 8 : done;
        uint64_t expected = 0;
        memcpy(&expected, unit->code + from, bytes);
        if (!load_piece(emitter, unit->pc + from, bytes))
            return false;
        ft_emit_mov_imm64(emitter, FT_RAX, -expected);
        ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
        ft_emit_bytes(emitter, if_same, sizeof if_same);
        uint8_t *on = emitter->at - 1;
        emit_way_out(emitter, translation);
        if (!emitter->overflow)
            *on = (uint8_t)(emitter->at - (on + 1));
        done = from + bytes;
    }
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
    translation->body = emitter->address;
    return true;
}

void ft_checked_lead(uint8_t *changed, uint64_t to)
{
    static const uint8_t jump[] = {0xff, 0x25, 2, 0, 0, 0}; /* jmp [rip+2] */
    __atomic_store_n((uint64_t *)(void *)(changed + WAY_OUT_TARGET), to, __ATOMIC_RELEASE);
    if (changed[0] == jump[0])
        return;
    memcpy(changed + 1, jump + 1, sizeof jump - 1);
    __atomic_store_n(changed, jump[0], __ATOMIC_RELEASE);
}
