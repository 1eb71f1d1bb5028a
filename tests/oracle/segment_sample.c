/*
 * A program that sets its FS base itself, by wrfsbase and by arch_prctl, in units whose records
 * fill the capture's log, so that buffers end behind a change. Without the C library; compared
 * access by access with single stepping.
 */
#include "tests/oracle/freestanding.h"

#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

static uint64_t words[64], other_words[64];
static uint32_t picks[64];
static uint64_t sum;

static int has_fsgsbase(void)
{
    uint32_t eax = 7, ebx, ecx = 0, edx;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (int)(ebx & 1);
}

/* Gathers of two lanes, each of which logs its whole index vector and mask: 64 bytes. */
#define MASK "vpcmpeqd %%ymm4, %%ymm4, %%ymm4; vpsrldq $12, %%ymm4, %%ymm4;"
#define GATHERS(count)                                                                             \
    ".rept " #count "; vmovdqu (%3), %%ymm1; vmovdqa %%ymm4, %%ymm2;"                              \
    "vpgatherdd %%ymm2, (%2,%%ymm1,4), %%ymm3; .endr;"

SAMPLE uint64_t switch_base(const uint32_t *which, const uint64_t *base)
{
    uint64_t result, before;
    __asm__ volatile(MASK "rdfsbase %0; mov %%fs:16, %1; wrfsbase %4; add %%fs:8, %1;" GATHERS(
                         12) "add %%fs:24, %1; vzeroupper"
                     : "=&r"(before), "=&r"(result)
                     : "r"(words), "r"(which), "r"(base)
                     : "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
    return result + (before == (uint64_t)(uintptr_t)words);
}

static void run(void)
{
    uint64_t base = 0;
    sample_system_call(158, ARCH_SET_FS, (long)words, 0, 0);
    sample_system_call(158, ARCH_GET_FS, (long)&base, 0, 0);
    sum += base == (uint64_t)(uintptr_t)words;
    sample_system_call(158, ARCH_GET_GS, (long)&base, 0, 0);
    sum += base;
    for (unsigned i = 0; i < 64; i++) {
        picks[i] = i * 37 % 64;
        words[i] = i;
        other_words[i] = 3 * i;
    }
    if (has_fsgsbase() && sample_has(0))
        for (unsigned i = 0; i < 1500; i++) {
            sum += switch_base(picks + i % 32, i % 3 ? words : other_words);
            if (i % 500 == 7)
                sample_system_call(158, ARCH_SET_FS, (long)(i & 1 ? words : other_words), 0, 0);
        }
    sample_exit((int)(sum & 63));
}
SAMPLE_START(run)
