/*
 * radix [KEYS [REPETITIONS]]: sorts integers of 32 bits by their bytes, the lowest first: counts
 * each byte's values, and scatters the keys to where their value begins. Then neighbours that are
 * alike are added up.
 */
#include "tests/bench/unseen/code.h"

enum { DIGITS = 4, VALUES = 256 };

static void count_digits(const uint32_t *keys, size_t count, size_t (*start)[VALUES])
{
    for (int d = 0; d < DIGITS; d++)
        for (int v = 0; v < VALUES; v++)
            start[d][v] = 0;
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            start[d][keys[i] >> 8 * d & 255]++;
    for (int d = 0; d < DIGITS; d++) {
        size_t sum = 0;
        for (int v = 0; v < VALUES; v++) {
            size_t here = start[d][v];
            start[d][v] = sum;
            sum += here;
        }
    }
}

static void scatter(const uint32_t *from, uint32_t *to, size_t count, size_t *start, int digit)
{
    for (size_t i = 0; i < count; i++)
        to[start[from[i] >> 8 * digit & 255]++] = from[i];
}

static size_t count_alike(const uint32_t *keys, size_t count)
{
    size_t alike = 0;
    for (size_t i = 1; i < count; i++) {
        if (keys[i - 1] > keys[i])
            return 0;
        alike += keys[i - 1] == keys[i];
    }
    return alike;
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 100000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    uint32_t *keys = code_malloc(count, sizeof *keys), *other = code_malloc(count, sizeof *other);
    size_t(*start)[VALUES] = code_malloc(DIGITS, sizeof *start), alike = 0;
    uint64_t random = 109, sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < count; i++)
            keys[i] = (uint32_t)(sample_random(&random) >> 36);
        count_digits(keys, count, start);
        for (int d = 0; d < DIGITS; d += 2) {
            scatter(keys, other, count, start[d], d);
            scatter(other, keys, count, start[d + 1], d + 1);
        }
        alike += count_alike(keys, count);
        sum += keys[count / 2];
    }
    printf("radix: %zu alike, medians add up to %llu\n", alike, (unsigned long long)sum);
    free(keys);
    free(other);
    free(start);
}
