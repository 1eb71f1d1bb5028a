/* Packed bins against the functions they were made of: the same to the bit, and so are values. */
#include <math.h>
#include <stdlib.h>

#include "formats/model/member_bins.h"
#include "tests/support/random.h"
#include "tests/support/same_functions.h"
#include "tests/support/tap.h"

#define TRIALS   300
#define BINS_MAX 40

/* Any number of terms, from none to all. */
static struct ft_function draw(uint64_t *state)
{
    struct ft_function function = {.rms_relative_error = (double)random_below(state, 1000) / 1000,
                                   .left_out = (uint32_t)random_below(state, 5),
                                   .exact = random_below(state, 2)};
    const uint64_t density = random_below(state, 5);
    for (size_t term = 0; term < FT_BASIS_MAX; term++)
        if (random_below(state, 4) < density)
            function.coefficients[term] = ldexp((double)random_next(state), -63) - 1;
    return function;
}

int main(void)
{
    struct ft_model_bin bins[BINS_MAX];
    uint64_t state = 5;
    unsigned functions = 0, values = 0, wrong = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const size_t count = random_below(&state, BINS_MAX + 1);
        struct ft_point at = {.term_count = 1 + random_below(&state, FT_BASIS_MAX)};
        for (size_t term = 0; term < at.term_count; term++)
            at.terms[term] = ldexp((double)random_next(&state), -50);
        for (size_t i = 0; i < count; i++)
            bins[i] = (struct ft_model_bin){draw(&state), draw(&state)};
        struct ft_member_bins *packed = ft_member_bins_of(bins, count);
        wrong += ft_member_bins_count(packed) != count;
        for (size_t i = 0; i < count; i++) {
            const struct ft_model_bin bin = ft_member_bin(packed, i);
            wrong += !same_functions(&bin.tail, &bins[i].tail);
            wrong += !same_functions(&bin.distance_blocks, &bins[i].distance_blocks);
            wrong += ft_member_tail_at(packed, i, &at) != ft_function_at(&bins[i].tail, &at);
            const double distance = ft_function_at(&bins[i].distance_blocks, &at);
            wrong += ft_member_distance_at(packed, i, &at) != distance;
            values += distance > 0;
            functions += 2;
        }
        free(packed);
    }
    tap_ok(wrong == 0 && functions > 10 * TRIALS && values > TRIALS,
           "%u functions are packed and got back, with the same values", functions);
    tap_ok(ft_member_bins_count(NULL) == 0, "no bins are none");
    return tap_plan_done();
}
