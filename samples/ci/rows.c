/*
 * rows [N]: sums of the rows of an N x N matrix. With -DBY_COLUMNS its loops are interchanged: the
 * same sums, but every access enters another line. For samples/ci/check-misses and docs/diff.md.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void add_rows(double *sums, const double *a, int n)
{
#ifdef BY_COLUMNS
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sums[i] += a[i * n + j];
#else
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sums[i] += a[i * n + j];
#endif
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 200;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a), *sums = calloc((size_t)n, sizeof *sums);
    if (n < 1 || !a || !sums)
        return 1;
    for (int i = 0; i < n * n; i++)
        a[i] = i % 7;
    add_rows(sums, a, n);
    printf("%g\n", sums[n - 1]);
    free(a);
    free(sums);
    return 0;
}
