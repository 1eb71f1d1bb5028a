/*
 * chase [NODES [ROUNDS]]: walks a linked list that visits its 64-byte nodes in random order.
 *
 * Accesses of the kernel: NODES * ROUNDS (one load per node).
 */
#include "sample.h"

struct node {
    struct node *next;
    char rest_of_line[56];
};

SAMPLE_KERNEL static struct node *walk(struct node *node, size_t steps)
{
    for (size_t step = 0; step < steps; step++) /* loop: chase_step */
        node = node->next;
    return node;
}

/* Links the nodes to one circle in random order (Sattolo's shuffle). */
static void link_circle(struct node *nodes, size_t count)
{
    size_t *order = sample_array(count, sizeof *order);
    uint64_t random = 1;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i-- > 1;) {
        size_t other = sample_random_below(&random, i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < count; i++)
        nodes[i].next = &nodes[order[i]];
    free(order);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 20000);
    size_t rounds = sample_number(argc, argv, 2, 1, 12000);
    struct node *nodes = sample_array(count, sizeof *nodes);
    link_circle(nodes, count);
    struct node *end = nodes;
    for (size_t round = 0; round < rounds; round++)
        end = walk(end, count);
    printf("chase: %s where it began\n", end == nodes ? "ended" : "did not end");
    free(nodes);
}
