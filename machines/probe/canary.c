#include "machines/probe/canary.h"

#include <stdint.h>

void ft_canary_chain(void)
{
    uint64_t hundreds = FT_CANARY_ADDS / 100, sum = 0;
    /* A register: see probe_operations.c. */
    __asm__ volatile("1:\n"
                     ".rept 100\n"
                     "add %2, %1\n"
                     ".endr\n"
                     "dec %0\n"
                     "jnz 1b\n"
                     : "+r"(hundreds), "+r"(sum)
                     : "r"((uint64_t)1)
                     : "cc");
}

void ft_canary_fill(void)
{
    __asm__ volatile("mov %0, %%ecx\n"
                     "xor %%ebx, %%ebx\n"
                     ".p2align 6\n"
                     "1: lea (%%rbx,%%rbx), %%rax\n"
                     "lea (%%rbx,%%rbx), %%rdx\n"
                     "lea (%%rbx,%%rbx), %%rsi\n"
                     "lea (%%rbx,%%rbx), %%rdi\n"
                     "lea (%%rbx,%%rbx), %%r8\n"
                     "dec %%ecx\n"
                     "jnz 1b\n"
                     :
                     : "i"(FT_CANARY_ITERATIONS)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "cc");
}
