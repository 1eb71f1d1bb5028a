/*
 * A loop over rows, of which some make one access more, as a generator has it: of a module they are
 * left out, and the loop folds; of the heap, or where the rows are short, they are what it does.
 */
#include "engine/skeleton/nest_building.h"
#include "fit/skeletons/sporadic_accesses.h"
#include "formats/skeleton/places.h"
#include "tests/support/tap.h"

#define ROWS      60U
#define IN_MODULE UINT64_C(0x555555556000)

enum { IN_ROW, SOMETIMES, ALWAYS, REFERENCES };
enum { ROW_LOOP, COLUMN_LOOP };

/* *ret_made: how often the access was made. */
static bool build(uint64_t place, uint64_t columns, struct ft_nest *ret_nest, uint64_t *ret_made)
{
    struct ft_diag diag = {0};
    struct ft_nest_builder *builder;
    struct ft_thread_skeleton thread;
    uint64_t random = 7;
    bool good = ft_nest_builder_create(REFERENCES, 1, &builder, &diag) == FT_OK;
    good = good && ft_nest_builder_enter(builder, FT_NEST_LOOP, ROW_LOOP, &diag) == FT_OK;
    *ret_made = 0;
    for (uint64_t i = 0; good && i < ROWS; i++) {
        good = ft_nest_builder_enter(builder, FT_NEST_LOOP, COLUMN_LOOP, &diag) == FT_OK;
        for (uint64_t j = 0; good && j < columns; j++)
            good = ft_nest_builder_access(builder, IN_ROW, FT_PLACE_BLOCKS + 8 * (i * columns + j),
                                          &diag) == FT_OK &&
                   ft_nest_builder_iterate(builder, &diag) == FT_OK;
        good = good && ft_nest_builder_leave(builder, 1, &diag) == FT_OK;
        random = random * 6364136223846793005 + 1442695040888963407;
        if (random >> 63) {
            good = good && ft_nest_builder_access(builder, SOMETIMES, place, &diag) == FT_OK;
            ++*ret_made;
        }
        good = good && ft_nest_builder_access(builder, ALWAYS, IN_MODULE + 64, &diag) == FT_OK &&
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

/* How many accesses are found to be sporadic. */
static size_t count_found(uint64_t place, uint64_t columns)
{
    struct ft_sporadic_accesses sporadic = {0};
    struct ft_diag diag = {0};
    struct ft_nest nest = {0};
    uint64_t made;
    size_t count = SIZE_MAX;
    if (build(place, columns, &nest, &made) &&
        ft_sporadic_accesses_find(&sporadic, &nest, &diag) == FT_OK)
        count = sporadic.count;
    ft_sporadic_accesses_fini(&sporadic);
    ft_nest_fini(&nest);
    return count;
}

/* In a routine that the largest size does not have (same_code.h). */
#define FOREIGN (FT_NEST_ID_MAX - 3)

static bool wrap(struct ft_nest *nest)
{
    struct ft_nest wrapped = {0};
    const struct ft_nest_span span = ft_nest_span(nest);
    size_t place;
    if (!ft_nest_open(&wrapped, FT_NEST_ROUTINE, FOREIGN, &place) || !ft_nest_add(&wrapped, &span))
        return false;
    ft_nest_close(&wrapped, place);
    ft_nest_fini(nest);
    *nest = wrapped;
    return true;
}

static void check_left_out(void)
{
    const struct ft_loop_contexts none = {0};
    struct ft_sporadic_accesses sporadic = {0};
    struct ft_diag diag = {0};
    struct ft_nest nest = {0}, without = {0};
    uint64_t made, left_out[REFERENCES] = {0};
    tap_ok(build(IN_MODULE, 64, &nest, &made) && wrap(&nest) &&
               ft_sporadic_accesses_find(&sporadic, &nest, &diag) == FT_OK && sporadic.count == 1 &&
               sporadic.accesses[0].reference == SOMETIMES,
           "an access of some rows");
    tap_ok(ft_sporadic_accesses_leave_out(&sporadic, &none, &nest, &without, left_out, REFERENCES,
                                          &diag) == FT_OK &&
               left_out[SOMETIMES] == made && left_out[IN_ROW] + left_out[ALWAYS] == 0,
           "is left out %llu times", (unsigned long long)made);
    const struct ft_nest_element routine = ft_nest_element(without.tokens);
    const struct ft_nest_element loop = ft_nest_element(without.tokens + routine.head);
    const struct ft_nest_element rows = ft_nest_element(without.tokens + routine.head + loop.head);
    tap_ok(routine.kind == FT_NEST_ROUTINE && routine.id == FOREIGN && loop.kind == FT_NEST_LOOP &&
               rows.kind == FT_NEST_REPEAT && rows.head + rows.length == loop.length &&
               without.numbers[0] == ROWS,
           "and the loop folds");
    ft_nest_fini(&without);
    ft_nest_fini(&nest);
    ft_sporadic_accesses_fini(&sporadic);
}

int main(void)
{
    check_left_out();
    tap_ok(count_found(FT_PLACE_BLOCKS + FT_PLACE_STEP, 64) == 0, "but not of the heap");
    tap_ok(count_found(IN_MODULE, 16) == 0, "nor where there are more than a few");
    return tap_plan_done();
}
