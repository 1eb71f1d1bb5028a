/* Loops that take several elements at a time: rows of N floats, in vectors of four as gcc -O3 makes
 * them, and a transposition by tiles of 12. */
#include <stdlib.h>

#define TILE 12

__attribute__((noinline)) static void add(float *restrict to, const float *restrict from, long n)
{
    for (long i = 0; i < n; i++)
        to[i] += from[i] * 0.5F;
}

__attribute__((noinline)) static void smooth(float *restrict to, const float *restrict from, long n)
{
    for (long i = 1; i < n - 1; i++)
        to[i] = from[i - 1] + from[i + 1];
}

__attribute__((noinline)) static void transpose(float *restrict to, const float *restrict from,
                                                const volatile long *first, long n)
{
    for (long ii = 0; ii < n; ii += TILE)
        for (long jj = 0; jj < n; jj += TILE)
            for (long i = ii; i < ii + TILE && i < n; i++) {
                const float *row = from + first[i];
                for (long j = jj; j < jj + TILE && j < n; j++)
                    to[j * n + i] = row[j];
            }
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
    float *a = malloc(sizeof *a * (size_t)(n * n)), *b = malloc(sizeof *b * (size_t)(n * n));
    long *first = malloc(sizeof *first * (size_t)n);
    if (!a || !b || !first)
        abort();
    for (long i = 0; i < n * n; i++) {
        a[i] = (float)i;
        b[i] = 1;
    }
    for (long i = 0; i < n; i++)
        first[i] = i * n;
    for (long row = 0; row < n; row++)
        add(a + row * n, b + row * n, n);
    for (long row = 0; row < n; row++)
        smooth(a + row * n, b + row * n, n);
    transpose(b, a, first, n);
    const int result = b[n * n / 2] < 0;
    free(first);
    free(b);
    free(a);
    return result;
}
