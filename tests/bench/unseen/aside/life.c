/*
 * life [N [GENERATIONS]]: Conway's game on a torus of N x N cells, 64 of them in a word, N a
 * multiple of 64: sums of neighbours by bits, side by side.
 */
#include "tests/bench/unseen/code.h"

static uint64_t west(const uint64_t *row, size_t words, size_t w)
{
    return row[w] << 1 | row[w ? w - 1 : words - 1] >> 63;
}

static uint64_t east(const uint64_t *row, size_t words, size_t w)
{
    return row[w] >> 1 | row[w + 1 < words ? w + 1 : 0] << 63;
}

/* Adds a bit to counters of three bits that stop at 7. */
static void add(uint64_t counter[3], uint64_t bits)
{
    uint64_t carry = counter[0] & bits;
    counter[0] ^= bits;
    uint64_t next = counter[1] & carry;
    counter[1] ^= carry;
    counter[2] |= next;
}

static void advance(const uint64_t *from, uint64_t *to, size_t rows, size_t words)
{
    for (size_t y = 0; y < rows; y++) {
        const uint64_t *above = from + (y ? y - 1 : rows - 1) * words, *own = from + y * words;
        const uint64_t *below = from + (y + 1 < rows ? y + 1 : 0) * words;
        for (size_t w = 0; w < words; w++) {
            uint64_t counter[3] = {0};
            add(counter, west(above, words, w));
            add(counter, above[w]);
            add(counter, east(above, words, w));
            add(counter, west(own, words, w));
            add(counter, east(own, words, w));
            add(counter, west(below, words, w));
            add(counter, below[w]);
            add(counter, east(below, words, w));
            to[y * words + w] = counter[1] & ~counter[2] & (counter[0] | own[w]);
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 64, 512),
           generations = sample_number(argc, argv, 2, 1, 8);
    size_t words = n / 64, alive = 0;
    uint64_t *from = code_malloc(n * words, 8), *to = code_malloc(n * words, 8), random = 1970;
    for (size_t i = 0; i < n * words; i++)
        from[i] = sample_random(&random) & sample_random(&random);
    for (size_t g = 0; g < generations; g++) {
        advance(from, to, n, words);
        uint64_t *kept = from;
        from = to;
        to = kept;
    }
    for (size_t i = 0; i < n * words; i++)
        alive += (size_t)__builtin_popcountll(from[i]);
    printf("life: %zu alive\n", alive);
    free(from);
    free(to);
}
