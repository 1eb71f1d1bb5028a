/*
 * subsequence [LINES [PAIRS]]: the longest common subsequence of two versions of a file of LINES
 * lines, as diff needs it, by Hirschberg's divide and conquer (1975): memory for rows alone.
 */
#include "tests/bench/unseen/code.h"

struct rows {
    int *current, *forward, *backward;
};

/* Lengths for all of a against each prefix of b; step -1 reads both from their ends. */
static void lengths(const uint32_t *a, size_t m, const uint32_t *b, size_t n, int step,
                    int *restrict row, int *restrict above)
{
    for (size_t j = 0; j <= n; j++)
        row[j] = 0;
    for (size_t i = 0; i < m; i++) {
        uint32_t line = step > 0 ? a[i] : a[m - 1 - i];
        for (size_t j = 0; j <= n; j++)
            above[j] = row[j];
        for (size_t j = 0; j < n; j++) {
            uint32_t other = step > 0 ? b[j] : b[n - 1 - j];
            if (line == other)
                row[j + 1] = above[j] + 1;
            else
                row[j + 1] = above[j + 1] > row[j] ? above[j + 1] : row[j];
        }
    }
}

/* Appends the subsequence to what was found; its length. */
static size_t find(const uint32_t *a, size_t m, const uint32_t *b, size_t n,
                   const struct rows *rows, uint32_t *found)
{
    if (m == 0 || n == 0)
        return 0;
    if (m == 1) {
        for (size_t j = 0; j < n; j++) {
            if (a[0] == b[j]) {
                found[0] = a[0];
                return 1;
            }
        }
        return 0;
    }
    size_t half = m / 2, split = 0;
    lengths(a, half, b, n, 1, rows->forward, rows->current);
    lengths(a + half, m - half, b, n, -1, rows->backward, rows->current);
    for (size_t j = 0; j <= n; j++)
        if (rows->forward[j] + rows->backward[n - j] >
            rows->forward[split] + rows->backward[n - split])
            split = j;
    size_t length = find(a, half, b, split, rows, found);
    return length + find(a + half, m - half, b + split, n - split, rows, found + length);
}

/* Hashes of lines; the second file has one line in eight changed, and one in sixteen twice. */
static size_t edit(uint32_t *a, uint32_t *b, size_t lines, uint64_t *random)
{
    size_t count = 0;
    for (size_t i = 0; i < lines; i++) {
        a[i] = (uint32_t)sample_random_below(random, 200);
        b[count++] = sample_random_below(random, 8) ? a[i] : 200 + (uint32_t)(i % 50);
        if (sample_random_below(random, 16) == 0 && count < lines)
            b[count++] = a[i];
        if (count == lines)
            break;
    }
    return count;
}

int main(int argc, char **argv)
{
    size_t lines = sample_number(argc, argv, 1, 1, 1000);
    size_t pairs = sample_number(argc, argv, 2, 1, 1);
    uint32_t *a = code_calloc(lines, sizeof *a), *b = code_calloc(lines, sizeof *b);
    uint32_t *found = code_malloc(lines, sizeof *found);
    struct rows rows = {code_malloc(lines + 1, sizeof(int)), code_malloc(lines + 1, sizeof(int)),
                        code_malloc(lines + 1, sizeof(int))};
    uint64_t random = 97, sum = 0;
    size_t length = 0;
    for (size_t p = 0; p < pairs; p++) {
        size_t count = edit(a, b, lines, &random);
        size_t here = find(a, lines, b, count, &rows, found);
        for (size_t i = 0; i < here; i++)
            sum += (i + 1) * found[i];
        length += here;
    }
    printf("subsequence: %zu lines in common, checksum %llu\n", length, (unsigned long long)sum);
    free(a);
    free(b);
    free(found);
    free(rows.current);
    free(rows.forward);
    free(rows.backward);
}
