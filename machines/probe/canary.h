/*
 * Work whose time says whether the core is as fast as ever: a chain of dependent adds, one a cycle,
 * which only a lower clock slows; and work that fills the core's width, which took 1.7 times as
 * long on Golden Cove while another thread used the other half of the core. A virtual machine sees
 * its neighbours no other way: no clock and no counter of its own shows them.
 *
 * x86-64.
 */
#ifndef FT_MACHINES_PROBE_CANARY_H
#define FT_MACHINES_PROBE_CANARY_H

#include <stdint.h>

#define FT_CANARY_UNROLLED 50

/* So many adds, a multiple of FT_CANARY_UNROLLED; cycles. */
static inline void ft_canary_chain(uint64_t adds)
{
    uint64_t left = adds / FT_CANARY_UNROLLED, sum = 0;
    /* A register: see probe_operations.c. */
    __asm__ volatile("1:\n"
                     ".rept %c3\n"
                     "add %2, %1\n"
                     ".endr\n"
                     "dec %0\n"
                     "jnz 1b\n"
                     : "+r"(left), "+r"(sum)
                     : "r"((uint64_t)1), "i"(FT_CANARY_UNROLLED)
                     : "cc");
}

/* So many iterations, of a good cycle each. */
static inline void ft_canary_fill(uint64_t iterations)
{
    __asm__ volatile("xor %%ebx, %%ebx\n"
                     ".p2align 6\n"
                     "1: lea (%%rbx,%%rbx), %%rax\n"
                     "lea (%%rbx,%%rbx), %%rdx\n"
                     "lea (%%rbx,%%rbx), %%rsi\n"
                     "lea (%%rbx,%%rbx), %%rdi\n"
                     "lea (%%rbx,%%rbx), %%r8\n"
                     "dec %0\n"
                     "jnz 1b\n"
                     : "+c"(iterations)
                     :
                     : "rax", "rbx", "rdx", "rsi", "rdi", "r8", "cc");
}

#endif
