/*
 * gotoh [LENGTH [PAIRS]]: the best global alignment of two sequences with affine gaps (Gotoh 1982):
 * rows of three scores, a matrix of bytes that keeps the way, and the way back.
 */
#include "tests/bench/unseen/code.h"

enum { MATCH = 2, MISMATCH = -1, OPEN = 4, EXTEND = 1, LETTERS = 4 };
enum { DIAGONAL = 0, UP = 1, LEFT = 2, OPENS_UP = 4, OPENS_LEFT = 8 };

static int score_row(const uint8_t *b, size_t columns, uint8_t own, int row, int *best, int *up,
                     uint8_t *way)
{
    int diagonal = best[0], left = -OPEN - EXTEND * row - OPEN;
    best[0] = -OPEN - EXTEND * row;
    for (size_t j = 1; j <= columns; j++) {
        int opened_up = best[j] - OPEN, opened_left = best[j - 1] - OPEN;
        uint8_t from = DIAGONAL;
        from |= opened_up > up[j] ? OPENS_UP : 0;
        from |= opened_left > left ? OPENS_LEFT : 0;
        up[j] = (opened_up > up[j] ? opened_up : up[j]) - EXTEND;
        left = (opened_left > left ? opened_left : left) - EXTEND;
        int score = diagonal + (own == b[j - 1] ? MATCH : MISMATCH);
        if (up[j] > score) {
            score = up[j];
            from |= UP;
        }
        if (left > score) {
            score = left;
            from = (uint8_t)((from & ~UP) | LEFT);
        }
        diagonal = best[j];
        best[j] = score;
        way[j] = from;
    }
    return best[columns];
}

/* How many letters of the best alignment face each other. */
static size_t go_back(const uint8_t *way, size_t rows, size_t columns)
{
    size_t i = rows, j = columns, pairs = 0;
    int state = DIAGONAL;
    while (i > 0 && j > 0) {
        uint8_t at = way[i * (columns + 1) + j];
        if (state == DIAGONAL)
            state = at & (UP | LEFT);
        if (state == UP) {
            i--;
            state = at & OPENS_UP ? DIAGONAL : UP;
        } else if (state == LEFT) {
            j--;
            state = at & OPENS_LEFT ? DIAGONAL : LEFT;
        } else {
            i--;
            j--;
            pairs++;
        }
    }
    return pairs;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 500), count = sample_number(argc, argv, 2, 1, 1);
    uint8_t *a = code_malloc(n, 1), *b = code_malloc(n, 1);
    uint8_t *way = code_malloc((n + 1) * (n + 1), 1);
    int *best = code_malloc(n + 1, sizeof *best), *up = code_malloc(n + 1, sizeof *up), score = 0;
    uint64_t random = 1982;
    size_t pairs = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < n; i++) {
            a[i] = (uint8_t)sample_random_below(&random, LETTERS);
            b[i] = sample_random_below(&random, 5) ? a[i]
                                                   : (uint8_t)sample_random_below(&random, LETTERS);
        }
        for (size_t j = 0; j <= n; j++) {
            best[j] = j ? -OPEN - EXTEND * (int)j : 0;
            up[j] = best[j] - OPEN;
        }
        for (size_t i = 1; i <= n; i++)
            score = score_row(b, n, a[i - 1], (int)i, best, up, way + i * (n + 1));
        pairs += go_back(way, n, n);
    }
    printf("gotoh: score %d, %zu pairs\n", score, pairs);
    free(a);
    free(b);
    free(way);
    free(best);
    free(up);
}
