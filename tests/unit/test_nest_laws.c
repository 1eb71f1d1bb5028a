/*
 * Random loop nests over a size: loops over rows and triangles, vector loops whose remainder is a
 * loop or a chain of branches, tiles with a shorter last one. They are executed at sizes of mixed
 * residues, their nests united and learned, and what the laws make at other sizes, odd and prime
 * ones among them, must be what an execution there makes, access by access.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/size_law.h"
#include "tests/support/executed_nest.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES     12
#define DEPTH_MAX 3

static const double sizes[SIZES] = {40, 45, 50, 55, 59, 62, 68, 73, 77, 80, 86, 91};
static const uint64_t targets[] = {97, 103, 128, 150, 193};

/* ---- programs ---- */

enum range { ROWS, FALLING, RISING, RANGES }; /* n + more, n + 4 - outer, outer + 8 iterations */
enum inner { SCALAR, VECTOR, BRANCHES, TILES, INNERS };

struct program {
    unsigned depth;
    enum range ranges[DEPTH_MAX];
    uint64_t more[DEPTH_MAX];
    enum inner inner;
    uint64_t taken;                     /* elements at a time */
    uint64_t strides[DEPTH_MAX + 1][2]; /* of an address: bytes, and bytes times n */
};

struct execution {
    const struct program *program;
    uint64_t n;
    uint64_t counters[DEPTH_MAX];
    struct executed_nest nest;
};

static void check(int status)
{
    if (status)
        abort();
}

static void access_at(struct execution *execution, uint32_t reference, uint64_t element)
{
    const struct program *program = execution->program;
    uint64_t address = (UINT64_C(1) << 40) * (1 + reference);
    for (unsigned d = 0; d < program->depth; d++)
        address += execution->counters[d] *
                   (program->strides[d][0] + program->strides[d][1] * execution->n);
    address += element * program->strides[DEPTH_MAX][0];
    executed_access(&execution->nest, reference, address);
}

/* A loop over elements from one to another, `step` at a time. */
static void run_elements(struct execution *execution, uint32_t id, uint64_t from, uint64_t to,
                         uint64_t step)
{
    if (from >= to)
        return;
    executed_enter(&execution->nest, id);
    for (uint64_t i = from; i < to; i += step) {
        if (i > from)
            executed_iterate(&execution->nest);
        access_at(execution, id, i);
    }
    executed_leave(&execution->nest);
}

static void run_inner(struct execution *execution, uint64_t length)
{
    const uint64_t taken = execution->program->taken, whole = length / taken * taken;
    access_at(execution, 0, 0);
    switch (execution->program->inner) {
    case VECTOR:
        run_elements(execution, 1, 0, whole, taken);
        run_elements(execution, 2, whole, length, 1);
        return;
    case BRANCHES: /* halves of what is left over, as compilers do it */
        run_elements(execution, 1, 0, whole, taken);
        for (uint64_t part = taken / 2, at = whole; part; part /= 2)
            if ((length - at) / part) {
                access_at(execution, (uint32_t)(2 + part), at);
                at += part;
            }
        return;
    case TILES:
        executed_enter(&execution->nest, 1);
        for (uint64_t tile = 0; tile < length; tile += taken) {
            if (tile)
                executed_iterate(&execution->nest);
            access_at(execution, 1, tile);
            run_elements(execution, 2, tile, tile + taken < length ? tile + taken : length, 1);
        }
        executed_leave(&execution->nest);
        return;
    default:
        run_elements(execution, 1, 0, length, 1);
    }
}

static uint64_t trips(const struct execution *execution, unsigned depth)
{
    const struct program *program = execution->program;
    const uint64_t outer = depth ? execution->counters[depth - 1] : 0;
    switch (depth ? program->ranges[depth] : ROWS) {
    case FALLING:
        return outer < execution->n + 4 ? execution->n + 4 - outer : 0;
    case RISING:
        return outer + 8;
    default:
        return execution->n + program->more[depth];
    }
}

static void run(struct execution *execution, unsigned depth)
{
    const uint64_t iterations = trips(execution, depth);
    if (depth + 1 >= execution->program->depth || depth + 1 == DEPTH_MAX) {
        run_inner(execution, iterations);
        return;
    }
    executed_enter(&execution->nest, 8 + depth);
    for (uint64_t i = 0; i < iterations; i++) {
        if (i)
            executed_iterate(&execution->nest);
        execution->counters[depth] = i;
        run(execution, depth + 1);
    }
    executed_leave(&execution->nest);
}

