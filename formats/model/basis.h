/*
 * The terms that a model's functions are combinations of: products of powers and of powers of
 * logarithms of its parameters, such as N^2*log2(N) or N*M^(1/2); with several parameters powers
 * may be below 0, such as N^2*T^-1. A basis is a list of them, the
 * constant first, the others by growth. As text, in files and options, factors stand between '*':
 * N, N^3, N^0.5, N^(1/3), sqrt(N), log2(N), log(N)^2 (logarithms of other bases differ by a factor
 * alone and are taken for log2), align(N,8).
 *
 * align(N,L) = 1 - gcd(N,L)/L is how badly rows of N elements are aligned to lines of L: 0 where
 * they all start like the first, more the more places in a line they start at. With it polynomials
 * become quasi-polynomials. So they do with floor(N/L), ceil(N/L) and floor((N+k)/L), the
 * iterations of a loop that takes L elements at a time, over the N + k that there are; not below 0.
 * Only the parameter of a model of one has them.
 *
 * A basis of one parameter may have an origin, which stands in each of its terms: (s-86848)^1.5.
 * Data that grow are counted from what does not grow (fit/data_origin.h).
 *
 * Plain values without ownership, but for the names of parameters, which must outlive a basis.
 */
#ifndef FT_FORMATS_MODEL_BASIS_H
#define FT_FORMATS_MODEL_BASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_PARAMETERS_MAX 3U
#define FT_BASIS_MAX      24U /* terms: sets of them are masks of 32 bits */
#define FT_TERM_TEXT      128 /* bytes that a term fits in */

/* floor((n + offset) / period)^power; period 0: none. ceil(n / period) has offset period - 1. */
struct ft_quotient {
    int16_t offset;
    uint16_t period;
    uint8_t power;
};

struct ft_term {
    double exponents[FT_PARAMETERS_MAX];   /* of each parameter */
    uint8_t logarithms[FT_PARAMETERS_MAX]; /* the power of log2 of each parameter */
    uint16_t modulus;                      /* times align(first parameter, modulus); 0: not */
    struct ft_quotient quotient;           /* times this, of the first parameter */
};

/* What functions may look like while they are fitted (fit/functions/shape.h), where a user says
 * more than that. */
enum ft_shape {
    FT_SHAPE_CONVEX = 1U << 0,
    FT_SHAPE_CONCAVE = 1U << 1,
    FT_SHAPE_RISING = 1U << 2,
    FT_SHAPE_FALLING = 1U << 3,
    FT_SHAPE_ANY = 1U << 4, /* nothing is held to */
};

struct ft_basis {
    uint32_t shape; /* of enum ft_shape, 0: none was asked for; files do not keep it */
    size_t parameter_count;
    const char *parameters[FT_PARAMETERS_MAX];
    double origin; /* of the first parameter: terms are of what it is above that; 0: of itself */
    size_t term_count;
    struct ft_term terms[FT_BASIS_MAX];
};

/* {1, log2 N, N, N log2 N, N^2, N^3, N^4}: what loops over arrays make, and sorting, searching and
 * balanced trees. */
struct ft_basis ft_basis_default(const char *parameter);
/* The constant alone. */
struct ft_basis ft_basis_of(const char *const *parameters, size_t count);
/* The constant and the terms of a list, such as "N,N^2*log2(N)": at most FT_CHOSEN_TERMS_MAX, so
 * that all sets of them can be tried. */
#define FT_CHOSEN_TERMS_MAX 12U
int ft_basis_add_list(struct ft_basis *basis, const char *list, struct ft_diag *diag);
int ft_basis_read(struct ft_basis *ret_basis, const char *parameter, const char *list,
                  struct ft_diag *diag);
/* FT_ERROR_USAGE where text is no term of the basis's parameters, or the basis is full; a term that
 * is there already changes nothing. */
int ft_basis_add(struct ft_basis *basis, const char *text, struct ft_diag *diag);
/* Puts a term in its place, if it is not there, and gives that; FT_BASIS_MAX where all is full. */
size_t ft_basis_insert(struct ft_basis *basis, const struct ft_term *term);
/* The place of a term; the count where it is not there. */
size_t ft_basis_find(const struct ft_basis *basis, const struct ft_term *term);
/* "N^2*log2(N)"; "1" of the constant. */
char *ft_term_text(char text[FT_TERM_TEXT], const struct ft_basis *basis, size_t term);
/* The sum of its exponents: how it grows. */
double ft_term_exponent(const struct ft_term *term);
/* The constant first, then by growth, where all parameters grow alike: below, at or above 0. */
int ft_term_compare(const struct ft_term *a, const struct ft_term *b);
bool ft_term_has_logarithm(const struct ft_term *term);
/* align(n, modulus), of n rounded to integers. */
double ft_alignment(double n, unsigned modulus);
/* Its mean over all n. */
double ft_mean_alignment(unsigned modulus);
/* floor((n + offset) / period), of n rounded, without the power; and where it runs without steps.
 */
double ft_quotient(const struct ft_quotient *quotient, double n);
double ft_mean_quotient(const struct ft_quotient *quotient, double n);
/* Whether a term's steps at a size are told by the training sizes. Of an alignment: the size has a
 * residue that one of them has. Of a quotient that as well; or they have more residues than its
 * powers need, and two to spare, and the step does not lie between two of them with n between. */
bool ft_term_is_identifiable(const struct ft_term *term, const double *training, size_t count,
                             double n);
/* The term parameter^exponent, of the first parameter; the count where there is none. */
size_t ft_basis_power(const struct ft_basis *basis, double exponent);

/* Values of the parameters, and of all terms there. Parameters must be above 0; terms of one that
 * is not above the basis's origin are those of 1 above it. */
struct ft_point {
    double parameters[FT_PARAMETERS_MAX];
    size_t term_count;
    double terms[FT_BASIS_MAX];
};
struct ft_point ft_point_at(const struct ft_basis *basis, const double *parameters);
/* What powers are of, of a value of the first parameter: what it is above the origin. */
double ft_basis_base(const struct ft_basis *basis, double value);
/* The same with all alignments and quotients at their means: functions then run smoothly between
 * sizes. */
struct ft_point ft_smooth_point_at(const struct ft_basis *basis, const double *parameters);

struct ft_function {
    double coefficients[FT_BASIS_MAX]; /* of the basis's terms, 0 beyond them */
    double rms_relative_error;         /* over the training sizes that it was fitted to */
    uint32_t left_out; /* that many smallest training sizes, which follow another law */
    bool exact; /* passes through every training count, coefficients are small fractions, and at
                   least one size was left over to verify it */
};
/* The value at a point, not below 0. */
double ft_function_at(const struct ft_function *function, const struct ft_point *at);
/* a + factor * b, term by term. */
struct ft_function ft_function_add(const struct ft_function *a, const struct ft_function *b,
                                   double factor);

#endif
