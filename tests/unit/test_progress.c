/*
 * What a line of progress says: the share of all, the rate of this run alone, and the time left at
 * that rate. The clock is real: the run is said to have begun 1000 s ago, next to which the test
 * takes no time.
 */
#include <stdio.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/cli/progress_line.h"
#include "tests/support/tap.h"

#define BEGUN_NS (UINT64_C(1000) * 1000000000U)

/* The line that is drawn on stderr, in one way or the other. */
static void check(uint64_t done_before, uint64_t done, uint64_t total, const char *expected)
{
    char line[200] = "";
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "replay");
    progress.on = true;
    progress.started_ns = ft_clock_ns() - BEGUN_NS;
    progress.drawn_ns = 0;
    progress.done_before = done_before;
    FILE *terminal = stderr;
    stderr = fmemopen(line, sizeof line, "w");
    ft_progress_update(&progress.base, done, total, "accesses");
    fclose(stderr);
    stderr = terminal;
    tap_ok(strstr(line, expected) != NULL, "%s", expected);
}

int main(void)
{
    check(0, 500000, 1000000, "50 %  500 accesses/s  1000 s left");
    check(400000, 500000, 1000000, "50 %  100 accesses/s  5000 s left");
    check(400000, 1000000, 1000000, "100 %  600 accesses/s  0 s left");
    check(500000, 500000, 1000000, "50 %");
    check(0, 7000, 0, "replay  7e+03 accesses  1000 s");
    return tap_plan_done();
}
