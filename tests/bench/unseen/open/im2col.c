/*
 * im2col [N [REPEATS]]: a convolution layer: 3 x 3, padding 1, by im2col and a product of matrices;
 * ReLU and 2 x 2 maxima.
 */
#include <stdio.h>
#include <stdlib.h>
enum { IN = 4, OUT = 8 };
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32, reps = argc > 2 ? atoi(argv[2]) : 2;
    int pixels = n * n, half = n / 2;
    float *in = malloc(sizeof(float) * IN * pixels),
          *weights = malloc(sizeof(float) * OUT * IN * 9);
    float *out = malloc(sizeof(float) * OUT * pixels),
          *pooled = malloc(sizeof(float) * OUT * half * half);
    for (int i = 0; i < IN * pixels; i++)
        in[i] = (i * 37 % 101) * 0.01f;
    for (int i = 0; i < OUT * IN * 9; i++)
        weights[i] = (i * 17 % 23 - 11) * 0.1f;
    for (int r = 0; r < reps; r++) {
        float *columns = malloc(sizeof(float) * IN * 9 * pixels);
        for (int c = 0; c < IN; c++)
            for (int ky = -1; ky <= 1; ky++)
                for (int kx = -1; kx <= 1; kx++)
                    for (int y = 0; y < n; y++)
                        for (int x = 0; x < n; x++) {
                            int row = (c * 3 + ky + 1) * 3 + kx + 1, v = y + ky, w = x + kx;
                            columns[(row * n + y) * n + x] =
                                v < 0 || v >= n || w < 0 || w >= n ? 0 : in[(c * n + v) * n + w];
                        }
        for (int o = 0; o < OUT; o++) {
            for (int p = 0; p < pixels; p++)
                out[o * pixels + p] = 0;
            for (int k = 0; k < IN * 9; k++)
                for (int p = 0; p < pixels; p++)
                    out[o * pixels + p] += weights[o * IN * 9 + k] * columns[k * pixels + p];
        }
        for (int o = 0; o < OUT; o++)
            for (int y = 0; y < half; y++)
                for (int x = 0; x < half; x++) {
                    float best = 0;
                    for (int a = 0; a < 2; a++)
                        for (int b = 0; b < 2; b++) {
                            float t = out[(o * n + 2 * y + a) * n + 2 * x + b];
                            best = t > best ? t : best;
                        }
                    pooled[(o * half + y) * half + x] = best;
                }
        free(columns);
    }
    printf("%g\n", pooled[half]);
    return 0;
}
