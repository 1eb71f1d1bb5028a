/*
 * What a line of progress says: the share of all, the rate of this run alone, and the time left at
 * that rate; how often it is said, on a terminal and in a log. The clock is real: the run is said
 * to have begun 1000 s ago, next to which the test takes no time.
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
    progress.is_terminal = true;
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

/* What is written in so many updates that follow each other at once. */
static void check_pace(bool is_terminal, uint64_t drawn_s_ago, unsigned updates,
                       const char *expected)
{
    char text[400] = "";
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "replay");
    progress.is_terminal = is_terminal;
    progress.started_ns = ft_clock_ns() - BEGUN_NS;
    progress.drawn_ns = ft_clock_ns() - drawn_s_ago * 1000000000U;
    FILE *terminal = stderr;
    stderr = fmemopen(text, sizeof text, "w");
    for (unsigned i = 0; i < updates; i++)
        ft_progress_update(&progress.base, 500000, 1000000, "accesses");
    ft_progress_line_fini(&progress);
    fclose(stderr);
    stderr = terminal;
    tap_ok(strcmp(text, expected) == 0, "%s, %u updates %llu s after the last line: %zu bytes",
           is_terminal ? "a terminal" : "a log", updates, (unsigned long long)drawn_s_ago,
           strlen(text));
}

int main(void)
{
    check_pace(false, 11, 3, "replay   50 %  500 accesses/s  1000 s left\n");
    check_pace(false, 8, 3, "");
    check_pace(true, 1, 3, "\r\033[Kreplay   50 %  500 accesses/s  1000 s left\r\033[K");
    check(0, 500000, 1000000, "50 %  500 accesses/s  1000 s left");
    check(400000, 500000, 1000000, "50 %  100 accesses/s  5000 s left");
    check(400000, 1000000, 1000000, "100 %  600 accesses/s  0 s left");
    check(500000, 500000, 1000000, "50 %");
    check(0, 7000, 0, "replay  7e+03 accesses  1000 s");
    ft_progress_line_silence();
    check_pace(false, 11, 3, "");
    check_pace(true, 1, 3, "");
    return tap_plan_done();
}
