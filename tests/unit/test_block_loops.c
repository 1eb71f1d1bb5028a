/*
 * Programs that allocate more blocks at larger sizes, learned at small ones: where a larger size
 * has its blocks, against the program run there through the same allocator.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fit/skeletons/allocator.h"
#include "fit/skeletons/block_laws.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define HEAP       UINT64_C(0x555555559000)
#define SIZE_COUNT 5
#define EVENTS_MAX 8192

static const double sizes[SIZE_COUNT] = {4, 6, 7, 9, 12};
static const struct ft_mapped_range libraries[] = {{0x7ffff7dcf000, 0x7ffff7fb4000},
                                                   {0x7ffff7fc0000, 0x7ffff7fc2000}};

/* A run of a program: what it has done so far. */
struct run {
    struct ft_skeleton skeleton;
    struct ft_allocator *allocator;
    struct ft_placed_block blocks[EVENTS_MAX];
};

static uint32_t allocate(struct run *run, uint64_t bytes, bool clears)
{
    struct ft_block_events *blocks = &run->skeleton.blocks;
    const uint32_t block = blocks->block_count++;
    ft_allocator_allocate(run->allocator, bytes, 0, clears, &run->blocks[block], NULL);
    blocks->events[blocks->event_count++] = (struct ft_block_event){
        .block = block, .clears = clears, .address = run->blocks[block].address, .bytes = bytes};
    return block;
}

static void release(struct run *run, uint32_t block)
{
    struct ft_block_events *blocks = &run->skeleton.blocks;
    ft_allocator_free(run->allocator, run->blocks[block].address, NULL);
    blocks->events[blocks->event_count++] =
        (struct ft_block_event){.block = block, .is_freed = true};
}

/* ---- programs ---- */

static void matrices_of_rows(struct run *run, uint64_t n)
{
    uint32_t first[2];
    for (unsigned matrix = 0; matrix < 2; matrix++) {
        first[matrix] = allocate(run, 8 * n, false);
        for (uint64_t row = 0; row < n; row++)
            allocate(run, 800 + 8 * n, matrix == 1);
    }
    const uint32_t buffer = allocate(run, 1024, false);
    for (unsigned matrix = 0; matrix < 2; matrix++)
        for (uint64_t row = 0; row <= n; row++)
            release(run, first[matrix] + (uint32_t)row);
    release(run, buffer);
    allocate(run, 100 * n, false);
}

static void triangle_backwards(struct run *run, uint64_t n)
{
    for (uint64_t row = 0; row < n; row++)
        allocate(run, 48 * (row + 1), false);
    for (uint64_t row = n; row-- > 0;)
        release(run, (uint32_t)row);
    for (uint64_t row = 0; row < n; row++)
        allocate(run, 2000, false);
}

static void cubes(struct run *run, uint64_t n)
{
    allocate(run, 8 * n, false);
    for (uint64_t i = 0; i < n; i++) {
        allocate(run, 16 * n, false);
        for (uint64_t j = 0; j < n; j++)
            allocate(run, 8 * n, false);
    }
}

/* In steps, as many as n, of which each has rows of its own. */
static void steps(struct run *run, uint64_t n)
{
    allocate(run, 72704, false);
    for (uint64_t step = 0; step < n; step++) {
        const uint32_t first = allocate(run, 16 * n, false);
        for (uint64_t row = 0; row < n; row++)
            allocate(run, 1500, false);
        for (uint64_t row = 0; row <= n; row++)
            release(run, first + (uint32_t)row);
    }
}

/* Loops of a seed: each over n or a constant, of a block or also as many smaller ones, which are
 * freed behind it, in either order, or not. */
static uint64_t seed;
static void random_loops(struct run *run, uint64_t n)
{
    uint64_t random = seed;
    const uint64_t loops = 1 + random_below(&random, 4);
    for (uint64_t loop = 0; loop < loops; loop++) {
        const uint64_t count = random_below(&random, 3) ? n : 3 + random_below(&random, 3);
        const uint64_t inner = random_below(&random, 2) ? 0 : n;
        const uint64_t bytes = 16 + random_below(&random, 900);
        const uint64_t growing = 8 * random_below(&random, 5);
        const uint64_t freed = random_below(&random, 3);
        const uint32_t first = run->skeleton.blocks.block_count;
        for (uint64_t i = 0; i < count; i++) {
            allocate(run, bytes + growing * n, false);
            for (uint64_t j = 0; j < inner; j++)
                allocate(run, 1000 + bytes + 8 * n, false);
        }
        const uint32_t end = run->skeleton.blocks.block_count;
        for (uint32_t block = first; freed == 1 && block < end; block++)
            release(run, block);
        for (uint32_t block = end; freed == 2 && block > first; block--)
            release(run, block - 1);
    }
}

/* What follows has no law. */
static void known_at_first(struct run *run, uint64_t n)
{
    for (uint64_t row = 0; row < n; row++)
        allocate(run, 8 * n, false);
    for (uint64_t i = 0; i < n * n % 7 + 1; i++)
        allocate(run, 100 + 16 * (n * 37 % 11), false);
}

