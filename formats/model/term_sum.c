/* Cut at each '+' outside of brackets; a number up to a '*', or alone, is a coefficient. */
#include "formats/model/term_sum.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

/* The bytes of the first summand. A '+' behind an 'e' of a number is none in practice: nobody
 * counts work as 1e+3*N. */
static size_t summand_length(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] && (depth > 0 || text[length] != '+'); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* A number in front of a '*', or 1; gives the term behind it, of a number alone the constant. */
static const char *read_coefficient(const char *text, double *ret_coefficient)
{
    const char *end = text;
    double number;
    *ret_coefficient = 1;
    if (!ft_read_double(&end, &number))
        return text;
    end = skip_blanks(end);
    if (*end && *end != '*')
        return text;
    *ret_coefficient = number;
    return *end ? end + 1 : "1";
}

static int read_summand(const char *text, const struct ft_basis *parameters,
                        struct ft_term *ret_term, double *ret_coefficient, struct ft_diag *diag)
{
    struct ft_basis one = *parameters;
    one.term_count = 0;
    FT_TRY(ft_basis_add(&one, read_coefficient(skip_blanks(text), ret_coefficient), diag));
    *ret_term = one.terms[0];
    return FT_OK;
}

int ft_term_sum_read(const char *text, const char *const *parameters, size_t parameter_count,
                     struct ft_term_sum *ret_sum, struct ft_diag *diag)
{
    struct ft_term_sum sum = {.basis = ft_basis_of(parameters, parameter_count)};
    struct ft_term terms[FT_BASIS_MAX];
    double coefficients[FT_BASIS_MAX];
    size_t count = 0;
    int status = FT_OK;
    for (bool more = true; status == FT_OK && more; count++) {
        const size_t length = summand_length(text);
        if (count + 1 >= FT_BASIS_MAX)
            return ft_fail(diag, FT_ERROR_USAGE, "more than %u terms", FT_BASIS_MAX - 2);
        char *summand = strndup(text, length);
        status = summand
                     ? read_summand(summand, &sum.basis, &terms[count], &coefficients[count], diag)
                     : ft_fail_memory(diag, text);
        free(summand);
        more = text[length] == '+';
        text += length + more;
    }
    if (status != FT_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        ft_basis_insert(&sum.basis, &terms[i]);
    for (size_t i = 0; i < count; i++)
        sum.coefficients[ft_basis_find(&sum.basis, &terms[i])] += coefficients[i];
    *ret_sum = sum;
    return FT_OK;
}

double ft_term_sum_at(const struct ft_term_sum *sum, const double *values)
{
    const struct ft_point at = ft_point_at(&sum->basis, values);
    double total = 0;
    for (size_t i = 0; i < sum->basis.term_count; i++)
        total += sum->coefficients[i] * at.terms[i];
    return total;
}
