/*
 * Loops that progress but for what is drawn at random: a search for the place of something, and a
 * swap if it is not here. What progresses is folded exactly, and the rest drawn where it was, from
 * the row that it may be in on; again from the start where the loop is entered again. And
 * iterations that may not be cut, as activations would be torn.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/nest_walk.h"
#include "engine/skeleton/refolding.h"
#include "fit/skeletons/cut_search.h"
#include "tests/support/executed_nest.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SIZES   4U
#define ENTRIES 2U
#define TABLE   FT_PLACE_BLOCKS

/* References. */
enum { FIRST, BEST, HERE, THERE, BEHIND, LAST };
/* Loops. */
enum { ENTRY, STEP, SEARCH, SWAP, UPDATE };
#define SWAPPER 3U /* a routine */

static const double sizes[SIZES] = {24, 32, 40, 48};

static void check(int status)
{
    if (status)
        abort();
}

static void begin(struct executed_nest *nest, uint64_t iteration)
{
    if (iteration)
        executed_iterate(nest);
}

/* Goes down a column; looks again and again at the largest so far. */
static uint64_t search(struct executed_nest *nest, uint64_t n, uint64_t k, uint64_t *random)
{
    uint64_t best = k;
    executed_enter(nest, SEARCH);
    for (uint64_t i = k + 1; i < n; i++) {
        begin(nest, i - k - 1);
        executed_access(nest, FIRST, TABLE + 8 * (n * i + k));
        executed_access(nest, BEST, TABLE + 8 * (n * best + k));
        if (random_below(random, i - k + 1) == 0)
            best = i;
    }
    executed_leave(nest);
    return best;
}

static void swap(struct executed_nest *nest, uint64_t n, uint64_t k, uint64_t best)
{
    executed_call(nest, SWAPPER);
    executed_enter(nest, SWAP);
    for (uint64_t j = 0; j < n; j++) {
        begin(nest, j);
        executed_access(nest, HERE, TABLE + 8 * (n * k + j));
        executed_access(nest, THERE, TABLE + 8 * (n * best + j));
    }
    executed_leave(nest);
    executed_leave(nest);
}

static void run(struct executed_nest *nest, uint64_t n)
{
    uint64_t random = n;
    executed_enter(nest, ENTRY);
    for (uint64_t entry = 0; entry < ENTRIES; entry++) {
        begin(nest, entry);
        executed_enter(nest, STEP);
        for (uint64_t k = 0; k < n; k++) {
            begin(nest, k);
            const uint64_t best = search(nest, n, k, &random);
            if (best != k)
                swap(nest, n, k, best);
            executed_access(nest, BEHIND, TABLE + 8 * (n + 1) * k);
            executed_enter(nest, UPDATE);
            for (uint64_t i = k + 1; i < n; i++) {
                begin(nest, i - k - 1);
                executed_access(nest, LAST, TABLE + 8 * (n * i + k));
            }
            executed_leave(nest);
        }
        executed_leave(nest);
    }
    executed_leave(nest);
}

/* ---- learning ---- */

struct training {
    struct ft_skeleton skeletons[SIZES];
    const struct ft_skeleton *by_size[SIZES];
    struct ft_renamed_thread renamed[SIZES]; /* ids are alike at all sizes */
    struct ft_drawn_training drawn;
};

static void rename_loops(struct training *training, size_t size)
{
    const struct ft_thread_skeleton *thread = training->skeletons[size].threads;
    struct ft_renamed_thread *renamed = &training->renamed[size];
    for (size_t i = 0; i < renamed->loop_count; i++)
        free(renamed->loops[i].paths);
    free(renamed->loops);
    renamed->tokens = thread->nest.tokens;
    renamed->loop_count = thread->irregular_count;
    renamed->loops = calloc(renamed->loop_count + 1, sizeof *renamed->loops);
    for (uint32_t i = 0; i < renamed->loop_count; i++) {
        const struct ft_irregular *loop = &thread->irregulars[i];
        renamed->loops[i].id = i;
        renamed->loops[i].paths = calloc(loop->path_count + 1, sizeof(uint32_t *));
        for (size_t p = 0; p < loop->path_count; p++)
            renamed->loops[i].paths[p] = loop->paths[p].tokens;
    }
}

static void begin_training(struct training *training, struct executed_nest *last)
{
    memset(training, 0, sizeof *training);
    for (size_t s = 0; s < SIZES; s++) {
        struct executed_nest nest;
        struct ft_skeleton *skeleton = &training->skeletons[s];
        *skeleton = (struct ft_skeleton){.threads = calloc(1, sizeof *skeleton->threads),
                                         .thread_count = 1,
                                         .reference_count = EXECUTED_IDS,
                                         .routine_count = EXECUTED_IDS};
        executed_nest_start(&nest);
        run(&nest, (uint64_t)sizes[s]);
        executed_nest_end(&nest, skeleton->threads);
        if (s == SIZES - 1)
            *last = nest;
        else
            executed_nest_fini(&nest);
        training->by_size[s] = skeleton;
        rename_loops(training, s);
    }
    training->drawn =
        (struct ft_drawn_training){training->by_size, training->renamed, sizes, SIZES};
}

