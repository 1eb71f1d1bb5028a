/*
 * Evaluates terms and functions (basis.h).
 */
#include <math.h>
#include <string.h>

#include "formats/base/common_divisor.h"
#include "formats/model/basis.h"

double ft_alignment(double n, unsigned modulus)
{
    const double rest = fmod(round(fabs(n)), modulus);
    return rest > 0 ? 1 - (double)ft_common_divisor((ft_uint128)rest, modulus) / modulus : 0;
}

/* Pillai's function, the sum of gcd(n, modulus) over all n, is a product over the powers p^k of
 * primes in the modulus: p^(k - 1) ((k + 1) p - k). */
double ft_mean_alignment(unsigned modulus)
{
    double sum = 1;
    unsigned rest = modulus;
    for (unsigned prime = 2; rest > 1; prime++) {
        unsigned power = 1, k = 0;
        for (; rest % prime == 0; rest /= prime, k++)
            power *= prime;
        if (k > 0)
            sum *= (double)power / prime * ((k + 1) * prime - k);
    }
    return 1 - sum / ((double)modulus * modulus);
}

double ft_quotient(const struct ft_quotient *quotient, double n)
{
    return fmax(floor((round(n) + quotient->offset) / quotient->period), 0);
}

double ft_mean_quotient(const struct ft_quotient *quotient, double n)
{
    const double period = quotient->period;
    return fmax((n + quotient->offset - (period - 1) / 2) / period, 1 / period);
}

static double residue_of(double n, double period)
{
    const double rest = fmod(n, period);
    return rest < 0 ? rest + period : rest;
}

/* Whether two training sizes next to each other in residues have both n and the step between them:
 * it may as well be on the other side of n. */
static bool may_step_there(const struct ft_quotient *quotient, const double *training, size_t count,
                           double n)
{
    const double period = quotient->period, step = residue_of(-quotient->offset, period);
    double before = period, after = period; /* from n to the next residues of training sizes */
    for (size_t i = 0; i < count; i++) {
        before = fmin(before, residue_of(n - training[i], period));
        after = fmin(after, residue_of(training[i] - n, period));
    }
    const double behind = residue_of(n - step, period), ahead = residue_of(step - n, period);
    return behind < before || (ahead > 0 && ahead <= after);
}

bool ft_term_is_identifiable(const struct ft_term *term, const double *training, size_t count,
                             double n)
{
    const double period = term->modulus ? term->modulus : term->quotient.period;
    size_t distinct = 0;
    if (period == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first = first && residue_of(training[k] - training[i], period) != 0;
        distinct += first;
        if (residue_of(training[i] - n, period) == 0)
            return true;
    }
    return term->modulus == 0 && distinct >= term->quotient.power + 3U &&
           !may_step_there(&term->quotient, training, count, n);
}

/* Whole powers by multiplication: trip counts are integers, and stay so. */
static double power_of(double value, double exponent)
{
    if (exponent != floor(exponent))
        return pow(value, exponent);
    if (exponent < 0)
        return 1 / power_of(value, -exponent);
    double product = 1;
    for (int i = 0; i < (int)exponent; i++)
        product *= value;
    return product;
}

double ft_basis_base(const struct ft_basis *basis, double value)
{
    return basis->origin > 0 ? fmax(value - basis->origin, 1) : value;
}

static struct ft_point point_at(const struct ft_basis *basis, const double *parameters, bool smooth)
{
    struct ft_point point = {.term_count = basis->term_count};
    double bases[FT_PARAMETERS_MAX];
    memcpy(point.parameters, parameters, basis->parameter_count * sizeof *parameters);
    memcpy(bases, parameters, basis->parameter_count * sizeof *parameters);
    bases[0] = ft_basis_base(basis, parameters[0]);
    for (size_t term = 0; term < basis->term_count; term++) {
        const struct ft_term *from = &basis->terms[term];
        double value = 1;
        for (size_t i = 0; i < basis->parameter_count; i++) {
            value *= power_of(bases[i], from->exponents[i]);
            if (from->logarithms[i] != 0)
                value *= power_of(log2(bases[i]), from->logarithms[i]);
        }
        if (from->modulus != 0)
            value *=
                smooth ? ft_mean_alignment(from->modulus) : ft_alignment(bases[0], from->modulus);
        if (from->quotient.period != 0)
            value *= power_of(smooth ? ft_mean_quotient(&from->quotient, bases[0])
                                     : ft_quotient(&from->quotient, bases[0]),
                              from->quotient.power);
        point.terms[term] = value;
    }
    return point;
}

struct ft_point ft_point_at(const struct ft_basis *basis, const double *parameters)
{
    return point_at(basis, parameters, false);
}

struct ft_point ft_smooth_point_at(const struct ft_basis *basis, const double *parameters)
{
    return point_at(basis, parameters, true);
}

double ft_function_at(const struct ft_function *function, const struct ft_point *at)
{
    double value = 0;
    for (size_t term = 0; term < at->term_count; term++)
        if (function->coefficients[term] != 0)
            value += function->coefficients[term] * at->terms[term];
    return value > 0 ? value : 0;
}

struct ft_function ft_function_add(const struct ft_function *a, const struct ft_function *b,
                                   double factor)
{
    struct ft_function sum = {
        .rms_relative_error = fmax(a->rms_relative_error, b->rms_relative_error),
        .exact = false,
    };
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        sum.coefficients[term] = a->coefficients[term] + factor * b->coefficients[term];
    return sum;
}
