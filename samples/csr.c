/*
 * csr [ROWS [REPETITIONS]]: sparse matrix times vector, y = A x, 20 random columns per row.
 *
 * Accesses of the kernel, each repetition: ROWS * (3 * 20 + 2) + 1: column, value and x for each
 * element; the end of the row and y for each row; the start of the first row.
 */
#include "sample.h"

#define ROW_ELEMENTS 20

SAMPLE_KERNEL static void multiply(double *restrict y, const uint32_t *restrict row_start,
                                   const uint32_t *restrict column, const double *restrict value,
                                   const double *restrict x, size_t rows)
{
    uint32_t k = row_start[0];
    for (size_t row = 0; row < rows; row++) { /* loop: csr_row */
        uint32_t end = row_start[row + 1];
        double sum = 0;
        for (; k < end; k++) { /* loop: csr_element */
            sum += value[k] * x[column[k]];
        }
        y[row] = sum;
    }
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, 1, 20000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 8000);
    uint32_t *row_start = sample_array(rows + 1, sizeof *row_start);
    uint32_t *column = sample_array(rows * ROW_ELEMENTS, sizeof *column);
    double *value = sample_array(rows * ROW_ELEMENTS, sizeof *value);
    double *x = sample_array(rows, sizeof *x);
    double *y = sample_array(rows, sizeof *y);
    uint64_t random = 1;
    for (size_t k = 0; k < rows * ROW_ELEMENTS; k++) {
        column[k] = (uint32_t)sample_random_below(&random, rows);
        value[k] = (double)(k % 3);
    }
    row_start[0] = 0;
    for (size_t row = 0; row < rows; row++) {
        row_start[row + 1] = (uint32_t)((row + 1) * ROW_ELEMENTS);
        x[row] = (double)(row % 13);
    }
    for (size_t r = 0; r < repetitions; r++)
        multiply(y, row_start, column, value, x, rows);
    double sum = 0;
    for (size_t row = 0; row < rows; row++)
        sum += y[row];
    printf("csr: sum of y = %.0f\n", sum);
    free(row_start);
    free(column);
    free(value);
    free(x);
    free(y);
}
