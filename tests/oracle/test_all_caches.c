/*
 * All caches at once against reference caches, each simulated by itself: for random runs, and for
 * random accesses to so many blocks that sets become deep and their slots are numbered again.
 */
#include <stdlib.h>

#include "engine/simulate/all-caches/all_caches.h"
#include "tests/support/random_runs.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

struct expected {
    const struct ft_run_source *source;
    struct reference_cache cache;
    uint64_t accesses, touches, misses;
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    uint64_t last = address + expected->source->references[reference].size_bytes - 1;
    expected->accesses++;
    for (uint64_t block = address / expected->cache.block_bytes;
         block <= last / expected->cache.block_bytes; block++) {
        expected->touches++;
        expected->misses += reference_cache_touch(&expected->cache, block);
    }
}

static struct expected expected_of(struct ft_run_source *source, uint64_t line_bytes, uint64_t ways,
                                   uint64_t sets)
{
    struct expected expected = {.source = source};
    reference_cache_init(&expected.cache, line_bytes, ways, sets);
    visit_accesses(source, visit, &expected);
    reference_cache_fini(&expected.cache);
    return expected;
}

static void check_cache(const struct ft_all_caches *caches, const struct expected *expected,
                        unsigned set_bits, uint64_t ways, const char *what)
{
    tap_ok(ft_all_caches_misses(caches, set_bits, ways) == expected->misses &&
               caches->accesses == expected->accesses && caches->touches == expected->touches,
           "%s: %u sets, %llu ways, lines of %llu bytes: %llu misses", what, 1U << set_bits,
           (unsigned long long)ways, (unsigned long long)caches->line_bytes,
           (unsigned long long)expected->misses);
}

static void check_random(uint64_t seed, uint64_t line_bytes)
{
    struct random_runs random;
    struct ft_all_caches caches;
    struct ft_diag diag = {0};
    random_runs_init(&random, seed);
    if (!tap_ok(ft_all_caches_simulate(line_bytes, 9, &random.source, NULL, &caches, &diag) ==
                    FT_OK,
                "random runs %s", diag.message))
        return;
    for (unsigned set_bits = 0; set_bits <= 9; set_bits++)
        for (uint64_t ways = 0; ways <= 40; ways += 1 + ways / 2) {
            random_runs_init(&random, seed);
            struct expected expected =
                ways ? expected_of(&random.source, line_bytes, ways, UINT64_C(1) << set_bits)
                     : expected_of(&random.source, line_bytes, 1, 1);
            if (ways == 0) /* all touches miss */
                expected.misses = expected.touches;
            check_cache(&caches, &expected, set_bits, ways, "random runs");
        }
    ft_all_caches_fini(&caches);
}

/* Blocks from a few places far apart, some of them again and again; `stride` bytes between blocks,
 * so that with large ones few sets take them all. */
static void fill_deep(struct synthetic_runs *runs, uint64_t blocks, uint64_t touches,
                      uint64_t stride)
{
    uint64_t state = blocks;
    uint32_t reference = synthetic_reference(runs, 8);
    for (uint64_t i = 0; i < touches; i++) {
        uint64_t block =
            random_below(&state, 4) ? random_below(&state, blocks) : random_below(&state, 50);
        uint64_t place = block % 3 * (UINT64_C(1) << 40);
        synthetic_access(runs, reference, place + block * stride);
    }
}

static void check_deep(uint64_t line_bytes, uint64_t blocks, uint64_t stride, const char *what)
{
    static const uint64_t ways[] = {1, 33, 500, 1024, 2500};
    struct synthetic_runs runs;
    struct ft_all_caches caches;
    struct ft_diag diag = {0};
    synthetic_init(&runs);
    fill_deep(&runs, blocks, 15000, stride);
    if (tap_ok(ft_all_caches_simulate(line_bytes, 14, &runs.source, NULL, &caches, &diag) == FT_OK,
               "%s %s", what, diag.message)) {
        for (unsigned set_bits = 0; set_bits <= 14; set_bits += set_bits < 2 ? 1 : 4)
            for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
                synthetic_rewind(&runs);
                struct expected expected =
                    expected_of(&runs.source, line_bytes, ways[i], UINT64_C(1) << set_bits);
                check_cache(&caches, &expected, set_bits, ways[i], what);
            }
        ft_all_caches_fini(&caches);
    }
    synthetic_fini(&runs);
}

static void check_limits(void)
{
    struct random_runs random;
    struct ft_all_caches caches;
    struct ft_diag diag;
    random_runs_init(&random, 1);
    static const uint64_t lines[] = {0, 1, 48, UINT64_C(1) << 22};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        tap_ok(ft_all_caches_simulate(lines[i], 3, &random.source, NULL, &caches, &diag) ==
                   FT_ERROR_UNSUPPORTED,
               "%s", diag.message);
    tap_ok(ft_all_caches_simulate(64, 25, &random.source, NULL, &caches, &diag) ==
               FT_ERROR_UNSUPPORTED,
           "%s", diag.message);
}

int main(void)
{
    check_random(1, 64);
    check_random(3, 16);
    check_random(4, 4096);
    check_deep(64, 4000, 64, "many blocks");
    check_deep(64, 3000, 1024, "strided blocks");
    /* All in one set of up to 64, more than the 32 whose sets can be deep with such lines. */
    check_deep(1 << 16, 1500, 1 << 22, "one set");
    check_limits();
    return tap_plan_done();
}
