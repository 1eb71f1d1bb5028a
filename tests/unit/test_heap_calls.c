/*
 * A loop that allocates a row in each iteration, by malloc or by calloc and the memset behind it.
 * In one of them the heap grows: the call is written as the others are, with its own block, and the
 * loop folds. Where calls take two paths as often, they stay as they are. What is cleared is
 * written by 16 bytes; it becomes as many vectors as these are wide.
 */
#include <stdlib.h>

#include "engine/skeleton/nest_building.h"
#include "fit/skeletons/heap_calls.h"
#include "fit/skeletons/wide_vectors.h"
#include "formats/skeleton/malloc_chunks.h"
#include "tests/support/tap.h"

#define ROWS      40U
#define ROW_BYTES 200U
#define VECTOR    64U
#define HEAP      UINT64_C(0x555555559000)
#define GREW      UINT64_C(0x7ffff7fa1368) /* what the C library counts */
#define STACK     (FT_PLACE_STACK - 64)

enum { CALL, PUSH, HEAD, BEHIND, GROWS, RETURN, CLEARS, ENDS, RETURNS, REFERENCES };
enum { PROGRAM, ALLOCATE, MEMSET, SCOPES };
enum { LOOP, LONG };

static struct ft_scope scopes[SCOPES] = {
    [PROGRAM] = {.name = (char *)"program"},
    [ALLOCATE] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"calloc"},
    [MEMSET] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"__memset_avx512_unaligned_erms"}};
static struct ft_scoped_reference scoped[REFERENCES] = {
    [CLEARS] = {.scope = MEMSET}, [ENDS] = {.scope = MEMSET}, [RETURNS] = {.scope = MEMSET}};
static struct ft_reference references[REFERENCES] = {
    [CLEARS] = {.kind = FT_STORE, .size_bytes = VECTOR},
    [ENDS] = {.kind = FT_STORE, .size_bytes = VECTOR},
    [RETURNS] = {.kind = FT_LOAD, .size_bytes = 8}};
static uint32_t routine_scopes[] = {PROGRAM, ALLOCATE, MEMSET};
static struct ft_block_event events[ROWS];
/* What a call touches at the end of the other path, in loops of so many iterations. */
static uint64_t touched = GREW, iterations = 1;

static uint64_t place_of(uint64_t row)
{
    return FT_PLACE_BLOCKS + row * FT_PLACE_STEP;
}

static bool touch(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    bool good = ft_nest_builder_enter(builder, FT_NEST_LOOP, LONG, diag) == FT_OK;
    for (uint64_t i = 0; good && i < iterations; i++)
        good = ft_nest_builder_access(builder, GROWS, touched + 4 * i, diag) == FT_OK &&
               ft_nest_builder_iterate(builder, diag) == FT_OK;
    return good && ft_nest_builder_leave(builder, 2, diag) == FT_OK;
}

/* A call: onto the stack; the heads of its chunk and of the next one; where the heap grows, more.
 */
static bool call(struct ft_nest_builder *builder, uint64_t row, bool grows, struct ft_diag *diag)
{
    const uint64_t block = place_of(row);
    return ft_nest_builder_access(builder, CALL, STACK, diag) == FT_OK &&
           ft_nest_builder_enter(builder, FT_NEST_ROUTINE, ALLOCATE, diag) == FT_OK &&
           ft_nest_builder_access(builder, PUSH, STACK - 8, diag) == FT_OK &&
           ft_nest_builder_access(builder, HEAD, block - 8, diag) == FT_OK &&
           (!grows || touch(builder, diag)) &&
           ft_nest_builder_access(builder, BEHIND, block + ft_chunk_usable(ROW_BYTES), diag) ==
               FT_OK &&
           ft_nest_builder_access(builder, RETURN, STACK - 8, diag) == FT_OK &&
           ft_nest_builder_leave(builder, 1, diag) == FT_OK;
}

