#include "tests/support/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;

bool tap_ok(bool passed, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("%s %u - ", passed ? "ok" : "not ok", ++checks);
    vprintf(format, list);
    putchar('\n');
    fflush(stdout); /* a later crash must not take this line with it */
    va_end(list);
    failures += !passed;
    return passed;
}

unsigned tap_repetitions(unsigned all, unsigned in_short, unsigned in_sanitizers)
{
    const char *depth = getenv("TEST_DEPTH");
    if (depth && strcmp(depth, "all") == 0)
        return all;
    return depth && strcmp(depth, "sanitizers") == 0 ? in_sanitizers : in_short;
}

int tap_plan_done(void)
{
    printf("1..%u\n", checks);
    return failures > 0 || checks == 0;
}
