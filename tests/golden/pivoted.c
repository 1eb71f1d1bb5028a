/*
 * pivoted N: eliminates in an N x N matrix of small integers, with rows swapped so that the largest
 * element of a column is the next pivot. Without a C library, as allocated.c.
 */
#include <stdint.h>

#include "tests/golden/own_malloc.h"

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

void run(size_t n)
{
    int32_t *a = malloc(n * n * sizeof *a);
    uint32_t state = 1;
    for (size_t i = 0; i < n * n; i++) {
        state = state * 1664525 + 1013904223;
        a[i] = (int32_t)(state >> 8);
    }
    eliminate(a, n);
}
