/*
 * Random programs of levels that double: cycles through grids by recursion, down and up again, with
 * a coarsest one that is solved otherwise, and passes that go to and fro between two arrays. From
 * sizes that begin with three or four levels, which do not fold, laws must be learned that make
 * what an execution makes at larger sizes, access by access; at the training sizes, too.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/size_law.h"
#include "tests/support/executed_nest.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES      5
#define TARGETS    3
#define FIRST_SIZE 16U
#define BLOCK      (UINT64_C(1) << 36)

enum kind { RECURSION, PASSES, KINDS };

struct program {
    enum kind kind;
    unsigned cycles, sweeps;
    uint64_t border;   /* of a grid, on both sides together */
    bool has_blocks;   /* each grid has one of its own, else they are one behind the other */
    bool is_square;    /* grids are */
    uint64_t coarsest; /* smaller ones do not call themselves */
    unsigned coarse_sweeps;
    uint64_t row_bytes; /* of passes: the table's */
};

struct execution {
    const struct program *program;
    uint64_t n;
    struct executed_nest nest;
};

static void check(int status)
{
    if (status)
        abort();
}

static uint64_t points(const struct program *program, uint64_t side)
{
    side += program->border;
    return program->is_square ? side * side : side;
}

/* An entry of a loop over the inner points, or of two. */
static void sweep(struct execution *execution, uint32_t id, uint64_t base, uint64_t side)
{
    const struct program *program = execution->program;
    const uint64_t rows = program->is_square ? side : 1;
    executed_enter(&execution->nest, id);
    for (uint64_t i = 0; i < rows; i++) {
        if (i)
            executed_iterate(&execution->nest);
        executed_enter(&execution->nest, id + 1);
        for (uint64_t j = 0; j < side; j++) {
            if (j)
                executed_iterate(&execution->nest);
            executed_access(&execution->nest, id, base + 8 * ((side + program->border) * i + j));
            executed_access(&execution->nest, id + 1,
                            base + 8 * ((side + program->border) * i + j + 1));
        }
        executed_leave(&execution->nest);
    }
    executed_leave(&execution->nest);
}

static void cycle(struct execution *execution, uint64_t base, uint64_t side, uint64_t stack)
{
    const struct program *program = execution->program;
    struct executed_nest *nest = &execution->nest;
    executed_call(nest, 0);
    executed_access(nest, 20, stack);
    for (unsigned i = 0; i < (side > program->coarsest ? program->sweeps : program->coarse_sweeps);
         i++)
        sweep(execution, 2 * i, base, side);
    if (side > program->coarsest) {
        const uint64_t below =
            program->has_blocks ? base + 3 * BLOCK : base + 8 * points(program, side);
        sweep(execution, 10, below, side / 2);
        cycle(execution, below, side / 2, stack - 64);
        sweep(execution, 12, base, side);
        executed_access(nest, 21, stack);
    }
    executed_leave(nest);
}

/* Stockham's transform of rows: each pass reads one array and writes the other. */
static void transform(struct execution *execution, uint64_t row)
{
    struct executed_nest *nest = &execution->nest;
    const uint64_t n = execution->n;
    uint64_t from = BLOCK + 16 * n * row, to = 2 * BLOCK;
    executed_enter(nest, 0);
    for (uint64_t half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        if (stride > 1)
            executed_iterate(nest);
        executed_enter(nest, 1);
        for (uint64_t p = 0; p < half; p++) {
            if (p)
                executed_iterate(nest);
            executed_access(nest, 0, 3 * BLOCK + execution->program->row_bytes * p * stride);
            executed_enter(nest, 2);
            for (uint64_t q = 0; q < stride; q++) {
                if (q)
                    executed_iterate(nest);
                executed_access(nest, 1, from + 16 * (q + stride * p));
                executed_access(nest, 2, from + 16 * (q + stride * (p + half)));
                executed_access(nest, 3, to + 16 * (q + stride * 2 * p));
                executed_access(nest, 4, to + 16 * (q + stride * (2 * p + 1)));
            }
            executed_leave(nest);
        }
        executed_leave(nest);
        const uint64_t kept = from;
        from = to;
        to = kept;
    }
    executed_leave(nest);
}

