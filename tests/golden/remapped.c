/*
 * remapped N: three times maps a matrix of N x N numbers, fills it and gives it back; each time the
 * kernel puts it where it was. Without a C library, as allocated.c.
 */
#include "tests/golden/own_malloc.h"

enum { MMAP = 9, MUNMAP = 11, READ_AND_WRITE = 3, PRIVATE_AND_ANONYMOUS = 0x22 };

static double *map(size_t bytes)
{
    double *result;
    register long flags __asm__("r10") = PRIVATE_AND_ANONYMOUS;
    register long file __asm__("r8") = -1;
    register long offset __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(MMAP), "D"(0), "S"(bytes), "d"(READ_AND_WRITE), "r"(flags), "r"(file),
                       "r"(offset)
                     : "rcx", "r11", "memory");
    return result;
}

static void unmap(double *numbers, size_t bytes)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(MUNMAP), "D"(numbers), "S"(bytes)
                     : "rcx", "r11", "memory");
}

__attribute__((noinline, noipa)) void fill(double *numbers, size_t count);
void fill(double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)i;
}

void run(size_t n)
{
    fill(malloc(n * sizeof(double)), n);
    for (int time = 0; time < 3; time++) {
        double *numbers = map(n * n * sizeof *numbers);
        fill(numbers, n * n);
        unmap(numbers, n * n * sizeof *numbers);
    }
}
