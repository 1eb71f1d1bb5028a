/*
 * Loops that outgrow the limit of a nest's builder, in each iteration that there can be, the last
 * one included, which ends as the loop is left: inside a routine far into its thread, whose
 * brackets must stay in the thread's nest. After a restart the loop is irregular, and no access is
 * lost. A loop of two iterations outgrows it by what is in these: the loop in them is irregular,
 * not itself.
 */
#include "engine/skeleton/nest_building.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define LOOP_WORDS 256U
#define OUTSIDE    3000U /* accesses before the routine */
#define ITERATIONS 200U  /* of a loop that outgrows the limit for sure */

struct taken {
    uint64_t kept, irregular; /* accesses */
    unsigned restarts;
};

static void count_access(void *context, const uint32_t *token, uint64_t count)
{
    (void)token;
    *(uint64_t *)context += count;
}

/* A routine with a loop of so many accesses at random, behind others at random. */
static int take(struct ft_nest_builder *builder, unsigned iterations, struct ft_diag *diag)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < OUTSIDE; i++)
        FT_TRY(ft_nest_builder_access(builder, 0, random_below(&state, 1 << 20), diag));
    FT_TRY(ft_nest_builder_enter(builder, FT_NEST_ROUTINE, 0, diag));
    FT_TRY(ft_nest_builder_access(builder, 0, 0, diag));
    FT_TRY(ft_nest_builder_enter(builder, FT_NEST_LOOP, 0, diag));
    for (unsigned i = 0; i < iterations; i++) {
        if (i > 0)
            FT_TRY(ft_nest_builder_iterate(builder, diag));
        FT_TRY(ft_nest_builder_access(builder, 1, random_below(&state, 1 << 20), diag));
    }
    return ft_nest_builder_leave(builder, 0, diag);
}

/* A loop of two iterations, of which each executes the same loop of accesses at random; only before
 * it they differ. */
static int take_twice(struct ft_nest_builder *builder, unsigned iterations, struct ft_diag *diag)
{
    FT_TRY(ft_nest_builder_enter(builder, FT_NEST_LOOP, 0, diag));
    for (unsigned time = 0; time < 2; time++) {
        uint64_t state = 1;
        if (time)
            FT_TRY(ft_nest_builder_iterate(builder, diag));
        for (unsigned i = 0; i <= time; i++)
            FT_TRY(ft_nest_builder_access(builder, 0, 0, diag));
        FT_TRY(ft_nest_builder_enter(builder, FT_NEST_LOOP, 1, diag));
        for (unsigned i = 0; i < iterations; i++) {
            if (i > 0)
                FT_TRY(ft_nest_builder_iterate(builder, diag));
            FT_TRY(ft_nest_builder_access(builder, 1, random_below(&state, 1 << 20), diag));
        }
        FT_TRY(ft_nest_builder_leave(builder, 1, diag));
    }
    return ft_nest_builder_leave(builder, 0, diag);
}

typedef int taker(struct ft_nest_builder *builder, unsigned iterations, struct ft_diag *diag);

static int build(taker *feed, unsigned iterations, struct taken *taken, struct ft_diag *diag)
{
    struct ft_nest_builder *builder;
    struct ft_thread_skeleton thread = {0};
    *taken = (struct taken){0};
    FT_TRY(ft_nest_builder_create(2, 1, &builder, diag));
    ft_nest_builder_limit(builder, LOOP_WORDS);
    int status = feed(builder, iterations, diag);
    while (!status && ft_nest_builder_must_restart(builder)) {
        taken->restarts++;
        ft_nest_builder_restart(builder);
        status = feed(builder, iterations, diag);
    }
    if (!status)
        status = ft_nest_builder_end(builder, &thread, diag);
    if (!status) {
        struct ft_nest_span span = ft_nest_span(&thread.nest);
        taken->irregular = thread.irregular_accesses[1];
        status = ft_nest_count(&span, count_access, &taken->kept, diag);
        ft_thread_skeleton_fini(&thread);
    }
    ft_nest_builder_destroy(builder);
    return status;
}

int main(void)
{
    unsigned last_kept = 0, wrong = 0;
    struct ft_diag diag = {0};
    for (unsigned n = 1; n <= ITERATIONS; n++) {
        struct taken taken;
        int status = build(take, n, &taken, &diag);
        bool is_kept = taken.restarts == 0;
        last_kept = is_kept ? n : last_kept;
        wrong += status || taken.restarts > 1 || taken.kept != OUTSIDE + 1 + (is_kept ? n : 0) ||
                 taken.irregular != (is_kept ? 0 : n);
    }
    tap_ok(wrong == 0, "all accesses are kept, or counted: %u are not %s", wrong, diag.message);
    struct taken twice;
    const int status = build(take_twice, last_kept - 4, &twice, &diag);
    tap_ok(status == FT_OK && twice.kept == 3 && twice.irregular == 2 * (last_kept - 4),
           "of two long iterations the loop in them is irregular: %llu accesses, %llu kept",
           (unsigned long long)twice.irregular, (unsigned long long)twice.kept);
    tap_ok(last_kept > 8 && last_kept < ITERATIONS / 2,
           "loops of up to %u iterations are kept, larger ones are irregular", last_kept);
    return tap_plan_done();
}
