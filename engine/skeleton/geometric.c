#include "engine/skeleton/geometric.h"

#define EXPONENT_MAX 3U /* what is halved in up to three dimensions */
/* Of second differences: beyond, factors of them may be. */
#define DIFFERENCE_MAX (INT64_C(1) << 52)

/* The c of numbers whose first second difference is given: c (2^e - 1)^2; false: no integer. */
static bool find_power(int64_t difference, int64_t exponent, int64_t *ret_power)
{
    const int64_t factor = INT64_C(1) << (exponent < 0 ? -exponent : exponent);
    const int64_t square = (factor - 1) * (factor - 1);
    *ret_power = difference / square * (exponent < 0 ? factor * factor : 1);
    return difference % square == 0;
}

/* Of one number, with a given e. */
static bool find_number(const uint64_t values[FT_GEOMETRIC_MIN], int64_t exponent,
                        uint64_t ret_row[FT_NEST_GEOMETRIC_ROWS])
{
    const struct ft_nest_element element = {.kind = FT_NEST_GEOMETRIC, .body = 1};
    const int64_t difference = (int64_t)(values[2] - 2 * values[1] + values[0]);
    int64_t power = 0;
    if (difference >= DIFFERENCE_MAX || difference <= -DIFFERENCE_MAX ||
        (exponent && !find_power(difference, exponent, &power)))
        return false;
    ret_row[FT_NEST_FIRST] = values[0];
    ret_row[FT_NEST_POWERS] = (uint64_t)power;
    ret_row[FT_NEST_EXPONENTS] = (uint64_t)exponent;
    ret_row[FT_NEST_STEPS] = values[1] - values[0] + (uint64_t)power -
                             ft_nest_scaled((uint64_t)power, (uint64_t)exponent, 1);
    for (uint64_t i = 0; i < FT_GEOMETRIC_MIN; i++)
        if (ft_nest_number_at(&element, ret_row, 0, i) != values[i])
            return false;
    return true;
}

/* All numbers, with e that are 0 or of one size. */
static bool find_all(const uint64_t *const iterations[FT_GEOMETRIC_MIN], size_t number_count,
                     int64_t exponent, uint64_t *ret_rows)
{
    for (size_t k = 0; k < number_count; k++) {
        uint64_t values[FT_GEOMETRIC_MIN], row[FT_NEST_GEOMETRIC_ROWS];
        for (size_t i = 0; i < FT_GEOMETRIC_MIN; i++)
            values[i] = iterations[i][k];
        if (!find_number(values, 0, row) && !find_number(values, exponent, row) &&
            !find_number(values, -exponent, row))
            return false;
        for (size_t r = 0; r < FT_NEST_GEOMETRIC_ROWS; r++)
            ret_rows[r * number_count + k] = row[r];
    }
    return true;
}

bool ft_geometric_find(const uint64_t *const iterations[FT_GEOMETRIC_MIN], size_t number_count,
                       uint64_t *ret_rows)
{
    for (int64_t exponent = 1; exponent <= EXPONENT_MAX; exponent++)
        if (find_all(iterations, number_count, exponent, ret_rows))
            return true;
    return false;
}
