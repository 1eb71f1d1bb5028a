/*
 * At which sizes the laws of a skeleton hold, against trying them one by one: random training
 * sizes, and periods of the laws of numbers and of heap blocks; logarithms of sizes that double.
 */
#include <math.h>
#include <string.h>

#include "fit/skeletons/sized_skeleton.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define LAWS      4U
#define TRIED_MAX 300U

struct example {
    double sizes[6];
    struct ft_sized_number numbers[LAWS];
    struct ft_sized_block_event events[1];
    struct ft_sized_skeleton sized;
};

static void make_example(uint64_t *state, struct example *example)
{
    const double step = (double)(1 + random_below(state, 4));
    *example = (struct example){.sized = {.size_count = 3 + random_below(state, 4),
                                          .number_count = random_below(state, LAWS + 1)}};
    struct ft_sized_skeleton *sized = &example->sized;
    double size = (double)(20 + random_below(state, 20));
    for (size_t s = 0; s < sized->size_count; s++) {
        example->sizes[s] = size;
        size += step * (double)(1 + random_below(state, 6));
    }
    for (size_t i = 0; i < sized->number_count; i++)
        example->numbers[i].law.quotients[random_below(state, FT_LAW_QUOTIENTS)].period =
            (uint16_t)(2 + random_below(state, 12));
    example->events[0].bytes.quotients[0].period = (uint16_t)(2 * random_below(state, 5));
    sized->sizes = example->sizes;
    sized->numbers = example->numbers;
    sized->blocks = (struct ft_block_laws){.events = example->events, .event_count = 1};
}

static bool is_equal_to_one(const struct ft_sized_skeleton *sized, unsigned size, unsigned modulus)
{
    bool found = modulus == 0;
    for (size_t s = 0; s < sized->size_count; s++)
        found = found || (unsigned)sized->sizes[s] % modulus == size % modulus;
    return found;
}

/* The step is the largest modulus of which all sizes have one residue. */
static unsigned step_of(const struct ft_sized_skeleton *sized)
{
    for (unsigned step = (unsigned)(sized->sizes[1] - sized->sizes[0]);; step--) {
        bool same = true;
        for (size_t s = 1; s < sized->size_count; s++)
            same = same && (unsigned)(sized->sizes[s] - sized->sizes[0]) % step == 0;
        if (same)
            return step;
    }
}

static bool holds(const struct ft_sized_skeleton *sized, unsigned size)
{
    bool all = is_equal_to_one(sized, size, step_of(sized)) &&
               is_equal_to_one(sized, size, sized->blocks.events[0].bytes.quotients[0].period);
    for (size_t i = 0; i < sized->number_count; i++)
        for (size_t q = 0; q < FT_LAW_QUOTIENTS; q++)
            all = all && is_equal_to_one(sized, size, sized->numbers[i].law.quotients[q].period);
    return all;
}

/* A law with a logarithm, learned from sizes that double. */
static void check_doubling(double odd, double *size)
{
    const double smallest = 16 * odd, sizes[] = {smallest, 2 * smallest, 4 * smallest};
    struct ft_sized_number number = {.law = {.logarithms = {1}}};
    memcpy(size, sizes, sizeof sizes);
    const struct ft_sized_skeleton sized = {
        .sizes = size, .size_count = 3, .numbers = &number, .number_count = 1};
    unsigned wrong = 0;
    double last = sizes[2];
    for (unsigned at = (unsigned)smallest; at <= 20 * smallest; at++) {
        struct ft_unknown_residue unknown;
        const double n = at, doubled = log2(n / smallest);
        const bool expected = doubled == floor(doubled);
        last = expected ? n : last;
        wrong += ft_sized_skeleton_reaches(&sized, n, &unknown) != expected ||
                 unknown.is_no_doubled == expected || (n > sizes[2] && unknown.near != last);
    }
    tap_ok(wrong == 0, "logarithms hold at %g times powers of two: %u wrong", odd, wrong);
}

int main(void)
{
    double sizes[3];
    check_doubling(1, sizes);
    check_doubling(5, sizes);
    const unsigned examples = tap_repetitions(2000, 200, 50);
    unsigned wrong = 0, near_wrong = 0, modulus_wrong = 0, known = 0, unknown = 0;
    uint64_t state = 1;
    for (unsigned e = 0; e < examples; e++) {
        struct example example;
        make_example(&state, &example);
        double last = 0; /* the largest size so far at which laws hold */
        for (unsigned size = 1; size <= TRIED_MAX; size++) {
            struct ft_unknown_residue residue;
            const bool expected = holds(&example.sized, size);
            const double largest = example.sizes[example.sized.size_count - 1];
            last = expected ? size : last;
            wrong += ft_sized_skeleton_reaches(&example.sized, size, &residue) != expected;
            near_wrong += residue.near != (last > 0 ? last : largest);
            modulus_wrong +=
                expected ? residue.modulus != 0
                         : residue.modulus < 2 ||
                               is_equal_to_one(&example.sized, size, (unsigned)residue.modulus);
            known += expected;
            unknown += !expected;
        }
    }
    tap_ok(wrong == 0, "laws hold where all residues are known: %u of %u sizes are wrong", wrong,
           known + unknown);
    tap_ok(near_wrong == 0, "the next smaller size at which they do: %u wrong", near_wrong);
    tap_ok(modulus_wrong == 0, "no training size has the residue that is named: %u wrong",
           modulus_wrong);
    tap_ok(known > 10 * examples && unknown > 10 * examples, "%u sizes are known, %u not", known,
           unknown);
    return tap_plan_done();
}
