/*
 * Pieces overlap at the end rather than read beyond the unit, where nothing may be mapped. The
 * mismatch exit is a far jump through its own aligned word: other threads that are in it find the
 * old target or the new one.
 */
#include "trace-capture/translate/checked_code.h"

#include <string.h>

#include "trace-capture/target/context.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

#define MISMATCH_EXIT_BYTES  16
#define MISMATCH_EXIT_TARGET 8 /* offset of the address that it jumps to */

bool ft_checked_may_write(const struct ft_instruction *instruction)
{
    for (unsigned k = 0; k < instruction->access_count; k++) {
        const struct ft_access *access = &instruction->accesses[k];
        bool is_store = access->kind == FT_STORE || access->kind == FT_STORE_NONTEMPORAL;
        if (is_store && (access->base != FT_RSP || access->index != FT_NO_REGISTER))
            return true;
    }
    return false;
}

unsigned ft_checked_instructions(const struct ft_unit *unit)
{
    for (unsigned i = 0; i < unit->instruction_count; i++)
        if (ft_checked_may_write(&unit->instructions[i]))
            return i + 1;
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

/* Goes to the mismatch exit if the code has changed; the first time, emits the exit here. */
static void emit_mismatch_exit(struct ft_emitter *emitter, unsigned bytes, uint64_t *mismatch_exit)
{
    if (*mismatch_exit) {
        ft_emit_jump(emitter, *mismatch_exit);
        return;
    }
    if (bytes == MISMATCH_EXIT_BYTES)
        ft_emit_align(emitter, MISMATCH_EXIT_BYTES);
    *mismatch_exit = emitter->address;
    for (unsigned i = 0; i < bytes; i++)
        ft_emit_u8(emitter, 0xcc);
}

void ft_checked_spill(struct ft_emitter *emitter)
{
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rcx), FT_RCX);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
}

void ft_checked_reload(struct ft_emitter *emitter)
{
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
}

bool ft_checked_compare(struct ft_emitter *emitter, const struct ft_unit *unit, unsigned from,
                        unsigned to, unsigned mismatch_exit_bytes, uint64_t *mismatch_exit)
{
    static const uint8_t add_rax_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx+rax] */
    static const uint8_t if_same[] = {0xe3, 0};                       /* jrcxz */
    unsigned count = unit->code_bytes;
    for (unsigned done = from; done < to;) {
        bool overlaps = count >= 8 && count - done < 8;
        unsigned bytes = overlaps ? 8 : piece_bytes(count - done);
        unsigned at = overlaps ? count - 8 : done;
        uint64_t expected = 0;
        memcpy(&expected, unit->code + at, bytes);
        if (!load_piece(emitter, unit->pc + at, bytes))
            return false;
        ft_emit_mov_imm64(emitter, FT_RAX, -expected);
        ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
        ft_emit_bytes(emitter, if_same, sizeof if_same);
        uint8_t *on = emitter->at - 1;
        emit_mismatch_exit(emitter, mismatch_exit_bytes, mismatch_exit);
        if (!emitter->overflow)
            *on = (uint8_t)(emitter->at - (on + 1));
        done = at + bytes;
    }
    return true;
}

bool ft_checked_emit(struct ft_emitter *emitter, struct ft_translation *translation)
{
    const struct ft_unit *unit = &translation->unit;
    ft_checked_spill(emitter);
    if (!ft_checked_compare(emitter, unit, 0, unit->code_bytes, MISMATCH_EXIT_BYTES,
                            &translation->changed))
        return false;
    ft_checked_reload(emitter);
    translation->body = emitter->address;
    return true;
}

void ft_checked_redirect(uint8_t *changed, uint64_t to)
{
    static const uint8_t jump[] = {0xff, 0x25, 2, 0, 0, 0}; /* jmp [rip+2] */
    __atomic_store_n((uint64_t *)(void *)(changed + MISMATCH_EXIT_TARGET), to, __ATOMIC_RELEASE);
    if (changed[0] == jump[0])
        return;
    memcpy(changed + 1, jump + 1, sizeof jump - 1);
    __atomic_store_n(changed, jump[0], __ATOMIC_RELEASE);
}
