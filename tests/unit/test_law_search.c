/*
 * A cube alone as a law: bytes of a grid, of which the sizes that are known would only show a
 * parabola.
 */
#include <stdlib.h>

#include "fit/skeletons/law_search.h"
#include "fit/skeletons/size_law.h"
#include "tests/support/tap.h"

#define SIZES 5

static const double sizes[SIZES] = {6, 8, 10, 12, 14};

/* Whether there is a law at the sizes that are known, and what it says at 36. */
static bool find(uint64_t known, const double values[SIZES], double *ret_value)
{
    struct ft_law_search *search;
    struct ft_size_law law;
    struct ft_diag diag;
    bool found;
    if (ft_law_search_create(sizes, SIZES, &search, &diag) != FT_OK ||
        ft_law_search_find(search, known, values, &law, &found, &diag) != FT_OK)
        abort();
    *ret_value = found ? (double)ft_law_at(&law, 36) : 0;
    ft_law_search_destroy(search);
    return found;
}

int main(void)
{
    double values[SIZES], value;
    for (size_t s = 0; s < SIZES; s++)
        values[s] = sizes[s] * sizes[s] * sizes[s] / 4 - 1;
    const bool found = find(0x1e, values, &value);
    tap_ok(found && value == 36.0 * 36 * 36 / 4 - 1,
           "four of five sizes have N^3 / 4 - 1: at 36 it is %g", value);
    tap_ok(!find(0x1c, values, &value), "three do not confirm it");
    values[2] += 1;
    tap_ok(!find(0x1e, values, &value), "nor do four, one of which is another number");
    return tap_plan_done();
}
