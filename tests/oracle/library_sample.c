/*
 * Loads two libraries in turn, each of which is unloaded before the other comes, at the same
 * address: what was translated of the one must not run for the other. Its exit status tells whether
 * the addresses were the same.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned long function(const long *values, int count);

static long values[40];

int main(int argc, char **argv)
{
    unsigned long sum = 0;
    const void *first = NULL, *place;
    int moved = 0;
    for (int i = 0; i < 40; i++)
        values[i] = i * i % 23;
    for (int turn = 0; argc == 3 && turn < 4; turn++) {
        void *library = dlopen(argv[1 + turn % 2], RTLD_NOW);
        if (!library)
            return 2;
        function *work = (function *)(uintptr_t)dlsym(library, "work");
        place = (const void *)(uintptr_t)work;
        moved |= first && place != first;
        first = place;
        for (int i = 0; i < 3; i++)
            sum += work(values, 40);
        dlclose(library);
    }
    printf("%lu\n", sum);
    return moved;
}
