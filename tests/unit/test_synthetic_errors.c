/*
 * Errors of a synthesis by the capacities at which it was tried: of a level whose data grow
 * eightfold, those of a level of an eighth, whatever start-up adds to the footprint.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/synthetic_errors.h"
#include "tests/support/bare_model.h"
#include "tests/support/tap.h"

/* Of the default basis: {1, log2 N, N, ...}. */
enum { CONSTANT, LINEAR = 2 };

/* The error of the program in a TLB of 96 pages at N = 320, if it was tried at 40 with an error of
 * a half in caches of so many pages, an octave. */
static double error_at(uint32_t octave, double start_up)
{
    struct ft_function pages = {.coefficients = {[CONSTANT] = start_up, [LINEAR] = 0.625}};
    uint64_t block_bytes[1] = {4096};
    double sizes[3] = {10, 20, 40}, ret = NAN;
    struct ft_held_out_error error = {.octave = octave, .error = 0.5};
    struct ft_sized_skeleton skeleton = {
        .sizes = sizes, .size_count = 3, .is_held_out = true, .errors = &error, .error_count = 1};
    struct ft_model model = bare_model("walk", "N"), walk = model;
    struct ft_machine machine;
    walk.distinct_blocks = &pages;
    walk.block_bytes = block_bytes;
    walk.skeleton = &skeleton;
    if (ft_machine_load("caches=TLB:384K:4096:full@4,memory@100", &machine, NULL) == FT_OK) {
        ft_synthetic_errors(&walk, &machine, 320, &ret);
        ft_machine_fini(&machine);
    }
    ft_model_fini(&model);
    return ret;
}

int main(void)
{
    /* 25 pages at 40, 200 at 320: 96 of these are as 12 of those, between 8 and 16. Three steps of
     * a factor of 2 lie between 40 and 320. */
    for (uint32_t octave = 3; octave <= 7; octave++)
        tap_ok(fabs(error_at(octave, 0) - 1.5) < 1e-9, "octave %u counts", octave);
    tap_ok(error_at(2, 0) == 0 && error_at(8, 0) == 0, "those beyond do not");
    tap_ok(fabs(error_at(3, 114) - 1.5) < 1e-9, "nor does what is there at any size");
    return tap_plan_done();
}
