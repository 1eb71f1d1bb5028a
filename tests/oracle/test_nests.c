/*
 * Random loop nests are executed, built into nests and given back: each access in its order. Bounds
 * are affine in outer counters; there are tiles with a shorter last one, branches with a period,
 * peeled first iterations, early exits. Nests of affine bounds only must have the same shape at
 * another size, and pieces of work that repeat must give what they give one by one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/nest_building.h"
#include "engine/skeleton/nest_source.h"
#include "formats/base/array.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define DEPTH_MAX 4
#define PARTS_MAX 3

/* ---- random programs ---- */

enum part_kind { PART_ACCESS, PART_LOOP, PART_ROUTINE, PART_KINDS };
enum condition { ALWAYS, NOT_FIRST, FIRST, PERIODIC, CONDITIONS };

struct part {
    enum part_kind kind;
    uint32_t id; /* of the access, loop or routine */
    uint64_t base;
    int64_t factors[DEPTH_MAX]; /* of an address, or of a trip count */
    uint64_t tile; /* loops: iterations are cut to what is left of outer * tile; 0: not */
    uint64_t exit; /* loops: left at this iteration; UINT64_MAX: not */
    enum condition condition; /* on the innermost counter */
    uint64_t period;
    size_t part_count;
    struct part *parts;
};

struct program {
    struct part *root;
    uint32_t accesses, loops, routines;
    uint64_t random;
    bool is_affine; /* nothing but affine bounds above 3 */
};

static struct part *random_parts(struct program *program, unsigned depth, size_t *ret_count);

static void random_loop(struct program *program, struct part *part, unsigned depth)
{
    part->id = program->loops++;
    part->base = 4 + random_below(&program->random, 5);
    if (depth && !random_below(&program->random, 2))
        part->factors[random_below(&program->random, depth)] =
            program->is_affine ? 1 : (int64_t)random_below(&program->random, 3) - 1;
    if (!program->is_affine && depth && !random_below(&program->random, 6))
        part->tile = 1 + random_below(&program->random, 4);
    if (!program->is_affine && !random_below(&program->random, 8))
        part->exit = random_below(&program->random, 6);
    part->parts = random_parts(program, depth + 1, &part->part_count);
}

static struct part *random_parts(struct program *program, unsigned depth, size_t *ret_count)
{
    size_t count = 1 + random_below(&program->random, PARTS_MAX);
    struct part *parts = calloc(count, sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        struct part *part = &parts[i];
        part->exit = UINT64_MAX;
        if (!program->is_affine && depth)
            part->condition = random_below(&program->random, 3)
                                  ? ALWAYS
                                  : (enum condition)random_below(&program->random, CONDITIONS);
        part->period = 2 + random_below(&program->random, 3);
        if (depth < DEPTH_MAX && random_below(&program->random, 2)) {
            part->kind = PART_LOOP;
            random_loop(program, part, depth);
        } else if (!random_below(&program->random, 4)) {
            part->kind = PART_ROUTINE;
            part->id = program->routines++;
            part->parts = random_parts(program, depth, &part->part_count);
        } else {
            part->id = program->accesses++;
            part->base = random_below(&program->random, 1 << 20) * 8;
            for (unsigned d = 0; d < depth; d++)
                part->factors[d] = (int64_t)random_below(&program->random, 5) * 8 - 8;
        }
    }
    *ret_count = count;
    return parts;
}

static void free_parts(struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free_parts(parts[i].parts, parts[i].part_count);
    free(parts);
}

/* ---- execution ---- */

struct recorded {
    uint32_t reference;
    uint64_t address;
};

struct execution {
    struct ft_nest_builder *builder;
    uint64_t counters[DEPTH_MAX];
    unsigned depth;
    size_t level;
    uint64_t size; /* added to trip counts */
    struct recorded *accesses;
    size_t count, capacity;
    int status;
    struct ft_diag diag;
};

static uint64_t linear(const struct part *part, const struct execution *execution)
{
    uint64_t value = part->base;
    for (unsigned d = 0; d < execution->depth; d++)
        value += (uint64_t)part->factors[d] * execution->counters[d];
    return value;
}

static bool runs(const struct part *part, const struct execution *execution)
{
    if (part->condition == ALWAYS)
        return true;
    uint64_t counter = execution->counters[execution->depth - 1];
    uint64_t outer = execution->depth > 1 ? execution->counters[execution->depth - 2] : 0;
    return part->condition == PERIODIC ? (counter + outer) % part->period == 0
                                       : (counter == 0) == (part->condition == FIRST);
}

static void check(struct execution *execution, int status)
{
    if (!execution->status)
        execution->status = status;
}

static void record(struct execution *execution, uint32_t reference, uint64_t address)
{
    if (!FT_RESERVE(execution->accesses, execution->capacity, execution->count + 1))
        abort();
    execution->accesses[execution->count++] = (struct recorded){reference, address};
    check(execution,
          ft_nest_builder_access(execution->builder, reference, address, &execution->diag));
}

static void execute(struct execution *execution, const struct part *parts, size_t count);

