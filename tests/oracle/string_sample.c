/*
 * Blocks of 2 KiB cleared and copied by string instructions and by vectors of 32 bytes, forwards
 * and backwards, and strings whose ends lie anywhere. No library; compared access by access with
 * single stepping (test_capture), and routine by routine by test_string_counts.
 */
#include "tests/support/freestanding.h"

enum { BLOCK_BYTES = 2048, BLOCKS = 8 };

static uint8_t from[BLOCKS * BLOCK_BYTES] __attribute__((aligned(4096)));
static uint8_t to[BLOCKS * BLOCK_BYTES] __attribute__((aligned(4096)));

SAMPLE void clear_by_bytes(uint8_t *block)
{
    uint64_t count = BLOCK_BYTES;
    __asm__ volatile("rep stosb" : "+D"(block), "+c"(count) : "a"(0) : "memory");
}

SAMPLE void clear_by_words(uint8_t *block)
{
    uint64_t count = BLOCK_BYTES / 8;
    __asm__ volatile("rep stosq" : "+D"(block), "+c"(count) : "a"(0) : "memory");
}

SAMPLE void clear_by_vectors(uint8_t *block)
{
    uint64_t count = BLOCK_BYTES / 32;
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0; 1: vmovdqu %%ymm0, (%0);"
                     "add $32, %0; dec %1; jnz 1b; vzeroupper"
                     : "+D"(block), "+c"(count)
                     :
                     : "xmm0", "memory", "cc");
}

SAMPLE void copy_by_bytes(uint8_t *target, const uint8_t *source)
{
    uint64_t count = BLOCK_BYTES;
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
}

SAMPLE void copy_backwards(uint8_t *target, const uint8_t *source)
{
    uint64_t count = BLOCK_BYTES / 8;
    target += BLOCK_BYTES - 8;
    source += BLOCK_BYTES - 8;
    __asm__ volatile("std; rep movsq; cld"
                     : "+D"(target), "+S"(source), "+c"(count)
                     :
                     : "memory", "cc");
}

SAMPLE void copy_by_vectors(uint8_t *target, const uint8_t *source)
{
    uint64_t count = BLOCK_BYTES / 32;
    __asm__ volatile("1: vmovdqu (%1), %%ymm0; vmovdqu %%ymm0, (%0);"
                     "add $32, %0; add $32, %1; dec %2; jnz 1b; vzeroupper"
                     : "+D"(target), "+S"(source), "+c"(count)
                     :
                     : "xmm0", "memory", "cc");
}

/* Every length up to some granules, from and to every offset. */
SAMPLE void copy_anywhere(void)
{
    for (uint64_t i = 0; i < 140; i++) {
        uint64_t count = i;
        uint8_t *target = to + i * 13 % 67;
        const uint8_t *source = from + i * 29 % 71;
        __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
        count = i / 4;
        __asm__ volatile("repe cmpsw; rep stosl; std; rep lodsq; cld"
                         : "+D"(target), "+S"(source), "+c"(count)
                         :
                         : "rax", "memory", "cc");
    }
}

static void run(void)
{
    const int has_vectors = sample_has(0);
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint8_t *target = to + b * BLOCK_BYTES;
        const uint8_t *source = from + b * BLOCK_BYTES;
        clear_by_bytes(target);
        clear_by_words(target);
        copy_by_bytes(target, source);
        copy_backwards(target, source);
        if (has_vectors) {
            clear_by_vectors(target);
            copy_by_vectors(target, source);
        }
    }
    copy_anywhere();
    sample_exit(0);
}

SAMPLE_START(run)