static void execute(const struct program *program, uint64_t n, struct execution *ret_execution,
                    struct ft_thread_skeleton *ret_thread)
{
    *ret_execution = (struct execution){.program = program, .n = n};
    executed_nest_start(&ret_execution->nest);
    executed_enter(&ret_execution->nest, 23);
    for (unsigned i = 0; i < program->cycles; i++) {
        if (i)
            executed_iterate(&ret_execution->nest);
        if (program->kind == RECURSION)
            cycle(ret_execution, BLOCK, n, UINT64_C(1) << 63);
        else
            transform(ret_execution, i);
    }
    executed_leave(&ret_execution->nest);
    executed_nest_end(&ret_execution->nest, ret_thread);
}

static void random_program(uint64_t *state, struct program *program)
{
    *program = (struct program){.kind = (enum kind)random_below(state, KINDS),
                                .cycles = 1 + (unsigned)random_below(state, 3),
                                .sweeps = 1 + (unsigned)random_below(state, 2),
                                .border = random_below(state, 3),
                                .has_blocks = random_below(state, 2),
                                .is_square = random_below(state, 2),
                                .coarsest = UINT64_C(1) << (1 + random_below(state, 2)),
                                .coarse_sweeps = 1 + (unsigned)random_below(state, 4),
                                .row_bytes = 8 + 8 * random_below(state, 3)};
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

static void learn_marked(const struct ft_nest *nests, const double *sizes,
                         struct ft_nest_laws *ret_laws)
{
    const struct ft_nest_ids ids = {EXECUTED_IDS, EXECUTED_IDS, EXECUTED_IDS, 0};
    struct ft_nest marked[SIZES];
    struct ft_nest_tree tree;
    struct ft_law_search *search;
    bool found;
    check(ft_level_lists_mark(nests, sizes, SIZES, marked, &found, NULL));
    check(ft_law_search_create(sizes, SIZES, &search, NULL));
    check(ft_nest_tree_make(found ? marked : nests, SIZES, &ids, &tree, NULL));
    check(ft_nest_laws_learn(&tree, found ? marked : nests, search, ret_laws, NULL));
    ft_nest_tree_fini(&tree);
    ft_law_search_destroy(search);
    for (unsigned s = 0; s < SIZES; s++)
        ft_nest_fini(&marked[s]);
}

static bool learn(const struct program *program, struct ft_nest_laws *ret_laws, bool *ret_back)
{
    struct ft_thread_skeleton threads[SIZES];
    struct ft_nest nests[SIZES];
    double sizes[SIZES];
    *ret_back = true;
    for (unsigned s = 0; s < SIZES; s++) {
        struct execution execution;
        sizes[s] = FIRST_SIZE << s;
        execute(program, FIRST_SIZE << s, &execution, &threads[s]);
        nests[s] = threads[s].nest;
        *ret_back = *ret_back && threads[s].irregular_count == 0 &&
                    executed_nest_is_made(&execution.nest, &nests[s]);
        executed_nest_fini(&execution.nest);
    }
    learn_marked(nests, sizes, ret_laws);
    for (unsigned s = 0; s < SIZES; s++)
        ft_thread_skeleton_fini(&threads[s]);
    return is_learned(ret_laws);
}

/* Of the training sizes and those beyond, how many come out otherwise. */
static unsigned count_wrong(const struct program *program, const struct ft_nest_laws *laws)
{
    unsigned wrong = 0;
    for (unsigned s = 0; s < SIZES + TARGETS; s++) {
        const uint64_t n = FIRST_SIZE << s;
        const struct ft_nest_span largest = ft_nest_span(&laws->nest);
        struct execution execution;
        struct ft_thread_skeleton thread;
        struct ft_nest nest = {0};
        if (program->kind == RECURSION && program->is_square && n > 1024)
            continue; /* too long */
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
    static const char *const kinds[KINDS] = {"recursion", "passes"};
    const unsigned programs = tap_repetitions(60, 12, 4);
    unsigned learned = 0;
    uint64_t state = 1;
    for (unsigned i = 0; i < programs; i++) {
        struct program program;
        struct ft_nest_laws laws;
        bool back;
        random_program(&state, &program);
        const bool has_laws = learn(&program, &laws, &back);
        const unsigned wrong = has_laws ? count_wrong(&program, &laws) : 0;
        tap_ok(back, "%s, %u cycles: given back", kinds[program.kind], program.cycles);
        tap_ok(wrong == 0, "%s, border %" PRIu64 ", coarsest %" PRIu64 ": %s, %u sizes wrong",
               kinds[program.kind], program.border, program.coarsest,
               has_laws ? "learned" : "not learned", wrong);
        learned += has_laws;
        ft_nest_laws_fini(&laws);
    }
    tap_ok(learned == programs, "%u of %u programs follow laws", learned, programs);
    return tap_plan_done();
}
