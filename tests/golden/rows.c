/*
 * rows N: sums over the columns of a matrix whose rows are blocks of their own malloc, and frees
 * them. Without a C library, as allocated.c.
 */
#include <stddef.h>

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

__attribute__((noinline, noipa)) void free(void *block);
void free(void *block)
{
    (void)block;
}

__attribute__((noinline, noipa)) double sum(double **rows, size_t n);
double sum(double **rows, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            sum += rows[i][j];
    return sum;
}

static double result;

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    size_t n = 0;
    for (const char *text = stack[2]; *text; text++)
        n = 10 * n + (size_t)(*text - '0');
    double **rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = malloc(n * sizeof **rows);
    result = sum(rows, n);
    for (size_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory"); /* exit_group */
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");