static bool clear(struct ft_nest_builder *builder, uint64_t row, struct ft_diag *diag)
{
    const uint64_t block = place_of(row), end = block + ft_chunk_usable(ROW_BYTES);
    return ft_nest_builder_enter(builder, FT_NEST_ROUTINE, MEMSET, diag) == FT_OK &&
           ft_nest_builder_access(builder, CLEARS, block, diag) == FT_OK &&
           ft_nest_builder_access(builder, ENDS, end - VECTOR, diag) == FT_OK &&
           ft_nest_builder_access(builder, RETURNS, STACK, diag) == FT_OK &&
           ft_nest_builder_leave(builder, 1, diag) == FT_OK;
}

/* grows: one of so many calls, but not the first. */
static bool build(uint64_t grows, bool clears, struct ft_nest *ret_nest)
{
    struct ft_diag diag = {0};
    struct ft_nest_builder *builder;
    struct ft_thread_skeleton thread;
    bool good = ft_nest_builder_create(REFERENCES, SCOPES, &builder, &diag) == FT_OK;
    good = good && ft_nest_builder_enter(builder, FT_NEST_LOOP, LOOP, &diag) == FT_OK;
    for (uint64_t i = 0; good && i < ROWS; i++) {
        events[i] = (struct ft_block_event){
            .block = (uint32_t)i, .address = HEAP + 4096 * i, .bytes = ROW_BYTES};
        good = call(builder, i, i % grows == grows / 2, &diag) &&
               (!clears || clear(builder, i, &diag)) &&
               ft_nest_builder_iterate(builder, &diag) == FT_OK;
    }
    good = good && ft_nest_builder_end(builder, &thread, &diag) == FT_OK;
    ft_nest_builder_destroy(builder);
    if (!good)
        return false;
    *ret_nest = thread.nest;
    thread.nest = (struct ft_nest){0};
    ft_thread_skeleton_fini(&thread);
    return true;
}

static const struct ft_skeleton skeleton = {
    .scopes = {.scopes = scopes,
               .scope_count = SCOPES,
               .references = scoped,
               .reference_count = REFERENCES},
    .references = references,
    .reference_count = REFERENCES,
    .routine_scopes = routine_scopes,
    .routine_count = SCOPES,
    .blocks = {.block_count = ROWS, .events = events, .event_count = ROWS}};

/* The nest with its calls alike; by how much it differs. False: there is no template. */
static bool rewrite(uint64_t grows, bool clears, struct ft_nest *ret_nest, double *ret_changed)
{
    struct ft_string_template memset = {
        .routine = ft_nest_token(FT_NEST_ROUTINE, MEMSET),
        .accesses = {{.kind = FT_STRING_VECTORS, .store = CLEARS, .bytes = VECTOR},
                     {.kind = FT_STRING_END, .store = CLEARS, .bytes = VECTOR},
                     {.kind = FT_STRING_STACK, .load = RETURNS}},
        .count = 3};
    const struct ft_string_templates memsets = {.templates = &memset, .count = 1};
    const struct ft_loop_contexts none = {0};
    struct ft_heap_templates templates = {0};
    struct ft_nest nest = {0};
    struct ft_diag diag = {0};
    bool good = build(grows, clears, &nest) &&
                ft_heap_templates_find(&skeleton, &nest, &memsets, &templates, &diag) == FT_OK &&
                templates.count == 1 &&
                ft_heap_calls_write(&templates, &nest, &skeleton.blocks, &none, ret_nest,
                                    ret_changed, &diag) == FT_OK;
    ft_heap_templates_fini(&templates);
    ft_nest_fini(&nest);
    return good;
}

/* The repetition that all iterations are; NULL: they are not one. */
static const uint64_t *whole_loop(const struct ft_nest *nest, size_t numbers)
{
    const struct ft_nest_element loop = ft_nest_element(nest->tokens);
    const struct ft_nest_element rows = ft_nest_element(nest->tokens + loop.head);
    return rows.kind == FT_NEST_REPEAT && rows.head + rows.length == loop.length &&
                   nest->numbers[0] == ROWS && rows.body == numbers
               ? nest->numbers + rows.counts
               : NULL;
}

