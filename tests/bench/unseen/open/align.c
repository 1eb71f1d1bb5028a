/*
 * align [LENGTH [PAIRS]]: local alignment of two random sequences of nucleotides with affine gaps
 * (Smith & Waterman 1981, Gotoh 1982): two rows of scores, and a byte per cell to find the way
 * back.
 */
#include "tests/bench/unseen/code.h"

enum { OPEN = 5, EXTEND = 1, MATCH = 2, MISMATCH = -3 };
enum { STOP, DIAGONAL, UP, LEFT };

struct work {
    int *score, *gap; /* of the row above, then of this row */
    unsigned char *way;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The best score, and the cell where its alignment ends. */
static int fill(const char *a, const char *b, size_t length, struct work *work, size_t *ret_end)
{
    int best = 0;
    *ret_end = 0;
    for (size_t j = 0; j <= length; j++)
        work->score[j] = work->gap[j] = 0;
    for (size_t i = 1; i <= length; i++) {
        int diagonal = work->score[0], left = 0, left_gap = 0;
        unsigned char *way = work->way + i * (length + 1);
        for (size_t j = 1; j <= length; j++) {
            int matched = diagonal + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
            int up_gap = larger(work->gap[j] - EXTEND, work->score[j] - OPEN);
            left_gap = larger(left_gap - EXTEND, left - OPEN);
            int score = larger(larger(0, matched), larger(up_gap, left_gap));
            way[j] = (unsigned char)(score == 0         ? STOP
                                     : score == matched ? DIAGONAL
                                     : score == up_gap  ? UP
                                                        : LEFT);
            diagonal = work->score[j];
            work->score[j] = left = score;
            work->gap[j] = up_gap;
            if (score > best) {
                best = score;
                *ret_end = i * (length + 1) + j;
            }
        }
    }
    return best;
}

static size_t trace_back(const unsigned char *way, size_t length, size_t at)
{
    size_t steps = 0;
    for (; way[at] != STOP; steps++) {
        if (way[at] == DIAGONAL)
            at -= length + 2;
        else
            at -= way[at] == UP ? length + 1 : 1;
    }
    return steps;
}

/* The second is the first with one letter in five drawn again. */
static void draw(char *a, char *b, size_t length, uint64_t *random)
{
    for (size_t i = 0; i < length; i++) {
        a[i] = "ACGT"[sample_random_below(random, 4)];
        b[i] = sample_random_below(random, 5) ? a[i] : "ACGT"[sample_random_below(random, 4)];
    }
}

int main(int argc, char **argv)
{
    size_t length = sample_number(argc, argv, 1, 1, 1000);
    size_t pairs = sample_number(argc, argv, 2, 1, 1);
    char *a = code_malloc(length, 1), *b = code_malloc(length, 1);
    struct work work = {code_malloc(length + 1, sizeof(int)), code_malloc(length + 1, sizeof(int)),
                        code_calloc((length + 1) * (length + 1), 1)};
    uint64_t random = 31;
    long scores = 0;
    size_t steps = 0;
    for (size_t p = 0; p < pairs; p++) {
        size_t end;
        draw(a, b, length, &random);
        scores += fill(a, b, length, &work, &end);
        steps += trace_back(work.way, length, end);
    }
    printf("align: scores %ld, aligned columns %zu\n", scores, steps);
    free(a);
    free(b);
    free(work.score);
    free(work.gap);
    free(work.way);
}
