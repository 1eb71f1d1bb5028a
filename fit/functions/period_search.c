/*
 * Candidates are bases of the powers and of one quotient, or of two with one period. Each has a
 * search for exact functions of its own. Common ones come first (powers of two, loops over n, n - 1
 * and n - 2 elements): less evidence is needed where fewer are tried. Then others; and for counts
 * that none explains two quotients, where the period is one that others have: whether a remainder
 * loop is entered at all is ceil(n / L) - floor(n / L).
 */
#include "fit/functions/period_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/alignment.h"
#include "fit/functions/exact.h"
#include "fit/functions/quasi_exact.h"
#include "formats/base/array.h"

#define SIZES_MIN     5U
#define PERIOD_MAX    64 /* elements */
#define VECTOR_MAX    32 /* elements of the longest vector: bytes in half a line */
#define STEPS_MIN     2  /* of a quotient over the sizes */
#define COUNTS_MAX    256U
#define LAWS_MAX      8U /* that are compared */
#define COMPARED_MAX  10000
#define COMPARED_UPTO 4 /* times the largest size */

struct candidate {
    struct ft_quotient quotients[2]; /* power 1; the second one's period may be 0 */
    struct ft_axis axis;
    struct ft_quasi_exact *search;
};

/* Terms in laws that were found. */
struct use {
    struct ft_term term;
    size_t count;
};

struct search {
    const double *n;
    size_t count;
    struct candidate **candidates;
    size_t candidate_count, capacity;
    struct use *uses;
    size_t use_count, use_capacity;
};

/* ---- candidates ---- */

static void destroy_candidate(struct candidate *candidate)
{
    ft_quasi_exact_destroy(candidate->search);
    ft_axis_fini(&candidate->axis);
    free(candidate);
}

static void drop_candidates(struct search *search)
{
    for (size_t i = 0; i < search->candidate_count; i++)
        destroy_candidate(search->candidates[i]);
    search->candidate_count = 0;
}

/* Whether two quotients are the same at all sizes. */
static bool same_steps(const struct search *search, const struct ft_quotient *a,
                       const struct ft_quotient *b)
{
    for (size_t i = 0; i < search->count; i++)
        if (ft_quotient(a, search->n[i]) != ft_quotient(b, search->n[i]))
            return false;
    return true;
}

static bool same_quotient(const struct ft_quotient *a, const struct ft_quotient *b)
{
    return a->period == b->period && a->offset == b->offset;
}

/* Whether a quotient has several steps over the sizes, and is no straight line there. */
static bool is_informative(const struct search *search, const struct ft_quotient *quotient)
{
    const double *n = search->n, first = ft_quotient(quotient, n[0]);
    const double last = ft_quotient(quotient, n[search->count - 1]);
    bool straight = true;
    for (size_t i = 0; i < search->count && straight; i++)
        straight = (ft_quotient(quotient, n[i]) - first) * (n[search->count - 1] - n[0]) ==
                   (last - first) * (n[i] - n[0]);
    return last - first >= STEPS_MIN && !straight;
}

static bool has_candidate(const struct search *search, const struct ft_quotient *quotient)
{
    for (size_t i = 0; i < search->candidate_count; i++)
        if (same_steps(search, quotient, &search->candidates[i]->quotients[0]))
            return true;
    return false;
}

/* Products of n up to n^2 with the quotients up to a power, n^3 in all. */
static void insert_products(struct ft_basis *basis, const struct ft_quotient *quotient,
                            unsigned power_max)
{
    for (unsigned power = 1; power <= power_max; power++)
        for (unsigned exponent = 0; exponent + power <= FT_EXACT_DEGREE_MAX; exponent++) {
            struct ft_term term = {.exponents = {exponent}, .quotient = *quotient};
            term.quotient.power = (uint8_t)power;
            ft_basis_insert(basis, &term);
        }
}

static int add_candidate(struct search *search, const struct ft_quotient *one,
                         const struct ft_quotient *two, struct ft_diag *diag)
{
    static const char *const names[] = {""};
    struct ft_basis basis = ft_basis_of(names, 1);
    if (!FT_RESERVE(search->candidates, search->capacity, search->candidate_count + 1))
        return ft_fail_memory(diag, "the search for periods");
    struct candidate *candidate = calloc(1, sizeof *candidate);
    if (!candidate)
        return ft_fail_memory(diag, "the search for periods");
    for (unsigned power = 0; power <= FT_EXACT_DEGREE_MAX; power++) {
        const struct ft_term term = {.exponents = {power}};
        ft_basis_insert(&basis, &term);
    }
    candidate->quotients[0] = *one;
    const double steps =
        ft_quotient(one, search->n[search->count - 1]) - ft_quotient(one, search->n[0]);
    /* Powers of few steps make anything of them. */
    insert_products(&basis, one, two ? 1 : (unsigned)fmin(steps - 1, FT_EXACT_DEGREE_MAX));
    if (two) {
        candidate->quotients[1] = *two;
        insert_products(&basis, two, 1);
    }
    int status = ft_axis_init(&candidate->axis, &basis, search->n, search->count, diag);
    if (status == FT_OK)
        status = ft_quasi_exact_create(&candidate->axis, &candidate->search, diag);
    if (status < 0) {
        destroy_candidate(candidate);
        return status;
    }
    search->candidates[search->candidate_count++] = candidate;
    return FT_OK;
}

