/*
 * introsort [KEYS [REPETITIONS]]: sorts random keys by introspective sort (Musser 1997): quicksort
 * with the median of three, heapsort where it recurses too deeply, insertion sort of what is short.
 */
#include "tests/bench/unseen/code.h"

#define SHORT 16

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(double *keys, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && keys[child] < keys[child + 1])
            child++;
        if (keys[root] >= keys[child])
            return;
        swap(&keys[root], &keys[child]);
    }
}

static void heapsort_keys(double *keys, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(keys, root, count);
    for (size_t end = count; end-- > 1;) {
        swap(&keys[0], &keys[end]);
        sift_down(keys, 0, end);
    }
}

static void insertion_sort(double *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Hoare's partition around the median of first, middle and last: the start of the upper part. */
static size_t partition(double *keys, size_t count)
{
    double *first = &keys[0], *middle = &keys[count / 2], *last = &keys[count - 1];
    if (*middle < *first)
        swap(middle, first);
    if (*last < *middle)
        swap(last, middle);
    if (*middle < *first)
        swap(middle, first);
    double pivot = *middle;
    size_t low = 0, high = count - 1;
    for (;;) {
        while (keys[low] < pivot)
            low++;
        while (keys[high] > pivot)
            high--;
        if (low >= high)
            return low;
        swap(&keys[low++], &keys[high--]);
    }
}

static void introsort(double *keys, size_t count, int depth)
{
    while (count > SHORT) {
        if (depth-- == 0) {
            heapsort_keys(keys, count);
            return;
        }
        size_t split = partition(keys, count);
        introsort(keys + split, count - split, depth);
        count = split;
    }
    insertion_sort(keys, count);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 100000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    double *keys = code_malloc(count, sizeof *keys);
    uint64_t random = 1;
    int depth = 0;
    for (size_t left = count; left > 1; left /= 2)
        depth += 2;
    double sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < count; i++)
            keys[i] = code_uniform(&random);
        introsort(keys, count, depth);
        for (size_t i = 1; i < count; i++)
            if (keys[i - 1] > keys[i])
                return 1;
        sum += keys[count / 2];
    }
    printf("introsort: sum of medians = %.6f\n", sum);
    free(keys);
}
