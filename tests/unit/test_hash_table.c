/* Hash tables: each index under its own hash and no other, many under one, before and after they
 * grow; against a search through all of them. */
#include "formats/base/hash_table.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define ITEMS 5000

/* How often the table gives an index under a hash. */
static size_t count_index(const struct ft_hash_table *table, uint64_t hash, uint32_t wanted)
{
    size_t count = 0;
    uint32_t index;
    for (size_t probe = hash; ft_hash_next(table, hash, &probe, &index);)
        count += index == wanted;
    return count;
}

static size_t count_all(const struct ft_hash_table *table, uint64_t hash)
{
    size_t count = 0;
    uint32_t index;
    for (size_t probe = hash; ft_hash_next(table, hash, &probe, &index);)
        count++;
    return count;
}

/* Keys that repeat, so that some hashes have several indices. */
static void test_random(void)
{
    static uint64_t hashes[ITEMS];
    struct ft_hash_table table = {0};
    uint64_t state = 1;
    size_t missing = 0, wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        hashes[i] = ft_hash_mix(random_below(&state, ITEMS / 2) << 40);
        missing += !ft_hash_table_add(&table, hashes[i], i) ||
                   count_index(&table, hashes[i], i) != 1 || count_index(&table, hashes[0], 0) != 1;
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        size_t expected = 0;
        for (uint32_t j = 0; j < ITEMS; j++)
            expected += (uint32_t)hashes[j] == (uint32_t)hashes[i];
        wrong += count_all(&table, hashes[i]) != expected || count_index(&table, hashes[i], i) != 1;
    }
    tap_ok(missing == 0, "each index is found under its hash once it is added");
    tap_ok(wrong == 0, "each hash has as many indices as were added under it, at the end");
    tap_ok(table.count == ITEMS && 2 * table.count <= table.slot_count,
           "at most half of the slots are used: %zu of %zu", table.count, table.slot_count);
    ft_hash_table_fini(&table);
}

/* Where all start at one slot, the last one, probing goes on at the first. */
static void test_one_slot(void)
{
    struct ft_hash_table table = {0};
    size_t wrong = 0;
    for (uint32_t i = 0; i < 200; i++)
        ft_hash_table_add(&table, (uint64_t)i << 32 | UINT32_MAX, i);
    for (uint32_t i = 0; i < 200; i++)
        wrong += count_index(&table, UINT32_MAX, i) != 1;
    tap_ok(wrong == 0, "indices under one hash are all found");
    tap_ok(count_all(&table, UINT32_MAX - 1) == 0, "a hash that nothing was added under has none");
    ft_hash_table_fini(&table);
}

static void test_empty(void)
{
    struct ft_hash_table table = {0};
    tap_ok(count_all(&table, 0) == 0, "an empty table has nothing");
    ft_hash_table_clear(&table);
    tap_ok(ft_hash_table_add(&table, 7, 3) && count_all(&table, 7) == 1, "one index, one found");
    ft_hash_table_clear(&table);
    tap_ok(count_all(&table, 7) == 0 && table.count == 0, "nothing is left when it is cleared");
    tap_ok(ft_hash_table_add(&table, 7, 4) && count_index(&table, 7, 4) == 1, "it can be refilled");
    ft_hash_table_fini(&table);
}

/* Array starts differ in a few bits only: their slots must not. */
static void test_mix(void)
{
    enum { SLOTS = 1024 };
    static unsigned used[SLOTS];
    unsigned longest = 0;
    for (uint64_t i = 0; i < SLOTS / 2; i++) {
        unsigned in_slot = ++used[ft_hash_mix(i << 32) & (SLOTS - 1)];
        longest = in_slot > longest ? in_slot : longest;
    }
    tap_ok(longest <= 8, "keys that differ in upper bits alone share a slot with few: %u", longest);
    tap_ok(ft_hash_add(ft_hash_mix(1), 2) != ft_hash_add(ft_hash_mix(2), 1),
           "words in another order have another hash");
}

int main(void)
{
    test_empty();
    test_random();
    test_one_slot();
    test_mix();
    return tap_plan_done();
}
