/*
 * Start and end of test programs without libraries: they move to a stack of their own first, so
 * that their addresses are the same under every tracer.
 */
#ifndef FT_TESTS_SUPPORT_FREESTANDING_H
#define FT_TESTS_SUPPORT_FREESTANDING_H

#include <stdint.h>

/* Called, never inlined: pushes, calls and returns are accesses too. */
#define SAMPLE __attribute__((noinline)) static

static inline long sample_system_call(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return number;
}

static inline void sample_exit(int code)
{
    sample_system_call(231, code, 0, 0, 0); /* exit_group */
}

/* OSXSAVE, FMA and AVX2; whoever asks for AVX-512 gets F, DQ, BW and VL. */
static inline int sample_has(int avx512)
{
    const uint32_t wanted = avx512 ? UINT32_C(0xc0030020) : 0x20;
    uint32_t eax = 1, ebx, ecx = 0, edx;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if (!(ecx >> 27 & 1) || !(ecx >> 12 & 1))
        return 0;
    eax = 7;
    ecx = 0;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (ebx & wanted) == wanted;
}

#define SAMPLE_START(run)                                                                          \
    uint8_t sample_stack[1 << 15] __attribute__((aligned(64)));                                    \
    __attribute__((used)) static void (*const sample_run)(void) = run;                             \
    void _start(void);                                                                             \
    __attribute__((naked, noreturn, used)) void _start(void)                                       \
    {                                                                                              \
        __asm__("lea sample_stack+32768(%rip), %rsp\n\t"                                           \
                "xor %ebp, %ebp\n\t"                                                               \
                "call *sample_run(%rip)\n\t"                                                       \
                "hlt");                                                                            \
    }

#endif
