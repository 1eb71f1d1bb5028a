/*
 * The axis that models run over: the training sizes, and a grid of points from the smallest of them
 * to FT_GRID_REACH times the largest on which shapes are enforced, with all terms evaluated. And
 * the sets of terms that a fit chooses from.
 *
 * Terms are divided by their value at the largest training size: design matrices stay well scaled.
 * Immutable after init, so any number of threads may share one.
 */
#ifndef FT_FIT_BASIS_H
#define FT_FIT_BASIS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/model.h"

#define FT_GRID_COUNT   40U
#define FT_GRID_REACH   4.0 /* the target is not known when a model is fitted */
#define FT_TERMS_MAX    4U  /* of one function */
#define FT_TRAINING_MAX 64U

struct ft_axis {
    size_t count;
    double *n;                       /* [count], ascending */
    double scales[FT_BASIS_COUNT];   /* 1 / term at the largest size */
    double (*terms)[FT_BASIS_COUNT]; /* [count] */
    double grid[FT_GRID_COUNT];      /* sizes */
    double grid_terms[FT_GRID_COUNT][FT_BASIS_COUNT];
};

int ft_axis_init(struct ft_axis *axis, const double *n, size_t count, struct ft_diag *diag);
void ft_axis_fini(struct ft_axis *axis);

/* Terms by growth, the slowest first, and the power of n in each. */
extern const enum ft_basis ft_basis_by_growth[FT_BASIS_COUNT];
double ft_basis_exponent(enum ft_basis term);

/* A set of terms. */
struct ft_term_set {
    uint8_t count;
    uint8_t terms[FT_TERMS_MAX]; /* enum ft_basis */
};
/* A combination of its terms, all terms being given. */
double ft_term_set_at(const struct ft_term_set *set, const double *coefficients,
                      const double terms[FT_BASIS_COUNT]);
/* All sets that are tried, the fewest terms first. */
extern const struct ft_term_set ft_term_sets[];
extern const size_t ft_term_set_count;

#endif
