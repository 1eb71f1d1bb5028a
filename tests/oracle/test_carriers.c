/*
 * What carries a reuse, and how many turns loops make, against the definition: a made-up program of
 * nested loops, calls, recursion, tail calls, a signal handler and jumps out of routines says
 * itself which activations and iterations it is in, and the naive witness keeps all of them for
 * each block in LRU order. The replay sees nothing but the instructions. As runs and one by one, as
 * are the traces given.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay/batch.h"
#include "engine/structure/structure.h"
#include "engine/structure/trip_counts.h"
#include "formats/base/array.h"
#include "formats/code/instruction.h"
#include "formats/reuse_pairs.h"
#include "formats/trace/trace.h"
#include "tests/synthetic_runs.h"
#include "tests/tap.h"

#define DEPTH_MAX   64
#define SIZES       3
#define DATA_COUNT  8U
#define NOT_IN_LOOP FT_NO_LOOP
#define SAME_TURNS  300 /* in the end, of which some are skipped */

static const uint64_t sizes[SIZES] = {16, 64, 4096};

/* ---- the program ---- */

enum instruction { /* those behind calls follow them */
                   MAIN,
                   OUTER,
                   CALL_F,
                   BACK,
                   SELF,
                   MIDDLE,
                   FIRST,
                   SECOND,
                   LATCH,
                   END,
                   F,
                   F_LOOP,
                   F_AGAIN,
                   F_BACK,
                   F_CALL_H,
                   F_BACK_H,
                   F_TAIL,
                   F_END,
                   G,
                   G_END,
                   G_OUT,
                   H,
                   H_CALL_F,
                   H_BACK,
                   H_END,
                   HANDLER,
                   HANDLER_END,
                   INSTRUCTIONS
};
enum scope {
    PROGRAM,
    IN_MAIN,
    IN_OUTER,
    IN_SELF,
    IN_PAIR,
    IN_F,
    IN_F_LOOP,
    IN_G,
    IN_HANDLER,
    IN_H
};

#define AT(instruction) (0x1000 + 4 * (uint64_t)(instruction))
#define STEP(what, routine_, loop_, flow_, target_, routine_start, head)                           \
    [what] = {AT(what), AT(what) + 4, AT(target_),   routine_, loop_,                              \
              flow_,    true,         routine_start, head}

