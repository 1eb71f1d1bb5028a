/*
 * Start and heap of the programs that golden files are made of: without a C library, so that the
 * files are small.
 */
#ifndef FT_TESTS_GOLDEN_OWN_MALLOC_H
#define FT_TESTS_GOLDEN_OWN_MALLOC_H

#include <stddef.h>

static char heap[256U << 10];
static size_t used;

__attribute__((noinline, noipa)) void *malloc(size_t bytes);
void *malloc(size_t bytes)
{
    void *block = heap + used;
    used += (bytes + 31) / 16 * 16;
    return block;
}

/* What the program does with its first argument. */
void run(size_t n);

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    size_t n = 0;
    for (const char *text = stack[2]; *text; text++)
        n = 10 * n + (size_t)(*text - '0');
    run(n);
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");

#endif
