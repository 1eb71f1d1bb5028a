/* Counts that a few small sizes do not tell: a number of passes that follows a quotient of N, an
 * algorithm that is another one from N = 44 on, and sweeps until the data are in order. With a
 * second argument the other algorithm runs as well. */
#include <stdlib.h>

#define TILE   20
#define SWITCH 44
#define ROUNDS 16

/* ceil(N / 20) passes over N numbers. */
__attribute__((noinline)) static void pass(volatile double *to, const double *from, long n)
{
    for (long first = 0; first < n; first += TILE)
        for (long i = 0; i < n; i++)
            to[i] = from[i] + (double)first;
}

__attribute__((noinline)) static double by_pairs(const volatile double *of, long n)
{
    double most = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            if (of[i] - of[j] > most)
                most = of[i] - of[j];
    return most;
}

__attribute__((noinline)) static double in_turn(const volatile double *of, long n)
{
    double least = of[0], most = of[0];
    for (long round = 0; round < ROUNDS; round++)
        for (long i = 0; i < n; i++) {
            const double here = of[i];
            least = here < least ? here : least;
            most = here > most ? here : most;
        }
    return most - least;
}

/* N numbers are swept until they are in order. */
__attribute__((noinline)) static long sweep(volatile long *numbers, long n)
{
    long sweeps = 0;
    for (long changed = 1; changed; sweeps++) {
        changed = 0;
        for (long i = 1; i < n; i++) {
            const long before = numbers[i - 1], here = numbers[i];
            const long out_of_order = before > here;
            numbers[i - 1] = out_of_order ? here : before;
            numbers[i] = out_of_order ? before : here;
            changed |= out_of_order;
        }
    }
    return sweeps;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? strtol(argv[1], NULL, 10) : 32;
    double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    long *numbers = calloc((size_t)n, sizeof *numbers);
    unsigned long state = 7;
    if (!a || !b || !numbers)
        abort();
    for (long i = 0; i < n; i++) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        numbers[i] = (long)(state >> 40);
        a[i] = (double)numbers[i];
    }
    pass(b, a, n);
    const double most = n < SWITCH ? by_pairs(a, n) : in_turn(a, n);
    const double more = argc > 2 ? in_turn(a, n) : most;
    const long sweeps = sweep(numbers, n);
    free(numbers);
    free(b);
    free(a);
    return most < 0 || more < 0 || sweeps == 0;
}
