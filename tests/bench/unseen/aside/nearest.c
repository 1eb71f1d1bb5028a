/*
 * nearest [POINTS [QUERIES PER POINT]]: a k-d tree over points of the unit cube, split at medians,
 * and the nearest of them to random places.
 */
#include "tests/bench/unseen/code.h"

struct point {
    double x[3];
};

static void swap(struct point *a, struct point *b)
{
    struct point kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the median along an axis into the middle. */
static void split(struct point *points, long low, long high, long middle, int axis)
{
    while (low < high) {
        double pivot = points[(low + high) / 2].x[axis];
        long i = low, j = high;
        while (i <= j) {
            while (points[i].x[axis] < pivot)
                i++;
            while (points[j].x[axis] > pivot)
                j--;
            if (i <= j)
                swap(&points[i++], &points[j--]);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void build(struct point *points, long low, long high, int axis)
{
    if (low >= high)
        return;
    long middle = (low + high) / 2;
    split(points, low, high, middle, axis);
    build(points, low, middle - 1, (axis + 1) % 3);
    build(points, middle + 1, high, (axis + 1) % 3);
}

static void search(const struct point *points, long low, long high, int axis,
                   const struct point *place, double *best)
{
    if (low > high)
        return;
    long middle = (low + high) / 2;
    double square = 0;
    for (int d = 0; d < 3; d++) {
        double apart = points[middle].x[d] - place->x[d];
        square += apart * apart;
    }
    if (square < *best)
        *best = square;
    double beyond = place->x[axis] - points[middle].x[axis];
    int next = (axis + 1) % 3;
    if (beyond < 0) {
        search(points, low, middle - 1, next, place, best);
        if (beyond * beyond < *best)
            search(points, middle + 1, high, next, place, best);
    } else {
        search(points, middle + 1, high, next, place, best);
        if (beyond * beyond < *best)
            search(points, low, middle - 1, next, place, best);
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 10000);
    size_t queries = sample_number(argc, argv, 2, 1, 1);
    struct point *points = code_malloc(count, sizeof *points);
    uint64_t random = 11;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            points[i].x[d] = code_uniform(&random);
    build(points, 0, (long)count - 1, 0);
    for (size_t q = 0; q < queries * count; q++) {
        struct point place = {
            {code_uniform(&random), code_uniform(&random), code_uniform(&random)}};
        double best = 3;
        search(points, 0, (long)count - 1, 0, &place, &best);
        sum += best;
    }
    printf("nearest: mean square %.9f\n", sum / (double)(queries * count));
    free(points);
}
