/*
 * tries [ROUTES [LOOKUPS PER ROUTE]]: the longest prefix of addresses in a table of routes, as a
 * trie with one bit a level whose nodes are taken from an array that doubles.
 */
#include "tests/bench/unseen/code.h"

struct node {
    uint32_t child[2], hop;
};

struct trie {
    struct node *nodes;
    size_t count, capacity;
};

static uint32_t add_node(struct trie *trie)
{
    if (trie->count == trie->capacity) {
        trie->capacity = trie->capacity ? 2 * trie->capacity : 64;
        trie->nodes = code_checked(realloc(trie->nodes, trie->capacity * sizeof *trie->nodes),
                                   trie->capacity, sizeof *trie->nodes);
    }
    trie->nodes[trie->count] = (struct node){{0, 0}, 0};
    return (uint32_t)trie->count++;
}

static void insert(struct trie *trie, uint32_t prefix, unsigned length, uint32_t hop)
{
    uint32_t at = 0;
    for (unsigned i = 0; i < length; i++) {
        unsigned bit = prefix >> (31 - i) & 1;
        if (!trie->nodes[at].child[bit]) {
            uint32_t made = add_node(trie);
            trie->nodes[at].child[bit] = made;
        }
        at = trie->nodes[at].child[bit];
    }
    trie->nodes[at].hop = hop;
}

static uint32_t find(const struct trie *trie, uint32_t address)
{
    uint32_t at = 0, hop = 0;
    for (unsigned i = 0; i < 32; i++) {
        at = trie->nodes[at].child[address >> (31 - i) & 1];
        if (!at)
            break;
        hop = trie->nodes[at].hop ? trie->nodes[at].hop : hop;
    }
    return hop;
}

int main(int argc, char **argv)
{
    size_t routes = sample_number(argc, argv, 1, 1, 5000);
    size_t lookups = sample_number(argc, argv, 2, 1, 4);
    struct trie trie = {0};
    uint64_t random = 32, sum = 0;
    add_node(&trie);
    for (size_t r = 0; r < routes; r++)
        insert(&trie, (uint32_t)sample_random(&random),
               8 + (unsigned)sample_random_below(&random, 17), (uint32_t)r + 1);
    for (size_t l = 0; l < lookups * routes; l++)
        sum += find(&trie, (uint32_t)sample_random(&random));
    printf("tries: %zu nodes, %llu\n", trie.count, (unsigned long long)sum);
    free(trie.nodes);
}
