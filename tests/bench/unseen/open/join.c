/*
 * join [ROWS [REPETITIONS]]: the join of two tables, one with four times as many rows: both are
 * split by bits of their keys' hash into 64 parts; for each part a table with chains is built from
 * the smaller one and asked by the larger.
 */
#include "tests/bench/unseen/code.h"

enum { PARTS = 64, FACTOR = 4 };

struct row {
    uint64_t key, payload;
};

static uint64_t hash_of(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15;
    return key ^ key >> 32;
}

static void split(const struct row *from, size_t rows, struct row *to, size_t *start)
{
    size_t next[PARTS];
    for (int p = 0; p <= PARTS; p++)
        start[p] = 0;
    for (size_t i = 0; i < rows; i++)
        start[hash_of(from[i].key) % PARTS + 1]++;
    for (int p = 0; p < PARTS; p++) {
        start[p + 1] += start[p];
        next[p] = start[p];
    }
    for (size_t i = 0; i < rows; i++)
        to[next[hash_of(from[i].key) % PARTS]++] = from[i];
}

static uint64_t join_part(const struct row *small, size_t small_rows, const struct row *large,
                          size_t large_rows, uint32_t *head, uint32_t *next)
{
    size_t slots = 1;
    uint64_t sum = 0;
    while (slots < small_rows)
        slots *= 2;
    for (size_t s = 0; s < slots; s++)
        head[s] = 0;
    for (size_t i = 0; i < small_rows; i++) {
        uint32_t *slot = &head[(hash_of(small[i].key) / PARTS) & (slots - 1)];
        next[i] = *slot;
        *slot = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < large_rows; i++) {
        uint32_t at = head[(hash_of(large[i].key) / PARTS) & (slots - 1)];
        for (; at; at = next[at - 1])
            if (small[at - 1].key == large[i].key)
                sum += small[at - 1].payload ^ large[i].payload;
    }
    return sum;
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, 1, 10000), many = FACTOR * rows;
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    struct row *small = code_malloc(rows, sizeof *small), *large = code_malloc(many, sizeof *large);
    struct row *small_parts = code_malloc(rows, sizeof *small);
    struct row *large_parts = code_malloc(many, sizeof *large);
    uint32_t *head = code_malloc(2 * rows, sizeof *head), *next = code_malloc(rows, sizeof *next);
    size_t small_start[PARTS + 1], large_start[PARTS + 1];
    uint64_t random = 64, sum = 0;
    for (size_t i = 0; i < rows; i++)
        small[i] = (struct row){i, sample_random(&random)};
    for (size_t i = 0; i < many; i++)
        large[i] = (struct row){sample_random_below(&random, 2 * rows), sample_random(&random)};
    for (size_t r = 0; r < repetitions; r++) {
        split(small, rows, small_parts, small_start);
        split(large, many, large_parts, large_start);
        for (int p = 0; p < PARTS; p++)
            sum += join_part(small_parts + small_start[p], small_start[p + 1] - small_start[p],
                             large_parts + large_start[p], large_start[p + 1] - large_start[p],
                             head, next);
    }
    printf("join: %016llx\n", (unsigned long long)sum);
    free(small);
    free(large);
    free(small_parts);
    free(large_parts);
    free(head);
    free(next);
}