static void end_training(struct training *training)
{
    for (size_t s = 0; s < SIZES; s++) {
        for (size_t i = 0; i < training->renamed[s].loop_count; i++)
            free(training->renamed[s].loops[i].paths);
        free(training->renamed[s].loops);
        ft_thread_skeleton_fini(training->skeletons[s].threads);
        free(training->skeletons[s].threads);
    }
}

static void apply(struct training *training, const struct ft_sized_cuts *cuts)
{
    struct ft_diag diag;
    for (size_t s = 0; s < SIZES; s++) {
        struct ft_skeleton *skeleton = &training->skeletons[s];
        struct ft_loop_cut loop = {.context = cuts->cuts[0].context, .cut = &cuts->cuts[0].cut};
        const struct ft_refolding refolding = {.thread = skeleton->threads,
                                               .reference_count = EXECUTED_IDS,
                                               .routine_count = EXECUTED_IDS,
                                               .names = training->renamed[s].tokens,
                                               .cuts = &loop,
                                               .cut_count = 1};
        struct ft_thread_skeleton thread;
        check(ft_nest_refold(&refolding, &thread, &diag));
        ft_thread_skeleton_fini(skeleton->threads);
        *skeleton->threads = thread;
        rename_loops(training, s);
    }
}

/* Cuts a loop, in which another that is irregular may be. */
static void cut(struct training *training, uint64_t context, const char *what)
{
    struct ft_loop_contexts irregular = {0};
    struct ft_sized_cuts cuts = {0};
    struct ft_diag diag;
    check(ft_loop_contexts_add(&irregular, context, &diag));
    check(ft_sized_cuts_find(&training->drawn, &irregular, &cuts, &diag));
    tap_ok(cuts.count == 1 && irregular.count == 0, "the %s is cut", what);
    if (cuts.count == 1)
        apply(training, &cuts);
    ft_sized_cuts_fini(&cuts);
    ft_loop_contexts_fini(&irregular);
}

/* ---- what is made ---- */

struct made {
    const struct executed_nest *executed;
    size_t at;      /* in what was executed, of what progresses */
    uint64_t k, n;  /* the step */
    uint64_t wrong; /* accesses that progress otherwise, or are not where they may be */
    uint64_t swaps, best;
};

static bool is_drawn(uint32_t reference)
{
    return reference == BEST || reference == HERE || reference == THERE;
}

static void take_drawn(struct made *made, uint32_t reference, uint64_t address)
{
    const uint64_t row = (address - TABLE) / (8 * made->n);
    made->best += reference == BEST;
    made->swaps += reference == HERE;
    made->wrong += address < TABLE || row < made->k || row >= made->n;
    made->wrong += reference == HERE && row != made->k;
    made->wrong += reference == THERE &&
                   ((row == made->k && row + 1 < made->n) || (address - TABLE) % (8 * made->n));
}

static void take(struct made *made, uint32_t reference, uint64_t address)
{
    const struct executed_nest *executed = made->executed;
    if (is_drawn(reference)) {
        take_drawn(made, reference, address);
        return;
    }
    while (made->at < executed->count && is_drawn(executed->accesses[made->at].reference))
        made->at++;
    made->wrong += made->at >= executed->count ||
                   executed->accesses[made->at].reference != reference ||
                   executed->accesses[made->at].address != address;
    made->at++;
    if (reference == BEHIND) /* the step's updates follow */
        made->k = ((address - TABLE) / (8 * (made->n + 1)) + 1) % made->n;
}

/* Iterations of a run. */
static void take_run(struct made *made, const struct ft_walk_step *step)
{
    for (uint64_t i = 0; i < step->numbers[0]; i++) {
        const uint64_t *number = step->numbers + 1;
        for (size_t at = 0; at < step->token_count;) {
            const struct ft_nest_element element = ft_nest_element(step->tokens + at);
            if (element.kind == FT_NEST_ACCESS) {
                const uint64_t address = number[0] + i * number[step->number_count];
                if (element.id == THERE && i) /* only the first is looked at */
                    made->wrong += address % 8;
                else
                    take(made, element.id, address);
                number++;
            }
            at += element.head;
        }
    }
}