static int add_one(struct search *search, int period, int offset, struct ft_diag *diag)
{
    const struct ft_quotient quotient = {
        .offset = (int16_t)offset, .period = (uint16_t)period, .power = 1};
    if (!is_informative(search, &quotient) || has_candidate(search, &quotient))
        return FT_OK;
    return add_candidate(search, &quotient, NULL, diag);
}

static int add_common(struct search *search, struct ft_diag *diag)
{
    int status = FT_OK;
    for (int period = 2; period <= VECTOR_MAX && status == FT_OK; period *= 2) {
        const int offsets[] = {0, period - 1, -1, -2};
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets && status == FT_OK; i++)
            status = add_one(search, period, offsets[i], diag);
    }
    return status;
}

static int add_others(struct search *search, struct ft_diag *diag)
{
    for (int period = 2; period <= VECTOR_MAX; period *= 2)
        for (int offset = 1 - period; offset < period; offset++)
            FT_TRY(add_one(search, period, offset, diag));
    for (int period = 3; period <= PERIOD_MAX; period++) {
        FT_TRY(add_one(search, period, 0, diag));
        FT_TRY(add_one(search, period, period - 1, diag));
    }
    return FT_OK;
}

/* Each quotient that laws have, with all others of its period. */
static int add_pairs(struct search *search, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < search->use_count && status == FT_OK; i++) {
        struct ft_quotient one = search->uses[i].term.quotient;
        const int period = one.period;
        bool known = false;
        one.power = 1;
        for (size_t k = 0; k < search->candidate_count; k++)
            known = known || same_quotient(&search->candidates[k]->quotients[0], &one);
        for (int offset = 1; offset < period && !known && status == FT_OK; offset++) {
            const struct ft_quotient two = {.offset = (int16_t)(one.offset + period - offset),
                                            .period = one.period,
                                            .power = 1};
            bool same = false;
            for (size_t k = 0; k < search->candidate_count && !same; k++)
                same = same_steps(search, &search->candidates[k]->quotients[0], &one) &&
                       same_steps(search, &search->candidates[k]->quotients[1], &two);
            if (!same && is_informative(search, &two) && !same_steps(search, &one, &two))
                status = add_candidate(search, &one, &two, diag);
        }
    }
    return status;
}

/* ---- laws ---- */

struct law {
    const struct candidate *candidate;
    struct ft_function function;
};

static size_t count_terms(const struct ft_function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < FT_BASIS_MAX; i++)
        count += function->coefficients[i] != 0;
    return count;
}

static bool is_identifiable(const struct search *search, const struct law *law, double n)
{
    const struct ft_basis *basis = &law->candidate->axis.basis;
    for (size_t i = 0; i < basis->term_count; i++)
        if (law->function.coefficients[i] != 0 &&
            !ft_term_is_identifiable(&basis->terms[i], search->n, search->count, n))
            return false;
    return true;
}

/* Whether two laws agree wherever the training sizes tell of both. */
static bool agree(const struct search *search, const struct law *a, const struct law *b)
{
    const int last = (int)search->n[search->count - 1];
    for (int i = last + 1; i <= COMPARED_UPTO * last && i <= last + COMPARED_MAX; i++) {
        const double n = i;
        const struct ft_point left = ft_point_at(&a->candidate->axis.basis, &n);
        const struct ft_point right = ft_point_at(&b->candidate->axis.basis, &n);
        if (is_identifiable(search, a, n) && is_identifiable(search, b, n) &&
            ft_function_at(&a->function, &left) != ft_function_at(&b->function, &right))
            return false;
    }
    return true;
}

static int note_use(struct search *search, const struct ft_term *term, struct ft_diag *diag)
{
    for (size_t i = 0; i < search->use_count; i++)
        if (ft_term_compare(&search->uses[i].term, term) == 0) {
            search->uses[i].count++;
            return FT_OK;
        }
    if (!FT_RESERVE(search->uses, search->use_capacity, search->use_count + 1))
        return ft_fail_memory(diag, "the search for periods");
    search->uses[search->use_count++] = (struct use){*term, 1};
    return FT_OK;
}

