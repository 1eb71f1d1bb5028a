/*
 * A program that sets its FS and GS bases itself, by wrfsbase, wrgsbase and arch_prctl, in units
 * whose records fill the capture's log, so that buffers end behind a change; and operands of all
 * encodings in GS, which is the capture's own in translated code. Without the C library; compared
 * access by access with single stepping.
 */
#include "tests/support/freestanding.h"

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

static uint64_t words[64] __attribute__((aligned(64))),
    other_words[64] __attribute__((aligned(64)));
static uint32_t picks[64];
static uint64_t sum;

/* Whether the kernel keeps bases that are set by instructions, and not just the processor has them:
 * it says so in the auxiliary vector (Linux, Documentation/arch/x86/x86_64/fsgs.rst). */
static int has_fsgsbase(void)
{
    uint64_t entries[64][2] = {{0}};
    const long file = sample_system_call(2, (long)"/proc/self/auxv", 0, 0, 0);
    sample_system_call(0, file, (long)entries, sizeof entries, 0);
    sample_system_call(3, file, 0, 0, 0);
    for (unsigned i = 0; i < 64 && entries[i][0]; i++)
        if (entries[i][0] == 26) /* AT_HWCAP2 */
            return (int)(entries[i][1] >> 1 & 1);
    return 0;
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

/* Every general register is an operand's base or index; r11 and rsp are of their own kind. */
SAMPLE uint64_t gs_operands(long avx512)
{
    uint64_t result = 0;
    __asm__ volatile("mov %%gs:8, %0; add %%gs:(%1), %0; mov %0, %%gs:16(%1,%2,8)\n\t"
                     "mov $3, %%r11; add %%gs:(,%%r11,8), %0; mov $24, %%r10d\n\t"
                     "lock xadd %0, %%gs:(%%r10,%%r11,8); incl %%gs:4(%%r10)\n\t"
                     "xchg %%r11, %%gs:40; cmpxchg %%r10, %%gs:48; movl $77, %%gs:56(,%2,4)\n\t"
                     "mov %%rsp, %%r9; sub %%rsp, %%r9; add %%gs:(%%r9,%%r9,2), %0\n\t"
                     "push %%gs:64; pop %%gs:72; mov $130, %%r8d; bts %%r8, %%gs:80\n\t"
                     "movzwl %%gs:2(%%r9), %%r8d; add %%r8, %0; sete %%gs:96(%%r9)\n\t"
                     "movups %%gs:16(%1), %%xmm1; addpd %%gs:32(%%r9), %%xmm1\n\t"
                     "movsd %%xmm1, %%gs:104; fldl %%gs:104; fstpt %%gs:112(,%%r9,4)\n\t"
                     "vmovups %%gs:64(%1,%2,4), %%ymm2; vpermq $27, %%gs:32(%1), %%ymm3\n\t"
                     "vmovups %%ymm3, %%gs:128(%1); vzeroupper"
                     : "+&r"(result)
                     : "r"(8L), "r"(2L)
                     : "rax", "r8", "r9", "r10", "r11", "xmm1", "xmm2", "xmm3", "cc", "memory");
    if (avx512)
        __asm__ volatile("mov $0x55, %%edx; kmovq %%rdx, %%k2; vmovups %%gs:256, %%zmm17\n\t"
                         "vaddps %%gs:4(%0)%{1to16%}, %%zmm17, %%zmm18\n\t"
                         "vmovups %%zmm18, %%gs:320(%0)%{%%k2%}; vzeroupper"
                         :
                         : "r"(64L)
                         : "rdx", "memory");
    return result;
}

/* The stack in GS: a base of 0, and an address that push and pop move. */
SAMPLE uint64_t gs_stack(uint64_t value)
{
    uint64_t result;
    __asm__ volatile("push %1; push %%gs:(%%rsp); pop %%gs:-24(%%rsp); add $8, %%rsp\n\t"
                     "mov %%gs:-8(%%rsp), %0; mov %%gs:-16(%%rsp,%2,4), %2"
                     : "=&r"(result)
                     : "r"(value), "r"(0L)
                     : "memory", "cc");
    return result;
}

/* Loops with addresses that stride, and with some that do not. */
SAMPLE uint64_t gs_loops(const uint32_t *which, long n)
{
    uint64_t total = 0, last = 0;
    for (long i = 0; i < n; i++)
        __asm__ volatile("add %%gs:(,%1,8), %0" : "+r"(total) : "r"(i) : "cc");
    for (long i = 0; i < n; i++) {
        __asm__ volatile("mov %%gs:(,%1,8), %0" : "=r"(last) : "r"((uint64_t)which[i]));
        if (last & 1)
            __asm__ volatile("addq %0, %%gs:8" : : "r"(last) : "cc");
        total += last;
    }
    return total;
}

SAMPLE uint64_t gs_bases(const uint64_t *base)
{
    uint64_t before, narrow;
    __asm__ volatile("rdgsbase %0; wrgsbase %2; rdgsbase %%r11d; mov %%r11, %1; addq %%gs:8, %0"
                     : "=&r"(before), "=&r"(narrow)
                     : "r"(base)
                     : "r11", "cc", "memory");
    return before + narrow;
}

static uint64_t low_base(void)
{
    uint64_t base;
    __asm__ volatile("mov $-1, %%rax; mov $64, %%eax; wrgsbase %%eax; rdgsbase %0"
                     : "=r"(base)
                     :
                     : "rax");
    return base;
}

static void run_gs(int has_instructions)
{
    for (unsigned i = 0; i < 64; i++)
        words[i] = i;
    for (unsigned i = 0; i < 160; i++) {
        uint64_t base = 0;
        uint64_t *wanted = i % 3 ? words : other_words;
        if (!has_instructions || i % 20 == 0)
            sample_system_call(158, ARCH_SET_GS, (long)wanted, 0, 0);
        else
            sum += gs_bases(wanted);
        sample_system_call(158, ARCH_GET_GS, (long)&base, 0, 0);
        sum += base == (uint64_t)(uintptr_t)wanted;
        if (sample_has(0))
            sum += gs_operands(sample_has(1));
        sum += gs_loops(picks, 5 + i % 40);
    }
    sum += (uint64_t)sample_system_call(158, ARCH_SET_GS, -1, 0, 0);
    sample_system_call(158, ARCH_SET_GS, 0, 0, 0);
    sum += gs_stack(sum);
    if (has_instructions)
        sum += low_base();
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
    const int has_instructions = has_fsgsbase();
    if (has_instructions && sample_has(0))
        for (unsigned i = 0; i < 600; i++) {
            sum += switch_base(picks + i % 32, i % 3 ? words : other_words);
            if (i % 200 == 7)
                sample_system_call(158, ARCH_SET_FS, (long)(i & 1 ? words : other_words), 0, 0);
        }
    run_gs(has_instructions);
    sample_exit((int)(sum & 63));
}
SAMPLE_START(run)
