/*
 * The same runs twice: a source for what is checked, and one for its reference. Test code: aborts
 * when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_TWIN_RUNS_H
#define FT_TESTS_SUPPORT_TWIN_RUNS_H

#include "tests/support/synthetic_runs.h"

struct twin_runs {
    struct ft_run_source *source, *again;
    void (*fini)(struct ft_run_source *source); /* or NULL */
};

struct twin_runs twin_random(uint64_t seed);
/* fill: initialises the runs as well, each time alike. */
struct twin_runs twin_filled(void (*fill)(struct synthetic_runs *runs));
void twin_fini(struct twin_runs *twins);

#endif
