/*
 * random [BLOCKS [UPDATES]]: adds to uniformly random 8-byte words of a table of 64-byte blocks.
 *
 * Accesses of the kernel: 2 * UPDATES (a load and a store each).
 */
#include "sample.h"

#define BLOCK_WORDS 8

SAMPLE_KERNEL static void update(uint64_t *table, size_t words, size_t updates)
{
    uint64_t random = 1;
    for (size_t i = 0; i < updates; i++) /* loop: random_update */
        table[sample_random_below(&random, words)] += i;
}

int main(int argc, char **argv)
{
    size_t words = sample_number(argc, argv, 1, 1, 1000000) * BLOCK_WORDS;
    size_t updates = sample_number(argc, argv, 2, 1, 200000000);
    uint64_t *table = sample_array(words, sizeof *table);
    for (size_t i = 0; i < words; i++)
        table[i] = 0;
    update(table, words, updates);
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += table[i];
    printf("random: sum = %llu\n", (unsigned long long)sum);
    free(table);
}
