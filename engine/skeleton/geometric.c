#include "engine/skeleton/geometric.h"

#define EXPONENT_MAX 3 /* what is halved in up to three dimensions */

static bool is_row_of(const uint64_t values[FT_GEOMETRIC_MIN],
                      const uint64_t row[FT_NEST_GEOMETRIC_ROWS])
{
    const struct ft_nest_element element = {.kind = FT_NEST_GEOMETRIC, .body = 1};
    for (uint64_t i = 0; i < FT_GEOMETRIC_MIN; i++)
        if (ft_nest_number_at(&element, row, 0, i) != values[i])
            return false;
    return true;
}

/* With b and c, of a given e or 0: increments differ by c (2^e - 1) at first. */
static bool find_power(const uint64_t values[FT_GEOMETRIC_MIN], int64_t exponent,
                       uint64_t ret_row[FT_NEST_GEOMETRIC_ROWS])
{
    const int64_t step = (int64_t)(values[1] - values[0]);
    const int64_t change = (int64_t)(values[2] - values[1] - (uint64_t)step);
    const int64_t factor = INT64_C(1) << (exponent < 0 ? -exponent : exponent);
    int64_t power = exponent ? change / (factor - 1) : 0;
    if (exponent < 0)
        power = (int64_t)(0 - (uint64_t)power * (uint64_t)factor);
    ret_row[FT_NEST_FIRST] = values[0];
    ret_row[FT_NEST_STEPS] = (uint64_t)step - (uint64_t)power;
    ret_row[FT_NEST_POWERS] = (uint64_t)power;
    ret_row[FT_NEST_SQUARES] = 0;
    ret_row[FT_NEST_EXPONENTS] = (uint64_t)exponent;
    return is_row_of(values, ret_row);
}

/* With c and d, of e = 1 or -1: increments are c + d, then 2 c + 4 d, or c / 2 + d / 4. */
static bool find_squares(const uint64_t values[FT_GEOMETRIC_MIN], int64_t exponent,
                         uint64_t ret_row[FT_NEST_GEOMETRIC_ROWS])
{
    const uint64_t step = values[1] - values[0], next = values[2] - values[1];
    const uint64_t square =
        exponent > 0 ? (uint64_t)((int64_t)(next - 2 * step) / 2) : 2 * step - 4 * next;
    ret_row[FT_NEST_FIRST] = values[0];
    ret_row[FT_NEST_STEPS] = 0;
    ret_row[FT_NEST_POWERS] = step - square;
    ret_row[FT_NEST_SQUARES] = square;
    ret_row[FT_NEST_EXPONENTS] = (uint64_t)exponent;
    return is_row_of(values, ret_row);
}

static bool find_number(const uint64_t values[FT_GEOMETRIC_MIN],
                        uint64_t ret_row[FT_NEST_GEOMETRIC_ROWS])
{
    bool found = find_power(values, 0, ret_row);
    for (int64_t exponent = 1; !found && exponent <= EXPONENT_MAX; exponent++)
        found = find_power(values, exponent, ret_row) || find_power(values, -exponent, ret_row);
    return found || find_squares(values, 1, ret_row) || find_squares(values, -1, ret_row);
}

bool ft_geometric_find(const uint64_t *const iterations[FT_GEOMETRIC_MIN], size_t number_count,
                       uint64_t *ret_rows)
{
    for (size_t k = 0; k < number_count; k++) {
        uint64_t values[FT_GEOMETRIC_MIN], row[FT_NEST_GEOMETRIC_ROWS];
        for (size_t i = 0; i < FT_GEOMETRIC_MIN; i++)
            values[i] = iterations[i][k];
        if (!find_number(values, row))
            return false;
        for (size_t r = 0; r < FT_NEST_GEOMETRIC_ROWS; r++)
            ret_rows[r * number_count + k] = row[r];
    }
    return true;
}
