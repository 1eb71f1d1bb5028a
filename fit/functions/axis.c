/*
 * The sets of the default basis: every subset of {1, N, N^2, N^3}, for loops over arrays; N^4, for
 * what a small size does not show yet (columns of a matrix whose rows are shorter than a page: N^3
 * accesses, a share ~ N of them to the next page); and those with logarithms, which sorting,
 * searching and balanced trees produce; and, of sizes that double, transforms (doubling.h). More
 * sets would find a spurious fit among five sizes. For a basis that a user chose, every subset, as
 * those terms are known; of many terms, subsets of up to three.
 */
#include "fit/functions/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/alignment.h"
#include "fit/functions/cross_terms.h"
#include "fit/functions/doubling.h"
#include "formats/base/array.h"

#define FEW_TERMS   6 /* of which all sets are tried */
#define TERMS_TRIED 4 /* of a set of them */

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

static uint32_t periodic_terms(const struct ft_basis *basis)
{
    return ft_alignment_terms(basis) | ft_quotient_terms(basis);
}

/* The default basis of its parameters, but for terms that the training sizes add. */
static bool is_default(const struct ft_axis *axis)
{
    const struct ft_basis *basis = &axis->basis;
    struct ft_basis known = ft_basis_default(basis->parameters[0]);
    if (basis->parameter_count > 1)
        known = ft_cross_basis(basis->parameters, basis->parameter_count, axis->distinct);
    size_t found = (size_t)__builtin_popcount(periodic_terms(basis) | ft_doubling_terms(basis));
    if (basis->term_count != known.term_count + found)
        return false;
    for (size_t i = 0; i < known.term_count; i++)
        if (ft_basis_find(basis, &known.terms[i]) == basis->term_count)
            return false;
    return true;
}

/* A list of sets that is being made. */
struct listing {
    struct ft_axis *axis;
    size_t capacity;
    struct ft_diag *diag;
};

static int list_set(void *context, uint32_t mask)
{
    struct listing *listing = context;
    struct ft_axis *axis = listing->axis;
    for (size_t i = 0; i < axis->set_count; i++)
        if (axis->sets[i].mask == mask)
            return FT_OK;
    if (!FT_RESERVE(axis->sets, listing->capacity, axis->set_count + 1))
        return ft_fail_memory(listing->diag, "the terms of a fit");
    axis->sets[axis->set_count++] = ft_term_set_of(mask);
    return FT_OK;
}

static int compare_sets(const void *left, const void *right)
{
    const struct ft_term_set *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->mask > b->mask) - (a->mask < b->mask);
}

/* Saturated sets come last; both parts keep their order. */
static int part_saturated(struct ft_axis *axis, struct ft_diag *diag)
{
    struct ft_term_set *saturated = malloc((axis->set_count + 1) * sizeof *saturated);
    size_t kept = 0;
    if (!saturated)
        return ft_fail_memory(diag, "the terms of a fit");
    for (size_t i = 0; i < axis->set_count; i++)
        if (ft_cross_has_spare(&axis->basis, axis->sets[i].mask, axis->distinct))
            axis->sets[kept++] = axis->sets[i];
        else
            saturated[axis->saturated_count++] = axis->sets[i];
    memcpy(axis->sets + kept, saturated, axis->saturated_count * sizeof *saturated);
    axis->set_count = kept;
    free(saturated);
    return FT_OK;
}

static int list_cross_sets(struct ft_axis *axis, struct ft_diag *diag)
{
    struct listing listing = {.axis = axis, .diag = diag};
    int status = ft_cross_sets(&axis->basis, list_set, &listing);
    if (axis->set_count > 0)
        qsort(axis->sets, axis->set_count, sizeof *axis->sets, compare_sets);
    return status < 0 ? status : part_saturated(axis, diag);
}

static int add_set(struct ft_axis *axis, size_t *capacity, uint32_t mask, struct ft_diag *diag)
{
    if (!FT_RESERVE(axis->sets, *capacity, axis->set_count + 1))
        return ft_fail_memory(diag, "the terms of a fit");
    axis->sets[axis->set_count++] = ft_term_set_of(mask);
    return FT_OK;
}

/* A set of the default basis where other terms may stand between its own. */
static uint32_t basis_mask(const struct ft_basis *basis, uint32_t set)
{
    const struct ft_basis known = ft_basis_default(basis->parameters[0]);
    uint32_t mask = 0;
    for (size_t term = 0; term < known.term_count; term++)
        if (set >> term & 1)
            mask |= 1U << ft_basis_find(basis, &known.terms[term]);
    return mask;
}

