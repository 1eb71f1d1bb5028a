/*
 * transposed N R: turns a matrix of N x N numbers over, R times. Without a C library, so that a
 * model of it is small: make_small_model makes the golden model of it.
 */
#include <stddef.h>

#define N_MAX 64U

double from[N_MAX * N_MAX], to[N_MAX * N_MAX];

__attribute__((noinline, noipa)) void transpose(size_t n);
void transpose(size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[j * n + i] = from[i * n + j];
}

static size_t number(const char *text)
{
    size_t value = 0;
    for (; *text; text++)
        value = 10 * value + (size_t)(*text - '0');
    return value;
}

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    const size_t n = number(stack[2]), repetitions = number(stack[3]);
    for (size_t r = 0; r < repetitions; r++)
        transpose(n);
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");
