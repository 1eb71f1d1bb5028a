/*
 * Nests that follow laws but for little: an access whose address has none, a part that the
 * smallest sizes do not run; and tiles, of which small sizes have too few to tell the last one. And
 * at which sizes between the training sizes laws hold: where no loop takes several elements at a
 * time of whose remainders nothing is known.
 */
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/element_periods.h"
#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/size_law.h"
#include "fit/skeletons/sized_skeleton.h"
#include "tests/support/executed_nest.h"
#include "tests/support/tap.h"

#define SIZES 5U

/* A program: what it accesses at a size. */
typedef void program(struct executed_nest *nest, uint64_t n);

static void check(int status)
{
    if (status)
        abort();
}

static void execute(program *run, uint64_t n, struct executed_nest *nest,
                    struct ft_thread_skeleton *ret_thread)
{
    executed_nest_start(nest);
    run(nest, n);
    executed_nest_end(nest, ret_thread);
}

static void learn(program *run, const double sizes[SIZES], struct ft_nest_laws *ret_laws)
{
    const struct ft_nest_ids ids = {EXECUTED_IDS, 1, EXECUTED_IDS, 0};
    struct ft_thread_skeleton threads[SIZES];
    struct ft_nest nests[SIZES];
    struct ft_nest_tree tree;
    struct ft_law_search *search;
    struct ft_diag diag;
    for (size_t s = 0; s < SIZES; s++) {
        struct executed_nest nest;
        execute(run, (uint64_t)sizes[s], &nest, &threads[s]);
        executed_nest_fini(&nest);
        nests[s] = threads[s].nest;
    }
    check(ft_law_search_create(sizes, SIZES, &search, &diag));
    check(ft_nest_tree_make(nests, SIZES, &ids, &tree, &diag));
    check(ft_nest_laws_learn(&tree, nests, search, ret_laws, &diag));
    ft_nest_tree_fini(&tree);
    ft_law_search_destroy(search);
    for (size_t s = 0; s < SIZES; s++)
        ft_thread_skeleton_fini(&threads[s]);
}

static void make(const struct ft_nest_laws *laws, double n, struct ft_nest *ret_nest)
{
    const struct ft_nest_span largest = ft_nest_span(&laws->nest);
    *ret_nest = (struct ft_nest){0};
    if (!ft_nest_add(ret_nest, &largest))
        abort();
    for (size_t i = 0; i < laws->number_count; i++)
        ret_nest->numbers[laws->numbers[i].number] += (uint64_t)ft_law_at(&laws->numbers[i].law, n);
}

/* Whether a program at a size is what the laws make. */
static bool is_made(program *run, const struct ft_nest_laws *laws, uint64_t n)
{
    struct executed_nest executed;
    struct ft_thread_skeleton thread;
    struct ft_nest nest;
    execute(run, n, &executed, &thread);
    make(laws, (double)n, &nest);
    const bool is_same = executed_nest_is_made(&executed, &nest);
    ft_nest_fini(&nest);
    ft_thread_skeleton_fini(&thread);
    executed_nest_fini(&executed);
    return is_same;
}

/* Of the accesses with this reference whether the flag of the token is set; false without any. */
static bool is_flagged(const struct ft_nest_laws *laws, uint32_t reference)
{
    for (size_t i = 0; i < laws->nest.token_count; i += ft_nest_element(laws->nest.tokens + i).head)
        if (laws->nest.tokens[i] == ft_nest_token(FT_NEST_ACCESS, reference))
            return laws->is_sized[i];
    return false;
}

/* The outermost repetition. */
static bool is_sized(const struct ft_nest_laws *laws)
{
    size_t i = 0;
    while (!ft_nest_element(laws->nest.tokens + i).counts)
        i += ft_nest_element(laws->nest.tokens + i).head;
    return laws->is_sized[i];
}

/* Rows of so many columns, and after each a strange access. */
static void sweep(struct executed_nest *nest, uint64_t rows, uint64_t columns, uint64_t strange)
{
    executed_enter(nest, 1);
    for (uint64_t i = 0; i < rows; i++) {
        if (i)
            executed_iterate(nest);
        executed_enter(nest, 2);
        for (uint64_t j = 0; j < columns; j++) {
            if (j)
                executed_iterate(nest);
            executed_access(nest, 1, (UINT64_C(1) << 40) + 8 * (columns * i + j));
        }
        executed_leave(nest);
        executed_access(nest, 2, strange);
    }
    executed_leave(nest);
}

/* ---- an address without a law ---- */

static uint64_t strange_address(uint64_t n)
{
    return (UINT64_C(1) << 41) + 16 * (n * n * n % 1009); /* as at the largest size beyond it */
}

static void run_few(struct executed_nest *nest, uint64_t n)
{
    sweep(nest, n, 4 * n, strange_address(n < 48 ? n : 48));
}

