/*
 * Products of variables are columns over some of the samples. Sets of columns are tried class by
 * class: a constant, one variable, one and a constant, the same of products, two products, a
 * bilinear form (1, a, b, ab), and what nests of loops make (1, a, ab, abc). Of each set the
 * coefficients follow from as many rows as it has columns; they are rounded to fractions, and hold
 * where integer arithmetic gives every sample.
 *
 * In order: values of laws; products; solving; classes; the module's functions.
 */
#include "predict/ranks/laws/exact_law.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define ROWS_MAX  160U /* samples that columns have; all of them confirm a law */
#define SPARE_MAX 3U

/* ---- values of laws ---- */

static bool product_at(const uint8_t *factors, unsigned count, const struct ft_law_point *point,
                       int64_t *ret_product)
{
    int64_t product = 1;
    for (unsigned i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, point->values[factors[i]], &product))
            return false;
    *ret_product = product;
    return true;
}

bool ft_exact_law_at(const struct ft_exact_law *law, const struct ft_law_point *point,
                     int64_t *ret_value)
{
    int64_t sum = 0, product;
    for (unsigned i = 0; i < law->term_count; i++) {
        const struct ft_law_term *term = &law->terms[i];
        if (!product_at(term->factors, term->factor_count, point, &product) ||
            __builtin_mul_overflow(product, term->numerator, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return false;
    }
    *ret_value = sum / law->denominator;
    return sum % law->denominator == 0;
}

struct ft_exact_law ft_exact_law_constant(int64_t value)
{
    return (struct ft_exact_law){
        .term_count = 1, .denominator = 1, .terms = {{.numerator = value, .factor_count = 0}}};
}

bool ft_exact_law_is_constant(const struct ft_exact_law *law)
{
    return law->term_count == 1 && law->terms[0].factor_count == 0;
}

char *ft_exact_law_text(char text[FT_LAW_TEXT], const struct ft_exact_law *law,
                        const struct ft_law_variables *variables)
{
    size_t length = 0;
    text[0] = 0;
    for (unsigned i = law->term_count; i-- > 0 && length + 64 < FT_LAW_TEXT;) {
        const struct ft_law_term *term = &law->terms[i];
        const int64_t size = term->numerator < 0 ? -term->numerator : term->numerator;
        const char *sign =
            length == 0 ? (term->numerator < 0 ? "-" : "") : (term->numerator < 0 ? " - " : " + ");
        const bool has_number = size != 1 || term->factor_count == 0;
        length += (size_t)snprintf(text + length, FT_LAW_TEXT - length, "%s", sign);
        if (has_number)
            length += (size_t)snprintf(text + length, FT_LAW_TEXT - length, "%" PRId64, size);
        for (unsigned f = 0; f < term->factor_count; f++)
            length +=
                (size_t)snprintf(text + length, FT_LAW_TEXT - length, "%s%s",
                                 has_number || f ? "*" : "", variables->names[term->factors[f]]);
        if (law->denominator != 1 && length < FT_LAW_TEXT)
            length += (size_t)snprintf(text + length, FT_LAW_TEXT - length, "/%" PRId64,
                                       law->denominator);
    }
    return text;
}

/* ---- products ---- */

struct product {
    uint8_t factors[FT_LAW_FACTORS_MAX], factor_count;
    double *column; /* [row_count + probe_count] */
};

struct search {
    const struct ft_law_question *question;
    size_t rows[ROWS_MAX]; /* samples */
    size_t row_count;
    struct product *products; /* the first is the constant */
    size_t product_count, product_capacity;
    int64_t *at_probes, *at_probes_other;
    struct ft_exact_law law;
    unsigned spare; /* rows that must confirm: the more sets are tried, the more */
    bool is_found, is_ambiguous, is_out_of_memory;
};

/* The first and last samples, and some between. */
static void choose_rows(struct search *search)
{
    const size_t count = search->question->count;
    search->row_count = count < ROWS_MAX ? count : ROWS_MAX;
    for (size_t i = 0; i < search->row_count; i++)
        search->rows[i] = count <= ROWS_MAX ? i : i * (count - 1) / (ROWS_MAX - 1);
}

static bool is_constant_over_samples(const struct ft_law_question *question, unsigned variable)
{
    for (size_t i = 1; i < question->count; i++)
        if (question->points[i].values[variable] != question->points[0].values[variable])
            return false;
    return true;
}

/* A product that is the same as one before, on all rows and probes, tells nothing more. */
static void add_product(struct search *search, const uint8_t *factors, uint8_t count)
{
    const struct ft_law_question *question = search->question;
    const size_t length = search->row_count + question->probe_count;
    struct product product = {.factor_count = count,
                              .column = calloc(length + 1, sizeof *product.column)};
    if (!product.column ||
        !FT_RESERVE(search->products, search->product_capacity, search->product_count + 1)) {
        free(product.column);
        search->is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        const struct ft_law_point *point = i < search->row_count
                                               ? &question->points[search->rows[i]]
                                               : &question->probes[i - search->row_count];
        product.column[i] = 1;
        for (unsigned f = 0; f < count; f++)
            product.column[i] *= (double)point->values[factors[f]];
    }
    for (size_t i = 0; i < search->product_count; i++)
        if (memcmp(search->products[i].column, product.column, length * sizeof(double)) == 0) {
            free(product.column);
            return;
        }
    memcpy(product.factors, factors, count);
    search->products[search->product_count++] = product;
}

/* The variables that vary over the samples. */
static uint8_t list_variables(const struct search *search, uint8_t *ret_variables)
{
    uint8_t count = 0;
    for (uint8_t v = 0; v < search->question->variables->count; v++)
        if (!is_constant_over_samples(search->question, v))
            ret_variables[count++] = v;
    return count;
}

static void add_variables(struct search *search)
{
    uint8_t of[FT_LAW_VARIABLES_MAX];
    const uint8_t count = list_variables(search, of);
    add_product(search, (const uint8_t[]){0}, 0);
    for (uint8_t a = 0; a < count; a++)
        add_product(search, &of[a], 1);
}

static void add_products(struct search *search)
{
    const bool *is_size = search->question->variables->is_size;
    uint8_t of[FT_LAW_VARIABLES_MAX];
    const uint8_t count = list_variables(search, of);
    for (uint8_t a = 0; a < count; a++)
        for (uint8_t b = a; b < count; b++)
            add_product(search, (const uint8_t[]){of[a], of[b]}, 2);
    for (uint8_t a = 0; a < count; a++)
        for (uint8_t b = a; b < count; b++)
            for (uint8_t c = b; c < count; c++)
                if (is_size[of[a]] && is_size[of[b]] && is_size[of[c]])
                    add_product(search, (const uint8_t[]){of[a], of[b], of[c]}, 3);
}

/* ---- solving ---- */

/* Elimination over the rows, each of which becomes a pivot or must agree with those before. */
static bool solve(const struct search *search, const struct product *const *set, unsigned count,
                  double *ret_coefficients)
{
    double pivots[FT_LAW_TERMS_MAX][FT_LAW_TERMS_MAX + 1];
    unsigned columns[FT_LAW_TERMS_MAX], known = 0;
    for (size_t r = 0; r < search->row_count; r++) {
        double row[FT_LAW_TERMS_MAX + 1], scale = 1, largest = 0;
        unsigned at = 0;
        for (unsigned c = 0; c < count; c++) {
            row[c] = set[c]->column[r];
            scale = fmax(scale, fabs(row[c]));
        }
        row[count] = (double)search->question->values[search->rows[r]];
        scale = fmax(scale, fabs(row[count]));
        for (unsigned k = 0; k < known; k++) {
            const double factor = row[columns[k]] / pivots[k][columns[k]];
            for (unsigned c = 0; c <= count; c++)
                row[c] -= factor * pivots[k][c];
            scale = fmax(scale, fabs(factor * pivots[k][count]));
        }
        for (unsigned c = 0; c < count; c++)
            if (fabs(row[c]) > largest) {
                largest = fabs(row[c]);
                at = c;
            }
        if (largest > 1e-9 * scale) {
            columns[known] = at;
            memcpy(pivots[known++], row, sizeof row);
        } else if (fabs(row[count]) > 1e-6 * scale) {
            return false;
        }
    }
    if (known < count)
        return false;
    for (unsigned k = count; k-- > 0;) {
        double value = pivots[k][count];
        for (unsigned other = k + 1; other < count; other++)
            value -= pivots[k][columns[other]] * ret_coefficients[columns[other]];
        ret_coefficients[columns[k]] = value / pivots[k][columns[k]];
    }
    return true;
}

static bool round_coefficients(const double *coefficients, unsigned count, struct ft_exact_law *law)
{
    static const int64_t denominators[] = {1, 2, 3, 4, 6, 8};
    for (size_t d = 0; d < sizeof denominators / sizeof *denominators; d++) {
        bool is_near = true, has_zero = false;
        for (unsigned i = 0; i < count && is_near; i++) {
            const double scaled = coefficients[i] * (double)denominators[d];
            is_near =
                fabs(scaled) < 1e15 && fabs(scaled - round(scaled)) < 1e-6 * fmax(1, fabs(scaled));
            if (is_near)
                law->terms[i].numerator = (int64_t)round(scaled);
            has_zero |= is_near && law->terms[i].numerator == 0;
        }
        law->denominator = denominators[d];
        if (is_near)
            return !has_zero;
    }
    return false;
}

/* Whether the set has that many more different rows than terms. */
static bool is_confirmed(const struct search *search, const struct product *const *set,
                         unsigned count)
{
    size_t different[FT_LAW_TERMS_MAX + SPARE_MAX], found = 0;
    for (size_t r = 0; r < search->row_count && found < count + search->spare; r++) {
        bool is_new = true;
        for (size_t k = 0; k < found && is_new; k++) {
            bool is_same = true;
            for (unsigned c = 0; c < count; c++)
                is_same &= set[c]->column[r] == set[c]->column[different[k]];
            is_new = !is_same;
        }
        if (is_new)
            different[found++] = r;
    }
    return found == count + search->spare;
}

static bool holds(const struct ft_law_question *question, const struct ft_exact_law *law)
{
    int64_t value;
    for (size_t i = 0; i < question->count; i++)
        if (!ft_exact_law_at(law, &question->points[i], &value) || value != question->values[i])
            return false;
    return true;
}

static void keep(struct search *search, const struct ft_exact_law *law)
{
    const struct ft_law_question *question = search->question;
    int64_t *values = search->is_found ? search->at_probes_other : search->at_probes;
    for (size_t i = 0; i < question->probe_count; i++)
        if (!ft_exact_law_at(law, &question->probes[i], &values[i]))
            return;
    if (!search->is_found)
        search->law = *law;
    else if (memcmp(search->at_probes, search->at_probes_other,
                    question->probe_count * sizeof *values) != 0)
        search->is_ambiguous = true;
    search->is_found = true;
}

static void try_set(struct search *search, const struct product *const *set, unsigned count)
{
    struct ft_exact_law law = {.term_count = count};
    double coefficients[FT_LAW_TERMS_MAX];
    for (unsigned i = 0; i < count; i++) {
        memcpy(law.terms[i].factors, set[i]->factors, sizeof law.terms[i].factors);
        law.terms[i].factor_count = set[i]->factor_count;
    }
    if (solve(search, set, count, coefficients) && round_coefficients(coefficients, count, &law) &&
        is_confirmed(search, set, count) && holds(search->question, &law))
        keep(search, &law);
}

/* ---- classes ---- */

/* Products of so many factors, and a constant where there are two terms. */
static void try_degree(struct search *search, unsigned degree, unsigned terms)
{
    for (size_t i = 1; i < search->product_count; i++)
        if (search->products[i].factor_count == degree)
            try_set(search,
                    (const struct product *[]){&search->products[terms == 1 ? i : 0],
                                               &search->products[i]},
                    terms);
}

static void try_products(struct search *search)
{
    for (unsigned terms = 1; terms <= 2; terms++)
        for (unsigned degree = 2; degree <= FT_LAW_FACTORS_MAX && !search->is_found; degree++)
            try_degree(search, degree, terms);
}

static void try_pairs(struct search *search)
{
    for (size_t i = 1; i < search->product_count; i++)
        for (size_t k = i + 1; k < search->product_count; k++)
            if (search->products[i].factor_count < 3 && search->products[k].factor_count < 3)
                try_set(search,
                        (const struct product *[]){&search->products[i], &search->products[k]}, 2);
}

/* Of some variables in any order; NULL: none, or the same as another. */
static const struct product *find_product(const struct search *search, const uint8_t *variables,
                                          unsigned count)
{
    uint8_t factors[FT_LAW_FACTORS_MAX];
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i;
        for (; at > 0 && factors[at - 1] > variables[i]; at--)
            factors[at] = factors[at - 1];
        factors[at] = variables[i];
    }
    for (size_t i = 1; i < search->product_count; i++)
        if (search->products[i].factor_count == count &&
            memcmp(search->products[i].factors, factors, count) == 0)
            return &search->products[i];
    return NULL;
}

static void try_bilinear(struct search *search)
{
    for (size_t i = 1; i < search->product_count; i++)
        for (size_t k = i + 1; k < search->product_count; k++) {
            const struct product *a = &search->products[i], *b = &search->products[k];
            const struct product *both =
                a->factor_count == 1 && b->factor_count == 1
                    ? find_product(search, (const uint8_t[]){a->factors[0], b->factors[0]}, 2)
                    : NULL;
            if (both)
                try_set(search, (const struct product *[]){&search->products[0], a, b, both}, 4);
        }
}

/* What a loop over b in one over a makes, that does something in each of them; and over c in both.
 */
static void try_nest(struct search *search, const struct product *a, const struct product *b)
{
    const struct product *constant = &search->products[0];
    const bool *is_size = search->question->variables->is_size;
    const struct product *both =
        find_product(search, (const uint8_t[]){a->factors[0], b->factors[0]}, 2);
    if (!both)
        return;
    try_set(search, (const struct product *[]){constant, a, both}, 3);
    for (size_t i = 1; i < search->product_count; i++) {
        const struct product *c = &search->products[i];
        const struct product *all =
            c->factor_count == 1 && is_size[c->factors[0]]
                ? find_product(search,
                               (const uint8_t[]){a->factors[0], b->factors[0], c->factors[0]}, 3)
                : NULL;
        if (all)
            try_set(search, (const struct product *[]){constant, a, both, all}, 4);
    }
}

static void try_nests(struct search *search)
{
    const bool *is_size = search->question->variables->is_size;
    for (size_t i = 1; i < search->product_count; i++)
        for (size_t k = 1; k < search->product_count; k++) {
            const struct product *a = &search->products[i], *b = &search->products[k];
            if (a->factor_count == 1 && b->factor_count == 1 && is_size[a->factors[0]] &&
                is_size[b->factors[0]])
                try_nest(search, a, b);
        }
}

static bool all_equal(const struct ft_law_question *question)
{
    for (size_t i = 1; i < question->count; i++)
        if (question->values[i] != question->values[0])
            return false;
    return true;
}

static void find(struct search *search)
{
    static void (*const classes[])(struct search * search) = {try_pairs, try_bilinear, try_nests};
    const enum ft_law_effort effort = search->question->effort;
    choose_rows(search);
    add_variables(search);
    search->spare = 1;
    for (unsigned terms = 1; terms <= 2 && !search->is_found; terms++)
        try_degree(search, 1, terms);
    if (search->is_found || effort < FT_LAW_PRODUCTS)
        return;
    add_products(search);
    search->spare = 2;
    try_products(search);
    search->spare = SPARE_MAX;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!search->is_found && !search->is_out_of_memory && effort == FT_LAW_ALL)
            classes[i](search);
}

