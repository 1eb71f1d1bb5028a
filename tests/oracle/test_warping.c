/*
 * Warping against a reference that takes each access by itself: misses and accesses of every
 * reference, on random nests and on kernels, of which most must be skipped. And all levels of a
 * machine at once, with accesses that stay while others move, against the plain simulator.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/simulate/warping/warped_simulation.h"
#include "engine/skeleton/nest_source.h"
#include "engine/skeleton/placed_source.h"
#include "tests/support/random.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

#define REFERENCES   8
#define BLOCKS       3
#define DEPTH_MAX    3
#define NUMBERS      256
#define ACCESSES_MAX 300000 /* of a random nest that is taken */

static const struct ft_reference references[REFERENCES] = {
    {.size_bytes = 8},  {.size_bytes = 8}, {.size_bytes = 4}, {.size_bytes = 8},
    {.size_bytes = 32}, {.size_bytes = 8}, {.size_bytes = 1}, {.size_bytes = 80}};

/* The last one is left by long loops, which then go around in it. */
static const struct ft_placed_block blocks[BLOCKS] = {{.address = 0x10000010, .bytes = 1 << 22},
                                                      {.address = 0x20000010, .bytes = 1 << 22},
                                                      {.address = 0x30001000, .bytes = 3000}};
static const struct ft_places places = {blocks, BLOCKS, 0x7fffffffe000};

/* ---- random nests ---- */

static const uint64_t steps[] = {
    0, 8, 8, 8, 16, 24, 64, 192, 512, 520, 4096, (uint64_t)-8, (uint64_t)-512};

static uint64_t random_step(uint64_t *random)
{
    return steps[random_below(random, sizeof steps / sizeof *steps)];
}

static uint64_t random_place(uint64_t *random)
{
    switch (random_below(random, 6)) {
    case 0: /* where it is linked */
        return 0x400000 + 8 * random_below(random, 512);
    case 1:
        return FT_PLACE_STACK - 8 * random_below(random, 64);
    case 2:
        return FT_PLACE_BLOCKS + 2 * FT_PLACE_STEP + 8 * random_below(random, 300);
    default:
        return FT_PLACE_BLOCKS + random_below(random, 2) * FT_PLACE_STEP + (1 << 20) +
               8 * random_below(random, 4096);
    }
}

/* By how much the numbers of a body change: its addresses all by a common step, or each by another
 * one (NULL); trip counts by one, or not. */
static void random_steps(uint64_t *random, const struct ft_nest_span *body, const uint64_t *common,
                         uint64_t trip_change, uint64_t *ret_steps)
{
    size_t k = 0;
    for (size_t at = 0; at < body->token_count;) {
        const struct ft_nest_element element = ft_nest_element(body->tokens + at);
        const size_t first = k + element.counts;
        if (element.kind == FT_NEST_ACCESS) {
            ret_steps[k++] = common ? *common : random_step(random);
        } else if (element.counts) {
            const struct ft_nest_span span = {body->tokens + at + element.head, element.length,
                                              body->numbers + first, element.body};
            memset(ret_steps + k, 0, (element.counts + 2 * element.body) * sizeof *ret_steps);
            ret_steps[k] = trip_change;
            random_steps(random, &span, common, trip_change, ret_steps + first);
            k = first + 2 * element.body;
            at += element.length;
        }
        at += element.head;
    }
}

static void random_parts(uint64_t *random, unsigned depth, uint64_t room, struct ft_nest *nest);

/* A loop, or a cycle of two parts, whose first or last time is not complete. */
static void random_loop(uint64_t *random, unsigned depth, uint64_t room, struct ft_nest *nest)
{
    const bool is_cycle = !random_below(random, 6);
    const uint64_t most = depth ? 12 : 2000;
    const uint64_t count = 2 + random_below(random, room < most ? room : most);
    struct ft_nest body = {0};
    uint64_t changes[NUMBERS];
    for (int part = 0; part < (is_cycle ? 2 : 1); part++) {
        size_t place;
        if (is_cycle)
            ft_nest_open(&body, FT_NEST_ONCE, 0, &place);
        random_parts(random, depth + 1, room / count, &body);
        if (is_cycle)
            ft_nest_close(&body, place);
    }
    const struct ft_nest_span span = ft_nest_span(&body);
    const uint64_t common = random_step(random);
    random_steps(random, &span, random_below(random, depth ? 2 : 4) ? &common : NULL,
                 random_below(random, 8) ? 0 : random_below(random, 3) - 1, changes);
    const struct ft_nest_cycle cycle = {random_below(random, 2) ? FT_NEST_FROM_FIRST
                                                                : FT_NEST_FROM_LAST,
                                        count, random_below(random, 2), span, changes};
    if (is_cycle)
        ft_nest_add_cycle(nest, &cycle);
    else
        ft_nest_add_repeat(nest, &span, count, changes);
    ft_nest_fini(&body);
}

