/*
 * buckets [N [ROUNDS]]: ranks of N integer keys by buckets and counting, as the NAS benchmark IS
 * has it: keys are sums of four draws, of N / 4 values, 512 buckets.
 */
#include "tests/bench/unseen/code.h"

enum { BUCKETS = 512 };

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 2048, 20000), values = n / 4;
    int rounds = (int)sample_number(argc, argv, 2, 1, 3);
    int *key = code_malloc((size_t)n, sizeof *key),
        *by_bucket = code_malloc((size_t)n, sizeof *key);
    int *rank = code_malloc((size_t)values, sizeof *rank), size[BUCKETS], start[BUCKETS];
    uint64_t random = 314159265;
    for (int i = 0; i < n; i++) {
        double sum = code_uniform(&random) + code_uniform(&random) + code_uniform(&random) +
                     code_uniform(&random);
        key[i] = (int)(sum * values / 4);
    }
    for (int round = 0; round < rounds; round++) {
        key[round] = round;
        key[round + rounds] = values - 1 - round;
        for (int b = 0; b < BUCKETS; b++)
            size[b] = 0;
        for (int i = 0; i < n; i++)
            size[(long)key[i] * BUCKETS / values]++;
        start[0] = 0;
        for (int b = 1; b < BUCKETS; b++)
            start[b] = start[b - 1] + size[b - 1];
        for (int i = 0; i < n; i++)
            by_bucket[start[(long)key[i] * BUCKETS / values]++] = key[i];
        for (int v = 0; v < values; v++)
            rank[v] = 0;
        for (int i = 0; i < n; i++)
            rank[by_bucket[i]]++;
        for (int v = 1; v < values; v++)
            rank[v] += rank[v - 1];
    }
    printf("buckets: %d\n", rank[values / 2]);
    free(key);
    free(by_bucket);
    free(rank);
}
