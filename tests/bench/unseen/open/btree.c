/*
 * btree [KEYS [LOOKUPS PER KEY]]: an index as a B-tree with up to 31 keys in a node (Bayer &
 * McCreight 1972): keys are inserted in random order, then looked up at random.
 */
#include <string.h>

#include "tests/bench/unseen/code.h"

enum { MIN_KEYS = 15, MAX_KEYS = 2 * MIN_KEYS + 1 };

struct node {
    int keys, is_leaf;
    uint64_t key[MAX_KEYS];
    uint64_t value[MAX_KEYS];
    struct node *child[MAX_KEYS + 1];
};

static struct node *create_node(int is_leaf)
{
    struct node *node = code_malloc(1, sizeof *node);
    node->keys = 0;
    node->is_leaf = is_leaf;
    return node;
}

static void destroy(struct node *node)
{
    if (!node->is_leaf)
        for (int k = 0; k <= node->keys; k++)
            destroy(node->child[k]);
    free(node);
}

/* The first key of a node that is not below the one that is looked for. */
static int position(const struct node *node, uint64_t key)
{
    int low = 0, high = node->keys;
    while (low < high) {
        int middle = (low + high) / 2;
        if (node->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void open_gap(struct node *node, int at)
{
    size_t moved = (size_t)(node->keys - at);
    memmove(&node->key[at + 1], &node->key[at], moved * sizeof *node->key);
    memmove(&node->value[at + 1], &node->value[at], moved * sizeof *node->value);
    if (!node->is_leaf)
        memmove(&node->child[at + 2], &node->child[at + 1], moved * sizeof(struct node *));
    node->keys++;
}

/* The full child at an index leaves its upper half to a new one, its middle key to the parent. */
static void split_child(struct node *parent, int at)
{
    struct node *full = parent->child[at], *upper = create_node(full->is_leaf);
    memcpy(upper->key, &full->key[MIN_KEYS + 1], MIN_KEYS * sizeof *full->key);
    memcpy(upper->value, &full->value[MIN_KEYS + 1], MIN_KEYS * sizeof *full->value);
    if (!full->is_leaf)
        memcpy(upper->child, &full->child[MIN_KEYS + 1], (MIN_KEYS + 1) * sizeof(struct node *));
    upper->keys = full->keys = MIN_KEYS;
    open_gap(parent, at);
    parent->key[at] = full->key[MIN_KEYS];
    parent->value[at] = full->value[MIN_KEYS];
    parent->child[at + 1] = upper;
}

static struct node *insert(struct node *root, uint64_t key, uint64_t value)
{
    if (root->keys == MAX_KEYS) {
        struct node *above = create_node(0);
        above->child[0] = root;
        split_child(above, 0);
        root = above;
    }
    struct node *node = root;
    for (;;) {
        int at = position(node, key);
        if (node->is_leaf) {
            open_gap(node, at);
            node->key[at] = key;
            node->value[at] = value;
            return root;
        }
        if (node->child[at]->keys == MAX_KEYS) {
            split_child(node, at);
            at += node->key[at] < key;
        }
        node = node->child[at];
    }
}

static uint64_t look_up(const struct node *node, uint64_t key)
{
    for (;;) {
        int at = position(node, key);
        if (at < node->keys && node->key[at] == key)
            return node->value[at];
        if (node->is_leaf)
            return 0;
        node = node->child[at];
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 20000);
    size_t lookups = sample_number(argc, argv, 2, 1, 3);
    uint64_t *keys = code_malloc(count, sizeof *keys), random = 67, sum = 0;
    struct node *root = create_node(1);
    for (size_t i = 0; i < count; i++) {
        keys[i] = sample_random(&random);
        root = insert(root, keys[i], i + 1);
    }
    for (size_t k = 0; k < lookups * count; k++)
        sum += look_up(root, keys[sample_random_below(&random, count)]);
    printf("btree: %zu keys, sum of values %llu\n", count, (unsigned long long)sum);
    destroy(root);
    free(keys);
}
