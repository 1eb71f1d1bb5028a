/*
 * Sets of terms are tried, those of fewer terms first: all of up to three, then those that sums
 * over levels make.
 */
#include "fit/skeletons/level_laws.h"

#include <math.h>

#include "fit/skeletons/exact_system.h"
#include "fit/skeletons/size_law.h"

/* N^size * log2(N)^logarithm * 2^(power k) * k^level, at odd levels only or at all. */
struct term {
    unsigned char size, logarithm;
    signed char power;
    unsigned char level;
    bool is_odd;
};

enum {
    ONE,
    LEVEL,
    SIZE,
    GRID, /* N / 2^k */
    POWER,
    LOGARITHM,
    SQUARE,
    GRID_SQUARE,
    GRID_TIMES_SIZE,
    POWER_SQUARE,
    POWER_TIMES_SIZE,
    LEVEL_TIMES_SIZE,
    LEVEL_TIMES_GRID,
    LEVEL_TIMES_POWER,
    SIMPLE_TERMS, /* of which all small sets are tried */
    CUBE = SIMPLE_TERMS,
    GRID_CUBE,
    ODD,
    ODD_SIZE,
    ODD_GRID,
    ODD_POWER,
    TERMS
};

static const struct term terms[TERMS] = {
    [LEVEL] = {.level = 1},
    [SIZE] = {.size = 1},
    [GRID] = {.size = 1, .power = -1},
    [POWER] = {.power = 1},
    [LOGARITHM] = {.logarithm = 1},
    [SQUARE] = {.size = 2},
    [GRID_SQUARE] = {.size = 2, .power = -2},
    [GRID_TIMES_SIZE] = {.size = 2, .power = -1},
    [POWER_SQUARE] = {.power = 2},
    [POWER_TIMES_SIZE] = {.size = 1, .power = 1},
    [LEVEL_TIMES_SIZE] = {.size = 1, .level = 1},
    [LEVEL_TIMES_GRID] = {.size = 1, .power = -1, .level = 1},
    [LEVEL_TIMES_POWER] = {.power = 1, .level = 1},
    [CUBE] = {.size = 3},
    [GRID_CUBE] = {.size = 3, .power = -3},
    [ODD] = {.is_odd = true},
    [ODD_SIZE] = {.size = 1, .is_odd = true},
    [ODD_GRID] = {.size = 1, .power = -1, .is_odd = true},
    [ODD_POWER] = {.power = 1, .is_odd = true},
};

struct form {
    size_t count;
    unsigned terms[FT_LEVEL_TERMS_MAX];
};

/* Grids one behind the other, by lines, planes and boxes with borders, the finest or the coarsest
 * first. */
static const struct form sums[] = {
    {5, {ONE, SIZE, GRID, SQUARE, GRID_SQUARE}},
    {5, {ONE, LEVEL, SIZE, GRID, LOGARITHM}},
    {5, {ONE, LEVEL, LOGARITHM, GRID, GRID_SQUARE}},
    {6, {ONE, LEVEL, SIZE, GRID, SQUARE, GRID_SQUARE}},
    {4, {ONE, GRID, GRID_SQUARE, GRID_CUBE}},
    {7, {ONE, SIZE, GRID, SQUARE, GRID_SQUARE, CUBE, GRID_CUBE}},
    {8, {ONE, LEVEL, SIZE, GRID, SQUARE, GRID_SQUARE, CUBE, GRID_CUBE}},
};

/* What N^size, or that times log2 N, is multiplied by at a level. */
static double level_factor(const struct term *term, unsigned level)
{
    if (term->is_odd && level % 2 == 0)
        return 0;
    return ldexp(1, term->power * (int)level) * (term->level ? level : 1);
}

static double term_at(unsigned term, const struct ft_level_sample *sample)
{
    double value = level_factor(&terms[term], sample->level);
    for (unsigned i = 0; i < terms[term].size; i++)
        value *= sample->size;
    return terms[term].logarithm ? value * ilogb(sample->size) : value;
}

void ft_level_law_of(const struct ft_level_law *law, unsigned level, struct ft_size_law *ret_law)
{
    *ret_law = (struct ft_size_law){0};
    for (size_t k = 0; k < law->count; k++) {
        const struct term *term = &terms[law->terms[k]];
        double *factors = term->logarithm ? ret_law->logarithms : ret_law->powers;
        factors[term->size] += law->factors[k] * level_factor(term, level);
    }
    for (size_t i = 0; i < FT_LAW_STEPS; i++)
        ret_law->steps[i] =
            (struct ft_law_step){ldexp(law->steps[i].from, (int)level), law->steps[i].more};
}

/* ---- the search ---- */

struct search {
    const struct ft_level_sample *samples;
    size_t count, smaller; /* those of all sizes but the largest come first */
    double values[TERMS][FT_SIZED_SIZES_MAX];
    double scales[TERMS];
};

