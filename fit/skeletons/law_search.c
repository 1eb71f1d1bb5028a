/*
 * Polynomials first, then logarithms where sizes double, then quotients: candidates are those that
 * differ at the sizes, those of vectors first. A law is solved for by
 * elimination in long doubles, rounded to small fractions, and must then give all values exactly.
 * Numbers of a skeleton have few different values over the sizes, so these are remembered.
 */
#include "fit/skeletons/law_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/doubling.h"
#include "fit/skeletons/exact_system.h"
#include "fit/skeletons/size_law.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/model/basis.h"

#define PERIOD_MAX  64
#define VECTOR_MAX  32 /* elements of the longest vector */
#define STEPS_MIN   2  /* of a quotient over the sizes */
#define CHANCE_BITS 6.0
#define KNOWN_BITS  1.0 /* of periods that other numbers have */

struct candidate {
    struct ft_quotient quotient;
    bool is_found; /* in a law */
    double values[FT_SIZED_SIZES_MAX];
};

struct memo {
    uint64_t known;
    double values[FT_SIZED_SIZES_MAX]; /* of those, 0 else */
    bool is_found;
    struct ft_size_law law;
};

struct ft_law_search {
    const double *sizes;
    size_t count;
    uint64_t step; /* what sizes differ by multiples of */
    bool doubles;  /* all sizes are the smallest times powers of two */
    struct candidate *candidates;
    size_t candidate_count, candidate_capacity;
    uint64_t periods; /* bit: period - 1, that a law has */
    bool is_widened;
    struct memo *memos;
    size_t memo_count, memo_capacity;
    struct ft_hash_table by_values;
};

/* ---- candidates ---- */

/* Whether quotients differ by a constant, of the same period: one is as good as the other. */
static bool same_steps(const struct ft_law_search *search, const struct candidate *a,
                       const struct candidate *b)
{
    for (size_t s = 0; s < search->count; s++)
        if (a->values[s] - a->values[0] != b->values[s] - b->values[0])
            return false;
    return a->quotient.period == b->quotient.period;
}

static bool add_candidate(struct ft_law_search *search, int period, int offset)
{
    struct candidate candidate = {
        .quotient = {.offset = (int16_t)offset, .period = (uint16_t)period, .power = 1}};
    if (search->sizes[0] + offset < 0)
        return true; /* quotients end at 0 */
    for (size_t s = 0; s < search->count; s++)
        candidate.values[s] = ft_quotient(&candidate.quotient, search->sizes[s]);
    if (candidate.values[search->count - 1] - candidate.values[0] < STEPS_MIN)
        return true;
    for (size_t c = 0; c < search->candidate_count; c++)
        if (same_steps(search, &search->candidates[c], &candidate))
            return true;
    if (!FT_RESERVE(search->candidates, search->candidate_capacity, search->candidate_count + 1))
        return false;
    search->candidates[search->candidate_count++] = candidate;
    return true;
}

static bool is_power_of_two(int number)
{
    return (number & (number - 1)) == 0;
}

/* Loops over n, n - 1 and n - 2 elements first, then over any number of them. */
static bool list_candidates(struct ft_law_search *search)
{
    bool done = true;
    for (int period = 2; done && period <= VECTOR_MAX; period *= 2) {
        const int offsets[] = {0, period - 1, -1, -2};
        for (size_t i = 0; done && i < sizeof offsets / sizeof *offsets; i++)
            done = add_candidate(search, period, offsets[i]);
    }
    for (int period = 2; done && period <= VECTOR_MAX; period *= 2)
        for (int offset = 1; done && offset < period; offset++)
            done = add_candidate(search, period, -offset);
    for (int period = 3; done && period <= PERIOD_MAX; period++)
        for (int offset = 0; done && !is_power_of_two(period) && offset < period; offset++)
            done = add_candidate(search, period, -offset);
    for (int offset = 0; done && offset < PERIOD_MAX; offset++)
        done = add_candidate(search, PERIOD_MAX, -offset);
    return done;
}

/* ---- solving ---- */

