/*
 * Stores to few sets, by hand: columns of a matrix in a cache of 64 sets of 12 ways, whose rows are
 * one line, a way of the cache, or something else long, with other accesses beside them.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "predict/store_conflicts.h"
#include "tests/support/tap.h"

enum { COLUMN, ROW_STORE, ROW_LOAD, REFERENCES };
enum { COLUMNS = 10 };

static struct ft_reference references[REFERENCES] = {
    [COLUMN] = {.kind = FT_STORE, .size_bytes = 8},
    [ROW_STORE] = {.kind = FT_STORE, .size_bytes = 8},
    [ROW_LOAD] = {.kind = FT_LOAD, .size_bytes = 8},
};

/* COLUMNS times a column: `rows` stores at the stride, and for each so many others in a row. */
static bool make_nest(struct ft_nest *ret_nest, uint64_t rows, uint64_t stride, uint32_t other,
                      unsigned others)
{
    struct ft_nest iteration = {0}, column = {0};
    uint64_t inner_steps[64] = {stride}, outer_steps[256] = {0};
    bool good = ft_nest_add_access(&iteration, COLUMN, 0);
    for (unsigned i = 0; i < others; i++) {
        inner_steps[1 + i] = 8;
        good = good && ft_nest_add_access(&iteration, other, (1 + i) << 20);
    }
    struct ft_nest_span span = ft_nest_span(&iteration);
    good = good && ft_nest_add_repeat(&column, &span, rows, inner_steps);
    outer_steps[1] = 8; /* behind the number of rows: the first address */
    span = ft_nest_span(&column);
    *ret_nest = (struct ft_nest){0};
    good = good && ft_nest_add_repeat(ret_nest, &span, COLUMNS, outer_steps);
    ft_nest_fini(&iteration);
    ft_nest_fini(&column);
    return good;
}

static void count_element(void *context, const uint32_t *token, uint64_t count)
{
    struct ft_synthetic_exposure *exposure = context;
    exposure->times[token - exposure->nest.tokens] += count;
}

static double conflicts(uint64_t rows, uint64_t stride, uint32_t other, unsigned others,
                        double accesses)
{
    struct ft_level level = {.block_bytes = 64, .blocks = 64 * 12, .ways = 12};
    const struct ft_machine machine = {.levels = &level, .level_count = 1, .cache_count = 1};
    const struct ft_model model = {0};
    const struct ft_synthetic_request request = {
        .model = &model, .machine = &machine, .accesses = &accesses, .width = 1};
    double made = (double)(COLUMNS * rows * (1 + others)), stores = NAN;
    struct ft_synthetic_exposure exposure = {.scope_count = 1, .accesses = &made};
    struct ft_diag diag = {0};
    if (!make_nest(&exposure.nest, rows, stride, other, others))
        return NAN;
    exposure.times = calloc(exposure.nest.token_count, sizeof *exposure.times);
    exposure.scopes = calloc(exposure.nest.token_count, sizeof *exposure.scopes);
    const struct ft_nest_span span = ft_nest_span(&exposure.nest);
    if (exposure.times && exposure.scopes &&
        ft_nest_count_elements(&span, count_element, &exposure, &diag) == FT_OK)
        ft_store_conflicts_find(&request, &exposure, references, &stores);
    ft_nest_fini(&exposure.nest);
    free(exposure.times);
    free(exposure.scopes);
    return stores;
}

static void check(double found, double expected, const char *what)
{
    tap_ok(fabs(found - expected) < 1e-9 * fmax(expected, 1), "%s: %g stores conflict, %g expected",
           what, found, expected);
}

int main(void)
{
    const double all = COLUMNS * 100.0;
    check(conflicts(100, 4096, 0, 0, all), all, "100 rows of a way of the cache");
    check(conflicts(100, (uint64_t)-4096, 0, 0, all), all, "from the last one on");
    check(conflicts(100, 3 * 4096, 0, 0, all), all, "of three ways");
    check(conflicts(100, 2048, 0, 0, all), all * (1 - log(2) / log(64.0 / 12)),
          "of half a way: two sets in turn");
    check(conflicts(100, 512, 0, 0, all), 0, "of an eighth: what is under way fits into them");
    check(conflicts(100, 4096 + 64, 0, 0, all), 0, "of a way and a line: all sets in turn");
    check(conflicts(100, 4096 + 8, 0, 0, all), 0, "of a way and an element");
    check(conflicts(100, 8, 0, 0, all), 0, "of an element");
    check(conflicts(12, 4096, 0, 0, COLUMNS * 12), 0, "12 rows, which the set holds");
    check(conflicts(18, 4096, 0, 0, COLUMNS * 18), COLUMNS * 18 * 0.5,
          "18 rows, half as many again");
    check(conflicts(100, 4096, ROW_LOAD, 3, 4 * all), all, "loads beside them");
    check(conflicts(100, 4096, ROW_STORE, 3, 4 * all), all, "a column, and three stores to rows");
    check(conflicts(100, 4096, ROW_STORE, 5, 6 * all), 0,
          "and five: of 64 stores that are under way 10 are of the column");
    check(conflicts(100, 4096, 0, 0, 8 * all), 0,
          "a nest with an eighth of the accesses, and no stride known at the size");
    return tap_plan_done();
}
