#include "tests/support/tap.h"

#include <stdarg.h>
#include <stdio.h>

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

int tap_plan_done(void)
{
    printf("1..%u\n", checks);
    return failures > 0 || checks == 0;
}
