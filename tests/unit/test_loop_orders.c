/*
 * Rectangular nests in other orders: each is executed in its order and in the new one, and the nest
 * of the first, rewritten, must make the accesses of the second, one by one. With accesses between
 * loops, tiles that leave some iterations over, loops around that move it, and last iterations that
 * were peeled; what is no rectangle stays as it is.
 */
#include <stdlib.h>

#include "predict/explain/reordered_nest.h"
#include "tests/support/executed_nest.h"
#include "tests/support/tap.h"

#define LOOPS 3U
#define OUTER 10U /* the loop around the nest */

static const uint64_t iterations[LOOPS] = {7, 5, 11};
static const uint64_t strides[LOOPS] = {1000, 8, 96};

struct kernel {
    bool triangular; /* the innermost loop depends on the one around */
    bool peels;      /* the last iteration of the first loop lacks what is behind */
    uint64_t passes; /* of a loop around */
};

static uint64_t address(uint32_t reference, uint64_t pass, const uint64_t *counters)
{
    uint64_t sum = (UINT64_C(1) << 40) * (reference + 1) + 40 * pass;
    for (unsigned i = 0; i < LOOPS; i++)
        sum += counters[i] * strides[(i + reference) % LOOPS];
    return sum;
}

/* Before and behind the innermost loop: of the two around it. */
static void access_between(struct executed_nest *nest, uint32_t reference, uint64_t pass,
                           const uint64_t *counters)
{
    const uint64_t outer[LOOPS] = {counters[0], counters[1], 0};
    executed_access(nest, reference, address(reference, pass, outer));
}

/* In the order of the program; loops have the ids 0, 1 and 2. */
static void run_pass(struct executed_nest *nest, const struct kernel *kernel, uint64_t pass)
{
    uint64_t c[LOOPS];
    executed_enter(nest, 0);
    for (c[0] = 0; c[0] < iterations[0]; c[0]++) {
        if (c[0] > 0)
            executed_iterate(nest);
        executed_enter(nest, 1);
        for (c[1] = 0; c[1] < iterations[1]; c[1]++) {
            if (c[1] > 0)
                executed_iterate(nest);
            access_between(nest, 0, pass, c);
            executed_enter(nest, 2);
            for (c[2] = 0; c[2] < iterations[2] + (kernel->triangular ? c[1] : 0); c[2]++) {
                if (c[2] > 0)
                    executed_iterate(nest);
                executed_access(nest, 1, address(1, pass, c));
                executed_access(nest, 2, address(2, pass, c));
            }
            executed_leave(nest);
            access_between(nest, 3, pass, c);
        }
        executed_leave(nest);
        if (kernel->peels && c[0] + 1 < iterations[0])
            executed_access(nest, 4, address(4, pass, (uint64_t[LOOPS]){c[0], 0, 0}));
    }
    executed_leave(nest);
}

static void run(struct executed_nest *nest, const struct kernel *kernel,
                void pass(struct executed_nest *, const struct kernel *, uint64_t))
{
    executed_enter(nest, OUTER);
    for (uint64_t i = 0; i < kernel->passes; i++) {
        if (i > 0)
            executed_iterate(nest);
        pass(nest, kernel, i);
    }
    executed_leave(nest);
}

/* The loop 1 innermost: what was between stands in it. */
static void run_interchanged(struct executed_nest *nest, const struct kernel *kernel, uint64_t pass)
{
    uint64_t c[LOOPS];
    (void)kernel;
    for (c[0] = 0; c[0] < iterations[0]; c[0]++)
        for (c[2] = 0; c[2] < iterations[2]; c[2]++)
            for (c[1] = 0; c[1] < iterations[1]; c[1]++) {
                access_between(nest, 0, pass, c);
                executed_access(nest, 1, address(1, pass, c));
                executed_access(nest, 2, address(2, pass, c));
                access_between(nest, 3, pass, c);
            }
}