/* The terms of a law, as columns. */
enum term {
    ONE,
    SIZE,
    SQUARE,
    CUBE,
    FIRST,
    FIRST_TIMES_SIZE,
    FIRST_SQUARED,
    SECOND,
    LOGARITHM,
    LOGARITHM_TIMES_SIZE,
    ODD,
    ODD_TIMES_SIZE
};

struct form {
    size_t count;
    enum term terms[FT_UNKNOWNS_MAX];
};

struct attempt {
    const struct ft_law_search *search;
    uint64_t known;
    const double *values;
    const struct candidate *quotients[FT_LAW_QUOTIENTS];
};

static long double term_at(const struct attempt *attempt, enum term term, size_t size)
{
    const long double n = attempt->search->sizes[size];
    const long double q = attempt->quotients[0] ? attempt->quotients[0]->values[size] : 0;
    switch (term) {
    case ONE:
        return 1;
    case SIZE:
        return n;
    case SQUARE:
        return n * n;
    case CUBE:
        return n * n * n;
    case FIRST:
        return q;
    case FIRST_TIMES_SIZE:
        return q * n;
    case FIRST_SQUARED:
        return q * q;
    case LOGARITHM:
        return ilogbl(n);
    case LOGARITHM_TIMES_SIZE:
        return ilogbl(n) * n;
    case ODD:
        return ilogbl(n) % 2;
    case ODD_TIMES_SIZE:
        return (ilogbl(n) % 2) * n;
    default:
        return attempt->quotients[1]->values[size];
    }
}

static bool solve(const struct attempt *attempt, const struct form *form,
                  long double ret_unknowns[FT_UNKNOWNS_MAX])
{
    struct ft_exact_system system = {.unknowns = form->count};
    const size_t last = attempt->search->count - 1;
    for (size_t k = 0; k < form->count; k++)
        system.scales[k] = fmaxl(1, fabsl(term_at(attempt, form->terms[k], last)));
    for (size_t s = 0; s <= last; s++) {
        if (!(attempt->known >> s & 1))
            continue;
        long double *row = system.rows[system.row_count++];
        for (size_t k = 0; k < form->count; k++)
            row[k] = term_at(attempt, form->terms[k], s) / system.scales[k];
        row[form->count] = attempt->values[s];
    }
    system.pivot_rows = system.row_count;
    return ft_exact_system_solve(&system, ret_unknowns);
}

/* ---- laws ---- */

static void set_term(struct ft_size_law *law, enum term term, double factor)
{
    if (term <= CUBE)
        law->powers[term] = factor;
    else if (term <= FIRST_SQUARED)
        law->quotients[0].factors[term - FIRST] = factor;
    else if (term == SECOND)
        law->quotients[1].factors[0] = factor;
    else if (term <= LOGARITHM_TIMES_SIZE)
        law->logarithms[term - LOGARITHM] = factor;
    else
        law->odd_logarithms[term - ODD] = factor;
}

/* Whether a law is exact; and has each of its quotients. */
static bool holds(const struct attempt *attempt, const struct ft_size_law *law)
{
    for (size_t q = 0; q < FT_LAW_QUOTIENTS; q++) {
        const double *factors = law->quotients[q].factors;
        if (law->quotients[q].period && factors[0] == 0 && factors[1] == 0 && factors[2] == 0)
            return false;
    }
    for (size_t s = 0; s < attempt->search->count; s++)
        if ((attempt->known >> s & 1) &&
            (double)ft_law_at(law, attempt->search->sizes[s]) != attempt->values[s])
            return false;
    return true;
}

static bool find_law(const struct attempt *attempt, const struct form *form,
                     struct ft_size_law *ret_law)
{
    long double unknowns[FT_UNKNOWNS_MAX];
    struct ft_size_law law = {0};
    if (!solve(attempt, form, unknowns))
        return false;
    for (size_t q = 0; q < FT_LAW_QUOTIENTS && attempt->quotients[q]; q++) {
        law.quotients[q].period = attempt->quotients[q]->quotient.period;
        law.quotients[q].offset = attempt->quotients[q]->quotient.offset;
    }
    for (size_t k = 0; k < form->count; k++)
        set_term(&law, form->terms[k], ft_nearby_fraction(unknowns[k]));
    if (!holds(attempt, &law))
        return false;
    *ret_law = law;
    return true;
}

