/*
 * lz [N]: compresses N bytes of text by earlier occurrences within 32 KiB, which hash chains of
 * three bytes find, as deflate does; literals and matches are counted.
 */
#include "tests/bench/unseen/code.h"
#include <string.h>

enum { WINDOW = 32768, HASHES = 16384, LONGEST = 258, TRIES = 32 };

static unsigned hash_of(const uint8_t *text)
{
    return ((unsigned)text[0] << 10 ^ (unsigned)text[1] << 5 ^ text[2]) % HASHES;
}

static size_t match_length(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t length = 0;
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 8, 50000), literals = 0, matches = 0, filled = 0;
    uint8_t *text = code_malloc(n + 16, 1);
    char word[512][10];
    uint64_t random = 1977;
    for (int w = 0; w < 512; w++) {
        int letters = 2 + (int)sample_random_below(&random, 7);
        for (int i = 0; i < letters; i++)
            word[w][i] = (char)('a' + sample_random_below(&random, 26));
        word[w][letters] = '\0';
    }
    while (filled < n) {
        size_t r = sample_random_below(&random, 512);
        const char *from = word[r * r / 512];
        while (*from && filled < n)
            text[filled++] = (uint8_t)*from++;
        text[filled++] = ' ';
    }
    int *head = code_malloc(HASHES, sizeof *head), *previous = code_malloc(WINDOW, sizeof *head);
    memset(head, -1, HASHES * sizeof *head);
    for (size_t i = 0; i + 3 <= n;) {
        size_t best = 0, most = n - i < LONGEST ? n - i : LONGEST;
        int candidate = head[hash_of(text + i)];
        for (int tries = 0; tries < TRIES && candidate >= 0 && i - (size_t)candidate < WINDOW;
             tries++) {
            size_t length = match_length(text + candidate, text + i, most);
            best = length > best ? length : best;
            candidate = previous[candidate % WINDOW];
        }
        size_t step = best >= 3 ? best : 1;
        *(best >= 3 ? &matches : &literals) += 1;
        for (; step > 0 && i + 3 <= n; step--, i++) {
            unsigned hash = hash_of(text + i);
            previous[i % WINDOW] = head[hash];
            head[hash] = (int)i;
        }
    }
    printf("lz: %zu literals, %zu matches\n", literals, matches);
    free(text);
    free(head);
    free(previous);
}
