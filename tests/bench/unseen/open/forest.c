/*
 * forest [NODES [EDGES PER NODE]]: the lightest spanning forest of a random graph by Kruskal
 * (1956): edges are sorted by the C library, sets of nodes joined with path halving.
 */
#include "tests/bench/unseen/code.h"

struct edge {
    uint32_t weight, from, to;
};

static int compare_weights(const void *a, const void *b)
{
    uint32_t left = ((const struct edge *)a)->weight, right = ((const struct edge *)b)->weight;
    return (left > right) - (left < right);
}

static uint32_t find(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

int main(int argc, char **argv)
{
    size_t nodes = sample_number(argc, argv, 1, 1, 10000);
    size_t edges = nodes * sample_number(argc, argv, 2, 1, 4);
    struct edge *edge = code_malloc(edges, sizeof *edge);
    uint32_t *parent = code_malloc(nodes, sizeof *parent), *size = code_malloc(nodes, sizeof *size);
    uint64_t random = 1956, sum = 0;
    for (size_t e = 0; e < edges; e++)
        edge[e] = (struct edge){(uint32_t)sample_random(&random) >> 1,
                                (uint32_t)sample_random_below(&random, nodes),
                                (uint32_t)sample_random_below(&random, nodes)};
    for (size_t n = 0; n < nodes; n++) {
        parent[n] = (uint32_t)n;
        size[n] = 1;
    }
    qsort(edge, edges, sizeof *edge, compare_weights);
    for (size_t e = 0; e < edges; e++) {
        uint32_t a = find(parent, edge[e].from), b = find(parent, edge[e].to);
        if (a == b)
            continue;
        uint32_t large = size[a] >= size[b] ? a : b, small = large == a ? b : a;
        parent[small] = large;
        size[large] += size[small];
        sum += edge[e].weight;
    }
    printf("forest: %llu\n", (unsigned long long)sum);
    free(edge);
    free(parent);
    free(size);
}
