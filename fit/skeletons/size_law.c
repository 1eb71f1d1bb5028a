#include "fit/skeletons/size_law.h"

#include <math.h>
#include <string.h>

#include "fit/functions/exact.h"
#include "formats/base/common_divisor.h"
#include "formats/model/basis.h"

_Static_assert(FT_SIZED_COEFFICIENTS == FT_EXACT_DEGREE_MAX + 1, "laws are exact polynomials");

bool ft_size_law_find(const double *sizes, const double *values, size_t count,
                      double ret_coefficients[FT_SIZED_COEFFICIENTS])
{
    size_t spare = 0;
    return ft_exact_polynomial(sizes, values, count, ret_coefficients, &spare) && spare > 0;
}

bool ft_size_law_find_change(const double *sizes, const uint64_t *values, size_t count,
                             double ret_coefficients[FT_SIZED_COEFFICIENTS])
{
    double differences[FT_SIZED_SIZES_MAX];
    bool is_constant = true;
    for (size_t s = 0; s < count; s++) {
        differences[s] = (double)(int64_t)(values[s] - values[count - 1]);
        is_constant = is_constant && differences[s] == 0;
    }
    if (!is_constant)
        return ft_size_law_find(sizes, differences, count, ret_coefficients);
    memset(ret_coefficients, 0, FT_SIZED_COEFFICIENTS * sizeof *ret_coefficients);
    return true; /* as most are: not worth a search */
}

#define LAW_MAX 0x1p62
#define NEARLY  1e-6 /* of fractions as they are stored */

double ft_size_polynomial_at(const double coefficients[FT_SIZED_COEFFICIENTS], double size)
{
    double value = 0;
    for (size_t k = FT_SIZED_COEFFICIENTS; k-- > 0;)
        value = value * size + coefficients[k];
    return value;
}

static int64_t as_integer(double value)
{
    return (int64_t)round(fmin(fmax(value, -LAW_MAX), LAW_MAX));
}

int64_t ft_size_law_at(const double coefficients[FT_SIZED_COEFFICIENTS], double size)
{
    return as_integer(ft_size_polynomial_at(coefficients, size));
}

static double law_value(const struct ft_size_law *law, double size)
{
    double value = ft_size_polynomial_at(law->powers, size);
    for (size_t i = 0; i < FT_LAW_QUOTIENTS; i++) {
        const struct ft_law_quotient *part = &law->quotients[i];
        if (part->period == 0)
            continue;
        const struct ft_quotient quotient = {part->offset, part->period, 1};
        const double q = ft_quotient(&quotient, size);
        value += q * (part->factors[0] + part->factors[1] * size + part->factors[2] * q);
    }
    if (ft_law_has_logarithm(law) && size >= 1)
        value += ilogb(size) * (law->logarithms[0] + law->logarithms[1] * size);
    if (ft_law_is_by_level(law) && size >= 1)
        value += ilogb(size) % 2 * (law->odd_logarithms[0] + law->odd_logarithms[1] * size);
    for (size_t i = 0; i < FT_LAW_STEPS; i++)
        value += size >= law->steps[i].from ? law->steps[i].more : 0;
    return value;
}

int64_t ft_law_at(const struct ft_size_law *law, double size)
{
    return as_integer(law_value(law, size));
}

int ft_sized_nest_at(const struct ft_nest *largest, const struct ft_sized_number *numbers,
                     size_t number_count, double size, struct ft_nest *ret_nest,
                     struct ft_diag *diag)
{
    const struct ft_nest_span span = ft_nest_span(largest);
    struct ft_nest nest = {0};
    if (!ft_nest_add(&nest, &span)) {
        ft_nest_fini(&nest);
        return ft_fail_memory(diag, "a loop nest at a size");
    }
    for (size_t i = 0; i < number_count; i++)
        nest.numbers[numbers[i].number] += (uint64_t)ft_law_at(&numbers[i].law, size);
    *ret_nest = nest;
    return FT_OK;
}

bool ft_law_is_whole(const struct ft_size_law *law, double size)
{
    const double value = law_value(law, size);
    return fabs(value - round(value)) < NEARLY * fmax(1, fabs(value) * NEARLY);
}

uint64_t ft_sizes_step(const double *sizes, size_t count)
{
    uint64_t step = 0;
    for (size_t s = 1; s < count; s++)
        step = (uint64_t)ft_common_divisor(step, (uint64_t)fabs(sizes[s] - sizes[0]));
    return step;
}