/* Nothing has. */
static void scattered(struct run *run, uint64_t n)
{
    uint64_t random = n;
    for (uint64_t i = 0; i < 5 * n + random_below(&random, 9); i++)
        allocate(run, 16 + 16 * random_below(&random, 50), false);
}

/* ---- checks ---- */

static bool start(struct run *run, void (*program)(struct run *, uint64_t), double size)
{
    *run = (struct run){.skeleton.memory = {.heap = HEAP,
                                            .mapped = (struct ft_mapped_range *)libraries,
                                            .mapped_count = 2}};
    run->skeleton.blocks.events = calloc(EVENTS_MAX, sizeof *run->skeleton.blocks.events);
    if (!run->skeleton.blocks.events ||
        ft_allocator_create(HEAP, libraries, 2, &run->allocator, NULL))
        return false;
    program(run, (uint64_t)size);
    return true;
}

static void end(struct run *run)
{
    ft_allocator_destroy(run->allocator);
    free(run->skeleton.blocks.events);
}

/* All training sizes, learned. */
static bool learn(struct run runs[SIZE_COUNT], void (*program)(struct run *, uint64_t),
                  struct ft_block_laws *ret_laws, struct ft_diag *diag)
{
    const struct ft_skeleton *skeletons[SIZE_COUNT];
    bool are_started = true;
    for (size_t s = 0; s < SIZE_COUNT; s++) {
        are_started = start(&runs[s], program, sizes[s]) && are_started;
        skeletons[s] = &runs[s].skeleton;
    }
    return are_started && !ft_block_laws_learn(skeletons, sizes, SIZE_COUNT, ret_laws, diag);
}

/* How many of a size's blocks are where the program has them, from the first one on. */
static size_t count_right(const struct ft_block_laws *laws, const struct run *largest,
                          const struct run *run, double size)
{
    struct ft_placed_block *blocks = NULL;
    uint32_t count = 0;
    if (ft_block_laws_at(laws, &largest->skeleton, size, &blocks, &count, NULL))
        return 0;
    size_t right = 0;
    while (right < count && right < run->skeleton.blocks.block_count &&
           blocks[right].address == run->blocks[right].address &&
           blocks[right].bytes == run->blocks[right].bytes)
        right++;
    free(blocks);
    return right;
}

/* known: blocks that have laws at a size; confirmed: of the largest training size. */
static void check(const char *what, void (*program)(struct run *, uint64_t), size_t confirmed,
                  double size, size_t known)
{
    static struct run runs[SIZE_COUNT], large;
    const struct run *largest = &runs[SIZE_COUNT - 1];
    struct ft_block_laws laws = {0};
    struct ft_diag diag = {0};
    const bool is_started = start(&large, program, size);
    if (tap_ok(learn(runs, program, &laws, &diag) && is_started, "%s: learned %s", what,
               diag.message)) {
        size_t are = 0;
        for (uint32_t b = 0; b < largest->skeleton.blocks.block_count; b++)
            are += laws.is_confirmed[b];
        tap_ok(are == confirmed, "%s: %zu of %" PRIu32 " blocks confirmed, not %zu", what, are,
               largest->skeleton.blocks.block_count, confirmed);
        const size_t right = count_right(&laws, largest, &large, size);
        tap_ok(right == known, "%s: at %g, %zu of %" PRIu32 " blocks are right, not %zu", what,
               size, right, large.skeleton.blocks.block_count, known);
        ft_block_laws_fini(&laws);
    }
    for (size_t s = 0; s < SIZE_COUNT; s++)
        end(&runs[s]);
    end(&large);
}

/* All of their blocks. */
static void check_random(void)
{
    static struct run large;
    for (seed = 1; seed <= 40; seed++) {
        char what[40];
        size_t known = 0, confirmed = 0;
        if (start(&large, random_loops, 30))
            known = large.skeleton.blocks.block_count;
        end(&large);
        if (start(&large, random_loops, sizes[SIZE_COUNT - 1]))
            confirmed = large.skeleton.blocks.block_count;
        end(&large);
        snprintf(what, sizeof what, "loops of seed %" PRIu64, seed);
        check(what, random_loops, confirmed, 30, known);
    }
}

static void check_too_many(void)
{
    static struct run runs[SIZE_COUNT];
    struct ft_block_laws laws = {0};
    struct ft_placed_block *blocks = NULL;
    uint32_t count = 0;
    struct ft_diag diag = {0};
    tap_ok(learn(runs, cubes, &laws, &diag) &&
               ft_block_laws_at(&laws, &runs[SIZE_COUNT - 1].skeleton, 2000, &blocks, &count,
                                &diag) == FT_ERROR_USAGE,
           "more blocks than can be placed: %s", diag.message);
    ft_block_laws_fini(&laws);
    for (size_t s = 0; s < SIZE_COUNT; s++)
        end(&runs[s]);
}

int main(void)
{
    check("matrices of rows", matrices_of_rows, 28, 40, 84);
    check("triangles", triangle_backwards, 24, 40, 80);
    check("cubes", cubes, 157, 20, 421);
    check("steps", steps, 157, 30, 931);
    check("known at first", known_at_first, 12, 40, 40);
    check("nothing known", scattered, 0, 40, 0);
    check_random();
    check_too_many();
    return tap_plan_done();
}
