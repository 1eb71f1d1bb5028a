/* Input of the differential suite: enough C to keep a compiler's optimisers busy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *left, *right;
    int key, count;
};

static struct node *insert(struct node *tree, int key)
{
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        tree->key = key;
    }
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else if (key > tree->key)
        tree->right = insert(tree->right, key);
    else
        tree->count++;
    return tree;
}

static long sum(const struct node *tree)
{
    return tree ? sum(tree->left) + (long)tree->key * tree->count + sum(tree->right) : 0;
}

static void multiply(const double *a, const double *b, double *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static int classify(const char *word)
{
    switch (word[0]) {
    case 'a':
        return strlen(word) > 3 ? 1 : 2;
    case 'b':
        return 3;
    case 'z':
        return 4 + (word[1] == 'z');
    default:
        return 0;
    }
}

int main(int count, char **words)
{
    enum { N = 48 };
    static double a[N * N], b[N * N], c[N * N];
    struct node *tree = NULL;
    unsigned state = 1;
    for (int i = 0; i < N * N; i++) {
        state = state * 1664525 + 1013904223;
        a[i] = state >> 16;
        b[i] = sin(i);
        tree = insert(tree, (int)(state >> 20));
    }
    multiply(a, b, c, N);
    double trace = 0;
    for (int i = 0; i < N; i++)
        trace += c[i * N + i];
    printf("%.6f %ld %d\n", trace, sum(tree), classify(words[count - 1]));
    return 0;
}
