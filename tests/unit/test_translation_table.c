/*
 * The table of translations against a plain list: additions and removals at random, of so few
 * program counters that many translations share one and that the table's end wraps around.
 */
#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "trace-capture/translate/code_cache.h"

#define TRANSLATIONS 6000U
#define STEPS        200000U

struct list {
    struct ft_translation *all;
    unsigned added_at[TRANSLATIONS]; /* number of the step; 0: not in the table */
};

/* The one of the pc that was added last. */
static const struct ft_translation *expected(const struct list *list, uint64_t pc)
{
    unsigned latest = 0;
    const struct ft_translation *found = NULL;
    for (unsigned i = 0; i < TRANSLATIONS; i++)
        if (list->all[i].unit.pc == pc && list->added_at[i] > latest) {
            latest = list->added_at[i];
            found = &list->all[i];
        }
    return found;
}

static void check(uint64_t pc_count, uint64_t stride)
{
    struct ft_translation_table table = {0};
    struct list list = {.all = calloc(TRANSLATIONS, sizeof *list.all)};
    uint64_t seed = pc_count;
    unsigned wrong = 0, absent = 0;
    for (unsigned i = 0; i < TRANSLATIONS; i++)
        list.all[i].unit.pc = 0x400000 + stride * random_below(&seed, pc_count);
    for (unsigned step = 1; step <= STEPS; step++) {
        bool grows = step / (STEPS / 8) % 2 == 0; /* full and nearly empty in turn */
        unsigned i = (unsigned)random_below(&seed, TRANSLATIONS);
        struct ft_translation *translation = &list.all[i];
        bool removes = list.added_at[i] && (!grows || random_below(&seed, 4) == 0);
        if (removes || !list.added_at[i]) {
            bool was_there = list.added_at[i] != 0;
            if (was_there)
                wrong += !ft_translation_table_remove(&table, translation);
            else if (grows)
                wrong += !ft_translation_table_add(&table, translation);
            list.added_at[i] = was_there || !grows ? 0 : step;
        }
        if (step % 16 == 0) {
            uint64_t pc = list.all[random_below(&seed, TRANSLATIONS)].unit.pc;
            const struct ft_translation *there = expected(&list, pc);
            wrong += ft_translation_table_find(&table, pc) != there;
            absent += !there;
        }
    }
    struct ft_translation other = {.unit.pc = 0x400000 - 1};
    tap_ok(wrong == 0 && absent > 0, "%llu program counters: all is found as in a list",
           (unsigned long long)pc_count);
    tap_ok(!ft_translation_table_remove(&table, &other) &&
               !ft_translation_table_find(&table, other.unit.pc),
           "what was never added is neither found nor removed");
    ft_translation_table_fini(&table);
    free(list.all);
}

int main(void)
{
    struct ft_translation_table empty = {0};
    tap_ok(!ft_translation_table_find(&empty, 0), "nothing is in an empty table");
    check(50, 1);
    check(3000, 3);
    check(UINT64_C(1) << 40, 4096);
    return tap_plan_done();
}
