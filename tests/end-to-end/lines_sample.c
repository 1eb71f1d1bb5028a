/*
 * Two units, of which the other one (lines_sample_part.c) runs with the argument "part" alone. With
 * the name of a file it waits until that is there; code that runs only then has lines, too.
 */
#include <string.h>
#include <unistd.h>

long lines_sample_part(long count);
long results[4];

static inline __attribute__((always_inline)) long weighted(const long *values, long count)
{
    long all = 0;
    for (long i = 0; i < count; i++)
        all += i * values[i];
    return all;
}

__attribute__((noinline)) static void work(long count)
{
    static long values[64];
    for (long i = 0; i < count; i++)
        values[i] = i * i;
    results[0] = weighted(values, count);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "part") == 0)
        results[1] = lines_sample_part(40);
    else if (argc > 1)
        while (access(argv[1], F_OK) != 0)
            usleep(10000);
    work(50);
    return results[0] == 0;
}