/* Bits that a size tells of a quotient: its residues are told apart. */
static double residue_bits(const struct ft_law_search *search, uint64_t known, unsigned period)
{
    bool seen[PERIOD_MAX] = {0};
    size_t distinct = 0;
    for (size_t s = 0; s < search->count; s++) {
        const size_t residue = (size_t)fmod(fabs(search->sizes[s]), period);
        distinct += (known >> s & 1) && !seen[residue];
        seen[residue] = seen[residue] || (known >> s & 1);
    }
    return log2((double)distinct);
}

/* Bits of the order in which values come: where most are equal they tell little. */
static double order_bits(const struct attempt *attempt)
{
    double bits = 0, count = 0;
    for (size_t s = 0; s < attempt->search->count; s++) {
        double alike = 0;
        if (!(attempt->known >> s & 1))
            continue;
        for (size_t i = 0; i <= s; i++)
            alike += (attempt->known >> i & 1) && attempt->values[i] == attempt->values[s];
        bits += log2(++count) - log2(alike);
    }
    return bits;
}

/* Whether laws were found with a period, or with a multiple of it: what a loop that takes eight
 * elements at a time leaves over another one may take by four. */
static bool is_known_period(const struct ft_law_search *search, unsigned period)
{
    for (unsigned multiple = period; multiple <= PERIOD_MAX; multiple += period)
        if (search->periods >> (multiple - 1) & 1)
            return true;
    return false;
}

static bool find_one(struct ft_law_search *search, struct attempt *attempt,
                     struct ft_size_law *ret_law)
{
    static const struct form forms[] = {
        {2, {ONE, FIRST}},
        {3, {ONE, SIZE, FIRST}},
        {3, {ONE, FIRST, FIRST_SQUARED}},
        {4, {ONE, SIZE, SQUARE, FIRST}},
        {4, {ONE, SIZE, FIRST, FIRST_TIMES_SIZE}},
        {5, {ONE, SIZE, SQUARE, CUBE, FIRST}},
        {5, {ONE, SIZE, SQUARE, FIRST, FIRST_TIMES_SIZE}},
        {6, {ONE, SIZE, SQUARE, FIRST, FIRST_TIMES_SIZE, FIRST_SQUARED}},
    };
    const double sizes = __builtin_popcountll(attempt->known), order = order_bits(attempt);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t c = 0; c < search->candidate_count; c++) {
            const unsigned period = search->candidates[c].quotient.period;
            const bool is_known = is_known_period(search, period);
            const double spare = sizes - (double)forms[f].count;
            const double bits = fmin(order, spare * residue_bits(search, attempt->known, period));
            const double tried = is_known ? log2(period) : log2((double)(c + 1));
            if (spare < 1 || bits < tried + (is_known ? KNOWN_BITS : CHANCE_BITS))
                continue;
            attempt->quotients[0] = &search->candidates[c];
            if (find_law(attempt, &forms[f], ret_law)) {
                search->periods |= UINT64_C(1) << (period - 1);
                search->candidates[c].is_found = true;
                return true;
            }
        }
    return false;
}

/* How likely two quotients are to be in one law: 0, that is whether the loop of a quotient that was
 * found leaves anything over; 1, whether that is so many; 2, others. */
static unsigned pair_rank(const struct candidate *a, const struct candidate *b)
{
    const int period = a->quotient.period;
    const int apart = abs(a->quotient.offset - b->quotient.offset) % period;
    if (period != b->quotient.period || !(a->is_found || b->is_found))
        return 2;
    return apart == 1 || apart == period - 1 ? 0 : 1;
}

/* Whether the law would be the same without any one of the sizes. What is a line but where one size
 * alone has a residue might be anything at that residue; whether a loop runs at all is yes or no.
 */
static bool is_confirmed(const struct attempt *attempt, const struct form *form)
{
    long double unknowns[FT_UNKNOWNS_MAX];
    struct attempt without = *attempt;
    for (size_t s = 0; s < attempt->search->count; s++) {
        without.known = attempt->known & ~(UINT64_C(1) << s);
        if (without.known != attempt->known && !solve(&without, form, unknowns))
            return false;
    }
    return true;
}

