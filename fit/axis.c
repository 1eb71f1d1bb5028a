/*
 * The sets of the default basis: every subset of {1, N, N^2, N^3}, for loops over arrays; N^4, for
 * what a small size has not yet (columns of a matrix whose rows are shorter than a page: N^3
 * accesses, a share ~ N of them to the next page); and those with logarithms that sorting,
 * searching and balanced trees produce. More would find a spurious fit among five sizes. Of a basis
 * that a user chose, every subset: those terms are what is known; of many terms, up to three.
 */
#include "fit/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define FEW_TERMS 6 /* of which all sets are tried */

/* Places in the default basis. */
#define ONE  (1U << 0)
#define LOG  (1U << 1)
#define N1   (1U << 2)
#define NLOG (1U << 3)
#define N2   (1U << 4)
#define N3   (1U << 5)
#define N4   (1U << 6)

static const uint32_t default_sets[] = {
    ONE,
    N1,
    N2,
    N3,
    N4,
    NLOG,
    ONE | N1,
    ONE | N2,
    ONE | N3,
    N1 | N2,
    N1 | N3,
    N2 | N3,
    N2 | N4,
    N3 | N4,
    ONE | LOG,
    ONE | NLOG,
    N1 | NLOG,
    ONE | N1 | N2,
    ONE | N1 | N3,
    ONE | N2 | N3,
    N1 | N2 | N3,
    N2 | N3 | N4,
    ONE | N1 | NLOG,
    ONE | N1 | N2 | N3,
};

static struct ft_term_set set_of(uint32_t mask)
{
    struct ft_term_set set = {.mask = mask};
    for (uint8_t term = 0; term < FT_BASIS_MAX; term++)
        if (mask >> term & 1)
            set.terms[set.count++] = term;
    return set;
}

static bool is_default(const struct ft_basis *basis)
{
    struct ft_basis known = ft_basis_default(basis->parameters[0]);
    return basis->parameter_count == 1 && basis->term_count == known.term_count &&
           memcmp(basis->terms, known.terms, known.term_count * sizeof *known.terms) == 0;
}

static int list_sets(struct ft_axis *axis, struct ft_diag *diag)
{
    size_t capacity = 0, listed = sizeof default_sets / sizeof *default_sets;
    const bool known = !axis->chosen;
    uint32_t all = (uint32_t)((UINT64_C(1) << axis->basis.term_count) - 1);
    int most = known || axis->basis.term_count <= FEW_TERMS ? (int)FT_TERMS_MAX : 3;
    for (int count = 1; count <= most; count++) {
        for (uint32_t i = 1; known ? i <= listed : i <= all; i++) {
            uint32_t mask = known ? default_sets[i - 1] : i;
            if (__builtin_popcount(mask) != count)
                continue;
            if (!FT_RESERVE(axis->sets, capacity, axis->set_count + 1))
                return ft_fail_memory(diag, "the terms of a fit");
            axis->sets[axis->set_count++] = set_of(mask);
        }
    }
    return FT_OK;
}

/* The whole powers of the one parameter, the FT_TERMS_MAX lowest ones. */
static struct ft_term_set powers_of(const struct ft_basis *basis)
{
    uint32_t mask = 0;
    for (unsigned power = 0; power < FT_TERMS_MAX; power++) {
        size_t term = ft_basis_power(basis, power);
        if (term < basis->term_count)
            mask |= 1U << term;
    }
    return set_of(mask);
}

double ft_term_set_at(const struct ft_term_set *set, const double *coefficients,
                      const double terms[FT_BASIS_MAX])
{
    double value = 0;
    for (size_t j = 0; j < set->count; j++)
        value += coefficients[j] * terms[set->terms[j]];
    return value;
}

struct ft_point ft_axis_point(const struct ft_axis *axis, double n)
{
    return ft_point_at(&axis->basis, &n);
}

static void scale_terms(const struct ft_axis *axis, const struct ft_point *point,
                        double terms[FT_BASIS_MAX])
{
    for (size_t term = 0; term < axis->basis.term_count; term++)
        terms[term] = point->terms[term] * axis->scales[term];
}

int ft_axis_init(struct ft_axis *axis, const struct ft_basis *basis, const double *n, size_t count,
                 struct ft_diag *diag)
{
    *axis = (struct ft_axis){.basis = basis ? *basis : ft_basis_default(""), .count = count};
    axis->n = malloc(count * sizeof *axis->n);
    axis->points = malloc(count * sizeof *axis->points);
    axis->terms = calloc(count, sizeof *axis->terms);
    int status =
        axis->n && axis->points && axis->terms ? FT_OK : ft_fail_memory(diag, "the training sizes");
    axis->chosen = !is_default(&axis->basis);
    if (status == FT_OK)
        status = list_sets(axis, diag);
    if (status < 0) {
        ft_axis_fini(axis);
        return status;
    }
    struct ft_point largest = ft_axis_point(axis, n[count - 1]);
    for (size_t term = 0; term < axis->basis.term_count; term++)
        axis->scales[term] = largest.terms[term] != 0 ? 1 / largest.terms[term] : 1;
    for (size_t i = 0; i < count; i++) {
        axis->n[i] = n[i];
        axis->points[i] = ft_axis_point(axis, n[i]);
        scale_terms(axis, &axis->points[i], axis->terms[i]);
    }
    axis->beyond = ft_axis_point(axis, FT_GRID_REACH * n[count - 1]);
    double step = pow(FT_GRID_REACH * n[count - 1] / n[0], 1.0 / (FT_GRID_COUNT - 1));
    for (size_t i = 0; i < FT_GRID_COUNT; i++) {
        axis->grid[i] = i > 0 ? axis->grid[i - 1] * step : n[0];
        struct ft_point point = ft_axis_point(axis, axis->grid[i]);
        scale_terms(axis, &point, axis->grid_terms[i]);
    }
    for (size_t i = 1; i + 1 < FT_GRID_COUNT; i++)
        axis->grid_shares[i] =
            (axis->grid[i] - axis->grid[i - 1]) / (axis->grid[i + 1] - axis->grid[i - 1]);
    axis->powers = powers_of(&axis->basis);
    return FT_OK;
}

int ft_axis_leave_out(const struct ft_axis *axis, size_t size, struct ft_axis *ret_axis,
                      struct ft_diag *diag)
{
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    size_t kept = 0, width = axis->basis.parameter_count;
    for (size_t k = 0; k < axis->count; k++)
        if (k != size)
            memcpy(&values[width * kept++], axis->points[k].parameters, width * sizeof *values);
    return ft_axis_init(ret_axis, &axis->basis, values, kept, diag);
}

void ft_axis_fini(struct ft_axis *axis)
{
    free(axis->n);
    free(axis->points);
    free(axis->terms);
    free(axis->sets);
    *axis = (struct ft_axis){0};
}