static void execute_loop(struct execution *execution, const struct part *part)
{
    int64_t iterations = (int64_t)(linear(part, execution) + execution->size);
    if (part->tile) {
        int64_t left =
            iterations - (int64_t)(execution->counters[execution->depth - 1] * part->tile);
        iterations = left < (int64_t)part->tile ? left : (int64_t)part->tile;
    }
    if (iterations <= 0)
        return;
    check(execution,
          ft_nest_builder_enter(execution->builder, FT_NEST_LOOP, part->id, &execution->diag));
    execution->level++;
    const unsigned depth = execution->depth++;
    for (uint64_t i = 0; i < (uint64_t)iterations && i <= part->exit; i++) {
        if (i)
            check(execution, ft_nest_builder_iterate(execution->builder, &execution->diag));
        execution->counters[depth] = i;
        execute(execution, part->parts, part->part_count);
    }
    execution->depth--;
    check(execution,
          ft_nest_builder_leave(execution->builder, --execution->level, &execution->diag));
}

static void execute(struct execution *execution, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &parts[i];
        if (!runs(part, execution))
            continue;
        if (part->kind == PART_LOOP) {
            execute_loop(execution, part);
        } else if (part->kind == PART_ACCESS) {
            record(execution, part->id, linear(part, execution));
        } else {
            check(execution, ft_nest_builder_enter(execution->builder, FT_NEST_ROUTINE, part->id,
                                                   &execution->diag));
            execution->level++;
            execute(execution, part->parts, part->part_count);
            check(execution,
                  ft_nest_builder_leave(execution->builder, --execution->level, &execution->diag));
        }
    }
}

/* Executes a program from its one loop on. */
static bool build(const struct program *program, uint64_t size, struct execution *execution,
                  struct ft_thread_skeleton *ret_thread)
{
    *execution = (struct execution){.size = size};
    if (ft_nest_builder_create(program->accesses, program->routines, &execution->builder,
                               &execution->diag))
        return false;
    ft_nest_builder_limit(execution->builder, SIZE_MAX / 64); /* nothing is irregular */
    execute(execution, program->root, 1);
    bool built = !execution->status && !ft_nest_builder_must_restart(execution->builder) &&
                 !ft_nest_builder_end(execution->builder, ret_thread, &execution->diag);
    ft_nest_builder_destroy(execution->builder);
    return built;
}

/* ---- what comes back ---- */

/* How many accesses come back in order; SIZE_MAX where there are more or others. */
static size_t compare(const struct ft_nest *nest, const struct execution *execution,
                      uint32_t accesses)
{
    struct ft_reference *references = calloc(accesses + 1, sizeof *references);
    struct ft_nest_source_options options = {.references = references, .reference_count = accesses};
    struct ft_run_source *source;
    struct ft_run_batch batch = {0};
    size_t count = 0;
    bool same = references && !ft_nest_source_create(nest, &options, &source, NULL);
    while (same && !source->next(source, &batch, NULL) && batch.run_count)
        for (size_t r = 0; r < batch.run_count; r++)
            for (uint64_t i = 0; i < batch.runs[r].iteration_count; i++)
                for (uint32_t e = 0; same && e < batch.runs[r].reference_count; e++, count++) {
                    size_t at = batch.runs[r].first + e;
                    uint64_t address = batch.addresses[at] + i * (uint64_t)batch.strides[at];
                    same = count < execution->count &&
                           execution->accesses[count].reference == batch.references[at] &&
                           execution->accesses[count].address == address;
                }
    source->destroy(source);
    free(references);
    return same ? count : SIZE_MAX;
}

static bool same_tokens(const struct ft_nest *a, const struct ft_nest *b)
{
    return a->token_count == b->token_count && a->number_count == b->number_count &&
           memcmp(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) == 0;
}

static void check_program(uint64_t seed, bool is_affine)
{
    struct program program = {
        .root = calloc(1, sizeof *program.root), .random = seed, .is_affine = is_affine};
    struct execution small, large;
    struct ft_thread_skeleton threads[2] = {0};
    program.root->kind = PART_LOOP;
    program.root->exit = UINT64_MAX;
    random_loop(&program, program.root, 0);
    program.root->exit = UINT64_MAX;
    bool built = build(&program, 0, &small, &threads[0]) && build(&program, 5, &large, &threads[1]);
    if (tap_ok(built, "program %" PRIu64 ": %zu and %zu accesses in nests", seed, small.count,
               large.count)) {
        tap_ok(compare(&threads[0].nest, &small, program.accesses) == small.count &&
                   compare(&threads[1].nest, &large, program.accesses) == large.count,
               "program %" PRIu64 ": given back", seed);
        if (is_affine)
            tap_ok(same_tokens(&threads[0].nest, &threads[1].nest),
                   "program %" PRIu64 ": one shape of %zu and %zu tokens", seed,
                   threads[0].nest.token_count, threads[1].nest.token_count);
    }
    for (unsigned i = 0; i < 2; i++)
        ft_thread_skeleton_fini(&threads[i]);
    free(small.accesses);
    free(large.accesses);
    free_parts(program.root, 1);
}

int main(void)
{
    unsigned programs = tap_repetitions(2000, 100, 20);
    for (unsigned i = 0; i < programs; i++)
        check_program(i + 1, i % 3 == 0);
    return tap_plan_done();
}
