/*
 * Random loop nests that double or halve something until it is the size: passes of transforms in
 * either order of their loops, levels of grids that become coarser in one or two dimensions, one
 * behind the other or in blocks of their own, with tables whose strides halve. They are executed at
 * sizes that double, must come back access by access, and what is learned from them must make what
 * an execution makes at larger sizes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/size_law.h"
#include "tests/support/executed_nest.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES        4
#define TARGETS      2
#define ACCESSES_MAX 3U
#define FIRST_LOG    6U /* of the smallest size, over its odd factor */

enum order { STARTS_FIRST, PAIRS_FIRST, GRIDS, SQUARE_GRIDS, ORDERS };

struct program {
    enum order order;
    bool falls;               /* from the size down */
    uint64_t odd;             /* sizes are this times powers of two */
    uint64_t rows, row_bytes; /* a loop around all of it */
    bool has_row_stride;      /* rows are as long as the size */
    unsigned accesses;
    uint64_t by_pair[ACCESSES_MAX], by_half[ACCESSES_MAX], by_table[ACCESSES_MAX],
        by_pass[ACCESSES_MAX], by_area[ACCESSES_MAX];
    unsigned around; /* accesses before and behind the inner loops of a pass */
};

struct execution {
    const struct program *program;
    uint64_t n, row, pass, half, quarter; /* quarter: n / (2 half), which halves as half doubles */
    uint64_t area;                        /* half^2 of all passes before */
    struct executed_nest nest;
};

static void check(int status)
{
    if (status)
        abort();
}

static void inner_accesses(struct execution *execution, uint64_t start, uint64_t pair)
{
    const struct program *program = execution->program;
    for (unsigned a = 0; a < program->accesses; a++)
        executed_access(&execution->nest, a,
                        (UINT64_C(1) << 40) * (1 + a) +
                            execution->row * (program->row_bytes +
                                              (program->has_row_stride ? 8 * execution->n : 0)) +
                            16 * execution->half * start + program->by_pair[a] * pair +
                            program->by_half[a] * execution->half +
                            program->by_table[a] * execution->quarter * pair +
                            program->by_pass[a] * execution->pass +
                            program->by_area[a] * execution->area);
}

/* Two loops of so many iterations; is_swapped: the inner one goes over starts. */
static void run_pass(struct execution *execution, uint64_t outer, uint64_t inner, bool is_swapped)
{
    for (unsigned a = 0; a < execution->program->around; a++)
        executed_access(&execution->nest, 8 + a, (UINT64_C(1) << 45) + 8 * execution->half * a);
    executed_enter(&execution->nest, 2);
    for (uint64_t i = 0; i < outer; i++) {
        if (i)
            executed_iterate(&execution->nest);
        executed_enter(&execution->nest, 3);
        for (uint64_t j = 0; j < inner; j++) {
            if (j)
                executed_iterate(&execution->nest);
            inner_accesses(execution, is_swapped ? j : i, is_swapped ? i : j);
        }
        executed_leave(&execution->nest);
    }
    executed_leave(&execution->nest);
    for (unsigned a = 0; a < execution->program->around; a++)
        executed_access(&execution->nest, 12 + a, (UINT64_C(1) << 46) + 8 * execution->pass);
}

static void run_passes(struct execution *execution)
{
    const struct program *program = execution->program;
    const uint64_t whole = execution->n / program->odd;
    executed_enter(&execution->nest, 1);
    for (uint64_t step = 1; step < whole; step *= 2) {
        execution->half = program->falls ? whole / 2 / step : step;
        execution->quarter = execution->n / 2 / execution->half;
        if (step > 1)
            executed_iterate(&execution->nest);
        const uint64_t half = execution->half, starts = execution->quarter;
        if (program->order == STARTS_FIRST || program->order == PAIRS_FIRST)
            run_pass(execution, program->order == STARTS_FIRST ? starts : half,
                     program->order == STARTS_FIRST ? half : starts, program->order == PAIRS_FIRST);
        else
            run_pass(execution, program->order == GRIDS ? 3 : half + 1, half + 1, false);
        execution->pass++;
        execution->area += half * half;
    }
    executed_leave(&execution->nest);
}

static void execute(const struct program *program, uint64_t n, struct execution *ret_execution,
                    struct ft_thread_skeleton *ret_thread)
{
    *ret_execution = (struct execution){.program = program, .n = n};
    executed_nest_start(&ret_execution->nest);
    executed_enter(&ret_execution->nest, 0);
    for (uint64_t row = 0; row < program->rows; row++) {
        ret_execution->row = row;
        ret_execution->pass = ret_execution->area = 0;
        if (row)
            executed_iterate(&ret_execution->nest);
        run_passes(ret_execution);
    }
    executed_leave(&ret_execution->nest);
    executed_nest_end(&ret_execution->nest, ret_thread);
}

