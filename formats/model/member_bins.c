/* All functions, then all coefficients: those of a function one after the other, by term. */
#include "formats/model/member_bins.h"

#include <stdlib.h>

struct packed {
    double rms_relative_error;
    uint32_t terms; /* bit i: of the basis's term i */
    uint32_t first; /* of its coefficients */
    uint32_t left_out;
    bool exact;
};

struct packed_bin {
    struct packed tail, distance_blocks;
};

struct ft_member_bins {
    size_t count;
    double *coefficients; /* behind the bins */
    struct packed_bin bins[];
};

static uint32_t terms_of(const struct ft_function *function)
{
    uint32_t terms = 0;
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (function->coefficients[term] != 0)
            terms |= 1U << term;
    return terms;
}

static struct packed pack(const struct ft_function *function, double *coefficients, size_t *at)
{
    const struct packed packed = {.rms_relative_error = function->rms_relative_error,
                                  .terms = terms_of(function),
                                  .first = (uint32_t)*at,
                                  .left_out = function->left_out,
                                  .exact = function->exact};
    for (uint32_t terms = packed.terms; terms != 0; terms &= terms - 1)
        coefficients[(*at)++] = function->coefficients[__builtin_ctz(terms)];
    return packed;
}

struct ft_member_bins *ft_member_bins_of(const struct ft_model_bin *bins, size_t count)
{
    size_t coefficients = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        coefficients += (size_t)__builtin_popcount(terms_of(&bins[i].tail)) +
                        (size_t)__builtin_popcount(terms_of(&bins[i].distance_blocks));
    struct ft_member_bins *packed = malloc(sizeof *packed + count * sizeof *packed->bins +
                                           coefficients * sizeof *packed->coefficients);
    if (!packed)
        return NULL;
    packed->count = count;
    packed->coefficients = (double *)(packed->bins + count);
    for (size_t i = 0; i < count; i++) {
        packed->bins[i].tail = pack(&bins[i].tail, packed->coefficients, &at);
        packed->bins[i].distance_blocks = pack(&bins[i].distance_blocks, packed->coefficients, &at);
    }
    return packed;
}

size_t ft_member_bins_count(const struct ft_member_bins *bins)
{
    return bins ? bins->count : 0;
}

static struct ft_function unpack(const struct packed *packed, const double *coefficients)
{
    struct ft_function function = {.rms_relative_error = packed->rms_relative_error,
                                   .left_out = packed->left_out,
                                   .exact = packed->exact};
    const double *from = coefficients + packed->first;
    for (uint32_t terms = packed->terms; terms != 0; terms &= terms - 1)
        function.coefficients[__builtin_ctz(terms)] = *from++;
    return function;
}

struct ft_model_bin ft_member_bin(const struct ft_member_bins *bins, size_t bin)
{
    return (struct ft_model_bin){unpack(&bins->bins[bin].tail, bins->coefficients),
                                 unpack(&bins->bins[bin].distance_blocks, bins->coefficients)};
}

static double value_at(const struct packed *packed, const double *coefficients,
                       const struct ft_point *at)
{
    const double *from = coefficients + packed->first;
    double value = 0;
    for (uint32_t terms = packed->terms; terms != 0; terms &= terms - 1, from++) {
        const size_t term = (size_t)__builtin_ctz(terms);
        if (term < at->term_count)
            value += *from * at->terms[term];
    }
    return value > 0 ? value : 0;
}

double ft_member_tail_at(const struct ft_member_bins *bins, size_t bin, const struct ft_point *at)
{
    return value_at(&bins->bins[bin].tail, bins->coefficients, at);
}

double ft_member_distance_at(const struct ft_member_bins *bins, size_t bin,
                             const struct ft_point *at)
{
    return value_at(&bins->bins[bin].distance_blocks, bins->coefficients, at);
}
