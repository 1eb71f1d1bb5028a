/*
 * Fills the capture's buffers (1 MiB each) many times in few steps: gathers log whole vectors. So
 * that a buffer ends everywhere: within records of plain code and of loops of both kinds, before
 * and after string instructions and system calls, with records of all lengths between. Without the
 * C library; compared access by access with single stepping.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"

static uint64_t words[512];
static uint32_t picks[64];
static uint64_t wide;

/* Gathers of two lanes, each of which logs its whole index vector and mask. */
#define GATHERS_512(count)                                                                         \
    ".rept " #count "; vmovdqu32 (%2,%0,4), %%zmm1; kmovw %%k2, %%k1;"                             \
    "vpgatherdd (%1,%%zmm1,4), %%zmm3%{%%k1%}; .endr;"
#define GATHERS_256(count)                                                                         \
    ".rept " #count "; vmovdqu (%2,%0,4), %%ymm1; vmovdqa %%ymm4, %%ymm2;"                         \
    "vpgatherdd %%ymm2, (%1,%%ymm1,4), %%ymm3; .endr;"

SAMPLE void gather_plain(uint64_t which)
{
    if (wide)
        __asm__ volatile("kxnorw %%k1, %%k1, %%k1; kshiftrw $14, %%k1, %%k2;" GATHERS_512(
                             8) "mov (%1,%0,8), %%rax; vpscatterdd %%zmm3, (%1,%%zmm1,8)%{%%k2%}"
                         :
                         : "r"(which), "r"(words), "r"(picks)
                         : "rax", "xmm1", "xmm3", "memory");
    else
        __asm__ volatile(
            "vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsrldq $12, %%ymm4, %%ymm4;" GATHERS_256(
                8) "mov (%1,%0,8), %%rax; vzeroupper"
            :
            : "r"(which), "r"(words), "r"(picks)
            : "rax", "xmm1", "xmm2", "xmm3", "xmm4", "memory");
}

/* The same in loops of one block. */
SAMPLE void gather_loop(uint64_t count)
{
    uint64_t i = count;
    if (wide)
        __asm__ volatile("kxnorw %%k1, %%k1, %%k1; kshiftrw $15, %%k1, %%k2;"
                         "1: " GATHERS_512(3) "dec %0; jnz 1b"
                         : "+&r"(i)
                         : "r"(words), "r"(picks)
                         : "xmm1", "xmm3", "cc", "memory");
    else
        __asm__ volatile("vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsrldq $12, %%ymm4, %%ymm4;"
                         "1: " GATHERS_256(3) "dec %0; jnz 1b; vzeroupper"
                         : "+&r"(i)
                         : "r"(words), "r"(picks)
                         : "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
}

/* A loop that logs eight values an iteration, and one whose values end it. */
SAMPLE void chase_loop(uint64_t count)
{
    uint64_t i = 0;
    __asm__ volatile("1: mov (%1,%0,4), %%eax; mov (%2,%%rax,8), %%rcx; and $31, %%ecx;"
                     "incb (%2,%%rcx); mov 4(%1,%0,4), %%edx; incl (%2,%%rdx,4);"
                     "mov 8(%1,%0,4), %%eax; incl 8(%2,%%rax,4); add $1, %0; cmp %3, %0; jb 1b"
                     : "+&r"(i)
                     : "r"(picks), "r"(words), "r"(count)
                     : "rax", "rcx", "rdx", "cc", "memory");
    const uint32_t *p = picks;
    __asm__ volatile("1: mov (%0), %%eax; incb (%1,%%rax); add $4, %0; cmp $61, %%eax; jne 1b"
                     : "+&r"(p)
                     : "r"(words)
                     : "rax", "cc", "memory");
}

SAMPLE void move_strings(uint64_t count)
{
    void *from = words, *to = words + 300;
    __asm__ volatile("rep movsb; lodsb; repne scasb"
                     : "+S"(from), "+D"(to), "+c"(count)
                     :
                     : "rax", "cc", "memory");
}

static void run(void)
{
    if (!sample_has(0))
        sample_exit(0);
    wide = (uint64_t)sample_has(1);
    for (unsigned i = 0; i < 64; i++)
        picks[i] = i * 37 % 64;
    for (unsigned i = 0; i < 720; i++) {
        for (unsigned j = 0; j < i % 7; j++)
            gather_plain((i + j) % 40);
        if (i % 3 == 0)
            gather_loop(1 + i % 11);
        if (i % 16 == 0)
            chase_loop(1 + i % 13);
        if (i % 64 == 1)
            move_strings(i % 5);
        if (i % 256 == 0)
            sample_system_call(110, 0, 0, 0, 0); /* getppid */
    }
    sample_exit(0);
}
SAMPLE_START(run)
