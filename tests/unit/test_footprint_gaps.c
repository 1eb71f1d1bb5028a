/*
 * Footprints in blocks of 32, 64 and 4096 bytes, of which only the smallest shows a list that grows
 * like N^2.
 */
#include <math.h>

#include "predict/intervals/footprint_gaps.h"
#include "tests/support/tap.h"

int main(void)
{
    static double training[] = {800, 1600, 3200};
    static uint64_t block_bytes[] = {32, 64, 4096};
    struct ft_function blocks[3] = {0};
    struct ft_model model = {.basis = ft_basis_default("N"),
                             .training = training,
                             .training_count = 3,
                             .size_count = 3,
                             .block_bytes = block_bytes,
                             .distinct_blocks = blocks};
    const size_t linear = ft_basis_power(&model.basis, 1), square = ft_basis_power(&model.basis, 2);
    double gaps[3];
    blocks[0].coefficients[linear] = 1;
    blocks[0].coefficients[square] = 1e-5;
    blocks[1].coefficients[linear] = 0.5;
    blocks[2].coefficients[linear] = 0.25;
    const double n = 9600, trained = 3200;
    struct ft_point at = ft_point_at(&model.basis, &n);
    ft_footprint_gaps(&model, &at, gaps);
    tap_ok(fabs(gaps[1] - 1e-5 * (n * n - trained * trained) / 2) < 1e-9,
           "lines of 64 bytes get what half of those of 32 grow more");
    tap_ok(gaps[0] == 0, "the smallest have nothing to follow");
    tap_ok(gaps[2] == 0, "and pages do not follow lines");
    at = ft_point_at(&model.basis, &trained);
    ft_footprint_gaps(&model, &at, gaps);
    tap_ok(gaps[1] == 0, "no gap at the largest training size");
    return tap_plan_done();
}
