/*
 * Exact laws of integers, such as the bytes of a message, over what may be known of a rank: sums of
 * products of variables with fractions as coefficients, the fewest terms first. A law is confirmed
 * by at least one sample more than it has terms. Where several laws of the same simplicity go
 * through all samples and differ where they will be asked (the probes), none of them is known to be
 * right. Pure and thread safe.
 */
#ifndef FT_PREDICT_RANKS_LAWS_EXACT_LAW_H
#define FT_PREDICT_RANKS_LAWS_EXACT_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_LAW_VARIABLES_MAX 40U
#define FT_LAW_FACTORS_MAX   3U
#define FT_LAW_TERMS_MAX     4U

struct ft_law_variables {
    unsigned count;
    char names[FT_LAW_VARIABLES_MAX][24];
    bool is_size[FT_LAW_VARIABLES_MAX]; /* of which three may be multiplied, of others two */
};
struct ft_law_point {
    int64_t values[FT_LAW_VARIABLES_MAX];
};

struct ft_law_term {
    int64_t numerator;
    uint8_t factors[FT_LAW_FACTORS_MAX]; /* variables */
    uint8_t factor_count;                /* 0: of a constant */
};
struct ft_exact_law {
    struct ft_law_term terms[FT_LAW_TERMS_MAX];
    unsigned term_count;
    int64_t denominator;
};

/* How many laws are tried. */
enum ft_law_effort {
    FT_LAW_LINES,    /* a constant, a variable, or both */
    FT_LAW_PRODUCTS, /* one product, or one and a constant */
    FT_LAW_ALL
};
struct ft_law_question {
    enum ft_law_effort effort;
    const struct ft_law_variables *variables;
    const struct ft_law_point *points; /* [count] */
    const int64_t *values;             /* [count] */
    size_t count;
    const struct ft_law_point *probes; /* [probe_count]: where laws must agree */
    size_t probe_count;
};
enum ft_law_answer { FT_LAW_FOUND, FT_LAW_NONE, FT_LAW_AMBIGUOUS };

int ft_exact_law_find(const struct ft_law_question *question, enum ft_law_answer *ret_answer,
                      struct ft_exact_law *ret_law, struct ft_diag *diag);
/* False where it is no integer, or beyond 2^63. */
bool ft_exact_law_at(const struct ft_exact_law *law, const struct ft_law_point *point,
                     int64_t *ret_value);
struct ft_exact_law ft_exact_law_constant(int64_t value);
bool ft_exact_law_is_constant(const struct ft_exact_law *law);

/* "8*n1*n2 + 4". */
#define FT_LAW_TEXT 160
char *ft_exact_law_text(char text[FT_LAW_TEXT], const struct ft_exact_law *law,
                        const struct ft_law_variables *variables);

#endif
