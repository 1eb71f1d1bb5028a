/*
 * The stride that a reference is seen to move by, of walks whose strides are known: loops logged
 * access by access, or in runs; and that accesses one by one, in runs and in parts that are
 * appended come to the same, wherever they are cut.
 */
#include <stddef.h>

#include "formats/histograms/seen_steps.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define ACCESSES_MAX 4096U
#define ROUNDS       50U

static struct ft_seen_steps seen_of(const uint64_t *addresses, size_t count)
{
    struct ft_seen_steps seen = {0};
    for (size_t i = 0; i < count; i++)
        ft_seen_address_add(&seen, addresses[i]);
    return seen;
}

/* Rows of so many steps of that stride, each a jump behind the last one. */
static size_t put_rows(uint64_t *addresses, size_t rows, size_t columns, int64_t stride,
                       int64_t jump)
{
    uint64_t address = 1 << 20;
    size_t count = 0;
    for (size_t i = 0; i < rows; i++, address += (uint64_t)jump)
        for (size_t j = 0; j < columns; j++, address += (uint64_t)stride)
            addresses[count++] = address;
    return count;
}

static void test_strides(void)
{
    uint64_t addresses[ACCESSES_MAX], seed = 7;
    size_t count = put_rows(addresses, 10, 94, 768, 8 - 94 * 768);
    struct ft_seen_steps seen = seen_of(addresses, count);
    tap_ok(ft_seen_stride(&seen) == 768 && seen.lowest == 1 << 20 && seen.accesses == 940,
           "rows of 94 steps of 768 bytes");
    count = put_rows(addresses, 10, 94, -768, 8 + 94 * 768);
    seen = seen_of(addresses, count);
    tap_ok(ft_seen_stride(&seen) == -768 && seen.lowest == (1 << 20) - 93 * 768, "and downwards");
    count = put_rows(addresses, 100, 3, 768, 8);
    seen = seen_of(addresses, count);
    tap_ok(ft_seen_stride(&seen) == FT_STRIDE_NONE, "rows of three steps show too little");
    count = put_rows(addresses, 1, 50, 768, 0);
    count += put_rows(addresses + count, 1, 50, 1536, 0);
    seen = seen_of(addresses, count);
    tap_ok(ft_seen_stride(&seen) == FT_STRIDE_MIXED, "two strides are none");
    for (size_t i = 0; i < ACCESSES_MAX; i++)
        addresses[i] = random_next(&seed) % 65536;
    seen = seen_of(addresses, ACCESSES_MAX);
    tap_ok(ft_seen_stride(&seen) == FT_STRIDE_NONE, "nor are random addresses");
    seen = (struct ft_seen_steps){0};
    tap_ok(ft_seen_stride(&seen) == FT_STRIDE_NONE, "without accesses there is none");
}

/* Members, not bytes between them. */
static bool are_equal(const struct ft_seen_steps *a, const struct ft_seen_steps *b)
{
    return a->accesses == b->accesses && a->first == b->first && a->last == b->last &&
           a->lowest == b->lowest && a->repeats == b->repeats &&
           (a->repeats == 0 || a->repeated == b->repeated) &&
           (a->accesses < 2 || (a->first_step == b->first_step && a->last_step == b->last_step));
}

static void test_cuts(void)
{
    uint64_t addresses[ACCESSES_MAX], seed = 11;
    unsigned wrong_runs = 0, wrong_cuts = 0, repeats = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct ft_seen_steps by_runs = {0};
        size_t count = 0;
        uint64_t address = 1 << 20;
        while (count < 60) {
            const uint64_t length = 1 + random_next(&seed) % 5;
            const int64_t stride = (int64_t)(random_next(&seed) % 3) * 8 - 8;
            ft_seen_run_add(&by_runs, address, stride, length);
            for (uint64_t i = 0; i < length; i++)
                addresses[count++] = address + (uint64_t)stride * i;
            address = addresses[count - 1] + 8 * (random_next(&seed) % 3);
        }
        const struct ft_seen_steps whole = seen_of(addresses, count);
        wrong_runs += !are_equal(&by_runs, &whole);
        repeats += whole.repeats > 0;
        for (size_t cut = 0; cut <= count; cut++) {
            struct ft_seen_steps front = seen_of(addresses, cut);
            const struct ft_seen_steps back = seen_of(addresses + cut, count - cut);
            ft_seen_steps_append(&front, &back);
            wrong_cuts += !are_equal(&front, &whole);
        }
    }
    tap_ok(repeats > ROUNDS / 2, "%u of %u walks have repeated steps", repeats, ROUNDS);
    tap_ok(wrong_runs == 0, "in runs it is the same");
    tap_ok(wrong_cuts == 0, "and in two parts, wherever they are cut");
}

static void test_threads(void)
{
    uint64_t addresses[ACCESSES_MAX];
    size_t count = put_rows(addresses, 4, 40, 512, 64);
    struct ft_seen_steps seen = seen_of(addresses, count), other = seen, none = {0};
    ft_seen_steps_join(&seen, &none);
    ft_seen_steps_join(&none, &seen);
    tap_ok(are_equal(&none, &other), "a thread without accesses changes nothing");
    ft_seen_steps_join(&seen, &other);
    tap_ok(ft_seen_stride(&seen) == 512 && seen.accesses == 320, "two threads have one stride");
    count = put_rows(addresses, 4, 40, 256, 64);
    other = seen_of(addresses, count);
    ft_seen_steps_join(&seen, &other);
    tap_ok(ft_seen_stride(&seen) == FT_STRIDE_MIXED, "a third has another");
}

int main(void)
{
    test_strides();
    test_cuts();
    test_threads();
    return tap_plan_done();
}
