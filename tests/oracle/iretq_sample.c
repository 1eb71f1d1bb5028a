/*
 * iretq as a jump that loads the stack pointer and the flags: on the same stack and to another,
 * with flags that what follows uses (carry, direction), in loops, behind and in front of other
 * code. Without the C library; compared access by access with single stepping.
 */
#include "tests/support/freestanding.h"

static uint64_t words[64], other_stack[64] __attribute__((aligned(16)));
static uint64_t sum;

/* Pushes the frame of a return to 1f, with RSP as it is and these flags, and takes it. */
#define RETURN_WITH(flags)                                                                         \
    "mov %%rsp, %%rax; mov %%ss, %%ecx; push %%rcx; push %%rax; pushfq; " flags " (%%rsp)\n\t"     \
    "mov %%cs, %%ecx; push %%rcx; lea 1f(%%rip), %%rcx; push %%rcx; iretq\n\t"                     \
    "ud2; 1: "

SAMPLE uint64_t to_the_same_stack(uint64_t value)
{
    __asm__ volatile(RETURN_WITH("orq $1,") "adc %0, %0; push %0; pop %0"
                     : "+r"(value)
                     :
                     : "rax", "rcx", "cc", "memory");
    __asm__ volatile(RETURN_WITH("andq $-2,") "adc $0, %0"
                     : "+r"(value)
                     :
                     : "rax", "rcx", "cc", "memory");
    return value;
}

/* The direction flag comes with it, and goes again. */
SAMPLE uint64_t backwards(void)
{
    uint64_t *to = words + 40, *from = words + 20, count = 9;
    __asm__ volatile("mov %2, %%r8; " RETURN_WITH("orq $0x400,") "mov %%r8, %%rcx; rep movsq\n\t"
                                                                 "lodsq; add %%rax, (%0)\n\t"
                     : "+D"(to), "+S"(from)
                     : "r"(count)
                     : "rax", "rcx", "r8", "cc", "memory");
    __asm__ volatile(RETURN_WITH("andq $-0x401,") "movsq; movsq"
                     : "+D"(to), "+S"(from)
                     :
                     : "rax", "rcx", "cc", "memory");
    return (uint64_t)(to - words) + (uint64_t)(from - words);
}

SAMPLE uint64_t to_another_stack(uint64_t value)
{
    __asm__ volatile("mov %%rsp, %%r9; lea %1, %%rax; mov %%ss, %%ecx; push %%rcx; push %%rax\n\t"
                     "pushfq; mov %%cs, %%ecx; push %%rcx; lea 1f(%%rip), %%rcx; push %%rcx\n\t"
                     "iretq; 1: push %0; push %0; pop %%rax; add %%rax, %0; add 8(%%rsp), %0\n\t"
                     "pop %%rax; mov %%r9, %%rsp"
                     : "+r"(value)
                     : "m"(other_stack[48])
                     : "rax", "rcx", "r9", "cc", "memory");
    return value;
}

static void run(void)
{
    for (unsigned i = 0; i < 64; i++)
        words[i] = i * 5;
    for (unsigned i = 0; i < 60; i++) {
        sum += to_the_same_stack(sum + i);
        if (i % 3 == 0)
            sum += to_another_stack(i);
        if (i % 4 == 1)
            sum += backwards();
    }
    sample_exit((int)(sum & 63));
}
SAMPLE_START(run)