#define TILE 4U
/* Tiles of the loops 1 and 2, outside of the loop 0. */
static void run_tiles(struct executed_nest *nest, const struct kernel *kernel, uint64_t outer,
                      uint64_t pass)
{
    uint64_t c[LOOPS];
    for (uint64_t jj = 0; jj < iterations[1]; jj += TILE)
        for (uint64_t kk = 0; kk < iterations[2]; kk += TILE)
            for (c[0] = 0; c[0] < outer; c[0]++) {
                for (c[1] = jj; c[1] < jj + TILE && c[1] < iterations[1]; c[1]++) {
                    access_between(nest, 0, pass, c);
                    for (c[2] = kk; c[2] < kk + TILE && c[2] < iterations[2]; c[2]++) {
                        executed_access(nest, 1, address(1, pass, c));
                        executed_access(nest, 2, address(2, pass, c));
                    }
                    access_between(nest, 3, pass, c);
                }
                if (kernel->peels)
                    executed_access(nest, 4, address(4, pass, (uint64_t[LOOPS]){c[0], 0, 0}));
            }
}

static void run_tiled(struct executed_nest *nest, const struct kernel *kernel, uint64_t pass)
{
    run_tiles(nest, kernel, iterations[0], pass);
}

static bool interchange(const void *context, const struct ft_rect_nest *nest,
                        struct ft_loop_order *ret_order)
{
    (void)context;
    *ret_order = ft_loop_order_innermost(nest, 1);
    return nest->loop_count == LOOPS;
}

static bool tile(const void *context, const struct ft_rect_nest *nest,
                 struct ft_loop_order *ret_order)
{
    (void)context;
    *ret_order = ft_loop_order_tiled(nest, 0, 6, TILE);
    return nest->loop_count == LOOPS;
}

/* Rewrites the kernel's nest; 0: nothing was. */
static size_t rewrite(const struct kernel *kernel, ft_order_choice *choose,
                      struct ft_nest *ret_nest)
{
    const bool begins[EXECUTED_IDS] = {true};
    struct executed_nest program;
    struct ft_thread_skeleton thread;
    struct ft_diag diag = {0};
    size_t changed = 0;
    executed_nest_start(&program);
    run(&program, kernel, run_pass);
    executed_nest_end(&program, &thread);
    const struct ft_reordering reordering = {&thread.nest, begins, choose, NULL};
    if (ft_reordered_nest_make(&reordering, ret_nest, &changed, &diag))
        abort();
    ft_thread_skeleton_fini(&thread);
    executed_nest_fini(&program);
    return changed;
}

static void check_order(const struct kernel *kernel, ft_order_choice *choose,
                        void pass(struct executed_nest *, const struct kernel *, uint64_t),
                        const char *text)
{
    struct executed_nest expected;
    struct ft_thread_skeleton thread;
    struct ft_nest nest = {0};
    const size_t changed = rewrite(kernel, choose, &nest);
    executed_nest_start(&expected);
    executed_enter(&expected, 0);
    for (uint64_t i = 0; i < kernel->passes; i++)
        pass(&expected, kernel, i);
    executed_leave(&expected);
    executed_nest_end(&expected, &thread);
    tap_ok(changed == 1 && executed_nest_is_made(&expected, &nest), "%s, %llu times", text,
           (unsigned long long)kernel->passes);
    ft_nest_fini(&nest);
    ft_thread_skeleton_fini(&thread);
    executed_nest_fini(&expected);
}

/* An iteration of the loops inside of loop 0, in the order of the program. */
static void run_last(struct executed_nest *nest, uint64_t pass)
{
    uint64_t c[LOOPS] = {iterations[0] - 1, 0, 0};
    for (; c[1] < iterations[1]; c[1]++) {
        access_between(nest, 0, pass, c);
        for (c[2] = 0; c[2] < iterations[2]; c[2]++) {
            executed_access(nest, 1, address(1, pass, c));
            executed_access(nest, 2, address(2, pass, c));
        }
        access_between(nest, 3, pass, c);
    }
}

/* The first loop but for its last iteration is the nest. */
static void run_peeled(struct executed_nest *nest, const struct kernel *kernel, uint64_t pass)
{
    run_tiles(nest, kernel, iterations[0] - 1, pass);
    run_last(nest, pass);
}

int main(void)
{
    for (uint64_t passes = 1; passes <= 4; passes += 3) {
        const struct kernel kernel = {.passes = passes};
        check_order(&kernel, interchange, run_interchanged, "interchanged");
        check_order(&kernel, tile, run_tiled, "tiled");
    }
    const struct kernel triangle = {.triangular = true, .passes = 1};
    struct ft_nest nest = {0};
    tap_ok(rewrite(&triangle, interchange, &nest) == 0, "a triangle is no rectangle");
    const struct kernel peeled = {.peels = true, .passes = 1};
    check_order(&peeled, tile, run_peeled, "tiled but for a peeled last iteration");
    return tap_plan_done();
}
