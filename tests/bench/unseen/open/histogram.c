/*
 * histogram [N [REPETITIONS]]: how alike two images of N x N pixels are: the joint histogram of
 * their grey levels, from which their mutual information follows; then one of them is equalised.
 */
#include <math.h>
#include <string.h>

#include "tests/bench/unseen/code.h"

enum { LEVELS = 256 };

/* A gradient with noise; the second image is the first, darker, with noise of its own. */
static void draw(unsigned char *first, unsigned char *second, size_t n)
{
    uint64_t random = 53;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t level = 192 * (i + j) / (2 * n) + sample_random_below(&random, 64);
            first[i * n + j] = (unsigned char)level;
            second[i * n + j] = (unsigned char)(level / 2 + sample_random_below(&random, 64));
        }
    }
}

static void count_pairs(unsigned (*joint)[LEVELS], const unsigned char *first,
                        const unsigned char *second, size_t pixels)
{
    memset(joint, 0, LEVELS * sizeof *joint);
    for (size_t p = 0; p < pixels; p++)
        joint[first[p]][second[p]]++;
}

static double mutual_information(unsigned (*joint)[LEVELS], size_t pixels)
{
    double of_first[LEVELS] = {0}, of_second[LEVELS] = {0}, sum = 0;
    for (int a = 0; a < LEVELS; a++) {
        for (int b = 0; b < LEVELS; b++) {
            of_first[a] += joint[a][b];
            of_second[b] += joint[a][b];
        }
    }
    for (int a = 0; a < LEVELS; a++)
        for (int b = 0; b < LEVELS; b++)
            if (joint[a][b])
                sum +=
                    joint[a][b] * log((double)pixels * joint[a][b] / (of_first[a] * of_second[b]));
    return sum / (double)pixels;
}

static void equalise(unsigned char *image, size_t pixels)
{
    size_t below[LEVELS] = {0};
    for (size_t p = 0; p < pixels; p++)
        below[image[p]]++;
    for (int a = 1; a < LEVELS; a++)
        below[a] += below[a - 1];
    for (size_t p = 0; p < pixels; p++)
        image[p] = (unsigned char)(255 * below[image[p]] / pixels);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 512);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    size_t pixels = n * n;
    unsigned char *first = code_malloc(pixels, 1), *second = code_malloc(pixels, 1);
    unsigned(*joint)[LEVELS] = code_malloc(LEVELS, sizeof *joint);
    draw(first, second, n);
    double sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        count_pairs(joint, first, second, pixels);
        sum += mutual_information(joint, pixels);
        equalise(second, pixels);
    }
    printf("histogram: mutual information = %.9f\n", sum / (double)repetitions);
    free(first);
    free(second);
    free(joint);
}
