/*
 * Loops that take several elements at a time: their counts, run here as loops, are explained by
 * quotients and then exact at sizes never trained, wherever the training sizes tell of them. What
 * only looks so (rounded powers, random classes, noise) never is.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/counts.h"
#include "fit/functions/period_search.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES_MAX 9
#define UPTO      400

typedef double count_at(int n);

/* Counts at the sizes, one after the other. */
static void count_all(count_at *const *laws, size_t law_count, const double *sizes, size_t count,
                      double *ret_counts)
{
    for (size_t k = 0; k < law_count; k++)
        for (size_t i = 0; i < count; i++)
            ret_counts[k * count + i] = laws[k]((int)sizes[i]);
}

struct outcome {
    struct ft_basis basis;
    struct ft_function function; /* of the last count */
};

/* Adds periods that the counts have to the default terms, and fits the last count. */
static struct outcome explain(const double *counts, size_t count_count, const double *sizes,
                              size_t size_count)
{
    struct outcome outcome = {.basis = ft_basis_default("N")};
    struct ft_axis axis;
    struct ft_fitter *fitter;
    if (ft_period_search_extend(&outcome.basis, sizes, size_count, counts, count_count, NULL) < 0 ||
        ft_axis_init(&axis, &outcome.basis, sizes, size_count, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    const struct ft_expectation nothing = ft_expect_nothing(&axis);
    ft_fit_function(fitter, counts + (count_count - 1) * size_count, 0, &nothing,
                    &outcome.function);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return outcome;
}

static bool is_identifiable(const struct outcome *outcome, const double *sizes, size_t count,
                            double n)
{
    for (size_t i = 0; i < outcome->basis.term_count; i++)
        if (outcome->function.coefficients[i] != 0 &&
            !ft_term_is_identifiable(&outcome->basis.terms[i], sizes, count, n))
            return false;
    return true;
}

/* The last law is exact and right at all sizes that are told, at least so many of them. */
static void test_laws(count_at *const *laws, size_t law_count, const double *sizes, size_t count,
                      int told_min, const char *what)
{
    double counts[4 * SIZES_MAX];
    char text[FT_TERM_TEXT] = "";
    int told = 0, wrong = 0;
    count_all(laws, law_count, sizes, count, counts);
    struct outcome outcome = explain(counts, law_count, sizes, count);
    for (int n = (int)sizes[0]; n <= UPTO; n++) {
        const double at = n;
        struct ft_point point = ft_point_at(&outcome.basis, &at);
        if (!is_identifiable(&outcome, sizes, count, n))
            continue;
        told++;
        wrong += ft_function_at(&outcome.function, &point) != laws[law_count - 1](n);
    }
    for (size_t i = 0; i < outcome.basis.term_count; i++)
        if (outcome.basis.terms[i].quotient.period != 0 && outcome.function.coefficients[i] != 0)
            ft_term_text(text, &outcome.basis, i);
    tap_ok(outcome.function.exact && wrong == 0 && told >= told_min,
           "%s: %s, %d of %d sizes told, %d wrong (%s)", what,
           outcome.function.exact ? "exact" : "fitted", told, UPTO - (int)sizes[0] + 1, wrong,
           text);
}

static double rows_of_vectors(int n)
{
    double count = 0;
    for (int row = 0; row < n; row++)
        for (int i = 0; i + 8 <= n; i += 8)
            count++;
    return count;
}

static double remainders(int n)
{
    double count = 0;
    for (int row = 0; row < n; row++)
        for (int i = n - n % 4; i < n; i++)
            count += 3;
    return count;
}

static double vectors_of_four(int n)
{
    const int vectors = n / 4;
    return (double)n * vectors;
}

static double remainders_entered(int n)
{
    return n % 4 != 0 ? 2.0 * n : 0;
}

static double inner_vectors(int n)
{
    double count = 0;
    for (int row = 1; row < n - 1; row++)
        for (int i = 1; i + 4 <= n - 1; i += 4)
            count++;
    return count;
}

static double tiles(int n)
{
    double count = 0;
    for (int i = 0; i < n; i += 24)
        for (int j = 0; j < n; j += 24)
            for (int k = i; k < i + 24 && k < n; k++)
                count++;
    return count;
}

static double cubes_of_tiles(int n)
{
    double count = 0;
    for (int i = 0; i < n; i += 12)
        for (int j = 0; j < n; j += 12)
            for (int k = 0; k < n; k += 12)
                count++;
    return count;
}

static double tiles_in_tiles(int n)
{
    double count = 0;
    for (int i = 0; i < n; i += 48)
        for (int j = i; j < i + 48 && j < n; j += 12)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++)
                    count++;
    return count;
}

static double planes_of_pairs(int n)
{
    const int pairs = n / 2;
    return (double)n * n * pairs;
}

static const double mixed[SIZES_MAX] = {41, 46, 52, 59, 63, 72, 85, 90, 98};

static const double wide[SIZES_MAX] = {41, 62, 90, 115, 140, 163, 190, 214, 245};

static void test_loops(void)
{
    static count_at *const vectors[] = {rows_of_vectors};
    static count_at *const rest[] = {vectors_of_four, remainders};
    static count_at *const inner[] = {inner_vectors}, *const tiled[] = {tiles};
    static count_at *const pairs[] = {planes_of_pairs};
    static count_at *const cubes[] = {cubes_of_tiles}, *const nested[] = {tiles_in_tiles};
    test_laws(vectors, 1, mixed, 7, 300, "vectors of 8 in rows of N");
    test_laws(rest, 2, mixed, SIZES_MAX, 360, "what vectors of 4 leave");
    test_laws(inner, 1, mixed, SIZES_MAX, 360, "vectors of 4 in N - 2 of N - 2 rows");
    test_laws(tiled, 1, wide, SIZES_MAX, 250, "rows of tiles of 24");
    test_laws(cubes, 1, mixed, SIZES_MAX, 100, "cubes of tiles of 12");
    test_laws(nested, 1, mixed, SIZES_MAX, 100, "tiles of 12 in tiles of 48");
    test_laws(pairs, 1, mixed, SIZES_MAX, 360, "vectors of 2 in planes of rows");
}

/* Few residues: what an untrained one has is not said to be told. */
static void test_untrained(void)
{
    static const double halves[7] = {40, 44, 56, 60, 72, 84, 96};
    double counts[7];
    static count_at *const law[] = {rows_of_vectors};
    count_all(law, 1, halves, 7, counts);
    struct outcome outcome = explain(counts, 1, halves, 7);
    int told = 0;
    for (int n = 100; n < 180; n++)
        told += outcome.function.exact && n % 4 != 0 && is_identifiable(&outcome, halves, 7, n);
    tap_ok(told == 0, "two residues tell of no third (%d)", told);
}

/* ---- what is no such law ---- */

enum pretender { POWER, LOGARITHM, NOISE, BITS, CLASSES, SHIFTED, LEAP, PRETENDERS };
static const char *const pretenders[] = {"powers that are no whole ones, rounded",
                                         "N log N, rounded",
                                         "squares with noise",
                                         "one of two values at random",
                                         "rows of one of two lengths at random",
                                         "squares, and rows that are there or not",
                                         "a table that doubles"};

static double pretend(enum pretender which, int n, double factor, uint64_t *state)
{
    const double bit = (double)random_below(state, 2);
    switch (which) {
    case POWER:
        return round(factor * pow(n, 1.5));
    case LOGARITHM:
        return round(factor * n * log2(n));
    case NOISE:
        return round(factor * n * n) + (double)random_below(state, 20);
    case BITS:
        return 1000 + round(26 * factor * bit);
    case CLASSES:
        return n * round(5 + 8 * factor * bit);
    case SHIFTED:
        return 3.0 * n * n + n * round(4 * factor) * bit;
    default:
        return exp2(ceil(log2(factor * n * n)));
    }
}

static void test_pretenders(void)
{
    uint64_t state = 5;
    const unsigned wanted = tap_repetitions(200, 30, 8);
    for (int which = 0; which < PRETENDERS; which++) {
        unsigned exact = 0, trials = 0;
        for (unsigned trial = 0; trial < wanted; trial++) {
            const size_t count = 5 + random_below(&state, 5);
            const double factor = 1 + (double)random_below(&state, 1000) / 300;
            double sizes[SIZES_MAX], y[SIZES_MAX];
            bool varies = false;
            for (size_t i = 0; i < count; i++) {
                sizes[i] = (i > 0 ? sizes[i - 1] : 30) + 1 + (double)random_below(&state, 12);
                y[i] = pretend((enum pretender)which, (int)sizes[i], factor, &state);
                varies = varies || y[i] != y[0];
            }
            struct outcome outcome = explain(y, 1, sizes, count);
            trials++;
            for (size_t i = 0; i < outcome.basis.term_count && varies; i++)
                if (outcome.function.exact && outcome.function.coefficients[i] != 0 &&
                    outcome.basis.terms[i].quotient.period != 0) {
                    exact++;
                    break;
                }
        }
        tap_ok(exact == 0, "%s: %u of %u taken for a law with steps", pretenders[which], exact,
               trials);
    }
}

static void test_refusals(void)
{
    static const double alike[6] = {16, 32, 48, 64, 80, 96};
    static count_at *const law[] = {rows_of_vectors};
    double counts[SIZES_MAX];
    struct ft_basis known = ft_basis_default("N");
    count_all(law, 1, alike, 6, counts);
    struct outcome outcome = explain(counts, 1, alike, 6);
    tap_ok(outcome.basis.term_count == known.term_count && outcome.function.exact,
           "where sizes agree quotients are powers");
    unsigned exact = 0;
    for (size_t i = 0; i < 7; i++) {
        count_all(law, 1, mixed, 7, counts);
        counts[i]++;
        exact += explain(counts, 1, mixed, 7).function.exact;
    }
    tap_ok(exact == 0, "one more at any one size, and nothing is exact (%u)", exact);
    static count_at *const entered[] = {vectors_of_four, remainders_entered};
    double both[2 * SIZES_MAX];
    count_all(entered, 2, mixed, SIZES_MAX, both);
    tap_ok(!explain(both, 2, mixed, SIZES_MAX).function.exact,
           "whether a remainder loop runs: nine sizes tell nine bits, too few");
    count_all(law, 1, mixed, 4, counts);
    tap_ok(explain(counts, 1, mixed, 4).basis.term_count == known.term_count,
           "four sizes are too few");
}

/* Terms that a user names are not looked for, and need no evidence from other counts. */
static void test_chosen(void)
{
    static count_at *const law[] = {remainders};
    double counts[7];
    struct ft_basis basis;
    struct ft_axis axis;
    struct ft_fitter *fitter;
    struct ft_function function;
    const double beyond = 203;
    count_all(law, 1, mixed, 7, counts);
    if (ft_basis_read(&basis, "N", "N,N^2,N*floor(N/4)", NULL) < 0 ||
        ft_axis_init(&axis, &basis, mixed, 7, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        abort();
    const struct ft_expectation nothing = ft_expect_nothing(&axis);
    ft_fit_function(fitter, counts, 0, &nothing, &function);
    struct ft_point at = ft_point_at(&basis, &beyond);
    tap_ok(fabs(ft_function_at(&function, &at) - remainders(203)) < 1e-6,
           "a user's N^2 and N floor(N/4) give what vectors of 4 leave (%s)",
           function.exact ? "exact" : "fitted");
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_loops();
    test_untrained();
    test_pretenders();
    test_chosen();
    test_refusals();
    return tap_plan_done();
}