static void random_program(uint64_t *state, struct program *program)
{
    *program = (struct program){.order = (enum order)random_below(state, ORDERS),
                                .falls = random_below(state, 2),
                                .odd = 1 + 2 * random_below(state, 3),
                                .rows = 1 + 4 * random_below(state, 2),
                                .row_bytes = 8 * random_below(state, 1000),
                                .has_row_stride = random_below(state, 2),
                                .accesses = 1 + (unsigned)random_below(state, ACCESSES_MAX),
                                .around = (unsigned)random_below(state, 3)};
    for (unsigned a = 0; a < ACCESSES_MAX; a++) {
        program->by_pair[a] = 8 * random_below(state, 3);
        program->by_half[a] = 8 * random_below(state, 3);
        program->by_table[a] = random_below(state, 2) * 16;
        program->by_pass[a] = random_below(state, 2) * (UINT64_C(1) << 36);
        if (program->order >= GRIDS && program->by_pass[a] == 0)
            program->by_area[a] = 8 * random_below(state, 2);
    }
}

/* ---- what laws make ---- */

static bool is_learned(const struct ft_nest_laws *laws)
{
    bool all = true;
    for (size_t at = 0; at < laws->nest.token_count;) {
        const struct ft_nest_element element = ft_nest_element(laws->nest.tokens + at);
        const bool is_leaf = element.kind == FT_NEST_ACCESS || element.counts;
        all = all && (!is_leaf || laws->is_sized[at]);
        at += element.head + (is_leaf ? element.length : 0);
    }
    return all;
}

static uint64_t size_at(const struct program *program, unsigned doublings)
{
    return program->odd << (FIRST_LOG + doublings);
}

/* ret_back: all came back. */
static bool learn(const struct program *program, struct ft_nest_laws *ret_laws, bool *ret_back)
{
    const struct ft_nest_ids ids = {EXECUTED_IDS, 1, EXECUTED_IDS, 0};
    struct ft_thread_skeleton threads[SIZES];
    struct ft_nest nests[SIZES];
    struct ft_nest_tree tree;
    struct ft_law_search *search;
    double sizes[SIZES];
    *ret_back = true;
    for (unsigned s = 0; s < SIZES; s++) {
        struct execution execution;
        sizes[s] = (double)size_at(program, s);
        execute(program, size_at(program, s), &execution, &threads[s]);
        nests[s] = threads[s].nest;
        *ret_back = *ret_back && executed_nest_is_made(&execution.nest, &nests[s]);
        executed_nest_fini(&execution.nest);
    }
    check(ft_law_search_create(sizes, SIZES, &search, NULL));
    check(ft_nest_tree_make(nests, SIZES, &ids, &tree, NULL));
    check(ft_nest_laws_learn(&tree, nests, search, ret_laws, NULL));
    ft_nest_tree_fini(&tree);
    ft_law_search_destroy(search);
    for (unsigned s = 0; s < SIZES; s++)
        ft_thread_skeleton_fini(&threads[s]);
    return is_learned(ret_laws);
}

/* Of twice and four times the largest size, how many come out otherwise. */
static unsigned count_wrong(const struct program *program, const struct ft_nest_laws *laws)
{
    unsigned wrong = 0;
    for (unsigned t = 0; t < TARGETS; t++) {
        const uint64_t n = size_at(program, SIZES + t);
        const struct ft_nest_span largest = ft_nest_span(&laws->nest);
        struct execution execution;
        struct ft_thread_skeleton thread;
        struct ft_nest nest = {0};
        execute(program, n, &execution, &thread);
        if (!ft_nest_add(&nest, &largest))
            abort();
        for (size_t i = 0; i < laws->number_count; i++)
            nest.numbers[laws->numbers[i].number] +=
                (uint64_t)ft_law_at(&laws->numbers[i].law, (double)n);
        wrong += !executed_nest_is_made(&execution.nest, &nest);
        ft_nest_fini(&nest);
        ft_thread_skeleton_fini(&thread);
        executed_nest_fini(&execution.nest);
    }
    return wrong;
}

int main(void)
{
    static const char *const orders[ORDERS] = {"starts first", "pairs first", "grids",
                                               "square grids"};
    const unsigned programs = tap_repetitions(200, 24, 5);
    unsigned learned = 0;
    uint64_t state = 1;
    for (unsigned i = 0; i < programs; i++) {
        struct program program;
        struct ft_nest_laws laws;
        bool back;
        random_program(&state, &program);
        const bool has_laws = learn(&program, &laws, &back);
        const unsigned wrong = has_laws ? count_wrong(&program, &laws) : 0;
        tap_ok(back, "%s, %s, %u accesses: given back", orders[program.order],
               program.falls ? "falling" : "rising", program.accesses);
        tap_ok(wrong == 0,
               "%" PRIu64 " times powers of two, %" PRIu64 " rows: %s, %u targets wrong",
               program.odd, program.rows, has_laws ? "learned" : "not learned", wrong);
        learned += has_laws;
        ft_nest_laws_fini(&laws);
    }
    tap_ok(learned == programs, "%u of %u programs follow laws", learned, programs);
    return tap_plan_done();
}
