/*
 * pivoted N: eliminates in an N x N matrix of small integers, with rows swapped so that the largest
 * element of a column is the next pivot. Without a C library, as allocated.c.
 */
#include <stddef.h>
#include <stdint.h>

#define HEAP_BYTES (64U << 10)

static char heap[HEAP_BYTES];
static size_t used;

__attribute__((noinline, noipa)) void *malloc(size_t bytes);
void *malloc(size_t bytes)
{
    void *block = heap + used;
    used += (bytes + 31) / 16 * 16;
    return block;
}

__attribute__((noinline, noipa)) void eliminate(int32_t *a, size_t n);
void eliminate(int32_t *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t largest = k;
        for (size_t i = k + 1; i < n; i++)
            if (a[i * n + k] > a[largest * n + k])
                largest = i;
        if (largest != k)
            for (size_t j = 0; j < n; j++) {
                const int32_t kept = a[k * n + j];
                a[k * n + j] = a[largest * n + j];
                a[largest * n + j] = kept;
            }
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] ^= a[i * n + k] & a[k * n + j];
    }
}

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    size_t n = 0;
    for (const char *text = stack[2]; *text; text++)
        n = 10 * n + (size_t)(*text - '0');
    int32_t *a = malloc(n * n * sizeof *a);
    uint32_t state = 1;
    for (size_t i = 0; i < n * n; i++) {
        state = state * 1664525 + 1013904223;
        a[i] = (int32_t)(state >> 8);
    }
    eliminate(a, n);
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");
