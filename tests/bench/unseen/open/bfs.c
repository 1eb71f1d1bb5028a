/*
 * bfs [VERTICES [SOURCES]]: breadth-first searches in a random undirected graph with eight edges
 * per vertex in compressed rows, as in Graph500: each from another source, with a queue.
 */
#include "tests/bench/unseen/code.h"

#define EDGES_PER_VERTEX 8
#define UNREACHED        UINT32_MAX

struct graph {
    size_t vertices;
    size_t *first; /* of each vertex, into neighbours */
    uint32_t *neighbours;
};

static struct graph create(size_t vertices)
{
    size_t edges = EDGES_PER_VERTEX * vertices;
    struct graph graph = {vertices, code_calloc(vertices + 1, sizeof(size_t)),
                          code_malloc(2 * edges, sizeof(uint32_t))};
    uint32_t(*ends)[2] = code_malloc(edges, sizeof *ends);
    uint64_t random = 5;
    for (size_t e = 0; e < edges; e++) {
        ends[e][0] = (uint32_t)sample_random_below(&random, vertices);
        ends[e][1] = (uint32_t)sample_random_below(&random, vertices);
        graph.first[ends[e][0] + 1]++;
        graph.first[ends[e][1] + 1]++;
    }
    for (size_t v = 0; v < vertices; v++)
        graph.first[v + 1] += graph.first[v];
    size_t *filled = code_calloc(vertices, sizeof *filled);
    for (size_t e = 0; e < edges; e++) {
        uint32_t a = ends[e][0], b = ends[e][1];
        graph.neighbours[graph.first[a] + filled[a]++] = b;
        graph.neighbours[graph.first[b] + filled[b]++] = a;
    }
    free(filled);
    free(ends);
    return graph;
}

/* The level of each vertex; how many were reached. */
static size_t search(const struct graph *graph, uint32_t source, uint32_t *level, uint32_t *queue)
{
    for (size_t v = 0; v < graph->vertices; v++)
        level[v] = UNREACHED;
    level[source] = 0;
    queue[0] = source;
    size_t tail = 1;
    for (size_t head = 0; head < tail; head++) {
        uint32_t vertex = queue[head];
        for (size_t k = graph->first[vertex]; k < graph->first[vertex + 1]; k++) {
            uint32_t neighbour = graph->neighbours[k];
            if (level[neighbour] == UNREACHED) {
                level[neighbour] = level[vertex] + 1;
                queue[tail++] = neighbour;
            }
        }
    }
    return tail;
}

int main(int argc, char **argv)
{
    size_t vertices = sample_number(argc, argv, 1, 1, 50000);
    size_t sources = sample_number(argc, argv, 2, 1, 4);
    struct graph graph = create(vertices);
    uint32_t *level = code_malloc(vertices, sizeof *level);
    uint32_t *queue = code_malloc(vertices, sizeof *queue);
    uint64_t random = 6;
    size_t reached = 0, deepest = 0;
    for (size_t s = 0; s < sources; s++) {
        uint32_t source = (uint32_t)sample_random_below(&random, vertices);
        size_t found = search(&graph, source, level, queue);
        reached += found;
        deepest += level[queue[found - 1]];
    }
    printf("bfs: %zu vertices reached, depths add up to %zu\n", reached, deepest);
    free(graph.first);
    free(graph.neighbours);
    free(level);
    free(queue);
}
