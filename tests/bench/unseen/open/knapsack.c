/*
 * knapsack [N [REPEATS]]: a knapsack by two rolling rows of capacities.
 */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, reps = argc > 2 ? atoi(argv[2]) : 1;
    int capacity = 40 * n;
    int *weight = malloc(n * sizeof(int)), *value = malloc(n * sizeof(int));
    int *now = malloc((capacity + 1) * sizeof(int)), *next = malloc((capacity + 1) * sizeof(int));
    unsigned s = 12345;
    for (int i = 0; i < n; i++) {
        s = s * 1103515245 + 12345;
        weight[i] = 10 + (s >> 16) % 90;
        s = s * 1103515245 + 12345;
        value[i] = 1 + (s >> 16) % 100;
    }
    for (int r = 0; r < reps; r++) {
        for (int w = 0; w <= capacity; w++)
            now[w] = 0;
        for (int i = 0; i < n; i++) {
            for (int w = 0; w <= capacity; w++) {
                int best = now[w];
                if (w >= weight[i] && now[w - weight[i]] + value[i] > best)
                    best = now[w - weight[i]] + value[i];
                next[w] = best;
            }
            int *t = now;
            now = next;
            next = t;
        }
    }
    printf("%d\n", now[capacity]);
    return 0;
}
