/*
 * Fills the capture's buffer (1 MiB) some 50 times with records in whose midst the stack pointer is
 * set in ways that cannot be undone: aligned, then taken from a register. Without the C library.
 */
#include "tests/support/freestanding.h"

static uint64_t words[64];
static uint32_t picks[64];
static uint8_t other_stack[4096];

/* Gathers of two lanes, each of which logs its whole index vector and mask: 64 bytes. */
#define MASK "vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsrldq $12, %%ymm4, %%ymm4;"
#define GATHERS(count)                                                                             \
    ".rept " #count "; vmovdqu (%1), %%ymm1; vmovdqa %%ymm4, %%ymm2;"                              \
    "vpgatherdd %%ymm2, (%0,%%ymm1,4), %%ymm3; .endr;"

SAMPLE void gather_on_aligned_stack(const uint32_t *which)
{
    __asm__ volatile(MASK "mov %%rsp, %%rbx; and $-64, %%rsp; push %%rbx;" GATHERS(
                         14) "mov %%rbx, %%rsp; vzeroupper"
                     :
                     : "r"(words), "r"(which)
                     : "rbx", "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
}

SAMPLE void gather_on_other_stack(const uint32_t *which, void *stack)
{
    __asm__ volatile(MASK "mov %%rsp, %%rbx; mov %2, %%rsp; push %%rbx;" GATHERS(
                         14) "mov %%rbx, %%rsp; vzeroupper"
                     :
                     : "r"(words), "r"(which), "r"(stack)
                     : "rbx", "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
}

static void run(void)
{
    if (!sample_has(0))
        sample_exit(0);
    for (unsigned i = 0; i < 64; i++)
        picks[i] = i * 37 % 64;
    for (unsigned i = 0; i < 50000; i++)
        gather_on_aligned_stack(picks + i % 50);
    for (unsigned i = 0; i < 50000; i++)
        gather_on_other_stack(picks + i % 50, other_stack + 2048 + 8 * (i % 64));
    sample_exit(0);
}
SAMPLE_START(run)
