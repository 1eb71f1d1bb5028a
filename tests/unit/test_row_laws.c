/*
 * Laws of rows (predict/intervals/row_laws.h): sums that are known are found and their forecast is
 * exact; a law whose coefficient would be negative is none, but possible; scatter and laws that are
 * as good widen what is said.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "predict/intervals/power_laws.h"
#include "predict/intervals/row_laws.h"
#include "tests/support/tap.h"

#define SIZES 6

enum { ACCESSES, FOOTPRINT, CONSTANT };

/* Accesses N log2 N, a footprint of 3 N; N from 100, doubled; the target doubles twice more. */
static struct ft_law_terms terms_of_sort(void)
{
    struct ft_law_terms terms = {.size_count = SIZES,
                                 .sets = {1U << ACCESSES, 1U << FOOTPRINT,
                                          1U << ACCESSES | 1U << FOOTPRINT,
                                          1U << FOOTPRINT | 1U << CONSTANT},
                                 .set_count = 4};
    for (size_t i = 0; i <= SIZES; i++) {
        const double n = 100 * pow(2, (double)i + (i == SIZES));
        const double values[] = {n * log2(n), 3 * n, 1};
        *(i < SIZES ? &terms.sizes[i] : &terms.target) = n;
        for (size_t term = 0; term < 3; term++)
            *(i < SIZES ? &terms.at_sizes[term][i] : &terms.at_target[term]) = values[term];
    }
    return terms;
}

/* The same in all caches. */
static struct ft_law_values sum(const struct ft_law_terms *terms, double accesses, double footprint,
                                double constant)
{
    struct ft_law_values values = {0};
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t i = 0; i < terms->size_count; i++)
            values.in_cache[cache][i] = accesses * terms->at_sizes[ACCESSES][i] +
                                        footprint * terms->at_sizes[FOOTPRINT][i] +
                                        constant * terms->at_sizes[CONSTANT][i];
    return values;
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static void check_known_sums(struct ft_law_workspace *workspace, const struct ft_law_terms *terms)
{
    const double accesses = terms->at_target[ACCESSES], footprint = terms->at_target[FOOTPRINT];
    struct ft_law_values values = sum(terms, 0.25, 0, 0);
    struct ft_row_law law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(law.set == 1U << ACCESSES && near(law.value, 0.25 * accesses),
           "a share of the accesses");
    values = sum(terms, 0, 2, 0);
    law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(law.set == 1U << FOOTPRINT && near(law.value, 2 * footprint), "blocks of the footprint");
    values = sum(terms, 0.01, 2, 0);
    law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(near(law.value, 0.01 * accesses + 2 * footprint) && law.error < 1e-9, "both, error %.2g",
           law.error);
    values = sum(terms, 0, 2, 5000);
    law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(near(law.value, 2 * footprint + 5000), "the footprint and a constant");
}

/* Less than the footprint by a constant: with one that is not negative the error stays. */
static void check_negative(struct ft_law_workspace *workspace, const struct ft_law_terms *terms)
{
    const struct ft_law_values values = sum(terms, 0, 2, -150);
    const struct ft_row_law law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(law.set && law.error > 0.01, "no negative constant: error %.3f", law.error);
    struct ft_law_terms one = *terms;
    one.sets[0] = 1U << FOOTPRINT | 1U << CONSTANT;
    one.set_count = 1;
    tap_ok(ft_row_law_choose(workspace, &one, &values).set == 0, "nor a law that would need it");
}

/* N log N - N, which a power meets nearly as well. */
static void check_rivals(struct ft_law_workspace *workspace)
{
    const double sizes[] = {300, 500, 700, 900, 1100}, target = 4000;
    struct ft_law_terms terms;
    struct ft_law_values values = {0};
    ft_power_laws_init(&terms, sizes, 5, target);
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t i = 0; i < 5; i++)
            values.in_cache[cache][i] = (103 * log2(sizes[i]) - 501) * sizes[i] + 65000;
    const double expected = (103 * log2(target) - 501) * target + 65000;
    struct ft_row_law law = ft_row_law_choose(workspace, &terms, &values);
    tap_ok(near(law.value, expected) && law.error < 1e-6, "what is subtracted is found");
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t i = 0; i < 5; i++)
            values.in_cache[cache][i] *= i % 2 ? 1.001 : 0.999;
    law = ft_row_law_choose(workspace, &terms, &values);
    tap_ok(law.value > 1.1 * expected && law.error < 0.1 && law.low < expected,
           "or possible beside a power that is %.2f times too high, error %.3f",
           law.value / expected, law.error);
    terms.rival_count = 0;
    law = ft_row_law_choose(workspace, &terms, &values);
    tap_ok(law.low * exp(-law.error) > 1.1 * expected, "which alone would be sure and wrong");
}

/* 3 % up and down in turn. */
static void check_scatter(struct ft_law_workspace *workspace, const struct ft_law_terms *terms)
{
    struct ft_law_values values = sum(terms, 0, 2, 0);
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++)
        for (size_t i = 0; i < SIZES; i++)
            values.in_cache[cache][i] *= i % 2 ? 1.03 : 0.97;
    const struct ft_row_law law = ft_row_law_choose(workspace, terms, &values);
    const double expected = 2 * terms->at_target[FOOTPRINT];
    tap_ok(law.error > 0.02 && law.error < 0.1, "scatter is an error of %.3f", law.error);
    tap_ok(fabs(law.value / expected - 1) < 0.1, "%.2f of what is right", law.value / expected);
    tap_ok(law.low < law.value || law.high > law.value, "other laws are nearly as good");
}

/* The same law, but in the caches around the one in question others. */
static void check_caches(struct ft_law_workspace *workspace, const struct ft_law_terms *terms)
{
    struct ft_law_values values = sum(terms, 0, 2, 0);
    for (size_t i = 0; i < SIZES; i++) {
        values.in_cache[1][i] *= 1.5;
        values.in_cache[2][i] *= 0.5;
    }
    const double expected = 2 * terms->at_target[FOOTPRINT];
    struct ft_row_law law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(near(law.value, expected) && near(law.low, 0.5 * expected) &&
               near(law.high, 1.5 * expected),
           "what the capacity may be counts");
    values.in_cache[4][SIZES - 1] *= 2;
    law = ft_row_law_choose(workspace, terms, &values);
    tap_ok(law.error > 0.2, "and so does a cache in which the law fails: error %.2f", law.error);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct ft_law_terms terms = terms_of_sort();
    struct ft_law_workspace *workspace = ft_law_workspace_create(NULL);
    if (!workspace)
        abort();
    check_known_sums(workspace, &terms);
    check_negative(workspace, &terms);
    check_rivals(workspace);
    check_scatter(workspace, &terms);
    check_caches(workspace, &terms);
    ft_law_workspace_destroy(workspace);
    return tap_plan_done();
}
