/*
 * ising [N [REPEATS]]: Metropolis sweeps of the Ising model, sites at random.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, reps = argc > 2 ? atoi(argv[2]) : 4;
    signed char *s = malloc((size_t)n * n);
    double boltzmann[17];
    unsigned long long x = 88172645463325252ull;
    for (int i = 0; i < n * n; i++)
        s[i] = i % 3 ? 1 : -1;
    for (int e = -8; e <= 8; e++)
        boltzmann[e + 8] = exp(-e / 2.3);
    for (int r = 0; r < reps; r++)
        for (int t = 0; t < n * n; t++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            int i = (x >> 20) % n, j = (x >> 40) % n;
            int e = 2 * s[i * n + j] *
                    (s[(i + 1) % n * n + j] + s[(i + n - 1) % n * n + j] + s[i * n + (j + 1) % n] +
                     s[i * n + (j + n - 1) % n]);
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            if (e <= 0 || (x >> 11) * 0x1p-53 < boltzmann[e + 8])
                s[i * n + j] = -s[i * n + j];
        }
    long m = 0;
    for (int i = 0; i < n * n; i++)
        m += s[i];
    printf("%ld\n", m);
    free(s);
    return 0;
}
