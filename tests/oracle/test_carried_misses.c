/*
 * Which scope carries the reuse that misses, against a reference that keeps with each block the
 * activations and iterations in which it was touched last, and looks for it in lists: on nests of
 * loops with calls between them, in a set-associative and a fully associative cache and a TLB.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/explain/carried_misses.h"
#include "tests/support/executed_nest.h"
#include "tests/support/random.h"
#include "tests/support/reference_cache.h"
#include "tests/support/tap.h"

#define REFERENCES 4U
#define LEVELS     3U
#define BLOCKS_MAX 4096U
#define DEPTH_MAX  4U
#define LOOPS      5U /* 0 around 1, in this 2; behind 1 3; around all 4 */
#define SCOPES     (1 + LOOPS)
#define NESTS      60

/* ---- the reference ---- */

struct place {
    uint32_t scope;
    uint64_t activation, iteration;
};

struct touched {
    uint64_t block;
    uint32_t reference;
    size_t depth;
    struct place path[DEPTH_MAX];
};

struct reference {
    struct executed_nest nest;
    struct place path[DEPTH_MAX];
    size_t depth;
    uint64_t activations;
    struct reference_cache caches[LEVELS];
    struct touched *touched[LEVELS];
    size_t touched_count[LEVELS];
    /* [level][sink][source][scope][across] */
    double misses[LEVELS][REFERENCES][REFERENCES][SCOPES][2];
};

static void enter(struct reference *reference, uint32_t loop)
{
    executed_enter(&reference->nest, loop);
    reference->path[reference->depth++] = (struct place){loop + 1, ++reference->activations, 0};
}

static void iterate(struct reference *reference)
{
    executed_iterate(&reference->nest);
    reference->path[reference->depth - 1].iteration++;
}

static void leave(struct reference *reference)
{
    executed_leave(&reference->nest);
    reference->depth--;
}

static void count(struct reference *reference, size_t level, const struct touched *before,
                  uint32_t sink)
{
    size_t common = 0;
    while (common < before->depth && common < reference->depth &&
           before->path[common].activation == reference->path[common].activation)
        common++;
    const struct place *carrier = common ? &reference->path[common - 1] : NULL;
    const bool across = carrier && before->path[common - 1].iteration != carrier->iteration;
    reference->misses[level][sink][before->reference][carrier ? carrier->scope : 0][across]++;
}

static void touch(struct reference *reference, size_t level, uint32_t sink, uint64_t address)
{
    struct reference_cache *cache = &reference->caches[level];
    const uint64_t block = address / cache->block_bytes;
    struct touched *touched = reference->touched[level];
    size_t i = 0;
    while (i < reference->touched_count[level] && touched[i].block != block)
        i++;
    if (reference_cache_touch(cache, block) && i < reference->touched_count[level])
        count(reference, level, &touched[i], sink);
    if (i == BLOCKS_MAX)
        abort();
    reference->touched_count[level] += i == reference->touched_count[level];
    touched[i] = (struct touched){block, sink, reference->depth, {{0}}};
    memcpy(touched[i].path, reference->path, sizeof reference->path);
}

static void see(struct reference *reference, uint32_t sink, uint64_t address)
{
    executed_access(&reference->nest, sink, address);
    for (size_t level = 0; level < LEVELS; level++)
        touch(reference, level, sink, address);
}

/* ---- nests ---- */

struct nest {
    uint64_t iterations[LOOPS], strides[REFERENCES][LOOPS];
};

static uint64_t at(const struct nest *nest, uint32_t reference, const uint64_t *c)
{
    uint64_t address = (UINT64_C(1) << 24) * (1 + reference / 2);
    for (unsigned i = 0; i < LOOPS; i++)
        address += c[i] * nest->strides[reference][i];
    return address;
}

static void run(struct reference *reference, const struct nest *nest)
{
    uint64_t c[LOOPS] = {0};
    enter(reference, 4);
    for (c[4] = 0; c[4] < nest->iterations[4]; c[4]++) {
        if (c[4] > 0)
            iterate(reference);
        enter(reference, 0);
        for (c[0] = 0; c[0] < nest->iterations[0]; c[0]++) {
            if (c[0] > 0)
                iterate(reference);
            enter(reference, 1);
            for (c[1] = 0; c[1] < nest->iterations[1]; c[1]++) {
                if (c[1] > 0)
                    iterate(reference);
                see(reference, 0, at(nest, 0, c));
                see(reference, 1, at(nest, 1, c));
            }
            c[1] = 0;
            leave(reference);
            see(reference, 2, at(nest, 2, c));
            enter(reference, 3);
            for (c[3] = 0; c[3] < nest->iterations[3]; c[3]++) {
                if (c[3] > 0)
                    iterate(reference);
                see(reference, 3, at(nest, 3, c));
            }
            c[3] = 0;
            leave(reference);
        }
        c[0] = 0;
        leave(reference);
    }
    leave(reference);
}