/* room: iterations that all loops inside may make together. */
static void random_parts(uint64_t *random, unsigned depth, uint64_t room, struct ft_nest *nest)
{
    const uint64_t parts = 1 + random_below(random, 3);
    for (uint64_t i = 0; i < parts; i++) {
        if (depth < DEPTH_MAX && room > 2 && nest->number_count < NUMBERS / 16 &&
            random_below(random, 3))
            random_loop(random, depth, room, nest);
        else
            ft_nest_add_access(nest, (uint32_t)random_below(random, REFERENCES),
                               random_place(random));
    }
}

/* ---- the reference ---- */

struct expected {
    struct reference_cache cache;
    struct ft_reference_count counts[REFERENCES];
    uint64_t accesses;
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    const uint64_t last = address + references[reference].size_bytes - 1;
    expected->accesses++;
    expected->counts[reference].accesses++;
    for (uint64_t block = address / expected->cache.block_bytes;
         block <= last / expected->cache.block_bytes; block++)
        expected->counts[reference].misses += reference_cache_touch(&expected->cache, block);
}

struct opened {
    struct ft_nest *nest;
    struct ft_run_source *source;
};

static int open_nest(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    const struct ft_nest_source_options options = {.references = references,
                                                   .reference_count = REFERENCES};
    struct ft_run_source *source;
    FT_TRY(ft_nest_source_create(context, &options, &source, diag));
    return ft_placed_source_create(source, &places, ret_source, diag);
}

static void run_reference(struct ft_nest *nest, const struct ft_cache_form *form,
                          struct expected *ret_expected)
{
    struct ft_run_source *source;
    struct ft_diag diag;
    memset(ret_expected, 0, sizeof *ret_expected);
    reference_cache_init(&ret_expected->cache, form->block_bytes, form->ways,
                         form->blocks / form->ways);
    if (open_nest(nest, &source, &diag) != FT_OK)
        abort();
    visit_accesses(source, visit, ret_expected);
    source->destroy(source);
    reference_cache_fini(&ret_expected->cache);
}

/* ---- one cache ---- */

static struct ft_warped_program program_of(const struct ft_nest *nest,
                                           const struct ft_nest_executions *executions)
{
    return (struct ft_warped_program){.nest = nest,
                                      .places = &places,
                                      .references = references,
                                      .reference_count = REFERENCES,
                                      .executions = executions,
                                      .accesses_max = 1e18};
}

/* Whether counts are the reference's; *ret_touches: of what was simulated. */
static bool warps(struct ft_nest *nest, const struct ft_cache_form *form,
                  const struct expected *expected, uint64_t *ret_touches)
{
    struct ft_nest_executions executions;
    struct ft_single_cache cache;
    struct ft_diag diag = {0};
    bool is_done = false;
    const struct ft_warp_task task = {.simulated_share = 1, .simulated_max = 1e18};
    if (ft_nest_executions_make(nest, &executions, &diag) != FT_OK ||
        ft_single_cache_init(&cache, form, NULL, REFERENCES, &diag) != FT_OK)
        abort();
    const struct ft_warped_program program = program_of(nest, &executions);
    const bool same = ft_warp(&program, &task, &cache, &is_done, &diag) == FT_OK && is_done &&
                      memcmp(cache.counts, expected->counts, sizeof expected->counts) == 0;
    *ret_touches = cache.touches;
    ft_single_cache_fini(&cache);
    ft_nest_executions_fini(&executions);
    return same;
}

static const struct ft_cache_form forms[] = {
    {64, 16, 2},  {32, 8, 1},    {64, 48, 3},   {4096, 8, 8},  {64, 64, 64},
    {128, 64, 4}, {64, 256, 16}, {256, 12, 12}, {2048, 16, 4}, {64, 1024, 8},
    {64, 60, 5},  {64, 1, 1},    {32, 96, 96},  {512, 64, 16}, {4096, 64, 4}};
#define FORMS (sizeof forms / sizeof *forms)

