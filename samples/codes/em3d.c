/*
 * em3d [NODES [STEPS]]: electric and magnetic fields on a graph, in the manner of Olden's em3d
 * (Culler et al. 1993): each node of one kind takes a weighted sum of its random neighbours of the
 * other kind. Nodes stand in memory in the order in which they were made, and are walked as lists.
 */
#include "sample.h"

#define DEGREE 10

struct node {
    double value;
    struct node *next;
    struct node *neighbours[DEGREE];
    double weights[DEGREE];
};

/* The two kinds in turn, so that neighbours of one list are not neighbours in memory. */
static void link_nodes(struct node *nodes, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        struct node *node = &nodes[i];
        node->value = (double)(i % 11);
        node->next = i + 2 < count ? node + 2 : NULL;
        for (size_t k = 0; k < DEGREE; k++) {
            size_t other = 2 * sample_random_below(random, count / 2) + (i + 1) % 2;
            node->neighbours[k] = &nodes[other];
            node->weights[k] = 0.01 * (double)(k + 1);
        }
    }
}

SAMPLE_KERNEL static void relax(struct node *first)
{
    for (struct node *node = first; node; node = node->next) {
        double value = node->value;
        for (size_t k = 0; k < DEGREE; k++)
            value -= node->weights[k] * node->neighbours[k]->value;
        node->value = value;
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 2, 20000) / 2 * 2;
    size_t steps = sample_number(argc, argv, 2, 1, 20);
    uint64_t random = 1;
    struct node *nodes = sample_array(count, sizeof *nodes);
    link_nodes(nodes, count, &random);
    for (size_t step = 0; step < steps; step++) {
        relax(&nodes[0]);
        relax(&nodes[1]);
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += nodes[i].value;
    printf("em3d: sum of values = %.6e\n", sum);
    free(nodes);
}
