/*
 * Estimates from windows whose answer follows by hand: a program with two loops, of which windows
 * measure some instructions.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/simulate/core/core_samples.h"
#include "tests/support/tap.h"

#define SCOPES   4 /* program; a loop; a loop in it; a routine that windows hardly see */
#define ACCOUNTS 4
#define WINDOWS  8

static struct ft_scope scopes[SCOPES] = {
    {.parent = 0}, {.parent = 0}, {.parent = 1}, {.parent = 0}};
static const struct ft_scopes tree = {.scopes = scopes, .scope_count = SCOPES};
static const uint32_t scope_of_account[ACCOUNTS] = {1, 2, 3, 0};

static bool is_near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static struct ft_core_row *estimate(const struct ft_core_sample *items, size_t count,
                                    uint32_t windows, const double *instructions)
{
    static double accounts[ACCOUNTS * FT_CORE_REASONS];
    struct ft_core_row *rows;
    for (unsigned i = 0; i < ACCOUNTS * FT_CORE_REASONS; i++)
        accounts[i] = 0;
    for (size_t i = 0; i < count; i++)
        accounts[items[i].account * FT_CORE_REASONS + FT_REASON_EXECUTION] += items[i].cycles;
    const struct ft_core_samples samples = {.items = items,
                                            .count = count,
                                            .window_count = windows,
                                            .accounts = accounts,
                                            .scope_of_account = scope_of_account,
                                            .account_count = ACCOUNTS};
    if (ft_core_estimate(&samples, &tree, instructions, &rows, NULL) != FT_OK)
        abort();
    return rows;
}

/* Everything was measured: what was measured is the answer, without an error. */
static void check_whole(void)
{
    const struct ft_core_sample items[] = {{0, 0, 100, 50}, {0, 1, 200, 300}, {0, 2, 10, 70}};
    const double instructions[SCOPES] = {0, 100, 200, 10};
    struct ft_core_row *rows = estimate(items, 3, 1, instructions);
    tap_ok(is_near(rows[0].cycles, 420) && is_near(rows[1].cycles, 350) &&
               is_near(rows[2].cycles, 300) && is_near(rows[3].cycles, 70),
           "one window of everything: %g cycles, with nested loops", rows[0].cycles);
    tap_ok(rows[0].error == 0 && rows[1].error == 0 && rows[2].error == 0, "no error");
    free(rows);
}

/* Loop 2 takes 2 cycles per instruction in even windows, 4 in odd ones; a tenth is measured. */
static void check_error(void)
{
    struct ft_core_sample items[2 * WINDOWS];
    const double instructions[SCOPES] = {0, 8000, 8000, 0};
    for (uint32_t w = 0; w < WINDOWS; w++) {
        items[2 * w] = (struct ft_core_sample){w, 0, 100, 100};
        items[2 * w + 1] = (struct ft_core_sample){w, 1, 100, w % 2 ? 400 : 200};
    }
    struct ft_core_row *rows = estimate(items, 2 * WINDOWS, WINDOWS, instructions);
    /* Each window is off by 10 * 100 cycles: 1.96 * sqrt(0.9 * 8 / 7 * 8 * 1000^2). */
    const double error = 1.96 * sqrt(0.9 * 8 / 7 * 8) * 1000;
    tap_ok(is_near(rows[2].cycles, 24000) && is_near(rows[2].error, error),
           "a loop whose windows differ: %g +- %g", rows[2].cycles, rows[2].error);
    tap_ok(is_near(rows[1].cycles, 32000) && rows[1].windows == WINDOWS,
           "the loop around it: %g +- %g", rows[1].cycles, rows[1].error);
    /* Of its 16000 instructions a tenth is measured, too, and its own part doesn't vary. */
    tap_ok(is_near(rows[1].error, error) && is_near(rows[0].error, error),
           "with the error of what is in it");
    tap_ok(is_near(rows[2].stack[FT_REASON_EXECUTION], 24000), "the stack adds up to the cycles");
    free(rows);
}

/* One window in eight sees the routine, none the program's own instructions: one estimate. */
static void check_rare(void)
{
    struct ft_core_sample items[WINDOWS + 1];
    const double instructions[SCOPES] = {500, 16000, 0, 2000};
    for (uint32_t w = 0; w < WINDOWS; w++)
        items[w] = (struct ft_core_sample){w, 0, 200, 200};
    items[WINDOWS] = (struct ft_core_sample){WINDOWS - 1, 2, 50, 500};
    struct ft_core_row *rows = estimate(items, WINDOWS + 1, WINDOWS, instructions);
    tap_ok(is_near(rows[3].cycles, 20000) && isnan(rows[3].error),
           "a routine that one window saw: %g cycles, error unknown", rows[3].cycles);
    tap_ok(is_near(rows[0].cycles, 16000 + 20000 + 5000) && is_near(rows[0].error, 25000),
           "what no window saw takes as long as what few saw: %g +- %g", rows[0].cycles,
           rows[0].error);
    free(rows);
}

int main(void)
{
    check_whole();
    check_error();
    check_rare();
    return tap_plan_done();
}
