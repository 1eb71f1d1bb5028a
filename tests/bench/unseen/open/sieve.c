/*
 * sieve [N [ROUNDS]]: the sieve of Eratosthenes up to N, a byte for each number, then the count
 * and a list of the primes.
 */
#include "tests/bench/unseen/code.h"

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 4, 100000), rounds = sample_number(argc, argv, 2, 1, 2);
    uint8_t *crossed = code_malloc(n + 1, 1);
    unsigned *prime = code_malloc(n / 2 + 1, sizeof *prime);
    size_t count = 0;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i <= n; i++)
            crossed[i] = 0;
        for (size_t i = 2; i * i <= n; i++)
            if (!crossed[i])
                for (size_t j = i * i; j <= n; j += i)
                    crossed[j] = 1;
        count = 0;
        for (size_t i = 2; i <= n; i++)
            if (!crossed[i])
                prime[count++] = (unsigned)i;
    }
    printf("sieve: %zu primes, the last is %u\n", count, prime[count - 1]);
    free(crossed);
    free(prime);
}
