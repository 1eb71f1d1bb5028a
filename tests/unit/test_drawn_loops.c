/*
 * Irregular loops over sizes: summed up at small ones, learned, drawn at a large one. What
 * progresses there must be as it would have been, and what is random be in its range, in blocks
 * that each step allocates in that of the step.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "engine/skeleton/drawing.h"
#include "engine/skeleton/irregular.h"
#include "fit/skeletons/drawn_laws.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES      5
#define ENTRIES    3U
#define AT         900U
#define STRIDE_MAX 2400 /* of the largest size learned from */
#define TABLE      (FT_PLACE_BLOCKS + FT_PLACE_STEP)

static const double sizes[SIZES] = {100, 140, 180, 220, 300};

/* Numbers of an iteration of a loop over `size` elements, which takes two paths in turns: one goes
 * through a list, looks up an element of a table, and stores 4 bytes on; the other has an inner
 * loop of which it makes fewer iterations from time to time, with a stride at random, up or down.
 */
static void add_iteration(struct ft_nest *nest, uint64_t size, uint64_t entry, uint64_t i,
                          uint64_t element)
{
    ft_nest_clear(nest);
    if (i % 2) {
        const uint64_t addresses[] = {FT_PLACE_BLOCKS + 16 * i, TABLE};
        const uint64_t steps[] = {8, 8 * (2 * element - size)};
        const uint32_t inner = ft_nest_token(FT_NEST_ACCESS, 3);
        const uint32_t both[] = {inner, inner};
        const struct ft_nest_span body = {both, 2, addresses, 2};
        ft_nest_add_repeat(nest, &body, (size - i) / 2 + 2, steps);
        return;
    }
    ft_nest_add_access(nest, 0, FT_PLACE_BLOCKS + (entry * size + i) * 4);
    ft_nest_add_access(nest, 1, TABLE + element * 8);
    ft_nest_add_access(nest, 2, TABLE + element * 8 + 4);
}

/* With the same ids. */
static void rename_loop(const struct ft_irregular *loop, struct ft_renamed_thread *ret_renamed)
{
    *ret_renamed =
        (struct ft_renamed_thread){.loops = calloc(1, sizeof *ret_renamed->loops), .loop_count = 1};
    ret_renamed->loops[0].paths = calloc(loop->path_count, sizeof(uint32_t *));
    for (size_t p = 0; p < loop->path_count; p++)
        ret_renamed->loops[0].paths[p] = loop->paths[p].tokens;
}

static void make_skeleton(uint64_t size, struct ft_skeleton *ret_skeleton,
                          struct ft_renamed_thread *ret_renamed)
{
    struct ft_skeleton skeleton = {.threads = calloc(1, sizeof *skeleton.threads),
                                   .thread_count = 1};
    struct ft_thread_skeleton *thread = &skeleton.threads[0];
    struct ft_nest nest = {0};
    struct ft_diag diag;
    uint64_t random = size, by_reference[4] = {0};
    thread->irregulars = calloc(1, sizeof *thread->irregulars);
    thread->irregular_count = 1;
    for (uint64_t entry = 0; entry < ENTRIES; entry++) {
        for (uint64_t i = 0; i < size; i++) {
            add_iteration(&nest, size, entry, i, random_below(&random, size));
            if (ft_irregular_add(&thread->irregulars[0], &nest, by_reference, &diag))
                abort();
        }
        ft_irregular_end_entry(&thread->irregulars[0]);
    }
    ft_nest_fini(&nest);
    skeleton.blocks.events = calloc(2, sizeof *skeleton.blocks.events);
    skeleton.blocks.event_count = skeleton.blocks.block_count = 2;
    skeleton.blocks.events[0] = (struct ft_block_event){.block = 0, .bytes = 16 * size};
    skeleton.blocks.events[1] = (struct ft_block_event){.block = 1, .bytes = 8 * size};
    rename_loop(&thread->irregulars[0], ret_renamed);
    *ret_skeleton = skeleton;
}

