/*
 * The greatest common divisor, by Euclid's algorithm; gcd(0, n) is n. Signed numbers count by their
 * magnitude.
 */
#ifndef FT_FORMATS_BASE_COMMON_DIVISOR_H
#define FT_FORMATS_BASE_COMMON_DIVISOR_H

__extension__ typedef __int128 ft_int128;
__extension__ typedef unsigned __int128 ft_uint128;

static inline ft_uint128 ft_magnitude(ft_int128 value)
{
    return value < 0 ? -(ft_uint128)value : (ft_uint128)value;
}

static inline ft_uint128 ft_common_divisor(ft_uint128 a, ft_uint128 b)
{
    while (b) {
        ft_uint128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
