/*
 * Misses of two scopes with 100 accesses each: as many as these can make, and more.
 */
#include <math.h>

#include "predict/capped_misses.h"
#include "tests/support/tap.h"

enum { POSSIBLE, IMPOSSIBLE, SCOPES };
enum { FULL = FT_METRIC_COUNT, SETS, WIDTH };

static double row[SCOPES * WIDTH];
static struct ft_interval intervals[SCOPES * WIDTH];

/* Known within a tenth. */
static void set(size_t scope, size_t column, double value)
{
    row[scope * WIDTH + column] = value;
    intervals[scope * WIDTH + column] = (struct ft_interval){0.9 * value, 1.1 * value, false, true};
}

static bool is(size_t scope, size_t column, double value, double low, double high, bool known)
{
    const struct ft_interval *interval = &intervals[scope * WIDTH + column];
    return fabs(row[scope * WIDTH + column] - value) < 1e-9 && fabs(interval->low - low) < 1e-9 &&
           fabs(interval->high - high) < 1e-9 && interval->known == known;
}

int main(void)
{
    struct ft_level level = {0};
    const struct ft_machine machine = {.levels = &level, .level_count = 1};
    const struct ft_model model = {.scopes = {.scope_count = SCOPES}};
    const struct ft_metrics metrics = {.model = &model, .machine = &machine};
    for (size_t scope = 0; scope < SCOPES; scope++) {
        set(scope, FT_METRIC_ACCESSES, 100);
        set(scope, SETS, 200);
    }
    set(POSSIBLE, FULL, 150);
    set(IMPOSSIBLE, FULL, 250);
    ft_cap_misses(&(struct ft_capped_rows){&metrics, row, intervals});
    tap_ok(is(POSSIBLE, FULL, 150, 135, 165, true) && is(POSSIBLE, SETS, 200, 180, 220, true),
           "two misses for each access are possible");
    tap_ok(is(IMPOSSIBLE, FULL, 200, 0, 275, false), "of more nothing is known");
    tap_ok(is(IMPOSSIBLE, SETS, 200, 180, 220, true) &&
               is(IMPOSSIBLE, FT_METRIC_ACCESSES, 100, 90, 110, true),
           "what is beside them stays");
    return tap_plan_done();
}