/* The sets of so many terms of the default basis, with alignments or without, and of transforms. */
static int list_known(struct ft_axis *axis, int terms, size_t *capacity, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < sizeof default_sets / sizeof *default_sets && status == FT_OK; i++) {
        uint32_t aligned[FT_ALIGNMENT_SETS], mask = basis_mask(&axis->basis, default_sets[i]);
        if (__builtin_popcount(mask) == terms)
            status = add_set(axis, capacity, mask, diag);
        size_t count = ft_alignment_sets(&axis->basis, mask, aligned);
        for (size_t k = 0; k < count && status == FT_OK; k++)
            if (__builtin_popcount(aligned[k]) == terms)
                status = add_set(axis, capacity, aligned[k], diag);
    }
    uint32_t doubling[FT_DOUBLING_SETS];
    size_t count = ft_doubling_sets(&axis->basis, doubling);
    for (size_t i = 0; i < count && status == FT_OK; i++)
        if (__builtin_popcount(doubling[i]) == terms)
            status = add_set(axis, capacity, doubling[i], diag);
    return status;
}

static int list_sets(struct ft_axis *axis, struct ft_diag *diag)
{
    size_t capacity = 0;
    uint32_t all = (uint32_t)((UINT64_C(1) << axis->basis.term_count) - 1);
    int term_max = axis->basis.term_count <= FEW_TERMS ? TERMS_TRIED : 3;
    axis->aligned = axis->chosen ? 0 : periodic_terms(&axis->basis);
    if (!axis->chosen && axis->basis.parameter_count > 1)
        return list_cross_sets(axis, diag);
    for (int count = 1; count <= TERMS_TRIED && !axis->chosen; count++)
        FT_TRY(list_known(axis, count, &capacity, diag));
    for (int count = 1; count <= term_max && axis->chosen; count++)
        for (uint32_t mask = 1; mask <= all; mask++)
            if (__builtin_popcount(mask) == count)
                FT_TRY(add_set(axis, &capacity, mask, diag));
    return axis->basis.parameter_count > 1 ? part_saturated(axis, diag) : FT_OK;
}

/* The whole powers of the first parameter, the TERMS_TRIED lowest ones. */
static struct ft_term_set powers_of(const struct ft_basis *basis)
{
    uint32_t mask = 0;
    for (unsigned power = 0; power < TERMS_TRIED; power++) {
        size_t term = ft_basis_power(basis, power);
        if (term < basis->term_count)
            mask |= 1U << term;
    }
    return ft_term_set_of(mask);
}

/* Products of a whole power and a logarithm. */
static uint32_t whole_logarithms(const struct ft_basis *basis)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < basis->term_count; i++)
        if (basis->terms[i].logarithms[0] == 1)
            mask |= 1U << i;
    return mask;
}

struct ft_point ft_axis_point(const struct ft_axis *axis, double n)
{
    return ft_smooth_point_at(&axis->basis, &n);
}

static void scale_terms(const struct ft_axis *axis, const struct ft_point *point,
                        double terms[FT_BASIS_MAX])
{
    for (size_t term = 0; term < axis->basis.term_count; term++)
        terms[term] = point->terms[term] * axis->scales[term];
}

size_t ft_axis_distinct(const double *values, size_t count, size_t width, size_t parameter)
{
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = values[j * width + parameter] == values[i * width + parameter];
        distinct += !known;
    }
    return distinct;
}

/* The training sizes: their order is that of the caller. */
static void init_points(struct ft_axis *axis, const double *values)
{
    const size_t width = axis->basis.parameter_count;
    double far[FT_PARAMETERS_MAX];
    for (size_t j = 0; j < width; j++) {
        axis->smallest[j] = axis->largest[j] = values[j];
        axis->distinct[j] = ft_axis_distinct(values, axis->count, width, j);
        for (size_t i = 1; i < axis->count; i++) {
            axis->smallest[j] = fmin(axis->smallest[j], values[i * width + j]);
            axis->largest[j] = fmax(axis->largest[j], values[i * width + j]);
        }
        far[j] = FT_GRID_REACH * axis->largest[j];
    }
    struct ft_point largest = ft_smooth_point_at(&axis->basis, axis->largest);
    for (size_t term = 0; term < axis->basis.term_count; term++)
        axis->scales[term] = largest.terms[term] != 0 ? 1 / largest.terms[term] : 1;
    for (size_t i = 0; i < axis->count; i++) {
        axis->n[i] = values[i * width];
        axis->bases[i] = ft_basis_base(&axis->basis, axis->n[i]);
        axis->points[i] = ft_point_at(&axis->basis, values + i * width);
        scale_terms(axis, &axis->points[i], axis->terms[i]);
    }
    axis->beyond = ft_smooth_point_at(&axis->basis, far);
}

/* Values on the grid: not negative, rising and convex, rounding apart. */
static bool is_convex(const struct ft_axis *axis, const double values[FT_GRID_COUNT])
{
    const double slack = 1e-13 * values[FT_GRID_COUNT - 1];
    bool convex = values[0] >= 0;
    for (size_t i = 1; i < FT_GRID_COUNT; i++)
        convex = convex && values[i] >= values[i - 1];
    for (size_t i = 1; i + 1 < FT_GRID_COUNT; i++)
        convex = convex && values[i] - values[i - 1] <=
                               axis->grid_shares[i] * (values[i + 1] - values[i - 1]) + slack;
    return convex;
}

