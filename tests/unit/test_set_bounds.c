/*
 * Bounds of all sets from one walk against the plain fit of each set (which test_term_selection
 * holds against others): never above it, and below by what is left off for rounding alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/alignment.h"
#include "fit/functions/set_bounds.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES_MAX 9
#define TRIALS    300

static double uniform(uint64_t *state)
{
    return (double)random_below(state, 1U << 30) / (double)(1U << 30);
}

/* Few terms of the law, and noise or none. */
static void draw_values(const struct ft_axis *axis, uint64_t *state, double *y, double *magnitudes)
{
    static const double noises[] = {0, 1e-6, 0.01, 1};
    const double noise = noises[random_below(state, 4)];
    const struct ft_term_set *law = &axis->sets[random_below(state, axis->set_count)];
    double x[FT_TERMS_MAX];
    for (size_t j = 0; j < law->count; j++)
        x[j] = 1e4 * uniform(state);
    for (size_t i = 0; i < axis->count; i++) {
        y[i] = ft_term_set_at(law, x, axis->terms[i]) * (1 + noise * (uniform(state) - 0.5));
        magnitudes[i] = y[i] + 2;
    }
}

/* The distance of a bound from the sum that it is of, in the sum of all values' squares. */
static double distance(double bound, double sum, const struct ft_weighted_values *weighted)
{
    double all = 0;
    for (size_t i = 0; i < weighted->rows; i++)
        all += weighted->values[i] * weighted->values[i];
    return (sum - bound) / all;
}

/* What bounds were compared with: how far they are from plain fits, as a share of all squares. */
struct tally {
    double above, below, ahead_above, ahead_below;
    unsigned bounded, held_out, untouched, wrong;
};

static bool is_asked(const struct ft_term_set *set, uint32_t allowed, uint32_t known, size_t rows)
{
    return (set->mask & ~allowed) == 0 && (set->mask & ~known) != 0 && set->count < rows;
}

/* One bound that was asked for, against the plain fit. */
static void compare(const struct ft_set_bound *bound, const struct ft_term_set *set,
                    const struct ft_weighted_values *weighted, struct tally *tally)
{
    static struct ft_plain_fit fit;
    struct ft_left_out left_out;
    const bool fits = ft_plain_fit(&fit, weighted, set);
    if (bound->square_sum == -1) {
        tally->wrong += fits && fit.triangle[set->count - 1][set->count - 1] > 1e-6;
        return;
    }
    if (!fits)
        return;
    double off = distance(bound->square_sum, fit.square_sum, weighted);
    tally->above = fmax(tally->above, -off);
    tally->below = fmax(tally->below, off);
    tally->bounded++;
    if (!ft_plain_fit_leave_out(&fit, weighted->rows - 1, &left_out) || bound->held_out == 0)
        return;
    off = distance(bound->held_out, left_out.square_sum, weighted);
    tally->ahead_above = fmax(tally->ahead_above, -off);
    tally->ahead_below = fmax(tally->ahead_below, off);
    tally->held_out++;
}

/* One draw of values, of the terms allowed and of those known already. */
static void run_trial(const struct ft_axis *axis, struct ft_set_tree *tree, int trial,
                      uint64_t *state, struct ft_set_bound *bounds, struct tally *tally)
{
    double y[SIZES_MAX], magnitudes[SIZES_MAX];
    struct ft_weighted_values weighted;
    const size_t first = random_below(state, 2), rows = axis->count - first;
    const uint32_t allowed = trial % 2 ? UINT32_MAX : (uint32_t)random_next(state) | 1U;
    const uint32_t known = trial % 3 ? 0 : (uint32_t)random_next(state);
    draw_values(axis, state, y, magnitudes);
    ft_weighted_values_init(&weighted, axis, allowed, y, magnitudes, first, axis->count);
    for (size_t s = 0; s < axis->set_count; s++)
        bounds[s] = (struct ft_set_bound){-1, -1};
    ft_set_tree_bound(tree, &weighted, allowed, known, rows - 1, bounds);
    for (size_t s = 0; s < axis->set_count; s++)
        if (is_asked(&axis->sets[s], allowed, known, rows)) {
            compare(&bounds[s], &axis->sets[s], &weighted, tally);
        } else {
            tally->wrong += bounds[s].square_sum != -1;
            tally->untouched++;
        }
}

static void test_bounds(const struct ft_basis *basis, const double *sizes, size_t count,
                        const char *what)
{
    struct ft_axis axis;
    struct ft_set_tree *tree;
    struct tally tally = {0};
    uint64_t state = count;
    if (ft_axis_init(&axis, basis, sizes, count, NULL) < 0 ||
        ft_set_tree_create(&axis, &tree, NULL) < 0)
        abort();
    struct ft_set_bound *bounds = calloc(axis.set_count, sizeof *bounds);
    if (!bounds)
        abort();
    for (int trial = 0; trial < TRIALS; trial++)
        run_trial(&axis, tree, trial, &state, bounds, &tally);
    tap_ok(tally.bounded > 10 * TRIALS && tally.above < 1e-14 && tally.below < 2e-12,
           "%s, %zu sizes: %u bounds, at most %.1e above and %.1e below the fits", what, count,
           tally.bounded, tally.above, tally.below);
    tap_ok(tally.held_out > TRIALS && tally.ahead_above < 1e-14 && tally.ahead_below < 2e-9,
           "%u without the largest size, at most %.1e above and %.1e below", tally.held_out,
           tally.ahead_above, tally.ahead_below);
    tap_ok(tally.untouched > TRIALS && tally.wrong == 0,
           "and %u that were not asked for are left alone", tally.untouched);
    free(bounds);
    ft_set_tree_destroy(tree);
    ft_axis_fini(&axis);
}

int main(void)
{
    static const double alike[SIZES_MAX] = {16, 24, 32, 40, 56, 64, 80, 96, 112};
    static const double near[SIZES_MAX] = {1000, 1016, 1032, 1048, 1064, 1080, 1096, 1112, 1128};
    static const double mixed[SIZES_MAX] = {12, 15, 16, 18, 20, 23, 26, 28, 32};
    struct ft_basis aligned = ft_basis_default("N"), roots;
    ft_alignment_extend(&aligned, mixed, SIZES_MAX);
    if (ft_basis_read(&roots, "N", "N,N^2,sqrt(N),N*log2(N),N^3,N^1.5", NULL) < 0)
        return 1;
    test_bounds(NULL, alike, 5, "the default basis");
    test_bounds(NULL, alike, SIZES_MAX, "the default basis");
    test_bounds(NULL, near, SIZES_MAX, "sizes that are near to each other");
    test_bounds(&aligned, mixed, SIZES_MAX, "with alignments");
    test_bounds(&roots, alike, 6, "a user's basis");
    return tap_plan_done();
}