static struct ft_scope_step steps[INSTRUCTIONS] = {
    STEP(MAIN, 0, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(OUTER, 0, 0, FT_FLOW_NEXT, MAIN, false, true),
    STEP(CALL_F, 0, 0, FT_FLOW_CALL, F, false, false),
    STEP(BACK, 0, 0, FT_FLOW_JUMP, MIDDLE, false, false),
    STEP(SELF, 0, 1, FT_FLOW_BRANCH, SELF, false, true),
    STEP(MIDDLE, 0, 0, FT_FLOW_NEXT, MAIN, false, false),
    STEP(FIRST, 0, 2, FT_FLOW_NEXT, MAIN, false, true),
    STEP(SECOND, 0, 2, FT_FLOW_BRANCH, FIRST, false, false),
    STEP(LATCH, 0, 0, FT_FLOW_BRANCH, OUTER, false, false),
    STEP(END, 0, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(F, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(F_LOOP, 1, 3, FT_FLOW_BRANCH, F_LOOP, false, true),
    STEP(F_AGAIN, 1, NOT_IN_LOOP, FT_FLOW_CALL, F, false, false),
    STEP(F_BACK, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(F_CALL_H, 1, NOT_IN_LOOP, FT_FLOW_CALL, H, false, false),
    STEP(F_BACK_H, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(F_TAIL, 1, NOT_IN_LOOP, FT_FLOW_JUMP, G, false, false),
    STEP(F_END, 1, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(G, 2, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(G_END, 2, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(G_OUT, 2, NOT_IN_LOOP, FT_FLOW_JUMP_INDIRECT, MAIN, false, false),
    STEP(H, 4, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(H_CALL_F, 4, NOT_IN_LOOP, FT_FLOW_CALL, F, false, false),
    STEP(H_BACK, 4, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(H_END, 4, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(HANDLER, 3, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(HANDLER_END, 3, NOT_IN_LOOP, FT_FLOW_SYSCALL, MAIN, false, false),
};
static struct ft_step_loop loops[] = {
    {FT_NO_LOOP, IN_OUTER}, {0, IN_SELF}, {0, IN_PAIR}, {FT_NO_LOOP, IN_F_LOOP}};
static uint32_t routine_scopes[] = {IN_MAIN, IN_F, IN_G, IN_HANDLER, IN_H};
#define LOOPS (sizeof loops / sizeof *loops)
static const struct ft_scope_steps program = {DATA_COUNT, steps, INSTRUCTIONS,
                                              loops,      LOOPS, routine_scopes};

/* ---- the witness ---- */

struct place {
    uint32_t scope;
    uint64_t activation, iteration;
};

struct path {
    struct place places[DEPTH_MAX];
    size_t depth;
};

struct seen_block {
    uint64_t number;
    uint32_t reference;
    struct path path;
};

struct expected {
    struct ft_reuse_pair pair;
    uint64_t touches, distance_sum;
};

struct witness {
    struct path path; /* of the program, now */
    uint64_t activations;
    struct seen_block *blocks[SIZES]; /* most recent last */
    size_t block_count[SIZES], block_capacity[SIZES];
    struct expected *expected[SIZES];
    size_t expected_count[SIZES], expected_capacity[SIZES];
    struct ft_trips trips[LOOPS];
};

static void enter(struct witness *witness, uint32_t scope)
{
    if (witness->path.depth == DEPTH_MAX)
        exit(99);
    witness->path.places[witness->path.depth++] = (struct place){scope, ++witness->activations, 0};
}

static void leave(struct witness *witness)
{
    const struct place *left = &witness->path.places[--witness->path.depth];
    const uint64_t turns = left->iteration + 1;
    for (size_t l = 0; l < LOOPS; l++) {
        struct ft_trips *trips = &witness->trips[l];
        if (loops[l].scope != left->scope)
            continue;
        trips->least = trips->entries && trips->least < turns ? trips->least : turns;
        trips->most = trips->most > turns ? trips->most : turns;
        trips->entries++;
        trips->turns += turns;
        unsigned bin = 0;
        while (turns >> bin)
            bin++;
        trips->bins[bin]++;
    }
}

static void iterate(struct witness *witness)
{
    witness->path.places[witness->path.depth - 1].iteration++;
}

static void expect(struct witness *witness, size_t size, struct ft_reuse_pair pair,
                   uint64_t distance)
{
    struct expected *expected = witness->expected[size];
    size_t i = 0;
    while (i < witness->expected_count[size] &&
           (expected[i].pair.sink != pair.sink || expected[i].pair.source != pair.source ||
            expected[i].pair.scope != pair.scope || expected[i].pair.is_carried != pair.is_carried))
        i++;
    if (i == witness->expected_count[size]) {
        if (!FT_RESERVE(witness->expected[size], witness->expected_capacity[size], i + 1))
            exit(99);
        expected = witness->expected[size];
        expected[witness->expected_count[size]++] = (struct expected){.pair = pair};
    }
    expected[i].touches++;
    expected[i].distance_sum += distance;
}

static void see(struct witness *witness, uint32_t reference, uint64_t address)
{
    for (size_t s = 0; s < SIZES; s++) {
        uint64_t number = address / sizes[s];
        size_t count = witness->block_count[s], at = count;
        struct seen_block *blocks = witness->blocks[s];
        while (at > 0 && blocks[at - 1].number != number)
            at--;
        if (at == 0) {
            expect(witness, s, (struct ft_reuse_pair){reference, FT_NO_SOURCE, FT_NO_SCOPE, false},
                   0);
            if (!FT_RESERVE(witness->blocks[s], witness->block_capacity[s], count + 1))
                exit(99);
            blocks = witness->blocks[s];
            witness->block_count[s]++;
        } else {
            const struct seen_block *last = &blocks[at - 1];
            size_t common = 0;
            while (common < last->path.depth && common < witness->path.depth &&
                   last->path.places[common].activation == witness->path.places[common].activation)
                common++;
            const struct place *now = &witness->path.places[common - 1];
            expect(
                witness, s,
                (struct ft_reuse_pair){reference, last->reference, now->scope,
                                       now->iteration != last->path.places[common - 1].iteration},
                count - at);
            memmove(&blocks[at - 1], &blocks[at], (count - at) * sizeof *blocks);
            count--;
        }
        blocks[count] = (struct seen_block){number, reference, witness->path};
    }
}

/* ---- its runs ---- */

struct machine {
    struct synthetic_runs *runs;
    struct witness *witness;
    uint64_t seed;
};

static void fetch(struct machine *machine, enum instruction instruction)
{
    synthetic_access(machine->runs, DATA_COUNT + instruction, AT(instruction));
}

static uint64_t below(struct machine *machine, uint64_t bound)
{
    return random_below(&machine->seed, bound);
}

static uint64_t any_address(struct machine *machine)
{
    return 0x100000 + 8 * below(machine, below(machine, 3) ? 60 : 3000);
}

static void access_at(struct machine *machine, uint32_t reference, uint64_t address)
{
    synthetic_access(machine->runs, reference, address);
    see(machine->witness, reference, address);
}

static void access_any(struct machine *machine, uint32_t reference)
{
    access_at(machine, reference, any_address(machine));
}

/* A body of instructions and accesses that is run several times. */
struct item {
    bool is_fetch;
    uint32_t number; /* instruction or reference */
    uint64_t address;
    int64_t stride;
};

struct body {
    struct item items[12];
    size_t count;
};

static void add_fetch(struct body *body, enum instruction instruction)
{
    body->items[body->count++] = (struct item){true, instruction, AT(instruction), 0};
}

static void add_access(struct machine *machine, struct body *body, uint32_t reference)
{
    static const int64_t strides[] = {0, 0, 0, 8, -8, 16, 64};
    body->items[body->count++] =
        (struct item){false, reference, any_address(machine), strides[below(machine, 7)]};
}

/* follow: what an instruction means in iteration i. */
static void run_body(struct machine *machine, const struct body *body, uint64_t iterations,
                     void (*follow)(struct witness *witness, enum instruction instruction,
                                    uint64_t iteration))
{
    synthetic_run(machine->runs, iterations);
    for (size_t j = 0; j < body->count; j++)
        synthetic_entry(machine->runs,
                        body->items[j].number + (body->items[j].is_fetch ? DATA_COUNT : 0),
                        body->items[j].address, body->items[j].stride);
    for (uint64_t i = 0; i < iterations; i++)
        for (size_t j = 0; j < body->count; j++) {
            const struct item *item = &body->items[j];
            if (item->is_fetch)
                follow(machine->witness, (enum instruction)item->number, i);
            else
                see(machine->witness, item->number, item->address + i * (uint64_t)item->stride);
        }
}

static void follow_inner(struct witness *witness, enum instruction instruction, uint64_t iteration)
{
    if (instruction == SECOND)
        return;
    if (iteration == 0)
        enter(witness, instruction == SELF ? IN_SELF : instruction == F_LOOP ? IN_F_LOOP : IN_PAIR);
    else
        iterate(witness);
}

static void inner_loop(struct machine *machine, enum instruction head)
{
    struct body body = {0};
    add_fetch(&body, head);
    for (uint64_t n = below(machine, 3); n > 0; n--)
        add_access(machine, &body, (uint32_t)below(machine, DATA_COUNT));
    if (head == FIRST) {
        add_fetch(&body, SECOND);
        add_access(machine, &body, 2);
    }
    run_body(machine, &body, 1 + below(machine, below(machine, 4) ? 6 : 300), follow_inner);
    leave(machine->witness);
}

/* Turns of the outer loop with the inner one of two blocks entered once in each. */
static void follow_outer(struct witness *witness, enum instruction instruction, uint64_t iteration)
{
    (void)iteration;
    if (instruction == FIRST)
        enter(witness, IN_PAIR);
    else if (instruction == LATCH)
        leave(witness);
    else if (instruction == OUTER)
        iterate(witness);
}

static void outer_turns(struct machine *machine)
{
    struct body body = {0};
    add_fetch(&body, OUTER);
    add_access(machine, &body, 0);
    add_fetch(&body, BACK);
    add_fetch(&body, MIDDLE);
    add_access(machine, &body, 1);
    add_fetch(&body, FIRST);
    add_access(machine, &body, 3);
    add_fetch(&body, SECOND);
    add_fetch(&body, LATCH);
    run_body(machine, &body, 1 + below(machine, 200), follow_outer);
}

static void follow_recursion(struct witness *witness, enum instruction instruction,
                             uint64_t iteration)
{
    (void)iteration;
    if (instruction == F)
        enter(witness, IN_F);
    else if (instruction == H)
        enter(witness, IN_H);
    else if (instruction == F_END || instruction == H_END)
        leave(witness);
}

/* Deeper and deeper, and back again; the first call was made already. */
static void recursion(struct machine *machine)
{
    uint64_t depth = 1 + below(machine, 40);
    struct body down = {0}, up = {0};
    add_fetch(&down, F);
    add_access(machine, &down, 4);
    add_fetch(&down, F_AGAIN);
    run_body(machine, &down, depth, follow_recursion);
    fetch(machine, F);
    enter(machine->witness, IN_F);
    access_any(machine, 5);
    fetch(machine, F_END);
    leave(machine->witness);
    add_fetch(&up, F_BACK);
    add_access(machine, &up, 6);
    add_fetch(&up, F_END);
    run_body(machine, &up, depth, follow_recursion);
}

/* F and H call each other. */
static void mutual_recursion(struct machine *machine)
{
    uint64_t depth = 1 + below(machine, 12);
    struct body down = {0}, up = {0};
    add_fetch(&down, F);
    add_access(machine, &down, 4);
    add_fetch(&down, F_CALL_H);
    add_fetch(&down, H);
    add_access(machine, &down, 5);
    add_fetch(&down, H_CALL_F);
    run_body(machine, &down, depth, follow_recursion);
    fetch(machine, F);
    enter(machine->witness, IN_F);
    fetch(machine, F_END);
    leave(machine->witness);
    add_fetch(&up, H_BACK);
    add_access(machine, &up, 6);
    add_fetch(&up, H_END);
    add_fetch(&up, F_BACK_H);
    add_access(machine, &up, 7);
    add_fetch(&up, F_END);
    run_body(machine, &up, depth, follow_recursion);
}

static void simple_f(struct machine *machine, bool ends_in_g)
{
    fetch(machine, F);
    enter(machine->witness, IN_F);
    access_any(machine, 4);
    inner_loop(machine, F_LOOP);
    fetch(machine, F_BACK);
    access_any(machine, 5);
    if (ends_in_g) { /* a tail call */
        fetch(machine, F_TAIL);
        leave(machine->witness);
        fetch(machine, G);
        enter(machine->witness, IN_G);
        access_any(machine, 6);
        fetch(machine, G_END);
    } else {
        fetch(machine, F_END);
    }
    leave(machine->witness);
}

/* F ends in G, which jumps out to the latch of the outer loop. */
static void jump_out(struct machine *machine)
{
    fetch(machine, F);
    enter(machine->witness, IN_F);
    access_any(machine, 4);
    fetch(machine, F_TAIL);
    leave(machine->witness);
    fetch(machine, G);
    enter(machine->witness, IN_G);
    access_any(machine, 6);
    fetch(machine, G_OUT);
    leave(machine->witness);
}

/* A signal between MIDDLE and what follows it. */
static void interrupt(struct machine *machine)
{
    fetch(machine, HANDLER);
    enter(machine->witness, IN_HANDLER);
    access_any(machine, 7);
    fetch(machine, HANDLER_END);
    leave(machine->witness);
}

static void outer_turn(struct machine *machine)
{
    fetch(machine, OUTER);
    access_any(machine, 0);
    switch (below(machine, 6)) {
    case 0:
        fetch(machine, CALL_F);
        jump_out(machine);
        fetch(machine, LATCH);
        return;
    case 1:
        fetch(machine, CALL_F);
        if (below(machine, 2))
            recursion(machine);
        else
            mutual_recursion(machine);
        fetch(machine, BACK);
        break;
    case 2:
    case 3:
        fetch(machine, CALL_F);
        simple_f(machine, below(machine, 2));
        fetch(machine, BACK);
        break;
    default:
        inner_loop(machine, SELF);
    }
    fetch(machine, MIDDLE);
    access_any(machine, 1);
    if (below(machine, 4) == 0)
        interrupt(machine);
    inner_loop(machine, FIRST);
    fetch(machine, LATCH);
    access_any(machine, 3);
}

/* ---- what comes again ---- */

/* Rows of one loop that move by less than a block, with an iteration of the outer loop each. */
static void row_turns(struct machine *machine)
{
    const uint64_t first = any_address(machine), column = any_address(machine);
    const uint64_t iterations = 20 + below(machine, 40), rows = 2 + below(machine, 12);
    const bool calls = below(machine, 2);
    for (uint64_t row = 0; row < rows; row++) {
        struct body body = {0};
        fetch(machine, OUTER);
        iterate(machine->witness);
        access_at(machine, 0, first + row);
        if (calls) {
            fetch(machine, CALL_F);
            fetch(machine, F);
            enter(machine->witness, IN_F);
            access_at(machine, 4, column);
            fetch(machine, F_END);
            leave(machine->witness);
            fetch(machine, BACK);
        }
        add_fetch(&body, SELF);
        body.items[body.count++] = (struct item){false, 1, column + row, 64};
        body.items[body.count++] = (struct item){false, 2, first, 8};
        run_body(machine, &body, iterations, follow_inner);
        leave(machine->witness);
        fetch(machine, MIDDLE);
        access_at(machine, 3, first + row);
        fetch(machine, LATCH);
    }
}

/* The same steps again and again, each time two calls deeper, and all the way back: single ones, or
 * rows around a loop. */
static void deeper_turns(struct machine *machine, bool rows)
{
    const uint64_t address = any_address(machine), depth = 28;
    struct body body = {0};
    add_fetch(&body, F_LOOP);
    body.items[body.count++] = (struct item){false, 7, address, 8};
    fetch(machine, OUTER);
    iterate(machine->witness);
    fetch(machine, CALL_F);
    for (uint64_t i = 0; i < depth; i++) {
        fetch(machine, F);
        enter(machine->witness, IN_F);
        access_at(machine, 4, address);
        if (rows) {
            run_body(machine, &body, 40, follow_inner);
            leave(machine->witness);
        }
        fetch(machine, F_CALL_H);
        fetch(machine, H);
        enter(machine->witness, IN_H);
        access_at(machine, 5, address + 64);
        fetch(machine, H_CALL_F);
    }
    fetch(machine, F);
    enter(machine->witness, IN_F);
    fetch(machine, F_END);
    leave(machine->witness);
    for (uint64_t i = 0; i < depth; i++) {
        fetch(machine, H_BACK);
        access_at(machine, 6, address);
        fetch(machine, H_END);
        leave(machine->witness);
        fetch(machine, F_BACK_H);
        access_at(machine, 7, address + 64);
        fetch(machine, F_END);
        leave(machine->witness);
    }
    fetch(machine, BACK);
    fetch(machine, LATCH);
}

/* Turns of the outer loop that are the same as those before. */
static void same_turns(struct machine *machine, int times)
{
    const uint64_t seed = machine->seed;
    for (int i = 0; i < times; i++) {
        machine->seed = seed;
        for (int turn = 0; turn < 3; turn++) {
            iterate(machine->witness);
            outer_turn(machine);
        }
        row_turns(machine);
    }
}

static void begin_program(struct machine *machine)
{
    for (uint32_t r = 0; r < DATA_COUNT; r++)
        synthetic_reference(machine->runs, 1);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        synthetic_reference(machine->runs, 4);
    enter(machine->witness, PROGRAM);
    enter(machine->witness, IN_MAIN);
    fetch(machine, MAIN);
    access_any(machine, 0);
    enter(machine->witness, IN_OUTER);
}

static void end_program(struct machine *machine)
{
    leave(machine->witness);
    fetch(machine, END);
    access_any(machine, 0);
}

/* Nothing but what comes again deeper: must not be skipped. */
static void run_deeper(struct machine *machine)
{
    begin_program(machine);
    fetch(machine, OUTER);
    for (int i = 0; i < 6; i++)
        deeper_turns(machine, i % 2);
    end_program(machine);
}

static void run_program(struct machine *machine)
{
    begin_program(machine);
    for (int i = 0; i < 60; i++) {
        if (i > 0)
            iterate(machine->witness);
        outer_turn(machine);
        if (i % 9 == 8)
            outer_turns(machine);
        if (i % 9 == 5)
            row_turns(machine);
        if (i % 20 == 7)
            same_turns(machine, 12);
        if (i % 20 == 9)
            deeper_turns(machine, i % 40 == 9);
    }
    same_turns(machine, SAME_TURNS);
    end_program(machine);
}

/* ---- the comparison ---- */

static bool same_pairs(const struct ft_reuse_pairs *pairs, const struct witness *witness,
                       size_t size)
{
    bool same = pairs->count == witness->expected_count[size];
    for (size_t i = 0; i < witness->expected_count[size]; i++) {
        const struct expected *expected = &witness->expected[size][i];
        uint64_t touches = 0, distance_sum = 0;
        for (size_t k = 0; k < pairs->count; k++) {
            const struct ft_reuse_pair *pair = &pairs->pairs[k];
            const struct ft_histogram *histogram = &pairs->histograms[k];
            if (pair->sink != expected->pair.sink || pair->source != expected->pair.source ||
                pair->scope != expected->pair.scope ||
                pair->is_carried != expected->pair.is_carried)
                continue;
            touches = histogram->touches;
            for (size_t b = 0; b < histogram->bin_count; b++)
                distance_sum += histogram->bins[b].distance_sum;
        }
        if (touches == expected->touches && distance_sum == expected->distance_sum)
            continue;
        printf("# blocks of %" PRIu64 ": %" PRId32 " to %" PRIu32 ", scope %" PRId32 "%s: %" PRIu64
               " touches, %" PRIu64 " expected\n",
               sizes[size], (int32_t)expected->pair.source, expected->pair.sink,
               (int32_t)expected->pair.scope, expected->pair.is_carried ? " carried" : "", touches,
               expected->touches);
        same = false;
    }
    return same;
}

static void check_replay(struct synthetic_runs *runs, const struct witness *witness,
                         const char *kernel, bool one_by_one, bool skips, uint64_t seed)
{
    struct ft_diag diag = {0};
    struct ft_replay *replay = NULL;
    struct ft_histograms histograms = {0};
    struct unrolled_runs unrolled;
    synthetic_rewind(runs);
    unrolled_init(&unrolled, &runs->source);
    struct ft_run_source *source = one_by_one ? &unrolled.own.source : &runs->source;
    int status = ft_replay_create(sizes, SIZES, kernel, &replay, &diag);
    if (!status)
        status = ft_replay_want_pairs(replay, &diag);
    if (!status) {
        ft_replay_follow_scopes(replay, &program);
        replay->repetition.worth_accesses = 1; /* short periods are to be skipped, too */
        replay->repetition.wait = replay->repetition.pick_within = skips ? 64 : 8;
        replay->repetition.search_accesses = 2000;
        replay->repetition.counters_an_access = UINT64_MAX;
        status = ft_replay_run(replay, source, &diag);
    }
    if (!status)
        status = ft_replay_finish(replay, &histograms, &diag);
    bool same = status == FT_OK;
    for (size_t s = 0; s < SIZES && status == FT_OK; s++)
        same &= same_pairs(&histograms.pairs[s], witness, s);
    tap_ok(same, "seed %" PRIu64 ", kernel %s, %s %s", seed, kernel,
           one_by_one ? "one by one" : "runs", diag.message);
    if (skips)
        tap_ok(status == FT_OK && replay->repetition.skipped > SAME_TURNS / 4,
               "seed %" PRIu64 ": of %d equal turns %" PRIu64 " are skipped", seed, SAME_TURNS,
               status ? 0 : replay->repetition.skipped);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
    unrolled_fini(&unrolled);
}

/* ---- how long loops are ---- */

static int count_trips(struct ft_run_source *source, struct ft_trip_counter *counter,
                       struct ft_diag *diag)
{
    struct ft_run_batch batch = {.run_count = 1};
    int status = FT_OK;
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status)
            status = ft_trip_counter_take(counter, &batch, diag);
    }
    return status ? status : ft_trip_counter_end_thread(counter, diag);
}

static void check_trips(struct synthetic_runs *runs, const struct witness *witness, bool one_by_one,
                        uint64_t seed)
{
    struct ft_diag diag = {0};
    struct ft_trip_counter *counter = NULL;
    struct unrolled_runs unrolled;
    synthetic_rewind(runs);
    unrolled_init(&unrolled, &runs->source);
    int status = ft_trip_counter_create(&program, &counter, &diag);
    if (!status)
        status = count_trips(one_by_one ? &unrolled.own.source : &runs->source, counter, &diag);
    tap_ok(!status &&
               memcmp(ft_trip_counter_loops(counter), witness->trips, sizeof witness->trips) == 0,
           "seed %" PRIu64 ", turns of loops, %s %s", seed, one_by_one ? "one by one" : "runs",
           diag.message);
    ft_trip_counter_destroy(counter);
    unrolled_fini(&unrolled);
}

/* ---- traces ---- */

static int replay_trace(struct ft_trace *trace, const struct ft_scope_steps *of_trace,
                        bool one_by_one, struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_run_source *source = NULL;
    struct ft_replay *replay = NULL;
    struct unrolled_runs unrolled;
    int status = ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag);
    if (status)
        return status;
    unrolled_init(&unrolled, source);
    status = ft_replay_create(sizes, SIZES, NULL, &replay, diag);
    if (!status)
        status = ft_replay_want_pairs(replay, diag);
    if (!status) {
        ft_replay_follow_scopes(replay, of_trace);
        status = ft_replay_run(replay, one_by_one ? &unrolled.own.source : source, diag);
    }
    if (!status)
        status = ft_replay_finish(replay, histograms, diag);
    ft_replay_destroy(replay);
    unrolled_fini(&unrolled);
    source->destroy(source);
    return status;
}

static int steps_of_trace(struct ft_trace *trace, struct ft_scope_steps *ret_steps,
                          struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    int status =
        ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, &counts, &source, diag);
    while (!status && batch.run_count)
        status = source->next(source, &batch, diag);
    if (!status)
        status = ft_structure_steps(trace, &counts, source->references, source->reference_count,
                                    ret_steps, diag);
    if (source)
        source->destroy(source);
    ft_execution_counts_fini(&counts);
    return status;
}

static bool same_runs(const struct ft_reuse_pairs *a, const struct ft_reuse_pairs *b,
                      size_t *carried)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct ft_histogram *x = &a->histograms[i], *y = &b->histograms[i];
        same = ft_reuse_pair_compare(&a->pairs[i], &b->pairs[i]) == 0 && x->touches == y->touches &&
               x->cold == y->cold && x->bin_count == y->bin_count;
        for (size_t k = 0; same && k < x->bin_count; k++)
            same = x->bins[k].bin == y->bins[k].bin && x->bins[k].count == y->bins[k].count &&
                   x->bins[k].distance_sum == y->bins[k].distance_sum;
        *carried += a->pairs[i].is_carried;
    }
    return same;
}

/* A trace gives the same as runs, and one by one with all steps. */
static void check_trace(const char *path)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace = NULL;
    struct ft_scope_steps of_trace = {0};
    struct ft_histograms runs = {0}, single = {0};
    size_t carried = 0, passed = 0;
    int status = ft_trace_open(path, &(struct ft_trace_options){0}, &trace, &diag);
    if (!status)
        status = steps_of_trace(trace, &of_trace, &diag);
    if (!status)
        status = replay_trace(trace, &of_trace, false, &runs, &diag);
    for (size_t i = 0; !status && i < of_trace.count; i++) {
        passed += of_trace.steps[i].is_passed;
        of_trace.steps[i].is_passed = false;
    }
    if (!status)
        status = replay_trace(trace, &of_trace, true, &single, &diag);
    bool same = status == FT_OK;
    for (size_t s = 0; same && s < SIZES; s++)
        same = same_runs(&runs.pairs[s], &single.pairs[s], &carried);
    tap_ok(same && carried > 0 && passed > 0,
           "%s: %zu pairs carried by loops, %zu steps passed over %s", path, carried, passed,
           diag.message);
    ft_histograms_fini(&runs);
    ft_histograms_fini(&single);
    ft_scope_steps_fini(&of_trace);
    ft_trace_close(trace);
}

static void check_program(void (*run)(struct machine *machine), bool skips, uint64_t seed)
{
    struct synthetic_runs runs;
    struct witness witness = {0};
    struct machine machine = {&runs, &witness, seed};
    synthetic_init(&runs);
    runs.runs_a_batch = seed % 3 ? 5 * seed : 0;
    run(&machine);
    const char *kernel;
    for (size_t k = 0; (kernel = ft_replay_kernel_at(k)) != NULL; k++) {
        check_replay(&runs, &witness, kernel, false, skips, seed);
        check_replay(&runs, &witness, kernel, true, skips, seed);
    }
    check_trips(&runs, &witness, false, seed);
    check_trips(&runs, &witness, true, seed);
    for (size_t s = 0; s < SIZES; s++) {
        free(witness.blocks[s]);
        free(witness.expected[s]);
    }
    synthetic_fini(&runs);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_trace(argv[i]);
    for (uint64_t seed = 1; seed <= 12; seed++)
        check_program(run_program, true, seed);
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_program(run_deeper, false, seed);
    return tap_plan_done();
}
