/*
 * The sets that are tried are those of the axis that have alignments and else whole powers, and all
 * powers up to a degree with all alignments below it. Most are ruled out by one product: over the
 * largest sizes, one more than terms, some combination of values is 0 for all that the terms can
 * make. It depends on the sizes alone. Quotients, floor((n + k)/L), are told by all sets of up to
 * TERMS_TRIED of them and of powers; where these are many, one may meet the values by chance, so
 * they must be far from any polynomial (evidence.h). What is left is solved by least squares,
 * rounded to fractions, and verified in integers (cross_exact.h).
 */
#include "fit/functions/quasi_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/alignment.h"
#include "fit/functions/cross_exact.h"
#include "fit/functions/evidence.h"
#include "formats/base/array.h"

#define SPARE       2U    /* sizes that confirm a solution */
#define NEARLY_ZERO 1e-9  /* of the parts of a sum: far above their rounding */
#define SQUARES     1e-12 /* of relative errors, above which nothing is exact */
#define TERMS_TRIED 5U    /* of sets with quotients */
#define CHANCE_BITS 8.0   /* chance has less than one in 2 to this */
#define KNOWN_BITS  6.0   /* where other counts have the same quotients, or a user named them */
#define ROWS_MAX    (FT_TERMS_MAX + 1)

struct trial {
    struct ft_term_set set;
    double vanishing[ROWS_MAX]; /* by the last set.count + 1 sizes */
};

struct ft_quasi_exact {
    const struct ft_axis *axis;
    struct trial *trials; /* the fewest terms first */
    size_t count, capacity;
    uint32_t quotients;
    size_t searches; /* that this is one of */
    struct ft_weighted_values weighted;
};

static double sum_of_products(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes columns of length 1 out of a vector, and gives what length is left. */
static double take_out(double *vector, double (*columns)[ROWS_MAX], size_t count, size_t rows)
{
    for (size_t pass = 0; pass < 2; pass++) /* the second one what rounding left */
        for (size_t k = 0; k < count; k++) {
            double part = sum_of_products(vector, columns[k], rows);
            for (size_t i = 0; i < rows; i++)
                vector[i] -= part * columns[k][i];
        }
    return sqrt(sum_of_products(vector, vector, rows));
}

/* A vector that is orthogonal to the set's terms: of the sizes' own ones that with most left. */
static void find_vanishing(const struct ft_axis *axis, struct trial *trial)
{
    const size_t rows = trial->set.count + 1U, first = axis->count - rows;
    double columns[FT_TERMS_MAX][ROWS_MAX], longest = -1;
    size_t count = 0;
    for (size_t j = 0; j < trial->set.count; j++) {
        double *column = columns[count];
        for (size_t i = 0; i < rows; i++)
            column[i] = axis->terms[first + i][trial->set.terms[j]];
        double before = sqrt(sum_of_products(column, column, rows));
        double length = take_out(column, columns, count, rows);
        if (!(length > NEARLY_ZERO * before)) /* depends on the others there */
            continue;
        for (size_t i = 0; i < rows; i++)
            column[i] /= length;
        count++;
    }
    for (size_t k = 0; k < rows; k++) {
        double vector[ROWS_MAX] = {0};
        vector[k] = 1;
        double length = take_out(vector, columns, count, rows);
        if (length <= longest)
            continue;
        longest = length;
        memcpy(trial->vanishing, vector, rows * sizeof *vector);
    }
}

static int add_trial(struct ft_quasi_exact *search, const struct ft_term_set *set,
                     struct ft_diag *diag)
{
    if (set->count + SPARE > search->axis->count || set->count > FT_TERMS_MAX)
        return FT_OK;
    for (size_t i = 0; i < search->count; i++)
        if (search->trials[i].set.mask == set->mask)
            return FT_OK;
    if (!FT_RESERVE(search->trials, search->capacity, search->count + 1))
        return ft_fail_memory(diag, "the sets of terms");
    struct trial *trial = &search->trials[search->count++];
    *trial = (struct trial){.set = *set};
    find_vanishing(search->axis, trial);
    return FT_OK;
}

static int compare_trials(const void *left, const void *right)
{
    const struct ft_term_set *a = &((const struct trial *)left)->set;
    const struct ft_term_set *b = &((const struct trial *)right)->set;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->mask > b->mask) - (a->mask < b->mask);
}

/* All sets of quotients and whole powers with a quotient. */
static int list_quotients(struct ft_quasi_exact *search, struct ft_diag *diag)
{
    const struct ft_axis *axis = search->axis;
    const uint32_t terms = search->quotients | axis->powers.mask;
    int status = FT_OK;
    if (search->quotients == 0 || axis->chosen)
        return FT_OK;
    for (uint32_t mask = terms; mask != 0 && status == FT_OK; mask = (mask - 1) & terms)
        if ((mask & search->quotients) != 0 && (unsigned)__builtin_popcount(mask) <= TERMS_TRIED) {
            const struct ft_term_set set = ft_term_set_of(mask);
            status = add_trial(search, &set, diag);
        }
    return status;
}

