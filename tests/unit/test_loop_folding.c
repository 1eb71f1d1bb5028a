/*
 * Which loops of the machine code are one loop of the source: those of one parent, chain of calls
 * and file whose lines overlap. By hand, and at random beside a reference that joins any two
 * until nothing changes.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/loop_folding.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define LOOPS_MAX 24

struct program {
    struct ft_program_loop items[LOOPS_MAX];
    struct ft_inline calls[LOOPS_MAX];
    struct ft_program_loops loops;
};

static struct ft_program_loop make_loop(uint32_t index, uint32_t parent, uint32_t first_line,
                                        uint32_t last_line)
{
    return (struct ft_program_loop){.parent = parent,
                                    .same_as = index,
                                    .first_call = index,
                                    .end_offset = 100 - index,
                                    .range = {1, first_line, last_line}};
}

static void check_by_hand(void)
{
    struct program program = {
        .items =
            {
                make_loop(0, FT_NO_LOOP, 10, 14), /* a loop, its copy, what bridges both */
                make_loop(1, 0, 11, 13), make_loop(2, FT_NO_LOOP, 18, 20), make_loop(3, 2, 12, 19),
                make_loop(4, FT_NO_LOOP, 14, 18),
                make_loop(5, FT_NO_LOOP, 21, 22), /* behind them */
                make_loop(6, FT_NO_LOOP, 15, 15), /* in another file */
                make_loop(7, FT_NO_LOOP, 15, 15), /* inlined there */
                make_loop(8, FT_NO_LOOP, 0, 0),   /* without lines */
                make_loop(9, FT_NO_LOOP, 0, 0),
                make_loop(10, FT_NO_LOOP, 15, 15), /* of another routine */
            },
        .calls = {[7] = {.name = 5, .call_line = 15}},
    };
    program.items[6].range.file = 2;
    program.items[7].context_depth = 1;
    program.items[10].routine = 1;
    program.loops =
        (struct ft_program_loops){.items = program.items, .count = 11, .calls = program.calls};
    const uint32_t expected[] = {0, 1, 0, 1, 0, 5, 6, 7, 8, 9, 10};
    bool same = ft_loops_fold(&program.loops);
    for (uint32_t i = 0; i < 11; i++)
        same &= program.items[i].same_as == expected[i];
    tap_ok(same, "overlapping lines of one parent, file and chain of calls are one loop");
    tap_ok(program.items[0].range.first_line == 10 && program.items[0].range.last_line == 20 &&
               program.items[0].end_offset == 100,
           "it has the lines of all, %u-%u", program.items[0].range.first_line,
           program.items[0].range.last_line);
    tap_ok(program.items[1].range.first_line == 11 && program.items[1].range.last_line == 19,
           "and so have the loops inside");
}

static void make_random(struct program *program, uint64_t *state)
{
    memset(program, 0, sizeof *program);
    uint32_t count = (uint32_t)random_below(state, LOOPS_MAX) + 1, routine = 0, first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && random_below(state, 10) == 0) {
            routine++;
            first = i;
        }
        bool nested = i > first && random_below(state, 2);
        uint32_t line = (uint32_t)random_below(state, 30);
        struct ft_program_loop *loop = &program->items[i];
        *loop = make_loop(i, nested ? first + (uint32_t)random_below(state, i - first) : FT_NO_LOOP,
                          line, line ? line + (uint32_t)random_below(state, 6) : 0);
        loop->routine = routine;
        loop->context_depth = (uint32_t)random_below(state, 5) == 0;
        loop->range.file = 1 + (uint32_t)(random_below(state, 8) == 0);
        program->calls[i].call_line = (uint32_t)random_below(state, 2);
    }
    program->loops =
        (struct ft_program_loops){.items = program->items, .count = count, .calls = program->calls};
}

static uint32_t parent_of(const struct program *program, const uint32_t *same_as, uint32_t loop)
{
    uint32_t parent = program->items[loop].parent;
    return parent == FT_NO_LOOP ? FT_NO_LOOP : same_as[parent];
}

/* Of loops as they are before folding. */
static bool are_one(const struct program *program, const uint32_t *same_as, uint32_t i, uint32_t j)
{
    const struct ft_program_loop *a = &program->items[i], *b = &program->items[j];
    return a->routine == b->routine && a->range.first_line && b->range.first_line &&
           a->range.file == b->range.file && a->context_depth == b->context_depth &&
           (a->context_depth == 0 || program->calls[i].call_line == program->calls[j].call_line) &&
           a->range.first_line <= b->range.last_line && b->range.first_line <= a->range.last_line &&
           parent_of(program, same_as, i) == parent_of(program, same_as, j);
}

static void reference_join(const struct program *program, uint32_t *same_as)
{
    const uint32_t count = (uint32_t)program->loops.count;
    for (uint32_t i = 0; i < count; i++)
        same_as[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count; j++) {
                uint32_t from = same_as[i], to = same_as[j];
                if (from <= to || !are_one(program, same_as, i, j))
                    continue;
                for (uint32_t k = 0; k < count; k++)
                    if (same_as[k] == from)
                        same_as[k] = to;
                changed = true;
            }
    }
}

int main(void)
{
    check_by_hand();
    uint64_t state = 20;
    size_t wrong = 0, folded = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct program program;
        uint32_t same_as[LOOPS_MAX];
        make_random(&program, &state);
        reference_join(&program, same_as);
        if (!ft_loops_fold(&program.loops))
            return 99;
        for (uint32_t i = 0; i < program.loops.count; i++) {
            wrong += program.items[i].same_as != same_as[i];
            folded += same_as[i] != i;
        }
    }
    tap_ok(wrong == 0 && folded > 3000, "at random: %zu loops are one with others (%zu not)",
           folded, wrong);
    return tap_plan_done();
}
