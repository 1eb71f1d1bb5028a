/*
 * layers [SIDE [CHANNELS]]: two layers of a neural network over a picture of SIDE x SIDE: windows
 * of 3 x 3 are copied into the columns of a matrix, which is multiplied by the weights in blocks;
 * what is negative becomes 0, and the largest of each 2 x 2 is kept.
 */
#include "tests/bench/unseen/code.h"

enum { WINDOW = 3, TAPS = WINDOW * WINDOW, BLOCK = 32 };

static void unfold(const float *picture, float *columns, size_t channels, size_t side)
{
    size_t out = side - WINDOW + 1;
    for (size_t c = 0; c < channels; c++)
        for (size_t t = 0; t < TAPS; t++)
            for (size_t y = 0; y < out; y++)
                for (size_t x = 0; x < out; x++)
                    columns[(c * TAPS + t) * out * out + y * out + x] =
                        picture[(c * side + y + t / WINDOW) * side + x + t % WINDOW];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* product[rows x width] += weights[rows x depth] columns[depth x width] */
static void multiply(const float *weights, const float *columns, float *product, size_t rows,
                     size_t depth, size_t width)
{
    for (size_t kb = 0; kb < depth; kb += BLOCK)
        for (size_t jb = 0; jb < width; jb += BLOCK)
            for (size_t i = 0; i < rows; i++)
                for (size_t k = kb; k < least(kb + BLOCK, depth); k++) {
                    float weight = weights[i * depth + k];
                    for (size_t j = jb; j < least(jb + BLOCK, width); j++)
                        product[i * width + j] += weight * columns[k * width + j];
                }
}

static void pool(const float *from, float *to, size_t channels, size_t side)
{
    size_t half = side / 2;
    for (size_t c = 0; c < channels; c++)
        for (size_t y = 0; y < half; y++)
            for (size_t x = 0; x < half; x++) {
                const float *corner = from + (c * side + 2 * y) * side + 2 * x;
                float upper = corner[0] > corner[1] ? corner[0] : corner[1];
                float lower = corner[side] > corner[side + 1] ? corner[side] : corner[side + 1];
                float most = upper > lower ? upper : lower;
                to[(c * half + y) * half + x] = most > 0 ? most : 0;
            }
}

static float *layer(const float *picture, size_t channels, size_t made, size_t side,
                    uint64_t *random)
{
    size_t out = side - WINDOW + 1, depth = channels * TAPS;
    float *weights = code_malloc(made * depth, sizeof *weights);
    float *columns = code_malloc(depth * out * out, sizeof *columns);
    float *product = code_calloc(made * out * out, sizeof *product);
    float *pooled = code_malloc(made * (out / 2) * (out / 2), sizeof *pooled);
    for (size_t i = 0; i < made * depth; i++)
        weights[i] = (float)code_uniform(random) - 0.5f;
    unfold(picture, columns, channels, side);
    multiply(weights, columns, product, made, depth, out * out);
    pool(product, pooled, made, out);
    free(weights);
    free(columns);
    free(product);
    return pooled;
}

int main(int argc, char **argv)
{
    size_t side = sample_number(argc, argv, 1, 12, 64), made = sample_number(argc, argv, 2, 1, 8);
    uint64_t random = 8;
    float *picture = code_malloc(3 * side * side, sizeof *picture), sum = 0;
    for (size_t i = 0; i < 3 * side * side; i++)
        picture[i] = (float)code_uniform(&random);
    float *first = layer(picture, 3, made, side, &random);
    size_t half = (side - WINDOW + 1) / 2, quarter = (half - WINDOW + 1) / 2;
    float *second = layer(first, made, 2 * made, half, &random);
    for (size_t i = 0; i < 2 * made * quarter * quarter; i++)
        sum += second[i];
    printf("layers: %.6e\n", (double)sum);
    free(picture);
    free(first);
    free(second);
}
