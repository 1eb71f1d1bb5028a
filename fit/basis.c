/*
 * The sets: every subset of {1, N, N^2, N^3}, for loops over arrays; N^4, for what a small size has
 * not yet (columns of a matrix whose rows are shorter than a page: N^3 accesses, a share ~ N of
 * them to the next page); and those with logarithms that sorting, searching and balanced trees
 * produce. More would find a spurious fit among five sizes.
 */
#include "fit/basis.h"

#include <math.h>
#include <stdlib.h>

#define ONE  FT_BASIS_ONE
#define N1   FT_BASIS_N
#define N2   FT_BASIS_N2
#define N3   FT_BASIS_N3
#define N4   FT_BASIS_N4
#define LOG  FT_BASIS_LOG
#define NLOG FT_BASIS_NLOG

const struct ft_term_set ft_term_sets[] = {
    {1, {ONE}},
    {1, {N1}},
    {1, {N2}},
    {1, {N3}},
    {1, {N4}},
    {1, {NLOG}},
    {2, {ONE, N1}},
    {2, {ONE, N2}},
    {2, {ONE, N3}},
    {2, {N1, N2}},
    {2, {N1, N3}},
    {2, {N2, N3}},
    {2, {N2, N4}},
    {2, {N3, N4}},
    {2, {ONE, LOG}},
    {2, {ONE, NLOG}},
    {2, {N1, NLOG}},
    {3, {ONE, N1, N2}},
    {3, {ONE, N1, N3}},
    {3, {ONE, N2, N3}},
    {3, {N1, N2, N3}},
    {3, {N2, N3, N4}},
    {3, {ONE, N1, NLOG}},
    {4, {ONE, N1, N2, N3}},
};
const size_t ft_term_set_count = sizeof ft_term_sets / sizeof *ft_term_sets;

const enum ft_basis ft_basis_by_growth[FT_BASIS_COUNT] = {
    FT_BASIS_ONE, FT_BASIS_LOG, FT_BASIS_N, FT_BASIS_NLOG, FT_BASIS_N2, FT_BASIS_N3, FT_BASIS_N4};

double ft_basis_exponent(enum ft_basis term)
{
    switch (term) {
    case FT_BASIS_N:
    case FT_BASIS_NLOG:
        return 1;
    case FT_BASIS_N2:
        return 2;
    case FT_BASIS_N3:
        return 3;
    case FT_BASIS_N4:
        return 4;
    default:
        return 0;
    }
}

double ft_term_set_at(const struct ft_term_set *set, const double *coefficients,
                      const double terms[FT_BASIS_COUNT])
{
    double value = 0;
    for (size_t j = 0; j < set->count; j++)
        value += coefficients[j] * terms[set->terms[j]];
    return value;
}

int ft_axis_init(struct ft_axis *axis, const double *n, size_t count, struct ft_diag *diag)
{
    *axis = (struct ft_axis){.count = count};
    axis->n = malloc(count * sizeof *axis->n);
    axis->terms = malloc(count * sizeof *axis->terms);
    if (!axis->n || !axis->terms) {
        ft_axis_fini(axis);
        return ft_fail_memory(diag, "the training sizes");
    }
    double largest = n[count - 1];
    double step = pow(FT_GRID_REACH * largest / n[0], 1.0 / (FT_GRID_COUNT - 1));
    axis->grid[0] = n[0];
    for (size_t i = 1; i < FT_GRID_COUNT; i++)
        axis->grid[i] = axis->grid[i - 1] * step;
    for (int term = 0; term < FT_BASIS_COUNT; term++) {
        double top = ft_basis_at((enum ft_basis)term, largest);
        axis->scales[term] = top != 0 ? 1 / top : 1;
        for (size_t i = 0; i < count; i++) {
            axis->n[i] = n[i];
            axis->terms[i][term] = ft_basis_at((enum ft_basis)term, n[i]) * axis->scales[term];
        }
        for (size_t i = 0; i < FT_GRID_COUNT; i++)
            axis->grid_terms[i][term] =
                ft_basis_at((enum ft_basis)term, axis->grid[i]) * axis->scales[term];
    }
    return FT_OK;
}

void ft_axis_fini(struct ft_axis *axis)
{
    free(axis->n);
    free(axis->terms);
    *axis = (struct ft_axis){0};
}
