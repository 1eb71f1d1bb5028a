/* What growths of the heap touch misses where a level was replaced since the last one. */
#include "predict/intervals/malloc_paths.h"
#include "tests/support/tap.h"

int main(void)
{
    const struct ft_malloc_paths paths = {.growths = 50}, none = {0};
    tap_ok(ft_growth_misses(&paths, 64, 1000, 1e6) == 50 * 16, "each time, in a small level");
    tap_ok(ft_growth_misses(&paths, 64, 1e5, 1e6) == 10 * 16, "as often as it is replaced");
    tap_ok(ft_growth_misses(&paths, 4096, 64, 1e6) == 50 * 5, "fewer pages than lines");
    tap_ok(ft_growth_misses(&none, 64, 1000, 1e6) == 0, "none where the heap does not grow");
    return tap_plan_done();
}