static void walk(const struct training *training, struct made *made)
{
    const struct ft_thread_skeleton *thread = training->skeletons[SIZES - 1].threads;
    struct ft_drawn_loop *loops, *at;
    struct ft_drawing *drawing;
    struct ft_nest_walk *walk;
    struct ft_walk_step step = {.event = FT_WALK_ENTER};
    struct ft_diag diag;
    check(ft_drawn_loops_learn(&training->drawn, &loops, &diag));
    check(ft_drawn_loops_at(loops, thread->irregular_count, sizes[SIZES - 1], &at, &diag));
    check(ft_drawing_create(at, thread->irregular_count, 1, &drawing, &diag));
    check(ft_nest_walk_create(&thread->nest, drawing, &walk, &diag));
    while (step.event != FT_WALK_END) {
        check(ft_nest_walk_next(walk, &step, &diag));
        if (step.event == FT_WALK_ACCESS)
            take(made, ft_nest_id(*step.tokens), *step.numbers);
        if (step.event == FT_WALK_RUN)
            take_run(made, &step);
    }
    ft_nest_walk_destroy(walk);
    ft_drawn_loops_free(at, thread->irregular_count);
    ft_drawn_loops_free(loops, thread->irregular_count);
}

static void test_steps(void)
{
    struct training training;
    struct executed_nest executed;
    begin_training(&training, &executed);
    const struct ft_nest_context entry =
        ft_nest_context_inside((struct ft_nest_context){0}, ft_nest_token(FT_NEST_LOOP, ENTRY));
    const struct ft_nest_context step =
        ft_nest_context_inside(entry, ft_nest_token(FT_NEST_LOOP, STEP));
    const struct ft_nest_context inner =
        ft_nest_context_inside(step, ft_nest_token(FT_NEST_LOOP, SEARCH));
    const size_t before = training.skeletons[SIZES - 1].threads->nest.token_count;
    cut(&training, inner.hash, "search");
    cut(&training, step.hash, "loop over steps");
    const size_t tokens = training.skeletons[SIZES - 1].threads->nest.token_count;
    tap_ok(tokens < 100, "%zu tokens, before %zu", tokens, before);
    struct made made = {.executed = &executed, .n = (uint64_t)sizes[SIZES - 1]};
    walk(&training, &made);
    while (made.at < executed.count && is_drawn(executed.accesses[made.at].reference))
        made.at++;
    tap_ok(made.at == executed.count, "all that progresses is made, %zu of %zu accesses", made.at,
           executed.count);
    tap_ok(made.wrong == 0, "%" PRIu64 " are not where they should be", made.wrong);
    tap_ok(made.best == ENTRIES * made.n * (made.n - 1) / 2 && made.swaps > ENTRIES * made.n,
           "%" PRIu64 " looks at the largest so far, %" PRIu64 " swaps of an element", made.best,
           made.swaps);
    executed_nest_fini(&executed);
    end_training(&training);
}

/* ---- activations ---- */

static void test_torn(void)
{
    const uint32_t access = ft_nest_token(FT_NEST_ACCESS, 1);
    struct ft_cut_element anchors[] = {{.token = access}};
    enum ft_cut_use uses[] = {FT_CUT_KEPT, FT_CUT_DRAWN, FT_CUT_KEPT};
    const struct ft_iteration_cut first = {anchors, 1, uses};
    enum ft_cut_use others[] = {FT_CUT_DRAWN, FT_CUT_KEPT, FT_CUT_KEPT};
    const struct ft_iteration_cut torn = {anchors, 1, others};
    struct ft_nest iteration = {0}, kept = {0}, drawn = {0};
    struct ft_cut_elements elements = {0};
    size_t place;
    if (!ft_nest_open(&iteration, FT_NEST_ROUTINE, 7, &place) ||
        !ft_nest_add_access(&iteration, 1, 64) || !ft_nest_add_access(&iteration, 2, 128))
        abort();
    ft_nest_close(&iteration, place);
    check(!ft_iteration_cut_apply(&first, &iteration, 5, &elements, &kept, &drawn));
    tap_ok(kept.number_count == 1 && kept.numbers[0] == 128 && kept.token_count == 4 &&
               kept.tokens[2] == ft_nest_token(FT_NEST_IRREGULAR, 5) && drawn.token_count == 2 &&
               drawn.numbers[0] == 64 && drawn.tokens[1] == kept.tokens[2],
           "an access within an activation is cut off");
    check(!ft_iteration_cut_apply(&torn, &iteration, 5, &elements, &kept, &drawn));
    tap_ok(kept.token_count == iteration.token_count && drawn.token_count == 0,
           "an activation that would be torn is kept");
    ft_nest_fini(&iteration);
    ft_nest_fini(&kept);
    ft_nest_fini(&drawn);
    ft_cut_elements_fini(&elements);
}

int main(void)
{
    test_steps();
    test_torn();
    return tap_plan_done();
}