static void run_many(struct executed_nest *nest, uint64_t n)
{
    sweep(nest, n, n, strange_address(n < 48 ? n : 48));
}

static void test_strays(void)
{
    static const double sizes[SIZES] = {16, 24, 32, 40, 48};
    struct ft_nest_laws laws;
    learn(run_few, sizes, &laws);
    tap_ok(is_sized(&laws), "one access in 193 without a law: the loop follows laws");
    tap_ok(is_flagged(&laws, 2) && !is_flagged(&laws, 1), "and that access is marked");
    tap_ok(is_made(run_few, &laws, 100), "at another size it stays where it was at the largest");
    ft_nest_laws_fini(&laws);
    learn(run_many, sizes, &laws);
    tap_ok(!is_sized(&laws), "one access in 49: the loop stays as recorded");
    ft_nest_laws_fini(&laws);
}

/* ---- parts that small sizes do not run ---- */

/* As memset and memcpy take other paths from some length on. */
static void run_later(struct executed_nest *nest, uint64_t n)
{
    executed_enter(nest, 1);
    for (uint64_t i = 0; i < n; i++) {
        if (i)
            executed_iterate(nest);
        executed_access(nest, 1, (UINT64_C(1) << 40) + 8 * i);
        if (n >= 60)
            executed_access(nest, 2, (UINT64_C(1) << 41) + 8 * n * i);
    }
    executed_leave(nest);
}

static void test_later(void)
{
    static const double sizes[SIZES] = {32, 48, 64, 80, 96};
    struct ft_nest_laws laws;
    learn(run_later, sizes, &laws);
    tap_ok(is_sized(&laws) && is_made(run_later, &laws, 160),
           "what only the three largest sizes run");
    ft_nest_laws_fini(&laws);
}

/* ---- a last tile that is shorter ---- */

#define TILE 32U

/* At the smallest sizes there are one or two others. */
static void run_tiled(struct executed_nest *nest, uint64_t n)
{
    executed_enter(nest, 1);
    for (uint64_t first = 0; first < n; first += TILE) {
        if (first)
            executed_iterate(nest);
        executed_enter(nest, 2);
        for (uint64_t i = first; i < n && i < first + TILE; i++) {
            if (i > first)
                executed_iterate(nest);
            executed_access(nest, 1, (UINT64_C(1) << 40) + 8 * n * i);
        }
        executed_leave(nest);
    }
    executed_leave(nest);
}

static void test_tiled(void)
{
    static const double sizes[SIZES] = {48, 80, 112, 144, 176};
    struct ft_nest_laws laws;
    learn(run_tiled, sizes, &laws);
    tap_ok(is_sized(&laws) && is_made(run_tiled, &laws, 400),
           "tiles of which the last one is half as long");
    ft_nest_laws_fini(&laws);
}

/* ---- sizes between ---- */

static uint64_t taken; /* elements at a time */

static void run_taken(struct executed_nest *nest, uint64_t n)
{
    executed_enter(nest, 1);
    for (uint64_t i = 0; i < n / taken; i++) {
        if (i)
            executed_iterate(nest);
        executed_access(nest, 1, (UINT64_C(1) << 40) + 8 * taken * i);
    }
    executed_leave(nest);
}

/* Whether laws from 64, 128, 192, 256, 320 hold at a size. */
static bool reaches(uint32_t access_bytes, double size)
{
    double sizes[SIZES] = {64, 128, 192, 256, 320};
    struct ft_reference references[EXECUTED_IDS] = {{0}};
    struct ft_nest_laws laws;
    struct ft_unknown_residue unknown;
    learn(run_taken, sizes, &laws);
    references[1].size_bytes = access_bytes;
    struct ft_thread_skeleton thread = {.nest = laws.nest};
    const struct ft_sized_skeleton sized = {
        .sizes = sizes,
        .size_count = SIZES,
        .largest = {.references = references,
                    .reference_count = EXECUTED_IDS,
                    .threads = &thread,
                    .thread_count = 1},
        .numbers = laws.numbers,
        .number_count = laws.number_count,
    };
    const bool reaches = ft_sized_skeleton_reaches(&sized, size, &unknown);
    ft_nest_laws_fini(&laws);
    return reaches;
}

static void test_between(void)
{
    taken = 1;
    tap_ok(reaches(8, 100) && reaches(8, 101), "one element at a time: at all sizes");
    taken = 4;
    tap_ok(reaches(8, 100), "four at a time: at a multiple of four");
    tap_ok(!reaches(8, 101) && !reaches(8, 102), "but at no other size");
    tap_ok(reaches(32, 104) && !reaches(32, 100),
           "a vector of 32 bytes may have eight elements: at multiples of eight");
}

int main(void)
{
    test_strays();
    test_later();
    test_tiled();
    test_between();
    return tap_plan_done();
}
