/*
 * bloom [KEYS [QUERIES PER KEY]]: a Bloom filter of 10 bits a key with 5 hash functions: keys are
 * added, then asked for among others.
 */
#include "tests/bench/unseen/code.h"

#define HASHES 5

static uint64_t mix(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdULL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53ULL;
    return key ^ key >> 33;
}

static void add(uint64_t *bits, uint64_t count, uint64_t key)
{
    uint64_t hash = mix(key), step = mix(hash) | 1;
    for (int h = 0; h < HASHES; h++, hash += step)
        bits[hash % count / 64] |= (uint64_t)1 << hash % count % 64;
}

static int contains(const uint64_t *bits, uint64_t count, uint64_t key)
{
    uint64_t hash = mix(key), step = mix(hash) | 1;
    for (int h = 0; h < HASHES; h++, hash += step)
        if (!(bits[hash % count / 64] >> hash % count % 64 & 1))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    size_t keys = sample_number(argc, argv, 1, 1, 50000);
    size_t queries = sample_number(argc, argv, 2, 1, 4), found = 0;
    uint64_t count = 10 * keys, random = 3;
    uint64_t *bits = code_calloc(count / 64 + 1, sizeof *bits);
    for (size_t k = 0; k < keys; k++)
        add(bits, count, 2 * k);
    for (size_t q = 0; q < queries * keys; q++)
        found += (size_t)contains(bits, count, sample_random(&random) % (4 * keys));
    printf("bloom: %zu found\n", found);
    free(bits);
}
