/*
 * srad [N [STEPS]]: speckle-reducing anisotropic diffusion of an N x N image, as in Rodinia: the
 * image's statistics, four derivatives and a coefficient for each pixel by tables of neighbours,
 * and the update.
 */
#include "tests/bench/unseen/code.h"
#include <math.h>

int main(int argc, char **argv)
{
    int rows = (int)sample_number(argc, argv, 1, 4, 128), columns = rows;
    int steps = (int)sample_number(argc, argv, 2, 1, 2);
    size_t size = (size_t)rows * (size_t)columns;
    float *image = code_malloc(size, sizeof *image), *c = code_malloc(size, sizeof *c);
    int *north = code_malloc((size_t)rows, sizeof *north);
    int *south = code_malloc((size_t)rows, sizeof *south);
    int *west = code_malloc((size_t)columns, sizeof *west);
    int *east = code_malloc((size_t)columns, sizeof *east);
    float *to_north = code_malloc(size, sizeof *c), *to_south = code_malloc(size, sizeof *c);
    float *to_west = code_malloc(size, sizeof *c), *to_east = code_malloc(size, sizeof *c);
    for (int i = 0; i < rows; i++) {
        north[i] = i ? i - 1 : 0;
        south[i] = i < rows - 1 ? i + 1 : i;
    }
    for (int j = 0; j < columns; j++) {
        west[j] = j ? j - 1 : 0;
        east[j] = j < columns - 1 ? j + 1 : j;
    }
    uint64_t random = 7;
    for (size_t k = 0; k < size; k++)
        image[k] = expf((float)code_uniform(&random));
    for (int step = 0; step < steps; step++) {
        float sum = 0, squares = 0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                float value = image[i * columns + j];
                sum += value;
                squares += value * value;
            }
        float mean = sum / (float)size, variance = squares / (float)size - mean * mean;
        float q0 = variance / (mean * mean);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int k = i * columns + j;
                float own = image[k];
                to_north[k] = image[north[i] * columns + j] - own;
                to_south[k] = image[south[i] * columns + j] - own;
                to_west[k] = image[i * columns + west[j]] - own;
                to_east[k] = image[i * columns + east[j]] - own;
                float g2 = (to_north[k] * to_north[k] + to_south[k] * to_south[k] +
                            to_west[k] * to_west[k] + to_east[k] * to_east[k]) /
                           (own * own);
                float l = (to_north[k] + to_south[k] + to_west[k] + to_east[k]) / own;
                float num = 0.5F * g2 - 0.0625F * l * l, den = 1 + 0.25F * l;
                float q = num / (den * den);
                float weight = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
                c[k] = weight < 0 ? 0 : weight > 1 ? 1 : weight;
            }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int k = i * columns + j;
                float own = c[k], down = c[south[i] * columns + j],
                      right = c[i * columns + east[j]];
                float divergence =
                    own * to_north[k] + down * to_south[k] + own * to_west[k] + right * to_east[k];
                image[k] += 0.25F * 0.5F * divergence;
            }
    }
    printf("srad: %g\n", (double)image[size / 2]);
    free(image);
    free(c);
    free(north);
    free(south);
    free(west);
    free(east);
    free(to_north);
    free(to_south);
    free(to_west);
    free(to_east);
}