static void init_grid(struct ft_axis *axis)
{
    double terms[FT_BASIS_MAX];
    double step =
        pow(FT_GRID_REACH * axis->largest[0] / axis->smallest[0], 1.0 / (FT_GRID_COUNT - 1));
    for (size_t i = 0; i < FT_GRID_COUNT; i++) {
        axis->grid[i] = i > 0 ? axis->grid[i - 1] * step : axis->smallest[0];
        struct ft_point point = ft_axis_point(axis, axis->grid[i]);
        scale_terms(axis, &point, terms);
        for (size_t term = 0; term < axis->basis.term_count; term++)
            axis->grid_terms[term][i] = terms[term];
    }
    for (size_t i = 1; i + 1 < FT_GRID_COUNT; i++)
        axis->grid_shares[i] =
            (axis->grid[i] - axis->grid[i - 1]) / (axis->grid[i + 1] - axis->grid[i - 1]);
    for (size_t term = 0; term < axis->basis.term_count; term++)
        if (is_convex(axis, axis->grid_terms[term]))
            axis->convex |= 1U << term;
}

/* `ends`: bit j says at which end of its values parameter j stands. */
static void init_line(struct ft_axis *axis, size_t parameter, size_t ends,
                      struct ft_axis_line *line)
{
    double values[FT_PARAMETERS_MAX];
    double reach = FT_GRID_REACH * axis->largest[parameter] / axis->smallest[parameter];
    for (size_t j = 0; j < axis->basis.parameter_count; j++)
        values[j] = ends >> j & 1 ? FT_GRID_REACH * axis->largest[j] : axis->smallest[j];
    for (size_t i = 0; i < FT_LINE_POINTS; i++) {
        values[parameter] =
            axis->smallest[parameter] * pow(reach, (double)i / (double)(FT_LINE_POINTS - 1));
        line->positions[i] = values[parameter];
        line->points[i] = ft_point_at(&axis->basis, values);
        scale_terms(axis, &line->points[i], line->terms[i]);
    }
}

static void init_lines(struct ft_axis *axis)
{
    for (size_t parameter = 0; parameter < axis->basis.parameter_count; parameter++)
        for (size_t ends = 0; ends < (size_t)1 << axis->basis.parameter_count; ends++)
            if (!(ends >> parameter & 1))
                init_line(axis, parameter, ends, &axis->lines[axis->line_count++]);
}

/* axis: basis, count and, where `known`, chosen are there already. */
static int init_axis(struct ft_axis *axis, const double *values, bool known, struct ft_diag *diag)
{
    const size_t width = axis->basis.parameter_count, count = axis->count;
    axis->n = malloc(count * sizeof *axis->n);
    axis->bases = malloc(count * sizeof *axis->bases);
    axis->points = malloc(count * sizeof *axis->points);
    axis->terms = calloc(count, sizeof *axis->terms);
    axis->lines = calloc(width << width, sizeof *axis->lines);
    int status = axis->n && axis->bases && axis->points && axis->terms && axis->lines
                     ? FT_OK
                     : ft_fail_memory(diag, "the training sizes");
    if (status == FT_OK) {
        init_points(axis, values);
        if (!known)
            axis->chosen = !is_default(axis);
        status = list_sets(axis, diag);
    }
    if (status < 0) {
        ft_axis_fini(axis);
        return status;
    }
    if (width == 1)
        init_grid(axis);
    else
        init_lines(axis);
    axis->powers = powers_of(&axis->basis);
    axis->whole = axis->powers.mask;
    if (width == 1 && !axis->chosen && ft_sizes_double(axis->n, count))
        axis->whole |= whole_logarithms(&axis->basis);
    return FT_OK;
}

int ft_axis_init(struct ft_axis *axis, const struct ft_basis *basis, const double *values,
                 size_t count, struct ft_diag *diag)
{
    *axis = (struct ft_axis){.basis = basis ? *basis : ft_basis_default(""), .count = count};
    return init_axis(axis, values, false, diag);
}

int ft_axis_leave_out(const struct ft_axis *axis, uint64_t sizes, struct ft_axis *ret_axis,
                      struct ft_diag *diag)
{
    const size_t width = axis->basis.parameter_count;
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    *ret_axis = (struct ft_axis){.basis = axis->basis, .chosen = axis->chosen};
    for (size_t i = 0; i < axis->count; i++)
        if (!(sizes >> i & 1))
            memcpy(values + ret_axis->count++ * width, axis->points[i].parameters,
                   width * sizeof *values);
    return init_axis(ret_axis, values, true, diag);
}

void ft_axis_fini(struct ft_axis *axis)
{
    free(axis->n);
    free(axis->bases);
    free(axis->points);
    free(axis->terms);
    free(axis->sets);
    free(axis->lines);
    *axis = (struct ft_axis){0};
}
