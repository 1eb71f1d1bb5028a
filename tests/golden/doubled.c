/*
 * doubled N: a Walsh-Hadamard transform of N numbers in a block of its own malloc, N a power of
 * two, then with as many passes sums over neighbours of which there are half as many each time, put
 * one behind the other. Without a C library, as allocated.c.
 */
#include <stddef.h>

#define HEAP_BYTES (256U << 10)

static char heap[HEAP_BYTES];
static size_t used;

__attribute__((noinline, noipa)) void *malloc(size_t bytes);
void *malloc(size_t bytes)
{
    void *block = heap + used;
    used += (bytes + 31) / 16 * 16;
    return block;
}

__attribute__((noinline, noipa)) void transform(double *signal, size_t n);
void transform(double *signal, size_t n)
{
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t i = start; i < start + half; i++) {
                double low = signal[i], high = signal[i + half];
                signal[i] = low + high;
                signal[i + half] = low - high;
            }
}

/* signal: [2 n]; each level behind the one that is twice as long. */
__attribute__((noinline, noipa)) void coarsen(double *signal, size_t n);
void coarsen(double *signal, size_t n)
{
    double *fine = signal;
    for (size_t count = n / 2; count >= 2; count /= 2) {
        double *coarse = fine + 2 * count;
        for (size_t i = 0; i < count; i++)
            coarse[i] = fine[2 * i] + fine[2 * i + 1];
        fine = coarse;
    }
}

/* A block of n log2(n) numbers. */
__attribute__((noinline, noipa)) double *allocate_passes(size_t n);
double *allocate_passes(size_t n)
{
    size_t passes = 0;
    for (size_t half = 1; half < n; half *= 2)
        passes++;
    return malloc(passes * n * sizeof(double));
}

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    size_t n = 0;
    for (const char *text = stack[2]; *text; text++)
        n = 10 * n + (size_t)(*text - '0');
    double *passes = allocate_passes(n), *signal = malloc(2 * n * sizeof *signal);
    transform(passes, n);
    transform(signal, n);
    coarsen(signal, n);
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");