/* The laws of fewest terms that meet a count; how many. */
static size_t find_laws(const struct search *search, const double *y, struct law laws[LAWS_MAX])
{
    size_t count = 0, terms_min = SIZE_MAX;
    for (size_t i = 0; i < search->candidate_count; i++) {
        struct law law = {.candidate = search->candidates[i]};
        ft_quasi_exact_among(search->candidates[i]->search, search->candidate_count);
        if (!ft_quasi_exact_find(search->candidates[i]->search, y, 0, &law.function))
            continue;
        size_t terms = count_terms(&law.function);
        count = terms < terms_min ? 0 : count;
        if (terms <= terms_min && count < LAWS_MAX)
            laws[count++] = law;
        terms_min = terms < terms_min ? terms : terms_min;
    }
    return count;
}

/* *ret_met: whether a law meets the count. */
static int search_count(struct search *search, const double *y, bool *ret_met, struct ft_diag *diag)
{
    struct law laws[LAWS_MAX];
    const size_t count = find_laws(search, y, laws);
    bool sure = count > 0;
    *ret_met = count > 0;
    for (size_t i = 1; i < count && sure; i++)
        sure = agree(search, &laws[0], &laws[i]);
    int status = FT_OK;
    for (size_t i = 0; sure && i < laws[0].candidate->axis.basis.term_count && !status; i++) {
        const struct ft_term *term = &laws[0].candidate->axis.basis.terms[i];
        if (laws[0].function.coefficients[i] != 0 && term->quotient.period != 0)
            status = note_use(search, term, diag);
    }
    return status;
}

/* ---- counts ---- */

static bool is_polynomial(const struct search *search, const double *y)
{
    double powers[FT_EXACT_DEGREE_MAX + 1];
    size_t spare;
    return ft_exact_polynomial(search->n, y, search->count, powers, &spare);
}

static bool is_whole(const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (y[i] != floor(y[i]))
            return false;
    return true;
}

/* The counts to explain: whole, no polynomials, each once; how many. */
static size_t list_counts(const struct search *search, const double *counts, size_t count_count,
                          const double *ret_counts[COUNTS_MAX])
{
    size_t listed = 0;
    for (size_t i = 0; i < count_count && listed < COUNTS_MAX; i++) {
        const double *y = counts + i * search->count;
        bool known = y[search->count - 1] == 0 || !is_whole(y, search->count);
        for (size_t k = 0; k < listed && !known; k++)
            known = memcmp(ret_counts[k], y, search->count * sizeof *y) == 0;
        if (!known && !is_polynomial(search, y))
            ret_counts[listed++] = y;
    }
    return listed;
}

/* Searches all counts with the candidates; those that are met are taken out. */
static int search_counts(struct search *search, const double *counts[COUNTS_MAX], size_t *count,
                         struct ft_diag *diag)
{
    size_t left = 0;
    int status = FT_OK;
    for (size_t i = 0; i < *count && status == FT_OK; i++) {
        bool met = false;
        status = search_count(search, counts[i], &met, diag);
        if (!met)
            counts[left++] = counts[i];
    }
    *count = left;
    return status;
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return ft_term_compare(&a->term, &b->term);
}

static int search_all(struct search *search, const double *counts[COUNTS_MAX], size_t count,
                      struct ft_diag *diag)
{
    int status = add_common(search, diag);
    if (status == FT_OK)
        status = search_counts(search, counts, &count, diag);
    if (status == FT_OK && count > 0)
        status = add_others(search, diag);
    if (status == FT_OK && count > 0)
        status = search_counts(search, counts, &count, diag);
    drop_candidates(search);
    if (status == FT_OK && count > 0)
        status = add_pairs(search, diag);
    if (status == FT_OK && count > 0)
        status = search_counts(search, counts, &count, diag);
    return status;
}

int ft_period_search_extend(struct ft_basis *basis, const double *n, size_t size_count,
                            const double *counts, size_t count_count, struct ft_diag *diag)
{
    struct search search = {.n = n, .count = size_count};
    const double *listed[COUNTS_MAX];
    if (basis->parameter_count != 1 || size_count < SIZES_MIN || !is_whole(n, size_count))
        return FT_OK;
    size_t count = list_counts(&search, counts, count_count, listed);
    int status = count > 0 ? search_all(&search, listed, count, diag) : FT_OK;
    if (status == FT_OK && search.use_count > 0)
        qsort(search.uses, search.use_count, sizeof *search.uses, compare_uses);
    for (size_t i = 0; i < search.use_count && status == FT_OK; i++)
        if (ft_basis_insert(basis, &search.uses[i].term) == FT_BASIS_MAX)
            break;
    drop_candidates(&search);
    free(search.candidates);
    free(search.uses);
    return status;
}