static void check_growing(void)
{
    struct ft_nest nest = {0};
    double changed = 0;
    tap_ok(rewrite(ROWS, false, &nest, &changed) && changed == 1, "an access of one call is left");
    const uint64_t *first = whole_loop(&nest, 5);
    tap_ok(first && first[1] == STACK - 8 && first[2] == place_of(0) - 8 &&
               first[3] == ft_chunk_usable(ROW_BYTES) + place_of(0) &&
               first[5 + 2] == FT_PLACE_STEP && first[5 + 3] == FT_PLACE_STEP && first[5 + 1] == 0,
           "and the loop folds, each call with its block");
    ft_nest_fini(&nest);
    tap_ok(rewrite(4, false, &nest, &changed) && 4 * changed == ROWS && whole_loop(&nest, 5),
           "where one in four takes another path, too");
    ft_nest_fini(&nest);
    tap_ok(!rewrite(2, false, &nest, &changed), "but not where one in two does");
}

static void check_clearing(void)
{
    struct ft_nest nest = {0};
    struct ft_diag diag = {0};
    double changed = 0;
    tap_ok(rewrite(ROWS, true, &nest, &changed) && changed == 1, "calloc's, too");
    /* The call's five; how many vectors, the first one, its step, the last one, the stack. */
    const uint64_t *first = whole_loop(&nest, 10);
    const uint64_t usable = ft_chunk_usable(ROW_BYTES);
    tap_ok(first && first[5] == usable / 16 && first[6] == place_of(0) && first[7] == 16 &&
               first[8] == place_of(0) + usable - VECTOR && first[9] == STACK &&
               first[10 + 6] == FT_PLACE_STEP && first[10 + 8] == FT_PLACE_STEP,
           "what it clears is written by 16 bytes, up to the end");
    tap_ok(ft_vectors_widen(&skeleton, &nest, &diag) == FT_OK && first && first[5] == usable / 64 &&
               first[7] == 64 && first[6] == place_of(0),
           "and made by vectors");
    tap_ok(ft_vectors_widen(&skeleton, &nest, &diag) == FT_OK && first && first[5] == usable / 64,
           "once");
    ft_nest_fini(&nest);
}

/* Rows that get longer have more vectors, in steps of their own. */
static void check_longer(void)
{
    struct ft_nest body = {0}, rows = {0}, nest = {0};
    struct ft_diag diag = {0};
    const uint64_t step = 16, steps[] = {2, 0, 0};
    bool good = ft_nest_add_access(&body, CLEARS, place_of(0));
    struct ft_nest_span span = ft_nest_span(&body);
    good = good && ft_nest_add_repeat(&rows, &span, 12, &step);
    span = ft_nest_span(&rows);
    good = good && ft_nest_add_repeat(&nest, &span, 3, steps);
    tap_ok(good && ft_vectors_widen(&skeleton, &nest, &diag) == FT_OK && nest.numbers[1] == 12 &&
               nest.numbers[3] == 16,
           "but for those that get longer by less than a vector");
    ft_nest_fini(&body);
    ft_nest_fini(&rows);
    ft_nest_fini(&nest);
}

/* Calls that all take the other path. */
static bool has_template(uint64_t place, uint64_t count)
{
    struct ft_nest nest = {0};
    double changed;
    touched = place;
    iterations = count;
    const bool has = rewrite(1, false, &nest, &changed);
    ft_nest_fini(&nest);
    touched = GREW;
    iterations = 1;
    return has;
}

static void check_others(void)
{
    tap_ok(has_template(GREW, 3), "of the C library's data calls may touch what they like");
    tap_ok(!has_template(HEAP + 1024, 1), "but not of free chunks");
    tap_ok(!has_template(place_of(3) + 64, 1), "nor of other blocks");
    tap_ok(!has_template(GREW, 100), "nor of as many as there are");
}

int main(void)
{
    check_growing();
    check_others();
    check_clearing();
    check_longer();
    return tap_plan_done();
}