/* The likelier pairs first, so that less evidence is asked for. */
static bool find_pair(const struct ft_law_search *search, struct attempt *attempt,
                      const struct form *form, double bits, struct ft_size_law *ret_law)
{
    double tried = 0;
    for (unsigned rank = 0; rank < 3; rank++)
        for (size_t a = 0; a < search->candidate_count; a++)
            for (size_t b = a + 1; b < search->candidate_count; b++) {
                attempt->quotients[0] = &search->candidates[a];
                attempt->quotients[1] = &search->candidates[b];
                if (pair_rank(attempt->quotients[0], attempt->quotients[1]) != rank)
                    continue;
                if (bits < log2(++tried) + KNOWN_BITS)
                    return false;
                if (find_law(attempt, form, ret_law) &&
                    (form->terms[1] != SIZE || is_confirmed(attempt, form)))
                    return true;
            }
    return false;
}

/* Two quotients of periods that are known: whether a remainder loop runs is their difference. Each
 * size to spare tells a bit. */
static bool find_two(const struct ft_law_search *search, struct attempt *attempt,
                     struct ft_size_law *ret_law)
{
    static const struct form forms[] = {
        {3, {ONE, FIRST, SECOND}},
        {4, {ONE, SIZE, FIRST, SECOND}},
        {5, {ONE, SIZE, SQUARE, FIRST, SECOND}},
        {6, {ONE, SIZE, SQUARE, CUBE, FIRST, SECOND}},
    };
    const double sizes = __builtin_popcountll(attempt->known), order = order_bits(attempt);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        if (find_pair(search, attempt, &forms[f], fmin(order, sizes - (double)forms[f].count),
                      ret_law))
            return true;
    return false;
}

/* ---- polynomials ---- */

/* Whether a polynomial is an integer at all sizes that differ by multiples of what the training
 * sizes do. */
static bool is_whole(const struct ft_law_search *search, const double powers[FT_SIZED_COEFFICIENTS])
{
    for (unsigned i = 1; i < FT_SIZED_COEFFICIENTS; i++) {
        const double size = search->sizes[0] + (double)search->step * i;
        const double value = ft_size_polynomial_at(powers, size);
        if (fabs(value - round(value)) > 1e-6 * fmax(1, fabs(value) * 1e-6))
            return false;
    }
    return true;
}

/* Sizes and values of those that are known; their count. */
static size_t list_known(const struct ft_law_search *search, uint64_t known, const double *values,
                         double *ret_sizes, double *ret_values)
{
    size_t count = 0;
    for (size_t s = 0; s < search->count; s++)
        if (known >> s & 1) {
            ret_sizes[count] = search->sizes[s];
            ret_values[count++] = values[s];
        }
    return count;
}

/* A constant; or a polynomial that a size confirms. */
static bool find_polynomial(const struct ft_law_search *search, uint64_t known,
                            const double *values, struct ft_size_law *ret_law)
{
    double sizes[FT_SIZED_SIZES_MAX], some[FT_SIZED_SIZES_MAX];
    const size_t count = list_known(search, known, values, sizes, some);
    *ret_law = (struct ft_size_law){0};
    return ft_size_law_find(sizes, some, count, ret_law->powers) &&
           is_whole(search, ret_law->powers);
}

/* Of four sizes that give no parabola: a cube alone, which two confirm, as bytes of a grid are. */
static bool find_cube(const struct ft_law_search *search, const struct attempt *attempt,
                      struct ft_size_law *ret_law)
{
    static const struct form form = {2, {ONE, CUBE}};
    return __builtin_popcountll(attempt->known) > 3 && find_law(attempt, &form, ret_law) &&
           is_whole(search, ret_law->powers);
}

/* ---- logarithms ---- */

