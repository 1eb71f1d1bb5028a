/*
 * The Test Anything Protocol: one line a check on stdout, the plan at the end. Meson reads it.
 *
 *     int main(void) { tap_ok(1 + 1 == 2, "one and one is %d", 2); return tap_plan_done(); }
 */
#ifndef FT_TESTS_SUPPORT_TAP_H
#define FT_TESTS_SUPPORT_TAP_H

#include <stdbool.h>

/* Prints one check; gives `passed`. */
bool tap_ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What this run takes of what repeats itself, as $TEST_DEPTH says (tests/support/tap.sh): all of it
 * under `tests/run --all`, least under the sanitizers. */
unsigned tap_repetitions(unsigned all, unsigned in_short, unsigned in_sanitizers);
/* The last call of main: gives its exit code. A test that checked nothing fails. */
int tap_plan_done(void);

#endif
