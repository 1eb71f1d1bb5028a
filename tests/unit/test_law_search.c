/*
 * A cube alone as a law: bytes of a grid, of which the sizes that are known would only show a
 * parabola. Lines that are otherwise at one residue: of two sizes a law, of one nothing is known.
 */
#include <math.h>
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

/* Whether a line that is `other` where sizes leave `residue` modulo 8 is a law of sizes with mixed
 * residues, once laws with that period are known; what it says at 103 and 109. */
static bool find_exception(unsigned residue, double other, double ret_values[2])
{
    static const double mixed[] = {40, 45, 50, 55, 59, 62, 68, 73, 77, 80, 86, 91};
    const size_t count = sizeof mixed / sizeof *mixed;
    const uint64_t known = (UINT64_C(1) << count) - 1;
    double eighths[sizeof mixed / sizeof *mixed], values[sizeof mixed / sizeof *mixed];
    struct ft_law_search *search;
    struct ft_size_law law;
    struct ft_diag diag;
    bool found;
    for (size_t s = 0; s < count; s++) {
        eighths[s] = floor(mixed[s] / 8);
        values[s] = mixed[s] + ((unsigned)mixed[s] % 8 == residue ? other : 4);
    }
    if (ft_law_search_create(mixed, count, &search, &diag) != FT_OK ||
        ft_law_search_find(search, known, eighths, &law, &found, &diag) != FT_OK || !found ||
        !ft_law_search_widen(search) ||
        ft_law_search_find(search, known, values, &law, &found, &diag) != FT_OK)
        abort();
    ret_values[0] = found ? (double)ft_law_at(&law, 103) : 0;
    ret_values[1] = found ? (double)ft_law_at(&law, 109) : 0;
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
    double at[2];
    const bool of_two = find_exception(5, 1, at);
    tap_ok(of_two && at[0] == 107 && at[1] == 110,
           "two sizes that leave 5 modulo 8 have another line: %g at 103, %g at 109", at[0], at[1]);
    const bool of_one = find_exception(7, -55, at);
    tap_ok(!of_one, "one size that leaves 7 might have anything: %g at 103", at[0]);
    return tap_plan_done();
}
