/*
 * simplex [N]: a linear program of N variables and N constraints by the tableau of Dantzig's
 * simplex method, 30 pivots at most.
 */
#include "tests/bench/unseen/code.h"

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 2, 100), columns = 2 * n + 1, pivots = 0;
    double **row = code_malloc((size_t)n + 1, sizeof *row);
    uint64_t random = 1947;
    for (int i = 0; i <= n; i++) {
        row[i] = code_calloc((size_t)columns, sizeof **row);
        for (int j = 0; j < n; j++)
            row[i][j] = i < n ? code_uniform(&random) : -1 - code_uniform(&random);
        if (i < n) {
            row[i][n + i] = 1;
            row[i][columns - 1] = 10 + code_uniform(&random);
        }
    }
    for (; pivots < 30; pivots++) {
        int enter = 0, leave = -1;
        for (int j = 1; j < columns - 1; j++)
            if (row[n][j] < row[n][enter])
                enter = j;
        if (row[n][enter] >= -1e-9)
            break;
        for (int i = 0; i < n; i++)
            if (row[i][enter] > 1e-9 &&
                (leave < 0 ||
                 row[i][columns - 1] / row[i][enter] < row[leave][columns - 1] / row[leave][enter]))
                leave = i;
        if (leave < 0)
            break;
        double pivot = row[leave][enter];
        for (int j = 0; j < columns; j++)
            row[leave][j] /= pivot;
        for (int i = 0; i <= n; i++) {
            double factor = row[i][enter];
            if (i == leave || factor == 0)
                continue;
            for (int j = 0; j < columns; j++)
                row[i][j] -= factor * row[leave][j];
        }
    }
    printf("simplex: %g after %d pivots\n", row[n][columns - 1], pivots);
    for (int i = 0; i <= n; i++)
        free(row[i]);
    free(row);
}