/* ---- the module's functions ---- */

int ft_exact_law_find(const struct ft_law_question *question, enum ft_law_answer *ret_answer,
                      struct ft_exact_law *ret_law, struct ft_diag *diag)
{
    struct search search = {.question = question};
    if (question->count > 0 && all_equal(question)) {
        *ret_law = ft_exact_law_constant(question->values[0]);
        *ret_answer = FT_LAW_FOUND;
        return FT_OK;
    }
    search.at_probes = calloc(question->probe_count + 1, sizeof *search.at_probes);
    search.at_probes_other = calloc(question->probe_count + 1, sizeof *search.at_probes);
    search.is_out_of_memory = !search.at_probes || !search.at_probes_other;
    if (!search.is_out_of_memory)
        find(&search);
    for (size_t i = 0; i < search.product_count; i++)
        free(search.products[i].column);
    free(search.products);
    free(search.at_probes);
    free(search.at_probes_other);
    if (search.is_out_of_memory)
        return ft_fail_memory(diag, "the search of a law");
    if (search.is_found)
        *ret_law = search.law;
    *ret_answer = search.is_ambiguous ? FT_LAW_AMBIGUOUS
                  : search.is_found   ? FT_LAW_FOUND
                                      : FT_LAW_NONE;
    return FT_OK;
}
