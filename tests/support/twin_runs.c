#include "tests/support/twin_runs.h"

#include <stdlib.h>

#include "tests/support/random_runs.h"

static void *twin_allocate(size_t bytes)
{
    void *twin = calloc(1, bytes);
    if (!twin)
        abort();
    return twin;
}

struct twin_runs twin_random(uint64_t seed)
{
    struct random_runs *first = twin_allocate(sizeof *first);
    struct random_runs *second = twin_allocate(sizeof *second);
    random_runs_init(first, seed);
    random_runs_init(second, seed);
    return (struct twin_runs){&first->source, &second->source, NULL};
}

static void twin_fini_filled(struct ft_run_source *source)
{
    synthetic_fini((struct synthetic_runs *)source);
}

struct twin_runs twin_filled(void (*fill)(struct synthetic_runs *runs))
{
    struct synthetic_runs *first = twin_allocate(sizeof *first);
    struct synthetic_runs *second = twin_allocate(sizeof *second);
    fill(first);
    fill(second);
    return (struct twin_runs){&first->source, &second->source, twin_fini_filled};
}

void twin_fini(struct twin_runs *twins)
{
    struct ft_run_source *const both[] = {twins->source, twins->again};
    for (int i = 0; i < 2; i++) {
        if (twins->fini)
            twins->fini(both[i]);
        free(both[i]);
    }
}
