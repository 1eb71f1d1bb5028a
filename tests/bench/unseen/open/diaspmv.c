/*
 * diaspmv [N [REPEATS]]: power iterations with a matrix of a 2-D grid by diagonals (DIA), and a
 * gathered one in ELLPACK.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32, reps = argc > 2 ? atoi(argv[2]) : 4;
    int rows = n * n, offset[7] = {-n, -n + 1, -1, 0, 1, n - 1, n};
    double *data[7], *x = malloc(rows * sizeof(double)), *y = malloc(rows * sizeof(double));
    int *index = malloc(sizeof(int) * 5 * rows);
    double *value = malloc(sizeof(double) * 5 * rows);
    for (int d = 0; d < 7; d++) {
        data[d] = malloc(rows * sizeof(double));
        for (int i = 0; i < rows; i++)
            data[d][i] = d == 3 ? 7 : -1;
    }
    for (int i = 0; i < rows; i++) {
        int shift[5] = {0, -1, 1, -2 * n, 2 * n};
        for (int k = 0; k < 5; k++) {
            int j = i + shift[k];
            index[k * rows + i] = j < 0 || j >= rows ? i : j;
            value[k * rows + i] = 0.2;
        }
        x[i] = 1 + i % 7;
    }
    for (int r = 0; r < reps; r++) {
        memset(y, 0, rows * sizeof(double));
        for (int d = 0; d < 7; d++) {
            int first = offset[d] < 0 ? -offset[d] : 0;
            int last = offset[d] > 0 ? rows - offset[d] : rows;
            for (int i = first; i < last; i++)
                y[i] += data[d][i] * x[i + offset[d]];
        }
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < rows; i++)
                y[i] += value[k * rows + i] * x[index[k * rows + i]];
        double norm = 0;
        for (int i = 0; i < rows; i++)
            norm = y[i] > norm ? y[i] : norm;
        for (int i = 0; i < rows; i++)
            x[i] = y[i] / norm;
    }
    printf("%g\n", x[rows / 2]);
    return 0;
}
