/*
 * An atomic instruction is recognised by its bytes: a LOCK prefix, or XCHG with memory. lfence
 * delays reading the counter until the atomic instruction is done: whoever takes a lock has a later
 * timestamp than its previous owner.
 *
 * A thread may also wait for a plain store without either: a loop that stores nothing, and loads
 * from the same addresses in every iteration.
 */
#include "trace-capture/translate/timestamps.h"

#include <string.h>

#include "formats/x86/known_registers.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/emit_x86_64.h"

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3};
    return memchr(prefixes, byte, sizeof prefixes) != NULL;
}

static bool is_atomic(const uint8_t *code, unsigned length)
{
    unsigned i = 0;
    while (i < length && is_prefix(code[i]))
        i++;
    if (i < length && code[i] == 0xf0)
        return true;
    if (i < length && code[i] >> 4 == 4) /* REX */
        i++;
    bool is_xchg = i + 1 < length && (code[i] == 0x86 || code[i] == 0x87);
    return is_xchg && code[i + 1] >> 6 != 3;
}

static bool is_pause(const uint8_t *code, unsigned length)
{
    return length == 2 && code[0] == 0xf3 && code[1] == 0x90;
}

unsigned ft_timestamps_atomic(const struct ft_unit *unit)
{
    const uint8_t *code = unit->code;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        if (is_atomic(code, unit->instructions[i].length))
            return i + 1;
        code += unit->instructions[i].length;
    }
    return 0;
}

static bool waits_for_memory(const struct ft_unit *loop)
{
    uint32_t written = 0;
    unsigned loads = 0;
    for (unsigned i = 0; i < loop->instruction_count; i++)
        written |= loop->instructions[i].registers_written;
    for (unsigned i = 0; i < loop->instruction_count; i++) {
        const struct ft_instruction *instruction = &loop->instructions[i];
        for (unsigned k = 0; k < instruction->access_count; k++) {
            const struct ft_access *access = &instruction->accesses[k];
            if (access->kind != FT_LOAD || access->mode != FT_ACCESS_PLAIN ||
                (ft_access_registers(instruction, access) & written))
                return false;
            loads++;
        }
    }
    return loads > 0;
}

bool ft_timestamps_loop(const struct ft_unit *unit)
{
    const uint8_t *code = unit->code;
    if (!ft_unit_is_loop(unit))
        return false;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        if (is_pause(code, unit->instructions[i].length))
            return true;
        code += unit->instructions[i].length;
    }
    return ft_timestamps_atomic(unit) > 0 || waits_for_memory(unit);
}

void ft_timestamps_emit(struct ft_emitter *emitter)
{
    static const uint8_t read_counter[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31}; /* lfence; rdtsc */
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rdx), FT_RDX);
    ft_emit_bytes(emitter, read_counter, sizeof read_counter);
    ft_emit_store_imm32(emitter, FT_R11, 0, 0);
    ft_emit_store_imm32(emitter, FT_R11, 4, FT_ESCAPE_TIMESTAMP);
    ft_emit_store(emitter, FT_R11, 8, FT_RAX, 4);
    ft_emit_store(emitter, FT_R11, 12, FT_RDX, 4);
    ft_emit_lea(emitter, FT_R11, FT_R11, 16);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RDX, FT_CONTEXT(spill_rdx));
}