/* ---- comparing ---- */

static bool is_expected(struct reference *reference, const struct ft_carried_misses *carried)
{
    double left = 0;
    for (size_t i = 0; i < carried->count; i++)
        for (size_t level = 0; level < LEVELS; level++) {
            const struct ft_carried *row = &carried->rows[i];
            double *misses =
                &reference->misses[level][row->sink][row->source][row->scope][row->across];
            if (*misses != carried->misses[i * LEVELS + level])
                return false;
            *misses = 0;
        }
    for (size_t i = 0; i < sizeof reference->misses / sizeof left; i++)
        left += (&reference->misses[0][0][0][0][0])[i];
    return left == 0;
}

static const uint64_t strides[] = {0, 8, 8, 16, 64, 72, 512, 4096};

static void make_nest(uint64_t *random, struct nest *ret_nest)
{
    for (unsigned i = 0; i < LOOPS; i++)
        ret_nest->iterations[i] =
            i == 4 ? 1 + random_below(random, 3) : 3 + random_below(random, i == 0 ? 8 : 40);
    for (unsigned r = 0; r < REFERENCES; r++)
        for (unsigned i = 0; i < LOOPS; i++)
            ret_nest->strides[r][i] =
                i == 4 ? 0 : strides[random_below(random, sizeof strides / sizeof *strides)];
}

static bool check_nest(uint64_t *random, const struct ft_machine *machine, double *misses)
{
    uint32_t loop_scopes[LOOPS], routine_scopes[1] = {0};
    struct ft_reference references[REFERENCES];
    struct ft_scope scopes[SCOPES] = {{0}};
    struct ft_scoped_reference scoped[REFERENCES] = {{0}};
    const struct ft_places places = {0};
    struct ft_thread_skeleton thread;
    struct ft_carried_misses carried;
    struct nest nest;
    struct ft_diag diag = {0};
    struct reference *reference = calloc(1, sizeof *reference);
    for (uint32_t i = 0; i < LOOPS; i++)
        loop_scopes[i] = i + 1;
    for (uint32_t i = 0; i < REFERENCES; i++)
        references[i] = (struct ft_reference){.size_bytes = 8};
    const struct ft_skeleton skeleton = {.scopes = {.scopes = scopes,
                                                    .scope_count = SCOPES,
                                                    .references = scoped,
                                                    .reference_count = REFERENCES},
                                         .references = references,
                                         .reference_count = REFERENCES,
                                         .routine_scopes = routine_scopes,
                                         .loop_scopes = loop_scopes,
                                         .routine_count = 1,
                                         .loop_count = LOOPS};
    for (size_t i = 0; i < LEVELS; i++) {
        const struct ft_level *level = &machine->levels[i];
        reference_cache_init(&reference->caches[i], level->block_bytes, level->ways,
                             ft_level_sets(level));
        reference->touched[i] = calloc(BLOCKS_MAX, sizeof **reference->touched);
    }
    make_nest(random, &nest);
    executed_nest_start(&reference->nest);
    run(reference, &nest);
    executed_nest_end(&reference->nest, &thread);
    const struct ft_carrying_task task = {&thread.nest, &places, &skeleton, machine, 0, UINT64_MAX};
    bool as_expected = ft_carried_misses_find(&task, &carried, &diag) == FT_OK;
    for (size_t i = 0; i < carried.count * LEVELS; i++)
        *misses += carried.misses[i];
    as_expected = as_expected && carried.is_complete && is_expected(reference, &carried);
    ft_carried_misses_fini(&carried);
    ft_thread_skeleton_fini(&thread);
    executed_nest_fini(&reference->nest);
    for (size_t i = 0; i < LEVELS; i++) {
        reference_cache_fini(&reference->caches[i]);
        free(reference->touched[i]);
    }
    free(reference);
    return as_expected;
}

int main(void)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    uint64_t random = 1;
    double misses = 0;
    unsigned wrong = 0;
    const unsigned nests = (unsigned)tap_repetitions(10 * NESTS, NESTS, NESTS / 4);
    if (!tap_ok(ft_machine_parse("L1:1K:64:4@4,L2:4K:64:full@9,memory@200,TLB:16K:4K:2@20",
                                 &machine, &diag) == FT_OK,
                "a machine %s", diag.message))
        return tap_plan_done();
    for (unsigned i = 0; i < nests; i++)
        wrong += !check_nest(&random, &machine, &misses);
    tap_ok(wrong == 0, "%u of %u nests carry other misses", wrong, nests);
    tap_ok(misses > 100.0 * nests, "%g misses in all", misses);
    ft_machine_fini(&machine);
    return tap_plan_done();
}
