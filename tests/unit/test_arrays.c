/*
 * At which sizes arrays pass the mmap threshold (predict/plan/arrays.h), from runs whose arrays
 * follow known laws; against asking each size.
 */
#include <math.h>

#include "predict/plan/arrays.h"
#include "tests/support/tap.h"

static const double sizes[3] = {24, 40, 56};

typedef uint64_t law(uint64_t n);

static uint64_t matrix(uint64_t n)
{
    return 8 * n * n;
}
static uint64_t bordered(uint64_t n)
{
    return 8 * (n + 2) * (n + 2);
}
static uint64_t inner(uint64_t n)
{
    return 40 * (n - 2) * (n - 2) * (n - 2);
}
static uint64_t vector(uint64_t n)
{
    return 1200 * n;
}
static uint64_t large(uint64_t n)
{
    return 1000000 + 8 * n;
}
static uint64_t entropy(uint64_t n) /* no law is exact */
{
    return (uint64_t)(100 * (double)n * log2((double)n));
}
static uint64_t jumping(uint64_t n)
{
    return n < 40 ? 2000 : n < 56 ? 40000 : 41000;
}
static uint64_t constant(uint64_t n)
{
    (void)n;
    return 4096;
}

static uint64_t first_mapped(law *bytes)
{
    uint64_t n = 2;
    while (bytes(n) < FT_MMAP_THRESHOLD_BYTES)
        n++;
    return n;
}

/* Runs with one array each of these laws, descending at all three sizes. */
static size_t ask(law *const *laws, size_t count, double most, double found[FT_ARRAYS_MAX])
{
    struct ft_arrays arrays[3];
    for (size_t i = 0; i < 3; i++) {
        arrays[i].count = count;
        for (size_t k = 0; k < count; k++)
            arrays[i].bytes[k] = laws[k]((uint64_t)sizes[i]);
    }
    return ft_arrays_mapped_from(arrays, sizes, most, found);
}

static void check(law *bytes, double tolerance, const char *what)
{
    double found[FT_ARRAYS_MAX] = {0};
    const double expected = (double)first_mapped(bytes);
    size_t count = ask(&bytes, 1, 1e6, found);
    tap_ok(count == 1 && fabs(found[0] - expected) <= tolerance * expected, "%s: %g for %g", what,
           found[0], expected);
}

int main(void)
{
    double found[FT_ARRAYS_MAX];
    check(matrix, 0, "a matrix");
    check(bordered, 0, "a matrix with a border");
    check(inner, 0, "a cube without its surface");
    check(vector, 0, "a vector");
    check(entropy, 0.06, "n log n");
    law *jump = jumping;
    tap_ok(ask(&jump, 1, 1e6, found) == 0, "no law: nothing is said");
    law *always = large;
    tap_ok(ask(&always, 1, 1e6, found) == 0, "beyond it at any size: nothing changes");
    law *same = constant;
    tap_ok(ask(&same, 1, 1e6, found) == 0, "what does not grow never passes");
    law *const several[] = {inner, vector, bordered, constant};
    tap_ok(ask(several, 4, 1e6, found) == 3 && found[0] == (double)first_mapped(inner) &&
               found[1] == (double)first_mapped(vector) &&
               found[2] == (double)first_mapped(bordered),
           "several, ascending, one that is the same at all sizes among them");
    tap_ok(ask(several, 4, 110, found) == 2, "up to a size");
    /* Each run's smaller one is as large as the larger one of the run before. */
    const struct ft_arrays halves[3] = {
        {{65536, 32768}, 2}, {{131072, 65536}, 2}, {{262144, 131072}, 2}};
    const double doubled[3] = {4096, 8192, 16384};
    tap_ok(ft_arrays_mapped_from(halves, doubled, 1e6, found) == 2 && found[0] == 8192 &&
               found[1] == 16384,
           "sizes that double");
    return tap_plan_done();
}
