/*
 * mergesort [RECORDS [REPETITIONS]]: sorts random records by their keys, stably: recursive merge
 * sort from the top down, with memory for half of a segment in each merge.
 */
#include <string.h>

#include "tests/bench/unseen/code.h"

struct record {
    uint64_t key;
    uint32_t origin, weight;
};

static void insertion_sort(struct record *records, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct record record = records[i];
        size_t at = i;
        for (; at > 0 && records[at - 1].key > record.key; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

/* The lower half leaves, and comes back between the records of the upper one. */
static void merge(struct record *records, size_t half, size_t count)
{
    struct record *lower = code_malloc(half, sizeof *lower);
    memcpy(lower, records, half * sizeof *lower);
    size_t low = 0, high = half, to = 0;
    while (low < half && high < count)
        records[to++] = lower[low].key <= records[high].key ? lower[low++] : records[high++];
    memcpy(records + to, lower + low, (half - low) * sizeof *lower);
    free(lower);
}

static void sort(struct record *records, size_t count)
{
    if (count <= 12) {
        insertion_sort(records, count);
        return;
    }
    size_t half = count / 2;
    sort(records, half);
    sort(records + half, count - half);
    if (records[half - 1].key > records[half].key)
        merge(records, half, count);
}

static void draw(struct record *records, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++)
        records[i] = (struct record){sample_random(random) >> 40, (uint32_t)i, (uint32_t)i % 97};
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 50000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    struct record *records = code_malloc(count, sizeof *records);
    uint64_t random = 61, sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        draw(records, count, &random);
        sort(records, count);
        for (size_t i = 1; i < count; i++)
            if (records[i - 1].key > records[i].key)
                return 1;
        for (size_t i = 0; i < count; i++)
            sum += (i + 1) * records[i].weight;
    }
    printf("mergesort: checksum %llu\n", (unsigned long long)sum);
    free(records);
}
