/*
 * The same runs twice: a source for what is checked, and one for its witness. Test code: aborts
 * when out of memory.
 */
#ifndef FT_TESTS_TWIN_RUNS_H
#define FT_TESTS_TWIN_RUNS_H

#include <stdlib.h>

#include "tests/random_runs.h"
#include "tests/synthetic_runs.h"

struct twin_runs {
    struct ft_run_source *source, *again;
    void (*fini)(struct ft_run_source *source); /* or NULL */
};

static inline void *twin_allocate(size_t bytes)
{
    void *twin = calloc(1, bytes);
    if (!twin)
        abort();
    return twin;
}

static inline struct twin_runs twin_random(uint64_t seed)
{
    struct random_runs *first = twin_allocate(sizeof *first);
    struct random_runs *second = twin_allocate(sizeof *second);
    random_runs_init(first, seed);
    random_runs_init(second, seed);
    return (struct twin_runs){&first->source, &second->source, NULL};
}

static inline void twin_fini_filled(struct ft_run_source *source)
{
    synthetic_fini((struct synthetic_runs *)source);
}

/* fill: initialises the runs as well, each time alike. */
static inline struct twin_runs twin_filled(void (*fill)(struct synthetic_runs *runs))
{
    struct synthetic_runs *first = twin_allocate(sizeof *first);
    struct synthetic_runs *second = twin_allocate(sizeof *second);
    fill(first);
    fill(second);
    return (struct twin_runs){&first->source, &second->source, twin_fini_filled};
}

static inline void twin_fini(struct twin_runs *twins)
{
    struct ft_run_source *const both[] = {twins->source, twins->again};
    for (int i = 0; i < 2; i++) {
        if (twins->fini)
            twins->fini(both[i]);
        free(both[i]);
    }
}

#endif
