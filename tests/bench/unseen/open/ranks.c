/*
 * ranks [KEYS [ITERATIONS]]: ranks of integer keys of a bell-shaped distribution, as the benchmark
 * IS of NAS: keys are put into buckets by their high bits, then counted within each; as many values
 * as half of the keys.
 */
#include "tests/bench/unseen/code.h"

enum { BUCKETS = 256, DRAWS = 4 };

static void rank_keys(const uint32_t *key, uint32_t *sorted, uint32_t *count, size_t keys,
                      uint32_t values)
{
    size_t start[BUCKETS + 1] = {0}, next[BUCKETS];
    uint32_t width = (values + BUCKETS - 1) / BUCKETS;
    for (size_t i = 0; i < keys; i++)
        start[key[i] / width + 1]++;
    for (int b = 0; b < BUCKETS; b++) {
        start[b + 1] += start[b];
        next[b] = start[b];
    }
    for (size_t i = 0; i < keys; i++)
        sorted[next[key[i] / width]++] = key[i];
    for (uint32_t v = 0; v < values; v++)
        count[v] = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (size_t i = start[b]; i < start[b + 1]; i++)
            count[sorted[i]]++;
    for (uint32_t v = 1; v < values; v++)
        count[v] += count[v - 1];
}

int main(int argc, char **argv)
{
    size_t keys = sample_number(argc, argv, 1, 2, 50000);
    size_t iterations = sample_number(argc, argv, 2, 1, 3);
    uint32_t values = (uint32_t)(keys / 2);
    uint32_t *key = code_malloc(keys, sizeof *key), *sorted = code_malloc(keys, sizeof *sorted);
    uint32_t *count = code_malloc(values, sizeof *count), check = 0;
    uint64_t random = 314159;
    for (size_t i = 0; i < keys; i++) {
        double sum = 0;
        for (int d = 0; d < DRAWS; d++)
            sum += code_uniform(&random);
        key[i] = (uint32_t)(sum * values / DRAWS);
    }
    for (size_t i = 0; i < iterations; i++) {
        key[i % keys] = (uint32_t)i % values;
        rank_keys(key, sorted, count, keys, values);
        check += count[key[keys / 2]];
    }
    printf("ranks: %u\n", check);
    free(key);
    free(sorted);
    free(count);
}
