/*
 * A convex or concave function is flattest at one end of the grid and lowest at one end: there it
 * must rise and must not be negative. Each inner grid point lies below the straight line between
 * its neighbours, or above. That is one row for each point of the grid.
 */
#include "fit/functions/shape.h"

#include <math.h>
#include <string.h>

#define STRAIGHT 1e-13 /* of a term: rounding alone */
#define SLACK    1e-9  /* of the largest value */

int ft_shape_read(const char *text, uint32_t *ret_shape, struct ft_diag *diag)
{
    static const char *const names[] = {"convex", "concave", "rising", "falling", "any"};
    uint32_t shape = 0;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ","), i = 0;
        while (i < 5 && (strlen(names[i]) != length || strncmp(word, names[i], length) != 0))
            i++;
        if (i == 5)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "unknown shape '%.*s': must be one of convex, concave, rising, "
                           "falling, any",
                           (int)(length < 40 ? length : 40), word);
        shape |= 1U << i;
        word += length;
        if (!*word)
            break;
    }
    const uint32_t bends = FT_SHAPE_CONVEX | FT_SHAPE_CONCAVE;
    const uint32_t slopes = FT_SHAPE_RISING | FT_SHAPE_FALLING;
    if ((shape & bends) == bends || (shape & slopes) == slopes ||
        ((shape & FT_SHAPE_ANY) && shape != FT_SHAPE_ANY))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "'%.60s' is contradictory: give at most one of convex and concave, "
                       "and one of rising and falling",
                       text);
    *ret_shape = shape;
    return FT_OK;
}

bool ft_shape_falls(const struct ft_axis *axis, double first, double last)
{
    if (axis->basis.shape & (FT_SHAPE_RISING | FT_SHAPE_FALLING))
        return axis->basis.shape & FT_SHAPE_FALLING;
    return last < first;
}

bool ft_shape_may_bend(const struct ft_axis *axis, enum ft_bend bend)
{
    return !(axis->basis.shape & (bend == FT_BEND_CONVEX ? FT_SHAPE_CONCAVE : FT_SHAPE_CONVEX));
}

/* How far grid point i lies above the straight line between its neighbours. */
static double bulge(const struct ft_axis *axis, size_t i, double before, double here, double after)
{
    return here - (before + axis->grid_shares[i] * (after - before));
}

static double value_at(const struct ft_axis *axis, const struct ft_term_set *set,
                       const double *coefficients, size_t i)
{
    double value = coefficients[0] * axis->grid_terms[set->terms[0]][i];
    for (size_t j = 1; j < set->count; j++)
        value += coefficients[j] * axis->grid_terms[set->terms[j]][i];
    return value;
}

/* The same of all points. */
static void fill_values(const struct ft_axis *axis, const struct ft_term_set *set,
                        const double *coefficients, double values[FT_GRID_COUNT])
{
    for (size_t i = 0; i < FT_GRID_COUNT; i++)
        values[i] = coefficients[0] * axis->grid_terms[set->terms[0]][i];
    for (size_t j = 1; j < set->count; j++)
        for (size_t i = 0; i < FT_GRID_COUNT; i++)
            values[i] += coefficients[j] * axis->grid_terms[set->terms[j]][i];
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Most that have a shape are sums of terms that have it. */
static bool is_convex_sum(const struct ft_axis *axis, const struct ft_term_set *set,
                          const double *coefficients)
{
    bool convex = true;
    for (size_t j = 0; j < set->count; j++)
        convex = convex && coefficients[j] >= 0 && (axis->convex >> set->terms[j] & 1);
    return convex;
}

/* Most that have no shape turn at an end. */
static bool turns_at_an_end(const struct ft_axis *axis, const struct ft_term_set *set,
                            const double *coefficients, double sign)
{
    const size_t last = FT_GRID_COUNT - 1, points[] = {0, 1, last - 1, last};
    double values[4], largest = 0;
    for (size_t i = 0; i < 4; i++) {
        values[i] = value_at(axis, set, coefficients, points[i]);
        largest = larger(largest, fabs(values[i]));
    }
    double off = larger(-values[0], -values[3]);
    off = larger(off, sign * (values[0] - values[1]));
    off = larger(off, sign * (values[2] - values[3]));
    return off > SLACK * largest;
}

bool ft_shape_holds(const struct ft_axis *axis, const struct ft_term_set *set,
                    const double *coefficients, bool falling)
{
    double values[FT_GRID_COUNT], largest = 0, off = 0, up = 0, down = 0;
    const double sign = falling ? -1 : 1;
    if (axis->basis.shape & FT_SHAPE_ANY)
        return true;
    if (!falling && ft_shape_may_bend(axis, FT_BEND_CONVEX) &&
        is_convex_sum(axis, set, coefficients))
        return true;
    if (turns_at_an_end(axis, set, coefficients, sign))
        return false;
    fill_values(axis, set, coefficients, values);
    for (size_t i = 0; i < FT_GRID_COUNT; i++) {
        largest = larger(largest, fabs(values[i]));
        off = larger(off, -values[i]);
        if (i > 0)
            off = larger(off, sign * (values[i - 1] - values[i]));
    }
    if (off > SLACK * largest)
        return false;
    for (size_t i = 1; i + 1 < FT_GRID_COUNT; i++) {
        double out = bulge(axis, i, values[i - 1], values[i], values[i + 1]);
        up = larger(up, out);
        down = larger(down, -out);
    }
    return (ft_shape_may_bend(axis, FT_BEND_CONVEX) && up <= SLACK * largest) ||
           (ft_shape_may_bend(axis, FT_BEND_CONCAVE) && down <= SLACK * largest);
}

/* A straight term has none: constraints are scaled to length 1, and rounding would become one. */
static double term_bulge(const struct ft_axis *axis, const double *term, size_t i)
{
    double out = bulge(axis, i, term[i - 1], term[i], term[i + 1]);
    return fabs(out) > STRAIGHT * fabs(term[i + 1]) ? out : 0;
}

void ft_shape_constraint(const struct ft_axis *axis, const struct ft_term_set *set, bool falling,
                         enum ft_bend bend, size_t point, double *ret_constraint)
{
    const size_t last = FT_GRID_COUNT - 1, lowest = falling ? last : 0;
    const size_t flattest = (bend == FT_BEND_CONVEX) == falling ? last : 1;
    for (size_t j = 0; j < set->count; j++) {
        const double *term = axis->grid_terms[set->terms[j]];
        if (point == 0)
            ret_constraint[j] = term[lowest];
        else if (point == last)
            ret_constraint[j] = (falling ? -1 : 1) * (term[flattest] - term[flattest - 1]);
        else
            ret_constraint[j] = -bend * term_bulge(axis, term, point);
    }
}

void ft_shape_constrain(const struct ft_axis *axis, const struct ft_term_set *set, bool falling,
                        enum ft_bend bend, gsl_matrix *constraints)
{
    for (size_t i = 0; i < FT_GRID_COUNT; i++)
        ft_shape_constraint(axis, set, falling, bend, i, gsl_matrix_ptr(constraints, i, 0));
}