static int list_trials(struct ft_quasi_exact *search, struct ft_diag *diag)
{
    const struct ft_axis *axis = search->axis;
    const uint32_t alignments = ft_alignment_terms(&axis->basis);
    FT_TRY(list_quotients(search, diag));
    for (size_t s = 0; s < axis->set_count; s++)
        if ((axis->sets[s].mask & (alignments | search->quotients)) != 0 &&
            ft_cross_is_polynomial(axis, &axis->sets[s]))
            FT_TRY(add_trial(search, &axis->sets[s], diag));
    for (uint32_t left = alignments; left != 0; left &= left - 1) {
        const unsigned modulus = axis->basis.terms[__builtin_ctz(left)].modulus;
        for (unsigned degree = 1; degree <= FT_ALIGNED_POWERS; degree++) {
            const struct ft_term_set set =
                ft_term_set_of(ft_alignment_whole_set(&axis->basis, degree, modulus));
            if (set.mask != 0)
                FT_TRY(add_trial(search, &set, diag));
        }
    }
    if (search->count > 0)
        qsort(search->trials, search->count, sizeof *search->trials, compare_trials);
    return FT_OK;
}

int ft_quasi_exact_create(const struct ft_axis *axis, struct ft_quasi_exact **ret_search,
                          struct ft_diag *diag)
{
    *ret_search = NULL;
    if (axis->basis.parameter_count > 1 ||
        ft_alignment_terms(&axis->basis) + ft_quotient_terms(&axis->basis) == 0)
        return FT_OK;
    struct ft_quasi_exact *search = calloc(1, sizeof *search);
    if (!search)
        return ft_fail_memory(diag, "the sets of terms");
    search->axis = axis;
    search->searches = 1;
    search->quotients = ft_quotient_terms(&axis->basis);
    int status = list_trials(search, diag);
    if (status < 0 || search->count == 0) {
        ft_quasi_exact_destroy(search);
        return status;
    }
    *ret_search = search;
    return FT_OK;
}

void ft_quasi_exact_destroy(struct ft_quasi_exact *search)
{
    if (!search)
        return;
    free(search->trials);
    free(search);
}

void ft_quasi_exact_among(struct ft_quasi_exact *search, size_t searches)
{
    if (search)
        search->searches = searches;
}

/* Whether chance is ruled out for the law of a trial: before it as many were tried in each search.
 */
static bool is_evident(const struct ft_quasi_exact *search, size_t trial, const double *y,
                       const struct ft_function *function)
{
    const struct ft_term_set *set = &search->trials[trial].set;
    const double tried = log2((double)((trial + 1) * search->searches));
    return (set->mask & search->quotients) == 0 ||
           ft_evidence_bits(search->axis, &search->weighted, set, y, function) >=
               tried + (search->searches > 1 ? CHANCE_BITS : KNOWN_BITS);
}

/* Whether the values vanish as the terms do. */
static bool vanishes(const struct trial *trial, const double *end)
{
    const size_t rows = trial->set.count + 1U;
    double sum = 0, parts = 0;
    for (size_t i = 0; i < rows; i++) {
        double part = trial->vanishing[i] * end[i - (ptrdiff_t)rows];
        sum += part;
        parts += fabs(part);
    }
    return fabs(sum) <= NEARLY_ZERO * parts;
}

static bool solve(struct ft_quasi_exact *search, const struct ft_term_set *set, const double *y,
                  size_t first, struct ft_function *function)
{
    const struct ft_axis *axis = search->axis;
    struct ft_plain_fit plain;
    double coefficients[FT_TERMS_MAX];
    if (!ft_plain_fit(&plain, &search->weighted, set) || plain.square_sum > SQUARES)
        return false;
    memcpy(coefficients, plain.coefficients, set->count * sizeof *coefficients);
    ft_cross_refine(axis, set, y, &search->weighted, &plain, coefficients);
    for (size_t j = 0; j < set->count; j++)
        coefficients[j] *= axis->scales[set->terms[j]];
    if (!ft_cross_exact(axis, set, y, first, coefficients))
        return false;
    for (size_t j = 0; j < set->count; j++) /* a law of fewer terms, that was not evident */
        if (coefficients[j] == 0 && (set->mask & search->quotients) != 0)
            return false;
    *function = (struct ft_function){.exact = true};
    for (size_t j = 0; j < set->count; j++)
        function->coefficients[set->terms[j]] = coefficients[j];
    return true;
}

bool ft_quasi_exact_find(struct ft_quasi_exact *search, const double *y, size_t first,
                         struct ft_function *ret_function)
{
    bool weighed = false;
    struct ft_function function;
    if (!search)
        return false;
    const struct ft_axis *axis = search->axis;
    for (size_t i = first; i < axis->count; i++)
        if (y[i] != floor(y[i]))
            return false;
    for (size_t t = 0; t < search->count; t++) {
        const struct trial *trial = &search->trials[t];
        double magnitudes[FT_TRAINING_MAX];
        if (trial->set.count + SPARE > axis->count - first)
            break; /* so have all behind it */
        if (!vanishes(trial, y + axis->count))
            continue;
        for (size_t i = first; i < axis->count && !weighed; i++)
            magnitudes[i] = ft_error_magnitude(y[i]);
        if (!weighed)
            ft_weighted_values_init(&search->weighted, axis, UINT32_MAX, y, magnitudes, first,
                                    axis->count);
        weighed = true;
        if (solve(search, &trial->set, y, first, &function) &&
            is_evident(search, t, y, &function)) {
            *ret_function = function;
            return true;
        }
    }
    return false;
}
