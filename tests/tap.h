/*
 * The Test Anything Protocol: one line a check on stdout, the plan at the end. Meson reads it.
 *
 *     int main(void) { tap_ok(1 + 1 == 2, "one and one is %d", 2); return tap_plan_done(); }
 */
#ifndef FT_TESTS_TAP_H
#define FT_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned tap_checks, tap_failures;

__attribute__((format(printf, 2, 3))) static inline bool tap_ok(bool passed, const char *format,
                                                                ...)
{
    va_list list;
    va_start(list, format);
    printf("%s %u - ", passed ? "ok" : "not ok", ++tap_checks);
    vprintf(format, list);
    putchar('\n');
    fflush(stdout); /* a later crash must not take this line with it */
    va_end(list);
    tap_failures += !passed;
    return passed;
}

/* The last call of main: gives its exit code. A test that checked nothing fails. */
static inline int tap_plan_done(void)
{
    printf("1..%u\n", tap_checks);
    return tap_failures > 0 || tap_checks == 0;
}

#endif
