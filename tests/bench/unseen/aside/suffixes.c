/*
 * suffixes [LETTERS [ALPHABET]]: the suffix array of a random text by doubling prefixes (Manber &
 * Myers 1990): ranks of pairs are sorted by counting, twice as long ones each round, until all
 * suffixes differ.
 */
#include "tests/bench/unseen/code.h"

struct text {
    size_t length;
    uint32_t *suffix, *rank, *other, *count;
};

static void sort_by_rank(struct text *t, size_t ranks)
{
    for (size_t r = 0; r <= ranks; r++)
        t->count[r] = 0;
    for (size_t i = 0; i < t->length; i++)
        t->count[t->rank[i] + 1]++;
    for (size_t r = 0; r < ranks; r++)
        t->count[r + 1] += t->count[r];
    for (size_t i = 0; i < t->length; i++)
        t->suffix[t->count[t->rank[t->other[i]]]++] = t->other[i];
}

static uint32_t rank_at(const struct text *t, size_t i)
{
    return i < t->length ? t->rank[i] + 1 : 0;
}

/* Suffixes in the order of their second halves: those without one, then by the suffix behind. */
static void order_second_halves(struct text *t, size_t half)
{
    size_t used = 0;
    for (size_t i = t->length - half; i < t->length; i++)
        t->other[used++] = (uint32_t)i;
    for (size_t i = 0; i < t->length; i++)
        if (t->suffix[i] >= half)
            t->other[used++] = t->suffix[i] - (uint32_t)half;
}

/* New ranks of twice as long prefixes; how many there are. */
static size_t rank_pairs(struct text *t, size_t half)
{
    size_t ranks = 1;
    t->other[t->suffix[0]] = 0;
    for (size_t i = 1; i < t->length; i++) {
        uint32_t a = t->suffix[i - 1], b = t->suffix[i];
        if (t->rank[a] != t->rank[b] || rank_at(t, a + half) != rank_at(t, b + half))
            ranks++;
        t->other[b] = (uint32_t)(ranks - 1);
    }
    uint32_t *kept = t->rank;
    t->rank = t->other;
    t->other = kept;
    return ranks;
}

int main(int argc, char **argv)
{
    size_t length = sample_number(argc, argv, 1, 2, 10000);
    size_t ranks = sample_number(argc, argv, 2, 2, 4);
    struct text t = {length, code_malloc(length, 4), code_malloc(length, 4), code_malloc(length, 4),
                     code_malloc(length + ranks + 2, 4)};
    uint64_t random = 1990, sum = 0;
    for (size_t i = 0; i < length; i++) {
        t.rank[i] = (uint32_t)sample_random_below(&random, ranks);
        t.other[i] = (uint32_t)i;
    }
    sort_by_rank(&t, ranks);
    for (size_t half = 1; half < length && ranks < length; half *= 2) {
        order_second_halves(&t, half);
        sort_by_rank(&t, ranks > length ? length : ranks);
        ranks = rank_pairs(&t, half);
    }
    for (size_t i = 0; i < length; i += 1 + length / 64)
        sum += t.suffix[i];
    printf("suffixes: %llu\n", (unsigned long long)sum);
    free(t.suffix);
    free(t.rank);
    free(t.other);
    free(t.count);
}
