/*
 * gustavson [ROWS [REPETITIONS]]: the product of two sparse matrices with eight entries a row at
 * random columns, row by row (Gustavson 1978): a dense row gathers the sums, a list its columns.
 */
#include "tests/bench/unseen/code.h"

enum { ENTRIES = 8 };

struct sparse {
    size_t rows;
    uint32_t *first, *column;
    double *value;
};

static struct sparse draw(size_t rows, uint64_t *random)
{
    struct sparse m = {rows, code_malloc(rows + 1, sizeof(uint32_t)),
                       code_malloc(ENTRIES * rows, sizeof(uint32_t)),
                       code_malloc(ENTRIES * rows, sizeof(double))};
    for (size_t i = 0; i <= rows; i++)
        m.first[i] = (uint32_t)(ENTRIES * i);
    for (size_t k = 0; k < ENTRIES * rows; k++) {
        m.column[k] = (uint32_t)sample_random_below(random, rows);
        m.value[k] = code_uniform(random);
    }
    return m;
}

static void release(struct sparse *m)
{
    free(m->first);
    free(m->column);
    free(m->value);
}

/* The product's rows are appended to c, which has room for all; the number of its entries. */
static size_t multiply(const struct sparse *a, const struct sparse *b, struct sparse *c,
                       double *sum, uint32_t *last_row)
{
    uint32_t entries = 0;
    for (size_t i = 0; i < a->rows; i++)
        last_row[i] = UINT32_MAX;
    for (size_t i = 0; i < a->rows; i++) {
        c->first[i] = entries;
        for (uint32_t k = a->first[i]; k < a->first[i + 1]; k++) {
            uint32_t middle = a->column[k];
            for (uint32_t l = b->first[middle]; l < b->first[middle + 1]; l++) {
                uint32_t j = b->column[l];
                if (last_row[j] != i) {
                    last_row[j] = (uint32_t)i;
                    c->column[entries++] = j;
                    sum[j] = 0;
                }
                sum[j] += a->value[k] * b->value[l];
            }
        }
        for (uint32_t k = c->first[i]; k < entries; k++)
            c->value[k] = sum[c->column[k]];
    }
    c->first[a->rows] = entries;
    return entries;
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, 1, 10000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1), entries = 0;
    size_t room = ENTRIES * ENTRIES * rows;
    uint64_t random = 1978;
    struct sparse a = draw(rows, &random), b = draw(rows, &random);
    struct sparse c = {rows, code_malloc(rows + 1, sizeof(uint32_t)),
                       code_malloc(room, sizeof(uint32_t)), code_malloc(room, sizeof(double))};
    double *sum = code_malloc(rows, sizeof *sum);
    uint32_t *last_row = code_malloc(rows, sizeof *last_row);
    for (size_t r = 0; r < repetitions; r++)
        entries += multiply(&a, &b, &c, sum, last_row);
    printf("gustavson: %zu entries, %.6f\n", entries, c.value[c.first[rows / 2]]);
    release(&a);
    release(&b);
    release(&c);
    free(sum);
    free(last_row);
}
