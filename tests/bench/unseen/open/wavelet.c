/*
 * wavelet [N [LEVELS]]: an image of N x N pixels by the 5/3 wavelet of JPEG 2000: lifting along
 * rows, then down the columns one after the other, and the same on the quarter with the low
 * frequencies; and back.
 */
#include "tests/bench/unseen/code.h"

/* n numbers that are `stride` apart, n even: low frequencies go in front, high ones behind. */
static void split(int *line, size_t stride, size_t n, int *work)
{
    size_t half = n / 2;
    for (size_t i = 0; i < n; i++)
        work[i] = line[i * stride];
    for (size_t i = 1; i < n; i += 2)
        work[i] -= (work[i - 1] + work[i + 1 < n ? i + 1 : i - 1]) >> 1;
    for (size_t i = 0; i < n; i += 2)
        work[i] += (work[i > 0 ? i - 1 : 1] + work[i + 1] + 2) >> 2;
    for (size_t i = 0; i < half; i++) {
        line[i * stride] = work[2 * i];
        line[(half + i) * stride] = work[2 * i + 1];
    }
}

static void join(int *line, size_t stride, size_t n, int *work)
{
    size_t half = n / 2;
    for (size_t i = 0; i < half; i++) {
        work[2 * i] = line[i * stride];
        work[2 * i + 1] = line[(half + i) * stride];
    }
    for (size_t i = 0; i < n; i += 2)
        work[i] -= (work[i > 0 ? i - 1 : 1] + work[i + 1] + 2) >> 2;
    for (size_t i = 1; i < n; i += 2)
        work[i] += (work[i - 1] + work[i + 1 < n ? i + 1 : i - 1]) >> 1;
    for (size_t i = 0; i < n; i++)
        line[i * stride] = work[i];
}

static void analyse(int *image, size_t n, size_t levels, int *work)
{
    for (size_t level = 0, size = n; level < levels; level++, size /= 2) {
        for (size_t i = 0; i < size; i++)
            split(image + i * n, 1, size, work);
        for (size_t j = 0; j < size; j++)
            split(image + j, n, size, work);
    }
}

static void synthesise(int *image, size_t n, size_t levels, int *work)
{
    for (size_t level = levels; level-- > 0;) {
        size_t size = n >> level;
        for (size_t j = 0; j < size; j++)
            join(image + j, n, size, work);
        for (size_t i = 0; i < size; i++)
            join(image + i * n, 1, size, work);
    }
}

static int pixel(size_t i, size_t j)
{
    return (int)((i * j / 16 + 3 * i + 5 * j) % 256);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 8, 512);
    size_t levels = sample_number(argc, argv, 2, 1, 3);
    if (levels > 16 || n % (1u << levels) || n >> levels < 1) {
        fprintf(stderr, "%s: %zu pixels cannot be halved %zu times\n", argv[0], n, levels);
        return 2;
    }
    int *image = code_malloc(n * n, sizeof *image), *work = code_malloc(n, sizeof *work);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            image[i * n + j] = pixel(i, j);
    analyse(image, n, levels, work);
    size_t small = 0, wrong = 0;
    for (size_t i = 0; i < n * n; i++)
        small += image[i] > -4 && image[i] < 4;
    synthesise(image, n, levels, work);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            wrong += image[i * n + j] != pixel(i, j);
    printf("wavelet: %zu small coefficients, %zu pixels wrong\n", small, wrong);
    free(image);
    free(work);
}
