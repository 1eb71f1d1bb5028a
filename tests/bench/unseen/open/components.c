/*
 * components [N]: connected components of a graph of N nodes and 2 N random edges, by union and
 * find with halved paths, then their sizes, and the largest.
 */
#include "tests/bench/unseen/code.h"

static int root_of(int *parent, int node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 1, 10000), largest = 0;
    size_t edges = 2 * (size_t)n;
    int(*edge)[2] = code_malloc(edges, sizeof *edge);
    int *parent = code_malloc((size_t)n, sizeof *parent);
    int *size = code_calloc((size_t)n, sizeof *size);
    uint64_t random = 1964;
    for (size_t i = 0; i < edges; i++) {
        edge[i][0] = (int)sample_random_below(&random, (uint64_t)n);
        edge[i][1] = (int)sample_random_below(&random, (uint64_t)n);
    }
    for (int i = 0; i < n; i++)
        parent[i] = i;
    for (size_t i = 0; i < edges; i++) {
        int a = root_of(parent, edge[i][0]), b = root_of(parent, edge[i][1]);
        if (a < b)
            parent[b] = a;
        else if (b < a)
            parent[a] = b;
    }
    for (int i = 0; i < n; i++) {
        int own = ++size[root_of(parent, i)];
        largest = own > largest ? own : largest;
    }
    printf("components: %d of %d nodes in the largest\n", largest, n);
    free(edge);
    free(parent);
    free(size);
}