static uint64_t accesses_of(const struct ft_nest *nest)
{
    struct ft_nest_executions executions;
    struct ft_diag diag;
    if (ft_nest_executions_make(nest, &executions, &diag) != FT_OK)
        abort();
    const uint64_t accesses = executions.before[nest->token_count];
    ft_nest_executions_fini(&executions);
    return accesses;
}

struct taken {
    uint64_t touches, accesses;
};

/* A random nest on three caches; what that took is added. */
static bool check_random(uint64_t seed, struct taken *taken)
{
    uint64_t random = seed;
    bool same = true;
    struct ft_nest nest = {0};
    for (int i = 0; i < 3; i++)
        random_loop(&random, 0, 4000, &nest);
    for (int i = 0; i < 3 && accesses_of(&nest) < ACCESSES_MAX; i++) {
        const struct ft_cache_form *form = &forms[random_below(&random, FORMS)];
        struct expected expected;
        uint64_t touches;
        run_reference(&nest, form, &expected);
        if (!warps(&nest, form, &expected, &touches))
            same = tap_ok(false, "seed %llu, %llu blocks of %llu bytes in %llu ways",
                          (unsigned long long)seed, (unsigned long long)form->blocks,
                          (unsigned long long)form->block_bytes, (unsigned long long)form->ways);
        taken->touches += touches;
        taken->accesses += expected.accesses;
    }
    ft_nest_fini(&nest);
    return same;
}

static void check_all_random(void)
{
    const unsigned seeds = tap_repetitions(3000, 200, 40);
    struct taken taken = {0};
    bool same = true;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        same = check_random(seed, &taken) && same;
    tap_ok(same && taken.touches < taken.accesses * 9 / 10,
           "random nests: %llu touches for %llu accesses", (unsigned long long)taken.touches,
           (unsigned long long)taken.accesses);
}

/* ---- kernels ---- */

/* A loop around a body whose access j changes by strides[j], and nothing else. */
struct level {
    uint64_t count, strides[3];
};

/* Accesses at bases, in loops from inside out. */
static void make_kernel(const uint64_t *bases, size_t access_count, const struct level *levels,
                        size_t level_count, struct ft_nest *ret_nest)
{
    struct ft_nest nest = {0};
    for (size_t j = 0; j < access_count; j++)
        ft_nest_add_access(&nest, (uint32_t)j, bases[j]);
    for (size_t i = 0; i < level_count; i++) {
        uint64_t changes[NUMBERS] = {0};
        struct ft_nest around = {0};
        const struct ft_nest_span span = ft_nest_span(&nest);
        /* the addresses stand behind the counts of the loops */
        memcpy(changes + i, levels[i].strides, access_count * sizeof *changes);
        ft_nest_add_repeat(&around, &span, levels[i].count, changes);
        ft_nest_fini(&nest);
        nest = around;
    }
    *ret_nest = nest;
}

static void check_kernel(const char *name, struct ft_nest *nest, const struct ft_cache_form *form,
                         uint64_t part)
{
    struct expected expected;
    uint64_t touches;
    run_reference(nest, form, &expected);
    const bool same = warps(nest, form, &expected, &touches);
    tap_ok(same && touches < expected.accesses / part,
           "%s, %llu sets of %llu ways: %llu touches for %llu accesses", name,
           (unsigned long long)(form->blocks / form->ways), (unsigned long long)form->ways,
           (unsigned long long)touches, (unsigned long long)expected.accesses);
}

#define A   (FT_PLACE_BLOCKS + 8)
#define B   (FT_PLACE_BLOCKS + FT_PLACE_STEP + 8)
#define ROW 2048

static void check_kernels(void)
{
    struct ft_nest nest;
    const struct ft_cache_form sets = {64, 128, 4}, prime = {64, 62, 2}, full = {64, 32, 32};
    /* a[i] += b[i], far longer than the caches */
    make_kernel((uint64_t[]){A, B, A}, 3, (struct level[]){{100000, {8, 8, 8}}}, 1, &nest);
    check_kernel("stream", &nest, &sets, 100);
    check_kernel("stream", &nest, &prime, 100);
    check_kernel("stream", &nest, &full, 100);
    ft_nest_fini(&nest);
    /* rows of a[i - 1], a[i], b[i], in time steps */
    make_kernel((uint64_t[]){A, A + ROW, B + ROW}, 3,
                (struct level[]){{250, {8, 8, 8}}, {400, {ROW, ROW, ROW}}, {12, {0, 0, 0}}}, 3,
                &nest);
    check_kernel("time steps", &nest, &sets, 300);
    check_kernel("time steps", &nest, &prime, 300);
    check_kernel("time steps", &nest, &full, 300);
    ft_nest_fini(&nest);
    /* c[i] += a[i][j] * b[j]: b stays */
    make_kernel((uint64_t[]){A, B, 0x400000}, 3,
                (struct level[]){{128, {8, 8, 0}}, {1500, {1024, 0, 8}}}, 2, &nest);
    check_kernel("row by vector", &nest, &sets, 4);
    check_kernel("row by vector", &nest, &full, 100);
    ft_nest_fini(&nest);
}