/* Where all sizes are one number times powers of two. */
static bool find_logarithm(const struct ft_law_search *search, const struct attempt *attempt,
                           struct ft_size_law *ret_law)
{
    static const struct form forms[] = {
        {2, {ONE, LOGARITHM}},
        {3, {ONE, SIZE, LOGARITHM}},
        {3, {ONE, LOGARITHM, LOGARITHM_TIMES_SIZE}},
        {3, {ONE, SQUARE, LOGARITHM}},
        {4, {ONE, SIZE, LOGARITHM, LOGARITHM_TIMES_SIZE}},
        {4, {ONE, SIZE, SQUARE, LOGARITHM}},
        {2, {ONE, ODD}},
        {3, {ONE, SIZE, ODD}},
        {3, {ONE, ODD, ODD_TIMES_SIZE}},
    };
    const size_t sizes = (size_t)__builtin_popcountll(attempt->known);
    for (size_t f = 0; search->doubles && f < sizeof forms / sizeof *forms; f++)
        if (sizes > forms[f].count && find_law(attempt, &forms[f], ret_law))
            return true;
    return false;
}

/* ---- the search ---- */

static bool find(struct ft_law_search *search, uint64_t known, const double *values,
                 struct ft_size_law *ret_law)
{
    struct attempt attempt = {search, known, values, {NULL, NULL}};
    if (find_polynomial(search, known, values, ret_law))
        return true;
    if (find_cube(search, &attempt, ret_law))
        return true;
    if (find_logarithm(search, &attempt, ret_law))
        return true;
    if (find_one(search, &attempt, ret_law))
        return true;
    return search->is_widened && find_two(search, &attempt, ret_law);
}

static uint64_t hash_values(const struct memo *memo, size_t count)
{
    uint64_t hash = ft_hash_mix(memo->known);
    for (size_t s = 0; s < count; s++)
        hash = ft_hash_add(hash, (uint64_t)(int64_t)memo->values[s]);
    return hash;
}

int ft_law_search_find(struct ft_law_search *search, uint64_t known, const double *values,
                       struct ft_size_law *ret_law, bool *ret_found, struct ft_diag *diag)
{
    struct memo memo = {.known = known};
    for (size_t s = 0; s < search->count; s++)
        memo.values[s] = known >> s & 1 ? values[s] : 0;
    const uint64_t hash = hash_values(&memo, search->count);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&search->by_values, hash, &probe, &i);) {
        const struct memo *found = &search->memos[i];
        if (found->known != known ||
            memcmp(found->values, memo.values, search->count * sizeof *memo.values) != 0)
            continue;
        *ret_found = found->is_found;
        *ret_law = found->law;
        return FT_OK;
    }
    memo.is_found = find(search, known, memo.values, &memo.law);
    if (!FT_RESERVE(search->memos, search->memo_capacity, search->memo_count + 1) ||
        !ft_hash_table_add(&search->by_values, hash, (uint32_t)search->memo_count))
        return ft_fail_memory(diag, "the laws of a skeleton");
    search->memos[search->memo_count++] = memo;
    *ret_found = memo.is_found;
    *ret_law = memo.law;
    return FT_OK;
}

bool ft_law_search_widen(struct ft_law_search *search)
{
    if (search->periods == 0 || search->is_widened)
        return false;
    search->is_widened = true;
    size_t kept = 0; /* others are not tried any more */
    for (size_t c = 0; c < search->candidate_count; c++)
        if (is_known_period(search, search->candidates[c].quotient.period))
            search->candidates[kept++] = search->candidates[c];
    search->candidate_count = kept;
    ft_hash_table_clear(&search->by_values);
    search->memo_count = 0;
    return true;
}

int ft_law_search_create(const double *sizes, size_t count, struct ft_law_search **ret_search,
                         struct ft_diag *diag)
{
    struct ft_law_search *search = calloc(1, sizeof *search);
    if (!search)
        return ft_fail_memory(diag, "the laws of a skeleton");
    search->sizes = sizes;
    search->count = count;
    search->step = ft_sizes_step(sizes, count);
    search->doubles = ft_sizes_double(sizes, count);
    if (!list_candidates(search)) {
        ft_law_search_destroy(search);
        return ft_fail_memory(diag, "the laws of a skeleton");
    }
    *ret_search = search;
    return FT_OK;
}

const double *ft_law_search_sizes(const struct ft_law_search *search)
{
    return search->sizes;
}

void ft_law_search_destroy(struct ft_law_search *search)
{
    if (!search)
        return;
    free(search->candidates);
    free(search->memos);
    ft_hash_table_fini(&search->by_values);
    free(search);
}
