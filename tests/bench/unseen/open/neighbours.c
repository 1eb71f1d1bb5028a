/*
 * neighbours [POINTS [QUERIES PER POINT]]: the nearest neighbours of random places among POINTS in
 * three dimensions by a k-d tree (Bentley 1975), which is built in place by Hoare's selection of
 * medians.
 */
#include "tests/bench/unseen/code.h"

enum { DIMENSIONS = 3, LEAF = 8 };

struct point {
    float at[DIMENSIONS];
    uint32_t id;
};

static void swap_points(struct point *a, struct point *b)
{
    struct point kept = *a;
    *a = *b;
    *b = kept;
}

static void select_median(struct point *points, size_t count, size_t wanted, int dimension)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = points[(low + high) / 2].at[dimension];
        size_t i = low, j = high;
        for (;;) {
            while (points[i].at[dimension] < pivot)
                i++;
            while (points[j].at[dimension] > pivot)
                j--;
            if (i >= j)
                break;
            swap_points(&points[i++], &points[j--]);
        }
        size_t split = points[j].at[dimension] <= pivot ? j : j - 1;
        if (wanted <= split)
            high = split;
        else
            low = split + 1;
    }
}

static void build(struct point *points, size_t count, int dimension)
{
    if (count <= LEAF)
        return;
    size_t middle = count / 2;
    select_median(points, count, middle, dimension);
    int next = (dimension + 1) % DIMENSIONS;
    build(points, middle, next);
    build(points + middle + 1, count - middle - 1, next);
}

static float distance(const struct point *p, const float *place)
{
    float sum = 0;
    for (int d = 0; d < DIMENSIONS; d++)
        sum += (p->at[d] - place[d]) * (p->at[d] - place[d]);
    return sum;
}

static void search(const struct point *points, size_t count, int dimension, const float *place,
                   float *best)
{
    if (count <= LEAF) {
        for (size_t i = 0; i < count; i++) {
            float found = distance(&points[i], place);
            *best = found < *best ? found : *best;
        }
        return;
    }
    size_t middle = count / 2;
    float found = distance(&points[middle], place);
    float beyond = place[dimension] - points[middle].at[dimension];
    int next = (dimension + 1) % DIMENSIONS;
    const struct point *upper = points + middle + 1;
    size_t upper_count = count - middle - 1;
    *best = found < *best ? found : *best;
    if (beyond < 0)
        search(points, middle, next, place, best);
    else
        search(upper, upper_count, next, place, best);
    if (beyond * beyond >= *best)
        return;
    if (beyond < 0)
        search(upper, upper_count, next, place, best);
    else
        search(points, middle, next, place, best);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 10000);
    size_t queries = sample_number(argc, argv, 2, 1, 2);
    struct point *points = code_malloc(count, sizeof *points);
    uint64_t random = 1975;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        for (int d = 0; d < DIMENSIONS; d++)
            points[i].at[d] = (float)code_uniform(&random);
        points[i].id = (uint32_t)i;
    }
    build(points, count, 0);
    for (size_t q = 0; q < queries * count; q++) {
        float place[DIMENSIONS], best = 4;
        for (int d = 0; d < DIMENSIONS; d++)
            place[d] = (float)code_uniform(&random);
        search(points, count, 0, place, &best);
        sum += (double)best;
    }
    printf("neighbours: %.6e\n", sum);
    free(points);
}
