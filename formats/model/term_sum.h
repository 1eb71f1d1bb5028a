/*
 * A sum of terms of parameters as text, "N^3*steps" or "2*N^3+3*N*log2(N)": terms are those of a
 * basis (basis.h), each with a number in front. What a program's work is counted in.
 *
 * Plain values; the names of parameters must outlive them.
 */
#ifndef FT_FORMATS_MODEL_TERM_SUM_H
#define FT_FORMATS_MODEL_TERM_SUM_H

#include "formats/model/basis.h"

struct ft_term_sum {
    struct ft_basis basis;
    double coefficients[FT_BASIS_MAX]; /* of the basis's terms */
};

/* FT_ERROR_USAGE where text is no such sum, or names something else than the parameters, of which
 * there are at most FT_PARAMETERS_MAX. */
int ft_term_sum_read(const char *text, const char *const *parameters, size_t parameter_count,
                     struct ft_term_sum *ret_sum, struct ft_diag *diag);
/* values: of the parameters. May be 0, negative or not finite. */
double ft_term_sum_at(const struct ft_term_sum *sum, const double *values);

#endif
