/*
 * A loop of three steps that are alike at a small size, while at a large one the first differs: one
 * by one at both sizes. Loops that fold alike, or run more often at one size, stay.
 */
#include "fit/skeletons/common_steps.h"
#include "formats/skeleton/places.h"
#include "tests/support/tap.h"

enum { SWEPT, EXTRA };
#define PLACE(step) (FT_PLACE_BLOCKS + 1000 * (uint64_t)(step))

/* A step that sweeps through `count` elements; extra: it makes another access before. */
static bool add_body(struct ft_nest *nest, unsigned step, uint64_t count, bool extra)
{
    struct ft_nest element = {0};
    const uint64_t stride = 8;
    bool good = ft_nest_add_access(&element, SWEPT, PLACE(step));
    const struct ft_nest_span span = ft_nest_span(&element);
    good = good && (!extra || ft_nest_add_access(nest, EXTRA, FT_PLACE_BLOCKS));
    good = good && ft_nest_add_repeat(nest, &span, count, &stride);
    ft_nest_fini(&element);
    return good;
}

/* first: how many steps stand one by one, of which the first is another one; then one part of
 * `folded` steps. */
static bool build(unsigned first, uint64_t folded, struct ft_nest *ret_nest)
{
    struct ft_nest body = {0};
    const uint64_t steps[] = {2, 1000, 0}; /* two elements more each time, elsewhere */
    size_t loop, once;
    bool good = ft_nest_open(ret_nest, FT_NEST_LOOP, 0, &loop);
    for (unsigned i = 0; i < first; i++) {
        good = good && ft_nest_open(ret_nest, FT_NEST_ONCE, 0, &once) &&
               add_body(ret_nest, i, 5 + 2 * i, i == 0);
        ft_nest_close(ret_nest, once);
    }
    good = good && add_body(&body, first, 5 + 2 * first, false);
    const struct ft_nest_span span = ft_nest_span(&body);
    good = good && ft_nest_add_repeat(ret_nest, &span, folded, steps);
    ft_nest_close(ret_nest, loop);
    ft_nest_fini(&body);
    return good;
}

static size_t count_found(unsigned first, uint64_t folded)
{
    struct ft_loop_contexts loops = {0};
    struct ft_diag diag = {0};
    struct ft_nest nests[2] = {{0}, {0}};
    size_t found = SIZE_MAX;
    if (build(0, 3, &nests[0]) && build(first, folded, &nests[1]) &&
        ft_common_steps_find(nests, 2, &loops, &diag) == FT_OK)
        found = loops.count;
    ft_loop_contexts_fini(&loops);
    ft_nest_fini(&nests[0]);
    ft_nest_fini(&nests[1]);
    return found;
}

/* Whether it is three steps, the i-th of 5 + 2 i elements from its place on. */
static bool is_unfolded(const struct ft_nest *nest, bool has_extra)
{
    const struct ft_nest_element loop = ft_nest_element(nest->tokens);
    const uint64_t *numbers = nest->numbers + (has_extra ? 1 : 0);
    const bool starts = loop.kind == FT_NEST_LOOP && loop.head + loop.length == nest->token_count &&
                        ft_nest_element_count(nest->tokens + loop.head, loop.length) == 3 &&
                        nest->number_count == (has_extra ? 10 : 9);
    bool good = starts && ft_nest_kind(nest->tokens[loop.head]) == FT_NEST_ONCE;
    for (unsigned i = 0; good && i < 3; i++)
        good = numbers[3 * (size_t)i] == 5 + 2 * (uint64_t)i &&
               numbers[3 * (size_t)i + 1] == PLACE(i) && numbers[3 * (size_t)i + 2] == 8;
    return good;
}

static void check_unfolded(void)
{
    struct ft_loop_contexts loops = {0};
    struct ft_diag diag = {0};
    struct ft_nest nests[2] = {{0}, {0}};
    bool good = build(0, 3, &nests[0]) && build(1, 2, &nests[1]) &&
                ft_common_steps_find(nests, 2, &loops, &diag) == FT_OK;
    tap_ok(good && loops.count == 1,
           "steps that fold at one size, and but for the first at another");
    for (unsigned s = 0; good && s < 2; s++)
        good = ft_common_steps_unfold(&loops, nests[s].tokens, &nests[s], &diag) == FT_OK;
    tap_ok(good && is_unfolded(&nests[0], false), "are taken one by one at the first");
    tap_ok(good && is_unfolded(&nests[1], true), "and at the second");
    ft_loop_contexts_fini(&loops);
    tap_ok(good && ft_common_steps_find(nests, 2, &loops, &diag) == FT_OK && loops.count == 0,
           "once");
    ft_loop_contexts_fini(&loops);
    ft_nest_fini(&nests[0]);
    ft_nest_fini(&nests[1]);
}

int main(void)
{
    check_unfolded();
    tap_ok(count_found(0, 3) == 0, "not where they fold alike");
    tap_ok(count_found(1, 3) == 0, "nor where one size has more of them");
    tap_ok(count_found(1, 40) == 0, "or many");
    return tap_plan_done();
}
