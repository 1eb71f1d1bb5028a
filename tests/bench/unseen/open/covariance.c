/*
 * covariance [N]: covariances of the N columns of an N x N table of data: means, centred data, and
 * the products of all pairs of columns, of which the matrix keeps both halves.
 */
#include "tests/bench/unseen/code.h"

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 2, 200);
    double(*data)[n] = code_malloc((size_t)n, sizeof *data);
    double(*cov)[n] = code_malloc((size_t)n, sizeof *cov);
    double *mean = code_malloc((size_t)n, sizeof *mean);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            data[i][j] = (double)(i * j % n) / n + i;
    for (int j = 0; j < n; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += data[k][i] * data[k][j];
            cov[i][j] = cov[j][i] = sum / (n - 1);
        }
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += cov[i][i];
    printf("covariance: trace %g\n", trace);
    free(data);
    free(cov);
    free(mean);
}
