/*
 * usage: faults_sample N [count]
 *
 * Four steps, each with three arrays of its own, of 8 N, 24 N and 40 N bytes, written and summed.
 * Small ones stay in the heap; large ones are mapped at first, later in a heap that grows and is
 * trimmed. With `count` it prints the page faults of the steps, of pages of 4 KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

__attribute__((noinline)) static void fill(double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)i;
}

__attribute__((noinline)) static double sum_of(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

static double step(size_t n)
{
    double *small = malloc(n * sizeof *small), *middle = malloc(3 * n * sizeof *middle);
    double *large = malloc(5 * n * sizeof *large);
    if (!small || !middle || !large)
        exit(1);
    fill(small, n);
    fill(middle, 3 * n);
    fill(large, 5 * n);
    const double sum = sum_of(small, n) + sum_of(middle, 3 * n) + sum_of(large, 5 * n);
    free(middle);
    free(large);
    free(small);
    return sum;
}

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    const long before = page_faults();
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += step(n);
    const long faults = page_faults() - before;
    if (argc > 2)
        printf("%ld\n", faults);
    return sum < 0;
}
