/*
 * Counts as laws say that tell the training sizes nearly as well: of one term or two against the
 * textbook's formulas, and of a quadratic that is N log N as well.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "predict/intervals/growth_spread.h"
#include "tests/support/tap.h"

#define SIZES 5

/* A model of one group, which counts accesses alone, and of one scope's instructions. */
struct part {
    double training[SIZES];
    struct ft_model_group group;
    struct ft_model_scope_counts counts;
    struct ft_model model;
};

static void make(struct part *part, const struct ft_basis *basis, const double training[SIZES])
{
    *part = (struct part){.model = {.basis = *basis,
                                    .training = part->training,
                                    .training_count = SIZES,
                                    .groups = &part->group,
                                    .group_count = 1,
                                    .counts = &part->counts,
                                    .counts_count = 1}};
    for (size_t i = 0; i < SIZES; i++)
        part->training[i] = training[i];
}

static struct ft_point point_at(const struct part *part, double n)
{
    return ft_point_at(&part->model.basis, &n);
}

/* The group's accesses at n as slow and as fast as they may grow. */
static void spread(const struct part *part, double n, double *ret_low, double *ret_high)
{
    struct ft_perturbed_model slow, fast;
    struct ft_diag diag;
    const struct ft_point at = point_at(part, n);
    *ret_low = *ret_high = NAN;
    if (ft_growth_spread(&part->model, &at, &slow, &fast, &diag) != FT_OK)
        return;
    *ret_low = ft_function_at(&slow.model.groups[0].accesses, &at);
    *ret_high = ft_function_at(&fast.model.groups[0].accesses, &at);
    ft_perturbed_fini(&slow);
    ft_perturbed_fini(&fast);
}

/* a + b n by weighted least squares of what b n says, from normal equations. */
static void check_textbook(void)
{
    static const double training[SIZES] = {10, 20, 40, 80, 160};
    const double slope = 100, error = 0.009, n = 480;
    struct ft_basis basis;
    struct ft_diag diag;
    struct part part;
    double low, high, w = 0, wx = 0, wxx = 0;
    tap_ok(ft_basis_read(&basis, "N", "N", &diag) == FT_OK, "terms 1 and N");
    make(&part, &basis, training);
    part.group.accesses =
        (struct ft_function){.coefficients = {0, slope}, .rms_relative_error = error};
    for (size_t i = 0; i < SIZES; i++) {
        double weight = pow(slope * training[i] + 2, -2); /* plain_fit.h: relative to y + 2 */
        w += weight;
        wx += weight * training[i];
        wxx += weight * training[i] * training[i];
    }
    double squares = SIZES * error * error;
    double one = gsl_cdf_tdist_Pinv(0.975, SIZES - 1) * sqrt(squares / (SIZES - 1)) * n / sqrt(wxx);
    double two = gsl_cdf_tdist_Pinv(0.975, SIZES - 2) * sqrt(squares / (SIZES - 2)) *
                 sqrt((wxx - 2 * n * wx + n * n * w) / (w * wxx - wx * wx));
    spread(&part, n, &low, &high);
    tap_ok(fabs(low - (slope * n - fmax(one, two))) < 1e-6 * slope * n &&
               fabs(high - (slope * n + fmax(one, two))) < 1e-6 * slope * n,
           "%g to %g, as from the normal equations", low, high);
    part.group.accesses.exact = true;
    spread(&part, n, &low, &high);
    tap_ok(low == slope * n && high == slope * n, "an exact function stays");
    part.group.accesses.exact = false;
    part.group.accesses.left_out = 3;
    spread(&part, n, &low, &high);
    tap_ok(low == slope * n && high == slope * n, "two sizes tell of no other law");
    part.group.accesses.left_out = 0;
    part.group.accesses.rms_relative_error = 0.011;
    spread(&part, n, &low, &high);
    tap_ok(low == slope * n && high == slope * n, "counts that scatter stay");
    part.group.accesses.rms_relative_error = error;
    part.model.fixed_count = 1;
    spread(&part, n, &low, &high);
    tap_ok(low == slope * n && high == slope * n, "so does one of several parameters");
}

/* Accesses of a tree's walk, as fitted to 300 to 1,100 bodies within 0.2 %. */
static void check_order(void)
{
    static const double training[SIZES] = {300, 500, 700, 900, 1100};
    const struct ft_basis basis = ft_basis_default("N");
    struct part part;
    double low, high;
    make(&part, &basis, training);
    part.group.accesses = (struct ft_function){.rms_relative_error = 0.0017};
    part.group.accesses.coefficients[0] = -9992;
    part.group.accesses.coefficients[ft_basis_power(&basis, 1)] = 173.2;
    part.group.accesses.coefficients[ft_basis_power(&basis, 2)] = 0.06115;
    spread(&part, 4000, &low, &high);
    const double said = -9992 + 173.2 * 4000 + 0.06115 * 4000 * 4000;
    tap_ok(low < 0.78 * said, "N^2 may be N log N: %g of %g", low, said);
    tap_ok(high > said && high < 1.2 * said, "but no faster law: up to %g", high);
    part.group.accesses.rms_relative_error = 0.0003;
    spread(&part, 4000, &low, &high);
    tap_ok(low > 0.95 * said && high < 1.05 * said, "where the fit is better it is not: %g to %g",
           low, high);
}

/* Every count has its own. */
static void check_counts(void)
{
    static const double training[SIZES] = {10, 20, 40, 80, 160};
    const struct ft_basis basis = ft_basis_default("N");
    const struct ft_function rough = {.coefficients = {0, 0, 7}, .rms_relative_error = 0.005};
    const struct ft_function sure = {.coefficients = {0, 0, 7}, .exact = true};
    struct part part;
    struct ft_perturbed_model slow, fast;
    struct ft_diag diag;
    make(&part, &basis, training);
    part.group.accesses = sure;
    part.counts = (struct ft_model_scope_counts){.instructions = rough, .flops = sure};
    part.counts.mix[1] = rough;
    const struct ft_point at = point_at(&part, 480);
    int status = ft_growth_spread(&part.model, &at, &slow, &fast, &diag);
    tap_ok(status == FT_OK && ft_function_at(&slow.model.counts[0].instructions, &at) < 7 * 480 &&
               ft_function_at(&fast.model.counts[0].mix[1], &at) > 7 * 480 &&
               ft_function_at(&fast.model.counts[0].flops, &at) == 7 * 480 &&
               ft_function_at(&fast.model.counts[0].mix[0], &at) == 0,
           "instructions, operations and their classes");
    ft_perturbed_fini(&slow);
    ft_perturbed_fini(&fast);
}

int main(void)
{
    check_textbook();
    check_order();
    check_counts();
    return tap_plan_done();
}
