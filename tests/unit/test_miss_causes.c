/* Why a level of two blocks misses, by hand. */
#include "engine/simulate/hierarchy/miss_causes.h"
#include "tests/support/tap.h"

static enum ft_miss_cause ask(struct ft_miss_shadow *shadow, uint64_t block)
{
    return ft_miss_shadow_ask(shadow, block, FT_MISS_TAKES_IN);
}

static void check_lru(void)
{
    struct ft_miss_shadow shadow;
    ft_miss_shadow_init(&shadow, 2);
    tap_ok(ask(&shadow, 1) == FT_MISS_COLD && ask(&shadow, 2) == FT_MISS_COLD, "first requests");
    tap_ok(ask(&shadow, 1) == FT_MISS_CONFLICT, "what fits misses by a conflict");
    tap_ok(ask(&shadow, 3) == FT_MISS_COLD && ask(&shadow, 1) == FT_MISS_CONFLICT &&
               ask(&shadow, 2) == FT_MISS_CAPACITY,
           "the block used longest ago went");
    tap_ok(ask(&shadow, 2) == FT_MISS_CONFLICT, "the newest block again");
    ft_miss_shadow_fini(&shadow);
}

/* A store that goes around a level uses a block that is there, and brings none. */
static void check_around(void)
{
    struct ft_miss_shadow shadow;
    ft_miss_shadow_init(&shadow, 2);
    tap_ok(ft_miss_shadow_ask(&shadow, 1, FT_MISS_USES) == FT_MISS_COLD &&
               ft_miss_shadow_ask(&shadow, 1, FT_MISS_USES) == FT_MISS_CAPACITY,
           "a store that goes around brings nothing");
    ask(&shadow, 1);
    ask(&shadow, 2);
    ft_miss_shadow_ask(&shadow, 1, FT_MISS_USES);
    ask(&shadow, 3);
    tap_ok(ask(&shadow, 1) == FT_MISS_CONFLICT && ask(&shadow, 2) == FT_MISS_CAPACITY,
           "but uses what is there");
    ft_miss_shadow_fini(&shadow);
}

/* An exclusive level takes in what is evicted, and hands it on. */
static void check_exclusive(void)
{
    struct ft_miss_shadow shadow;
    ft_miss_shadow_init(&shadow, 2);
    ft_miss_shadow_insert(&shadow, 1);
    tap_ok(ft_miss_shadow_ask(&shadow, 1, FT_MISS_HANDS_ON) == FT_MISS_COLD,
           "a block that was prefetched and evicted is cold when it is asked for");
    tap_ok(ft_miss_shadow_ask(&shadow, 1, FT_MISS_HANDS_ON) == FT_MISS_CAPACITY,
           "it was handed on");
    for (uint64_t block = 1; block <= 3; block++)
        ft_miss_shadow_insert(&shadow, block);
    tap_ok(ft_miss_shadow_ask(&shadow, 1, FT_MISS_HANDS_ON) == FT_MISS_CAPACITY &&
               ft_miss_shadow_ask(&shadow, 3, FT_MISS_HANDS_ON) == FT_MISS_COLD &&
               !shadow.has_failed && shadow.inside == 1,
           "two blocks fit");
    ft_miss_shadow_fini(&shadow);
}

int main(void)
{
    check_lru();
    check_around();
    check_exclusive();
    return tap_plan_done();
}