/* Draws all entries; how many iterations are not as they should be. */
static uint64_t count_wrong(struct ft_drawing *drawing, uint64_t *ret_iterations,
                            uint64_t *ret_low_half)
{
    uint64_t wrong = 0;
    *ret_iterations = *ret_low_half = 0;
    for (uint64_t entry = 0; entry < ENTRIES; entry++) {
        const uint64_t iterations = ft_drawing_enter(drawing, 0);
        *ret_iterations += iterations;
        for (uint64_t i = 0; i < iterations; i++) {
            const struct ft_nest_span span = ft_drawing_iterate(drawing, 0);
            const uint64_t *numbers = span.numbers;
            if (i % 2) {
                wrong += span.number_count != 5 || numbers[0] != (AT - i) / 2 + 2 ||
                         numbers[1] != FT_PLACE_BLOCKS + 16 * i || numbers[3] != 8 ||
                         numbers[2] != TABLE || imaxabs((int64_t)numbers[4]) > STRIDE_MAX;
                continue;
            }
            wrong += span.number_count != 3 ||
                     numbers[0] != FT_PLACE_BLOCKS + (entry * AT + i) * 4 ||
                     numbers[2] != numbers[1] + 4 || numbers[1] < TABLE ||
                     numbers[1] >= TABLE + 8 * AT || numbers[1] % 8;
            *ret_low_half += numbers[1] < TABLE + 4 * AT;
        }
    }
    return wrong;
}

static void free_training(struct ft_skeleton *skeletons, struct ft_renamed_thread *renamed)
{
    for (size_t s = 0; s < SIZES; s++) {
        free(renamed[s].loops[0].paths);
        free(renamed[s].loops);
        ft_skeleton_fini(&skeletons[s]);
    }
}

/* ---- blocks that each step allocates ---- */

#define STEPS 6U

/* Each step allocates two blocks, looks elements of the first one up at random, and frees both;
 * keeps: the first ones only at its end. */
static void make_steps(uint64_t size, bool keeps, struct ft_skeleton *ret_skeleton,
                       struct ft_renamed_thread *ret_renamed)
{
    struct ft_skeleton skeleton = {.threads = calloc(1, sizeof *skeleton.threads),
                                   .thread_count = 1};
    struct ft_thread_skeleton *thread = &skeleton.threads[0];
    struct ft_nest nest = {0};
    uint64_t random = size, by_reference[1] = {0};
    thread->irregulars = calloc(1, sizeof *thread->irregulars);
    thread->irregular_count = 1;
    skeleton.blocks.events = calloc((size_t)4 * STEPS, sizeof *skeleton.blocks.events);
    skeleton.blocks.block_count = 2 * STEPS;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct ft_block_event *events = &skeleton.blocks.events[skeleton.blocks.event_count];
        events[0] = (struct ft_block_event){.block = 2 * step, .bytes = 16 * size};
        events[1] = (struct ft_block_event){.block = 2 * step + 1, .bytes = 8 * size};
        events[2] = (struct ft_block_event){.block = 2 * step + 1, .is_freed = true};
        events[3] = (struct ft_block_event){.block = 2 * step, .is_freed = true};
        skeleton.blocks.event_count += keeps ? 3 : 4;
        for (uint64_t i = 0; i < 3 * size; i++) {
            ft_nest_clear(&nest);
            ft_nest_add_access(&nest, 0,
                               FT_PLACE_BLOCKS + 2 * step * FT_PLACE_STEP +
                                   16 * random_below(&random, size));
            if (ft_irregular_add(&thread->irregulars[0], &nest, by_reference, NULL))
                abort();
        }
        ft_irregular_end_entry(&thread->irregulars[0]);
    }
    ft_nest_fini(&nest);
    rename_loop(&thread->irregulars[0], ret_renamed);
    *ret_skeleton = skeleton;
}

/* How many of the accesses are not in the block of their step, and of these in its first half. */
static uint64_t count_strays(const struct ft_drawn_loop *at, uint64_t *ret_low_half)
{
    struct ft_drawing *drawing;
    uint64_t strays = 0;
    *ret_low_half = 0;
    if (ft_drawing_create(at, 1, 1, &drawing, NULL))
        abort();
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint64_t iterations = ft_drawing_enter(drawing, 0);
        for (uint64_t i = 0; i < iterations; i++) {
            const struct ft_nest_span span = ft_drawing_iterate(drawing, 0);
            const uint64_t offset = span.numbers[0] - (FT_PLACE_BLOCKS + 2 * step * FT_PLACE_STEP);
            strays += offset >= (uint64_t)16 * AT || offset % 16;
            *ret_low_half += offset < (uint64_t)8 * AT;
        }
    }
    ft_drawing_destroy(drawing);
    return strays;
}