static bool holds(const struct search *search, const struct ft_level_law *law)
{
    for (size_t i = 0; i < search->count; i++) {
        double value = 0;
        for (size_t k = 0; k < law->count; k++)
            value += law->factors[k] * search->values[law->terms[k]][i];
        if (round(value) != search->samples[i].value)
            return false;
    }
    return true;
}

static bool try_form(const struct search *search, const struct form *form,
                     struct ft_level_law *ret_law)
{
    struct ft_exact_system system = {
        .unknowns = form->count, .row_count = search->count, .pivot_rows = search->smaller};
    long double unknowns[FT_UNKNOWNS_MAX];
    if (search->smaller <= form->count)
        return false;
    for (size_t k = 0; k < form->count; k++)
        system.scales[k] = search->scales[form->terms[k]];
    for (size_t i = 0; i < search->count; i++) {
        for (size_t k = 0; k < form->count; k++)
            system.rows[i][k] = search->values[form->terms[k]][i] / system.scales[k];
        system.rows[i][form->count] = search->samples[i].value;
    }
    if (!ft_exact_system_solve(&system, unknowns))
        return false;
    *ret_law = (struct ft_level_law){.count = form->count};
    for (size_t k = 0; k < form->count; k++) {
        ret_law->terms[k] = form->terms[k];
        ret_law->factors[k] = ft_nearby_fraction(unknowns[k]);
    }
    return holds(search, ret_law);
}

/* Sets of so many simple terms, with ONE and what else there is in the form. */
static bool try_sets(const struct search *search, const struct form *base, unsigned from,
                     unsigned more, struct ft_level_law *ret_law)
{
    if (more == 0)
        return try_form(search, base, ret_law);
    for (unsigned term = from; term < SIMPLE_TERMS; term++) {
        struct form form = *base;
        form.terms[form.count++] = term;
        if (try_sets(search, &form, term + 1, more - 1, ret_law))
            return true;
    }
    return false;
}

/* Likewise, with one or two terms of odd levels. */
static bool try_odd(const struct search *search, unsigned more, struct ft_level_law *ret_law)
{
    for (unsigned a = ODD; a < TERMS; a++)
        for (unsigned b = a; b < TERMS; b++) {
            struct form form = {2, {ONE, a}};
            if (b > a)
                form.terms[form.count++] = b;
            if (try_sets(search, &form, ONE + 1, more, ret_law))
                return true;
        }
    return false;
}

/* ---- steps ---- */

static double grid_of(const struct ft_level_sample *sample)
{
    return ldexp(sample->size, -(int)sample->level);
}

/* The smallest grid above one, INFINITY where there is none, and its value; false: values of one
 * grid differ. */
static bool next_grid(const struct search *search, double above, double *ret_grid,
                      double *ret_value)
{
    *ret_grid = INFINITY;
    for (size_t i = 0; i < search->count; i++) {
        const double grid = grid_of(&search->samples[i]), value = search->samples[i].value;
        if (grid <= above || grid > *ret_grid)
            continue;
        if (grid == *ret_grid && value != *ret_value)
            return false;
        *ret_grid = grid;
        *ret_value = value;
    }
    return true;
}

/* A value that a few grids change; the largest two are alike. */
static bool find_steps(const struct search *search, struct ft_level_law *ret_law)
{
    double grid = 0, value = 0, last = 0;
    size_t changes = 0, alike = 0;
    *ret_law = (struct ft_level_law){.count = 1, .terms = {ONE}};
    for (bool is_first = true;; is_first = false, last = value) {
        if (!next_grid(search, grid, &grid, &value))
            return false;
        if (isinf(grid))
            break;
        alike++;
        if (is_first)
            ret_law->factors[0] = value;
        if (is_first || value == last)
            continue;
        if (changes == FT_LAW_STEPS)
            return false;
        ret_law->steps[changes++] = (struct ft_law_step){grid, value - last};
        alike = 1;
    }
    return changes && alike >= 2;
}

bool ft_level_law_find(const struct ft_level_sample *samples, size_t count,
                       struct ft_level_law *ret_law)
{
    const struct form one = {1, {ONE}};
    struct search search = {.samples = samples, .count = count};
    while (search.smaller < count && samples[search.smaller].size < samples[count - 1].size)
        search.smaller++;
    for (unsigned t = 0; t < TERMS; t++) {
        search.scales[t] = 1;
        for (size_t i = 0; i < count; i++) {
            search.values[t][i] = term_at(t, &samples[i]);
            search.scales[t] = fmax(search.scales[t], fabs(search.values[t][i]));
        }
    }
    for (unsigned more = 0; more <= 3; more++)
        if (try_sets(&search, &one, ONE + 1, more, ret_law) ||
            (more < 3 && try_odd(&search, more, ret_law)))
            return true;
    for (size_t f = 0; f < sizeof sums / sizeof *sums; f++)
        if (try_form(&search, &sums[f], ret_law))
            return true;
    return find_steps(&search, ret_law);
}
