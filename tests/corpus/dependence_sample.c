/*
 * dependence_sample N: loops that carry values through memory in many ways, for
 * check_dependence_graph: some iterations behind, in rows of an array whose size is known and of
 * one whose size is not, in fields of records, by an index that is loaded, through a list,
 * backwards.
 */
#include <stdio.h>
#include <stdlib.h>

#define KEPT   __attribute__((noinline, noclone))
#define COLUMN 37
#define N_MAX  100

struct record {
    int a;
    float b;
    long c;
};

struct node {
    struct node *next;
    long value;
};

static double grid[COLUMN][COLUMN];

KEPT static void lag(double *x, long n)
{
    for (long i = 3; i < n; i++)
        x[i] += x[i - 3];
}

KEPT static void lag_far(float *x, int n)
{
    for (int i = 16; i < n; i++)
        x[i] = x[i] * 0.5F + x[i - 16];
}

KEPT static void shift(double *x, long n)
{
    for (long i = 0; i + 2 < n; i++)
        x[i] = x[i + 2];
}

KEPT static void backward(double *x, long n)
{
    for (long i = n - 2; i >= 0; i--)
        x[i] = x[i] + 0.5 * x[i + 1];
}

KEPT static void mirror(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[n - 1 - i] += x[i];
}

KEPT static void pairs(double *x, long n)
{
    for (long i = 0; i + 1 < n; i += 2)
        x[i] = x[i + 1] + 1.0;
}

KEPT static void rows(void)
{
    for (int i = 2; i < COLUMN; i++)
        for (int j = 1; j < COLUMN; j++)
            grid[i][j] = 0.5 * grid[i - 1][j - 1] + 0.25 * grid[i - 2][j];
}

KEPT static void columns(double *x, long n)
{
    for (long j = 1; j < n; j++)
        for (long i = 1; i < n; i++)
            x[i * n + j] += 0.5 * x[(i - 1) * n + j] + 0.25 * x[i * n + j - 1];
}

KEPT static void records(struct record *r, long n)
{
    for (long i = 2; i < n; i++) {
        r[i].c = r[i].a + r[i - 2].c;
        r[i].b = (float)r[i - 1].a;
        r[i - 1].a = (int)r[i].c;
    }
}

KEPT static void histogram(long *counts, const unsigned char *keys, long n)
{
    for (long i = 0; i < n; i++)
        counts[keys[i]]++;
}

KEPT static void sum_into(double *sum, const double *x, long n)
{
    for (long i = 0; i < n; i++)
        *sum += x[i];
}

KEPT static void bytes(unsigned char *x, long n)
{
    for (long i = 5; i < n; i++)
        x[i] = (unsigned char)(x[i - 5] + i);
}

KEPT static void walk(struct node *node)
{
    for (; node->next; node = node->next) {
        node->next->value += node->value;
        node->value = 1;
    }
}

static double x[N_MAX * N_MAX + 1];
static float f[N_MAX];
static struct record r[N_MAX];
static struct node list[N_MAX];
static unsigned char keys[N_MAX];
static long counts[256];

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 40;
    if (n < 20 || n > N_MAX)
        return 1;
    for (long i = 0; i < n; i++) {
        x[i] = (double)i;
        f[i] = (float)i;
        list[i].next = i + 1 < n ? &list[i + 1] : NULL;
        list[i].value = i;
    }
    lag(x, n);
    lag_far(f, (int)n);
    shift(x, n);
    backward(x, n);
    mirror(x, n);
    pairs(x, n);
    rows();
    columns(x, n);
    records(r, n);
    bytes(keys, n);
    histogram(counts, keys, n);
    sum_into(&x[n], x, n);
    walk(list);
    printf("%g %g %ld %ld %g\n", x[n - 1], (double)f[n - 1], r[n - 1].c, list[n - 1].value,
           grid[COLUMN - 1][COLUMN - 1] + (double)counts[3]);
}
