/*
 * Sampled occupancy, and sampled distances within sets, against all caches at once: the same where
 * every touch is sampled, and within the error of a sample (five standard deviations) where few
 * are. Seeds are fixed: it cannot fail by chance.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/simulate/all-caches/sampled_occupancy.h"
#include "engine/simulate/all-caches/sampled_sets.h"
#include "tests/support/tap.h"
#include "tests/support/twin_runs.h"

#define SET_BITS 8

static double distance(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

/* samples 0: all of them. */
static void compare(const struct ft_all_caches *exact, const struct ft_all_caches *sampled,
                    uint64_t samples, const char *what)
{
    bool within = true, differs = false;
    double worst = 0;
    for (unsigned k = 0; k <= SET_BITS; k++)
        for (uint64_t ways = 0; ways <= exact->sets[k].count + 1; ways++) {
            uint64_t misses = ft_all_caches_misses(exact, k, ways);
            double error = distance(misses, ft_all_caches_misses(sampled, k, ways)), bound = 0;
            if (samples) { /* of all touches, at least: those that are sampled are fewer */
                double share = (double)misses / (double)exact->touches;
                bound = 5 * (double)exact->touches * sqrt(share * (1 - share) / (double)samples);
            }
            within = within && error <= bound + (samples ? (double)exact->touches * 1e-3 : 0);
            differs = differs || error > 0;
            worst = error > worst ? error : worst;
        }
    tap_ok(within && exact->touches == sampled->touches && exact->cold == sampled->cold &&
               exact->accesses == sampled->accesses,
           "%s, %llu samples: off by at most %.0f of %llu touches", what,
           (unsigned long long)samples, worst, (unsigned long long)exact->touches);
    tap_ok(differs == (samples != 0), "%s", samples ? "it is a sample" : "all are sampled");
}

/* Frees the twins. */
static void check(struct twin_runs twins, uint64_t samples, const char *what)
{
    struct ft_all_caches exact, sampled;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_all_caches_simulate(64, SET_BITS, twins.source, NULL, &exact, &diag) == FT_OK,
                "%s %s", what, diag.message))
        return;
    if (tap_ok(ft_sampled_occupancy(64, SET_BITS, samples ? samples : FT_SAMPLES_MAX, 1,
                                    twins.again, NULL, &sampled, &diag) == FT_OK,
               "%s %s", what, diag.message)) {
        compare(&exact, &sampled, samples, what);
        ft_all_caches_fini(&sampled);
    }
    ft_all_caches_fini(&exact);
    twin_fini(&twins);
}

/* Regions far apart, whose blocks fall into the same sets; more of them than bits of a number. */
static void fill_far(struct synthetic_runs *runs)
{
    uint64_t state = 1;
    synthetic_init(runs);
    uint32_t reference = synthetic_reference(runs, 8);
    for (int i = 0; i < 60000; i++) {
        uint64_t region = random_below(&state, 40), block = random_below(&state, 30);
        synthetic_access(runs, reference, (region << 33) + 64 * 8 * block);
    }
}

/* ---- distances within sets ---- */

#define OCTAVE_SAMPLES 512 /* of which all touches are, if they are no more */

/* So few touches that all are sampled. */
static void fill_few(struct synthetic_runs *runs)
{
    uint64_t state = 2;
    synthetic_init(runs);
    uint32_t reference = synthetic_reference(runs, 8);
    for (int i = 0; i < OCTAVE_SAMPLES; i++)
        synthetic_access(runs, reference, 64 * random_below(&state, 100));
}

static double touches_missing(const struct ft_set_distances *distances, unsigned set_bits,
                              uint64_t ways)
{
    double touches = 0;
    for (size_t i = 0; i < distances->count; i++)
        if (distances->rows[i].set_bits == set_bits && distances->rows[i].in_set >= ways)
            touches += distances->rows[i].touches;
    return touches;
}

static void compare_sets(const struct ft_all_caches *exact,
                         const struct ft_set_distances *distances, bool is_exact, const char *what)
{
    double worst = 0, most = 0;
    bool within = true;
    for (unsigned k = 1; k <= SET_BITS; k++)
        for (uint64_t ways = 1; ways < FT_SET_DISTANCE_MAX; ways++) {
            const double misses = (double)(ft_all_caches_misses(exact, k, ways) - exact->cold);
            const double share = misses / (double)exact->touches;
            const double error = fabs(touches_missing(distances, k, ways) - misses);
            const double bound = is_exact
                                     ? 1e-9 * misses
                                     : (double)exact->touches *
                                           (5 * sqrt(share * (1 - share) / OCTAVE_SAMPLES) + 1e-3);
            within = within && error <= bound;
            worst = fmax(worst, error);
            most = fmax(most, misses);
        }
    tap_ok(within && most > 0, "%s: off by at most %.0f of %.0f", what, worst, most);
}

/* Frees the twins. */
static void check_sets(struct twin_runs twins, bool is_exact, const char *what)
{
    struct ft_all_caches exact;
    struct ft_set_distances distances = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_all_caches_simulate(64, SET_BITS, twins.source, NULL, &exact, &diag) == FT_OK,
                "%s %s", what, diag.message))
        return;
    if (tap_ok(ft_sampled_sets(3, 64, twins.again, NULL, &distances, &diag) == FT_OK, "%s %s", what,
               diag.message)) {
        ft_set_distances_sum(&distances);
        tap_ok(distances.count > 0 && distances.rows[0].size == 3, "rows of that block size");
        compare_sets(&exact, &distances, is_exact, what);
    }
    free(distances.rows);
    ft_all_caches_fini(&exact);
    twin_fini(&twins);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        check(twin_random(seed), 0, "random runs");
        check(twin_random(seed), 1000, "random runs");
    }
    check(twin_filled(fill_far), 0, "far regions");
    check(twin_filled(fill_far), 2000, "far regions");
    check_sets(twin_filled(fill_few), true, "few touches");
    check_sets(twin_filled(fill_far), false, "far regions");
    check_sets(twin_random(3), false, "random runs");
    return tap_plan_done();
}