/* ---- all levels of a machine ---- */

/* Rows of `row` bytes that move, with an access to the stack in each; three times. */
static void make_rows(uint64_t row, struct ft_nest *ret_nest)
{
    struct ft_nest run = {0}, body = {0}, rows = {0};
    const uint64_t run_steps[] = {8, 8, 8}, row_steps[] = {0, 0, row, row, row, 0, 0, 0};
    const uint64_t time_steps[NUMBERS] = {0};
    ft_nest_add_access(&run, 0, A);
    ft_nest_add_access(&run, 1, A + row);
    ft_nest_add_access(&run, 2, B);
    struct ft_nest_span span = ft_nest_span(&run);
    ft_nest_add_access(&body, 3, FT_PLACE_STACK - 16);
    ft_nest_add_repeat(&body, &span, row / 8, run_steps);
    span = ft_nest_span(&body);
    ft_nest_add_repeat(&rows, &span, 900, row_steps);
    span = ft_nest_span(&rows);
    ft_nest_add_repeat(ret_nest, &span, 4, time_steps);
    ft_nest_fini(&run);
    ft_nest_fini(&body);
    ft_nest_fini(&rows);
}

static bool are_equal(const struct ft_simulation *a, const struct ft_simulation *b)
{
    const size_t misses = a->level_count * REFERENCES * sizeof(uint64_t);
    return memcmp(a->accesses, b->accesses, REFERENCES * sizeof(uint64_t)) == 0 &&
           memcmp(a->set_associative_misses, b->set_associative_misses, misses) == 0 &&
           memcmp(a->fully_associative_misses, b->fully_associative_misses, misses) == 0;
}

static int open_again(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct opened *opened = context;
    if (opened->source)
        opened->source->destroy(opened->source);
    opened->source = NULL;
    FT_TRY(open_nest(opened->nest, &opened->source, diag));
    *ret_source = opened->source;
    return FT_OK;
}

static void check_levels(const char *name, struct ft_nest *nest, const char *description)
{
    struct ft_machine machine;
    struct ft_simulation warped = {0}, plain = {0};
    struct opened opened = {.nest = nest};
    struct ft_diag diag = {0};
    const struct ft_warped_simulation_task task = {.program = program_of(nest, NULL),
                                                   .open = open_again,
                                                   .context = &opened,
                                                   .simulated_max = 1e18};
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s", description))
        return;
    const bool done = ft_warped_simulate(&task, &machine, &warped, &diag) == FT_OK &&
                      ft_simulate(&machine, 1, open_again, &opened, NULL, &plain, &diag) == FT_OK;
    tap_ok(done && are_equal(&warped, &plain), "%s: levels %s %s", name, description, diag.message);
    if (opened.source)
        opened.source->destroy(opened.source);
    ft_simulation_fini(&warped);
    ft_simulation_fini(&plain);
    ft_machine_fini(&machine);
}

/* Sets with fixed accesses by themselves, caches that are given up, several levels at once. */
static void check_machines(void)
{
    static const char *const machines[] = {
        "A:4K:64:4@1,B:32K:64:8@4,C:256K:64:16@9,memory@92,TLB:64K:4K:full@20,TLB2:1M:4K:4@30",
        "A:3K:64:4@1,B:46080:64:3@2,C:64:64:1@3,D:2K:8:1@4,memory@92,TLB:12K:4K:1@20"};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        for (uint64_t row = 1024; row <= 2056; row += 516) {
            struct ft_nest nest = {0};
            make_rows(row, &nest);
            check_levels("rows with a fixed access", &nest, machines[m]);
            ft_nest_fini(&nest);
        }
        uint64_t random = m + 1;
        struct ft_nest nest = {0};
        for (int i = 0; i < 12; i++)
            random_loop(&random, 0, 4000, &nest);
        check_levels("random loops", &nest, machines[m]);
        ft_nest_fini(&nest);
    }
}

int main(void)
{
    check_all_random();
    check_kernels();
    check_machines();
    return tap_plan_done();
}