static void execute(const struct program *program, uint64_t n, struct execution *ret_execution,
                    struct ft_thread_skeleton *ret_thread)
{
    *ret_execution = (struct execution){.program = program, .n = n};
    executed_nest_start(&ret_execution->nest);
    run(ret_execution, 0);
    executed_nest_end(&ret_execution->nest, ret_thread);
}

static void random_program(uint64_t *state, struct program *program)
{
    const bool is_deep = random_below(state, 8) == 0; /* it takes long */
    *program = (struct program){.depth = is_deep ? DEPTH_MAX : 1 + (unsigned)random_below(state, 2),
                                .inner = (enum inner)random_below(state, INNERS),
                                .taken = UINT64_C(2) << random_below(state, 3)};
    for (unsigned d = 0; d < DEPTH_MAX; d++) {
        program->ranges[d] = (enum range)random_below(state, RANGES);
        program->more[d] = random_below(state, 5);
        program->strides[d][0] = random_below(state, 3) * 8;
        program->strides[d][1] = random_below(state, 2) * 8;
    }
    program->strides[DEPTH_MAX][0] = 8;
}

/* ---- what laws make ---- */

static bool is_learned(const struct ft_nest_laws *laws)
{
    for (size_t at = 0; at < laws->nest.token_count;) {
        const struct ft_nest_element element = ft_nest_element(laws->nest.tokens + at);
        const bool is_leaf = element.kind == FT_NEST_ACCESS || element.counts;
        if (is_leaf && !laws->is_sized[at])
            return false;
        at += element.head + (is_leaf ? element.length : 0);
    }
    return true;
}

/* How many targets come out otherwise. */
static unsigned count_wrong(const struct program *program, const struct ft_nest_laws *laws)
{
    unsigned wrong = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        struct execution execution;
        struct ft_thread_skeleton thread;
        struct ft_nest nest = {0};
        const struct ft_nest_span largest = ft_nest_span(&laws->nest);
        execute(program, targets[t], &execution, &thread);
        if (!ft_nest_add(&nest, &largest))
            abort();
        for (size_t i = 0; i < laws->number_count; i++)
            nest.numbers[laws->numbers[i].number] +=
                (uint64_t)ft_law_at(&laws->numbers[i].law, (double)targets[t]);
        wrong += !executed_nest_is_made(&execution.nest, &nest);
        ft_nest_fini(&nest);
        ft_thread_skeleton_fini(&thread);
        executed_nest_fini(&execution.nest);
    }
    return wrong;
}

static bool learn(const struct program *program, struct ft_nest_laws *ret_laws)
{
    const struct ft_nest_ids ids = {EXECUTED_IDS, 1, EXECUTED_IDS, 0};
    struct ft_thread_skeleton threads[SIZES];
    struct ft_nest nests[SIZES];
    struct ft_nest_tree tree;
    struct ft_law_search *search;
    struct ft_diag diag;
    for (size_t s = 0; s < SIZES; s++) {
        struct execution execution;
        execute(program, (uint64_t)sizes[s], &execution, &threads[s]);
        executed_nest_fini(&execution.nest);
        nests[s] = threads[s].nest;
    }
    check(ft_law_search_create(sizes, SIZES, &search, &diag));
    check(ft_nest_tree_make(nests, SIZES, &ids, &tree, &diag));
    check(ft_nest_laws_learn(&tree, nests, search, ret_laws, &diag));
    ft_nest_tree_fini(&tree);
    ft_law_search_destroy(search);
    for (size_t s = 0; s < SIZES; s++)
        ft_thread_skeleton_fini(&threads[s]);
    return is_learned(ret_laws);
}

int main(void)
{
    static const char *const inners[INNERS] = {"scalar", "vector", "branches", "tiles"};
    static const char *const ranges[RANGES] = {"rows", "falling", "rising"};
    const unsigned programs = tap_repetitions(400, 40, 8);
    unsigned learned = 0;
    uint64_t state = 1;
    for (unsigned i = 0; i < programs; i++) {
        struct program program;
        struct ft_nest_laws laws;
        random_program(&state, &program);
        const bool has_laws = learn(&program, &laws);
        const unsigned wrong = has_laws ? count_wrong(&program, &laws) : 0;
        tap_ok(wrong == 0, "%u loops, %s, %s, %s by %" PRIu64 ": %s, %u targets wrong",
               program.depth, ranges[program.ranges[1]], ranges[program.ranges[2]],
               inners[program.inner], program.taken, has_laws ? "learned" : "not learned", wrong);
        learned += has_laws;
        ft_nest_laws_fini(&laws);
    }
    tap_ok(learned >= programs * 9 / 10, "%u of %u programs follow laws", learned, programs);
    return tap_plan_done();
}
