/*
 * bitonic [N [REPEATS]]: a bitonic sort of floats.
 */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, reps = argc > 2 ? atoi(argv[2]) : 1;
    float *a = malloc(n * sizeof(float));
    for (int r = 0; r < reps; r++) {
        srand(r + 1);
        for (int i = 0; i < n; i++)
            a[i] = rand() % 100000;
        for (int k = 2; k <= n; k <<= 1)
            for (int j = k >> 1; j > 0; j >>= 1)
                for (int i = 0; i < n; i++) {
                    int l = i ^ j;
                    if (l > i) {
                        float x = a[i], y = a[l];
                        if (((i & k) == 0) == (x > y)) {
                            a[i] = y;
                            a[l] = x;
                        }
                    }
                }
    }
    printf("%g %g\n", a[0], a[n - 1]);
    free(a);
    return 0;
}