static void test_steps(bool keeps)
{
    struct ft_skeleton skeletons[SIZES];
    const struct ft_skeleton *by_size[SIZES];
    struct ft_renamed_thread renamed[SIZES];
    struct ft_drawn_loop *loops = NULL, *at = NULL;
    for (size_t s = 0; s < SIZES; s++) {
        make_steps((uint64_t)sizes[s], keeps, &skeletons[s], &renamed[s]);
        by_size[s] = &skeletons[s];
    }
    const struct ft_drawn_training training = {by_size, renamed, sizes, SIZES};
    if (ft_drawn_loops_learn(&training, &loops, NULL) || ft_drawn_loops_at(loops, 1, AT, &at, NULL))
        abort();
    uint64_t low;
    const uint64_t strays = count_strays(at, &low);
    const double share = (double)low / (3.0 * AT * STEPS);
    tap_ok(keeps ? strays > 0 : strays == 0 && fabs(share - 0.5) < 0.05,
           "blocks that %s: %" PRIu64 " accesses in another one than the step's, %.3f in the first "
           "half",
           keeps ? "are kept" : "follow each other", strays, share);
    ft_drawn_loops_free(at, 1);
    ft_drawn_loops_free(loops, 1);
    free_training(skeletons, renamed);
}

/* ---- loops of several sizes ---- */

/* Where a smaller size ran no iteration that accesses anything, growth cannot be told from it. */
static void test_without_iterations(const struct ft_drawn_training *training,
                                    struct ft_irregular *smaller)
{
    struct ft_drawn_loop *loops = NULL, *at = NULL;
    struct ft_diag diag = {0};
    const struct ft_irregular former = *smaller;
    smaller->iterations = smaller->iterations_min = smaller->iterations_max = 0;
    if (ft_drawn_loops_learn(training, &loops, &diag) ||
        ft_drawn_loops_at(loops, 1, AT, &at, &diag))
        abort();
    const double iterations = at[0].iterations[0];
    tap_ok(isfinite(loops[0].exponent) && fabs(iterations - AT) < 1,
           "%g iterations where a smaller size has none", iterations);
    *smaller = former;
    ft_drawn_loops_free(at, 1);
    ft_drawn_loops_free(loops, 1);
}

int main(void)
{
    struct ft_skeleton skeletons[SIZES];
    const struct ft_skeleton *by_size[SIZES];
    struct ft_renamed_thread renamed[SIZES];
    struct ft_drawn_loop *loops = NULL, *at = NULL;
    struct ft_drawing *drawing = NULL;
    struct ft_diag diag = {0};
    for (size_t s = 0; s < SIZES; s++) {
        make_skeleton((uint64_t)sizes[s], &skeletons[s], &renamed[s]);
        by_size[s] = &skeletons[s];
    }
    const struct ft_drawn_training training = {by_size, renamed, sizes, SIZES};
    tap_ok(ft_drawn_loops_learn(&training, &loops, &diag) == 0 &&
               ft_drawn_loops_at(loops, 1, AT, &at, &diag) == 0 &&
               ft_drawing_create(at, 1, 1, &drawing, &diag) == 0,
           "learned and drawn");
    uint64_t iterations, low;
    const uint64_t wrong = count_wrong(drawing, &iterations, &low);
    tap_ok(iterations == (uint64_t)ENTRIES * AT, "%" PRIu64 " iterations", iterations);
    tap_ok(wrong == 0, "%" PRIu64 " of them are not as they would have been", wrong);
    const double share = (double)low / (ENTRIES * AT / 2.0);
    tap_ok(share > 0.45 && share < 0.55, "%.3f of the table's accesses are in its first half",
           share);
    tap_ok(ft_drawing_enter(drawing, 1) == 0 && ft_drawing_enter(drawing, UINT32_MAX) == 0,
           "loops that are not there are not drawn");
    test_without_iterations(&training, &skeletons[SIZES - 2].threads[0].irregulars[0]);
    ft_drawing_destroy(drawing);
    ft_drawn_loops_free(at, 1);
    ft_drawn_loops_free(loops, 1);
    free_training(skeletons, renamed);
    test_steps(false);
    test_steps(true);
    return tap_plan_done();
}
