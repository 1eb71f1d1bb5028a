/*
 * conflicts_sample N DATA: adds up the columns of N x N numbers in rows of 4 KiB, which fall into
 * one set of a cache with ways of 4 KiB. DATA is static, heap or both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline, noipa)) static
#define ROW    512
#define PASSES 10

double grid[ROW * ROW];

KERNEL double add_columns(const double *numbers, size_t n)
{
    double sum = 0;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                sum += numbers[i * ROW + j];
    return sum;
}

KERNEL double add_products(const double *numbers, const double *others, size_t n)
{
    double sum = 0;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                sum += numbers[i * ROW + j] * others[i * ROW + j];
    return sum;
}

KERNEL double *make_numbers(size_t n)
{
    double *numbers = malloc(n * ROW * sizeof *numbers);
    if (!numbers)
        abort();
    for (size_t i = 0; i < n * ROW; i++)
        numbers[i] = 1;
    return numbers;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 16;
    const char *data = argc > 2 ? argv[2] : "static";
    double *numbers = make_numbers(n);
    printf("%g\n", strcmp(data, "static") == 0 ? add_columns(grid, n)
                   : strcmp(data, "heap") == 0 ? add_columns(numbers, n)
                                               : add_products(grid, numbers, n));
    free(numbers);
}
