/*
 * nussinov [N]: the most base pairs in a folded sequence of N bases (Nussinov 1978): a triangular
 * table, each entry the best over all ways to split its part.
 */
#include "tests/bench/unseen/code.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 2, 200);
    int(*table)[n] = code_calloc((size_t)n, sizeof *table);
    char *base = code_malloc((size_t)n, 1);
    for (int i = 0; i < n; i++)
        base[i] = (char)((i + 1) % 4);
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i][j] = larger(table[i][j], table[i][j - 1]);
            if (i + 1 < n)
                table[i][j] = larger(table[i][j], table[i + 1][j]);
            if (i + 1 < n)
                table[i][j] = larger(table[i][j],
                                     table[i + 1][j - 1] + (i < j - 1 && base[i] + base[j] == 3));
            for (int k = i + 1; k < j; k++)
                table[i][j] = larger(table[i][j], table[i][k] + table[k + 1][j]);
        }
    printf("nussinov: %d pairs\n", table[0][n - 1]);
    free(table);
    free(base);
}
