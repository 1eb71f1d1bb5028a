/*
 * The evidence of a size to spare, in bits, is how far counts lie from the best polynomial. But
 * where counts have few values, or steps do, these may be drawn by chance, and a size says no more
 * than which.
 */
#include "fit/functions/evidence.h"

#include <math.h>

#define GROWS_OVER 4.0 /* times the largest size: by how much steps grow at least */
#define GROWS_BY   2.0
#define SAME_STEP  1e-6

/* Bits of a size that confirms a law which no polynomial comes near: integers as far from one
 * as these are agree by chance once in 1 + 2 times their distance. */
static double bits_of_distances(const struct ft_axis *axis,
                                const struct ft_weighted_values *weighted, const double *y,
                                size_t first)
{
    const size_t rows = axis->count - first;
    struct ft_plain_fit plain;
    struct ft_term_set powers = {.count = 0};
    double square_sum = 0;
    for (uint8_t j = 0; j < axis->powers.count && powers.count + 3U <= rows; j++) {
        powers.terms[powers.count++] = axis->powers.terms[j];
        powers.mask |= 1U << axis->powers.terms[j];
    }
    if (!ft_plain_fit(&plain, weighted, &powers))
        return 0;
    for (size_t i = 0; i < rows; i++)
        square_sum += pow(plain.residuals[i] * ft_error_magnitude(y[first + i]), 2);
    return log2(1 + 2 * sqrt(square_sum / (double)(rows - powers.count)));
}

/* Residues of sizes modulo a period, that some size has. */
static size_t count_residues(const struct ft_axis *axis, size_t first, unsigned period)
{
    size_t distinct = 0;
    for (size_t i = first; i < axis->count; i++) {
        bool is_new = true;
        for (size_t k = first; k < i; k++)
            is_new = is_new && fmod(axis->n[i] - axis->n[k], period) != 0;
        distinct += is_new;
    }
    return distinct;
}

/* The largest change that steps of a period make to a function around a size. */
static double step_around(const struct ft_axis *axis, const struct ft_function *function,
                          unsigned period, double n)
{
    double max = 0;
    for (unsigned i = 0; i < period; i++) {
        const double at = n + i;
        const struct ft_point point = ft_point_at(&axis->basis, &at);
        const struct ft_point smooth = ft_smooth_point_at(&axis->basis, &at);
        double difference = 0;
        for (size_t j = 0; j < axis->basis.term_count; j++)
            if (axis->basis.terms[j].quotient.period == period)
                difference += function->coefficients[j] * (point.terms[j] - smooth.terms[j]);
        max = fmax(max, fabs(difference));
    }
    return max;
}

/* Where what depends on a period is bounded, it may as well be one of a few values at random (a
 * number that is printed has a digit more): bits of these. */
static double bits_of_residues(const struct ft_axis *axis, const struct ft_term_set *set,
                               size_t first, const struct ft_function *function)
{
    const double largest = axis->n[axis->count - 1];
    double bits_min = INFINITY;
    for (size_t j = 0; j < set->count; j++) {
        const unsigned period = axis->basis.terms[set->terms[j]].quotient.period;
        if (period == 0)
            continue;
        const double here = step_around(axis, function, period, largest);
        const double beyond = step_around(axis, function, period, GROWS_OVER * largest);
        if (beyond < GROWS_BY * here)
            bits_min = fmin(bits_min, log2((double)count_residues(axis, first, period)));
    }
    return bits_min;
}

/* Where values, or values over n or n^2, recur, a size tells at most which of them it has: bits of
 * that. Tables that double have few values, rows of two lengths few over n. */
static double bits_of_values(const struct ft_axis *axis, const double *y, size_t first)
{
    double bits_min = INFINITY;
    for (int power = 0; power < 3; power++) {
        size_t distinct = 0;
        for (size_t i = first; i < axis->count; i++) {
            bool is_new = true;
            for (size_t k = first; k < i; k++)
                is_new = is_new &&
                         y[i] * pow(axis->bases[k], power) != y[k] * pow(axis->bases[i], power);
            distinct += is_new;
        }
        if (distinct + 1 < axis->count - first)
            bits_min = fmin(bits_min, log2((double)distinct));
    }
    return bits_min;
}

/* Whether steps have two values alone: the sizes have two residues, or what steps do at them is one
 * of two multiples of a power. */
static bool has_two_steps(const struct ft_axis *axis, size_t first,
                          const struct ft_function *function, const struct ft_term_set *set)
{
    double steps[FT_TRAINING_MAX] = {0};
    for (size_t j = 0; j < set->count; j++) {
        const unsigned period = axis->basis.terms[set->terms[j]].quotient.period;
        if (period != 0 && count_residues(axis, first, period) <= 2)
            return true;
        for (size_t i = first; i < axis->count && period != 0; i++) {
            const struct ft_point smooth = ft_axis_point(axis, axis->n[i]);
            steps[i] += function->coefficients[set->terms[j]] *
                        (axis->points[i].terms[set->terms[j]] - smooth.terms[set->terms[j]]);
        }
    }
    for (int power = 0; power < 3; power++) {
        double low = INFINITY, high = -INFINITY;
        size_t between = 0;
        for (size_t i = first; i < axis->count; i++) {
            low = fmin(low, steps[i] / pow(axis->bases[i], power));
            high = fmax(high, steps[i] / pow(axis->bases[i], power));
        }
        for (size_t i = first; i < axis->count; i++) {
            const double step = steps[i] / pow(axis->bases[i], power);
            between += fmin(step - low, high - step) > SAME_STEP * (high - low);
        }
        if (between == 0)
            return true;
    }
    return false;
}

double ft_evidence_bits(const struct ft_axis *axis, const struct ft_weighted_values *weighted,
                        const struct ft_term_set *set, const double *y,
                        const struct ft_function *function)
{
    const size_t first = weighted->first;
    const double rows = (double)(axis->count - first), terms = set->count;
    const double bits =
        fmin(bits_of_distances(axis, weighted, y, first), bits_of_values(axis, y, first));
    double sum = (rows - terms) * fmin(bits, bits_of_residues(axis, set, first, function));
    if (has_two_steps(axis, first, function, set))
        sum = fmin(sum, rows - fmax(terms, 2) + fmax(2 - terms, 0) * bits);
    return sum;
}
