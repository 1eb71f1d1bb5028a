/*
 * rdi: from, rsi: to, rdx: passes left; r8 and r9: copies of the first two that walk; rcx: blocks
 * of UNROLLED accesses left in this pass. Where a pass has few accesses, several passes are written
 * out one after the other, so that the loop's own instructions do not count.
 */
#include "machines/probe/code.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define CODE_BYTES 16384U
#define UNROLLED   32U

static void put(struct ft_code *code, const void *bytes, size_t count)
{
    if (code->used + count <= CODE_BYTES)
        memcpy(code->bytes + code->used, bytes, count);
    code->used += count;
}

static void put_u32(struct ft_code *code, uint32_t value)
{
    put(code, &value, sizeof value);
}

/* One access at displacements from r8 and r9. */
static void put_access(struct ft_code *code, enum ft_code_kind kind, uint32_t displacement)
{
    static const uint8_t load[] = {0x49, 0x8b, 0x80},   /* mov rax, [r8+disp32] */
        store[] = {0x49, 0x89, 0x80},                   /* mov [r8+disp32], rax */
        store_to[] = {0x49, 0x89, 0x81},                /* mov [r9+disp32], rax */
        vector_load[] = {0xc4, 0xc1, 0x7c, 0x10, 0x80}; /* vmovups ymm0, [r8+disp32] */
    switch (kind) {
    case FT_CODE_LOAD:
        put(code, load, sizeof load);
        break;
    case FT_CODE_STORE:
        put(code, store, sizeof store);
        break;
    case FT_CODE_COPY:
        put(code, load, sizeof load);
        put_u32(code, displacement);
        put(code, store_to, sizeof store_to);
        break;
    case FT_CODE_VECTOR_LOAD:
        put(code, vector_load, sizeof vector_load);
        break;
    }
    put_u32(code, displacement);
}

static void put_accesses(struct ft_code *code, enum ft_code_kind kind, uint64_t count,
                         uint64_t stride_bytes)
{
    for (uint64_t i = 0; i < count; i++)
        put_access(code, kind, (uint32_t)(i * stride_bytes));
}

static void put_jump_back(struct ft_code *code, size_t target)
{
    static const uint8_t jnz[] = {0x0f, 0x85};
    put(code, jnz, sizeof jnz);
    put_u32(code, (uint32_t)(target - (code->used + 4)));
}

static void put_restart(struct ft_code *code)
{
    static const uint8_t restart[] = {0x49, 0x89, 0xf8,  /* mov r8, rdi */
                                      0x49, 0x89, 0xf1}; /* mov r9, rsi */
    put(code, restart, sizeof restart);
}

/* Blocks of UNROLLED accesses, then what is left; r8 and r9 walk. */
static void put_long_pass(struct ft_code *code, enum ft_code_kind kind, uint64_t stride_bytes)
{
    static const uint8_t set_blocks[] = {0xb9};            /* mov ecx, imm32 */
    static const uint8_t walk_from[] = {0x49, 0x81, 0xc0}; /* add r8, imm32 */
    static const uint8_t walk_to[] = {0x49, 0x81, 0xc1};   /* add r9, imm32 */
    static const uint8_t next[] = {0xff, 0xc9};            /* dec ecx */
    put_restart(code);
    put(code, set_blocks, sizeof set_blocks);
    put_u32(code, (uint32_t)(code->accesses / UNROLLED));
    const size_t block = code->used;
    put_accesses(code, kind, UNROLLED, stride_bytes);
    put(code, walk_from, sizeof walk_from);
    put_u32(code, (uint32_t)(UNROLLED * stride_bytes));
    put(code, walk_to, sizeof walk_to);
    put_u32(code, (uint32_t)(UNROLLED * stride_bytes));
    put(code, next, sizeof next);
    put_jump_back(code, block);
    put_accesses(code, kind, code->accesses % UNROLLED, stride_bytes);
}

int ft_code_strided(enum ft_code_kind kind, uint64_t size_bytes, uint64_t stride_bytes,
                    struct ft_code *ret_code, struct ft_diag *diag)
{
    static const uint8_t next[] = {0x48, 0xff, 0xca};        /* dec rdx */
    static const uint8_t leave[] = {0xc5, 0xf8, 0x77, 0xc3}; /* vzeroupper; ret */
    struct ft_code code = {
        .bytes = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        .accesses = size_bytes / stride_bytes ? size_bytes / stride_bytes : 1,
    };
    if (code.bytes == MAP_FAILED)
        return ft_fail(diag, FT_ERROR_MEMORY, "code to measure with: %s", strerror(errno));
    /* A pass counts once: several that are written out make a unit of passes. */
    const uint64_t written = code.accesses >= 2UL * UNROLLED ? 0 : 2 * UNROLLED / code.accesses;
    put_restart(&code);
    const size_t pass = code.used;
    if (written)
        for (uint64_t i = 0; i < written; i++)
            put_accesses(&code, kind, code.accesses, stride_bytes);
    else
        put_long_pass(&code, kind, stride_bytes);
    put(&code, next, sizeof next);
    put_jump_back(&code, pass);
    const bool is_vector = kind == FT_CODE_VECTOR_LOAD;
    put(&code, is_vector ? leave : leave + 3, is_vector ? sizeof leave : 1);
    code.accesses *= written ? written : 1;
    if (mprotect(code.bytes, CODE_BYTES, PROT_READ | PROT_EXEC) != 0) {
        munmap(code.bytes, CODE_BYTES);
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the system lets no code be made to measure with: %s", strerror(errno));
    }
    memcpy(&code.run, &code.bytes, sizeof code.run); /* ISO C casts no data to functions */
    *ret_code = code;
    return FT_OK;
}

void ft_code_fini(struct ft_code *code)
{
    if (code->bytes)
        munmap(code->bytes, CODE_BYTES);
    *code = (struct ft_code){0};
}
