/*
 * quicksort [ELEMENTS [REPETITIONS]]: libc's qsort with a callback, refilled each time.
 *
 * Accesses that can be counted by hand, each repetition: ELEMENTS stores to refill, and 2 loads per
 * comparison in the callback (the program prints how many there were; the counter is a load and a
 * store more). What qsort itself does is up to libc.
 */
#include "sample.h"

static uint64_t comparisons;

SAMPLE_KERNEL static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    comparisons++;
    return (a > b) - (a < b);
}

SAMPLE_KERNEL static void refill(int *elements, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) /* loop: quicksort_refill */
        elements[i] = (int)(sample_random(&seed) >> 33);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 100000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 200);
    int *elements = sample_array(count, sizeof *elements);
    for (size_t r = 0; r < repetitions; r++) {
        refill(elements, count, r + 1);
        qsort(elements, count, sizeof *elements, compare);
    }
    for (size_t i = 1; i < count; i++)
        if (elements[i - 1] > elements[i])
            return 1;
    printf("quicksort: median %d, %llu comparisons\n", elements[count / 2],
           (unsigned long long)comparisons);
    free(elements);
}
