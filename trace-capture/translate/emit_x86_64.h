/*
 * Emits x86-64 instructions into the code cache. Only instructions that leave the flags, the stack
 * and the red zone alone are here, so that instrumentation is invisible to the program around it.
 *
 * An emitter writes through the host's mapping (`at`) code that will run at `address` in the
 * target. If it runs out of room, `overflow` is set and nothing more is written.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_EMIT_X86_64_H
#define FT_TRACE_CAPTURE_TRANSLATE_EMIT_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/x86/instruction.h"

struct ft_emitter {
    uint8_t *at;
    uint64_t address;
    uint8_t *end;
    bool overflow;
};

#define FT_JUMP_BYTES       5U /* of a near jump */
#define FT_CACHE_LINE_BYTES 64U

/* Code that other threads may be running is only changed within a cache line: a processor that
 * fetches an instruction that spans two lines may see one before the change and the other after it,
 * and run neither the old nor the new code. */
static inline bool ft_is_in_one_line(uint64_t address, unsigned bytes)
{
    return (address & (FT_CACHE_LINE_BYTES - 1)) + bytes <= FT_CACHE_LINE_BYTES;
}

void ft_emit_bytes(struct ft_emitter *emitter, const void *bytes, size_t count);
void ft_emit_u8(struct ft_emitter *emitter, uint8_t byte);
void ft_emit_u32(struct ft_emitter *emitter, uint32_t value);
/* Multi-byte no-operations up to a multiple of `alignment` bytes. */
void ft_emit_align(struct ft_emitter *emitter, unsigned alignment);

/* mov gs:[offset], register and back: the thread context. */
void ft_emit_store_gs(struct ft_emitter *emitter, uint32_t offset, unsigned source);
void ft_emit_load_gs(struct ft_emitter *emitter, unsigned destination, uint32_t offset);
/* The same with the register's lower half, zero-extended to 64 bits both ways. */
void ft_emit_store_gs32(struct ft_emitter *emitter, uint32_t offset, unsigned source);
void ft_emit_load_gs32(struct ft_emitter *emitter, unsigned destination, uint32_t offset);
/* mov [base + displacement], source; 1, 4 or 8 bytes. */
void ft_emit_store(struct ft_emitter *emitter, unsigned base, int32_t displacement, unsigned source,
                   unsigned size_bytes);
void ft_emit_load(struct ft_emitter *emitter, unsigned destination, unsigned base,
                  int32_t displacement);
void ft_emit_store_imm32(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                         uint32_t value);
/* The whole xmm, ymm or zmm register (size_bytes 16, 32, 64), or a mask register k. */
void ft_emit_store_vector(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                          unsigned vector, unsigned size_bytes);
void ft_emit_store_mask(struct ft_emitter *emitter, unsigned base, int32_t displacement,
                        unsigned mask);
/* prefetchw [base + displacement]: brings the line in for writing. */
void ft_emit_prefetch_write(struct ft_emitter *emitter, unsigned base, int32_t displacement);
void ft_emit_lea(struct ft_emitter *emitter, unsigned destination, unsigned base,
                 int32_t displacement);
/* lea destination, [base + index*scale + displacement]; the index is not RSP. */
void ft_emit_lea_sum(struct ft_emitter *emitter, unsigned destination, unsigned base,
                     unsigned index, unsigned scale, int32_t displacement);
/* lea destination, [rip + ...] of a target address within reach; false when it is not. */
bool ft_emit_lea_address(struct ft_emitter *emitter, unsigned destination, uint64_t address);
void ft_emit_mov(struct ft_emitter *emitter, unsigned destination, unsigned source);
/* not register: leaves the flags. */
void ft_emit_not(struct ft_emitter *emitter, unsigned number);
void ft_emit_mov_imm32(struct ft_emitter *emitter, unsigned destination, uint32_t value);
void ft_emit_mov_imm64(struct ft_emitter *emitter, unsigned destination, uint64_t value);
/* push qword [address], the address within reach of RIP. */
void ft_emit_push_from(struct ft_emitter *emitter, uint64_t address);

/* Direct jumps with 32-bit displacements; the caller patches them later through
 * ft_patch_rel32. Returns the target address of the displacement field. */
uint64_t ft_emit_jump(struct ft_emitter *emitter, uint64_t to);
uint64_t ft_emit_branch(struct ft_emitter *emitter, unsigned condition, uint64_t to);
/* jmp [rip + 0] with the destination behind it: reaches everywhere. 14 bytes. */
void ft_emit_far_jump(struct ft_emitter *emitter, uint64_t to);
#define FT_FAR_JUMP_BYTES 14U

/* True when a 32-bit displacement whose next instruction is at `next` reaches `to`. */
bool ft_reaches(uint64_t next, uint64_t to);

#endif
