/*
 * Time slots against a count of the bits: pushes and removals at random over all levels, in a
 * table low enough for one level and in one that needs them all.
 */
#include <inttypes.h>

#include "engine/reuse/stacks/slots.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

static uint64_t counted_rank(const struct ft_slots *slots, uint64_t t)
{
    uint64_t rank = 0;
    for (uint64_t word = 0; word < t / 64; word++)
        rank += (uint64_t)__builtin_popcountll(slots->bits[word]);
    return rank +
           (uint64_t)__builtin_popcountll(slots->bits[t / 64] & ((UINT64_C(1) << t % 64) - 1));
}

/* Every push is followed by a removal in two of three cases, of a slot near or far. */
static void check(uint64_t capacity, uint64_t live_at_start, unsigned checks)
{
    struct ft_slots slots = {0};
    struct ft_diag diag = {0};
    uint64_t seed = capacity;
    if (!tap_ok(ft_slots_reset(&slots, capacity, live_at_start, &diag) == FT_OK,
                "%" PRIu64 " slots, %" PRIu64 " live at first", capacity, live_at_start))
        return;
    const unsigned levels = ft_slots_levels(&slots);
    const uint64_t interval = (capacity - live_at_start) / checks;
    uint64_t wrong = 0;
    while (slots.next < capacity) {
        uint32_t pushed = ft_slots_push(&slots);
        uint64_t random = random_next(&seed);
        uint64_t back = random >> 8 & (random & 1 ? 1023 : UINT32_MAX);
        uint32_t t = (uint32_t)(pushed - back % pushed);
        if (random % 3 && slots.bits[t / 64] >> t % 64 & 1)
            ft_slots_remove(&slots, t, levels);
        if (pushed % interval == 0) {
            uint32_t sample = (uint32_t)(random_next(&seed) % slots.next);
            wrong += ft_slots_rank(&slots, sample, levels) != counted_rank(&slots, sample);
            wrong += ft_slots_rank(&slots, pushed, levels) != counted_rank(&slots, pushed);
            wrong += slots.live != counted_rank(&slots, slots.next);
        }
    }
    tap_ok(wrong == 0, "%" PRIu64 " ranks are as counted", 3 * (uint64_t)checks);
    ft_slots_fini(&slots);
}

int main(void)
{
    check(1 << 13, 0, 1000);
    check(1 << 16, 5000, 1000);
    check(1 << 17, 100, 1000);
    check(1 << 22, 1 << 20, 100);
    check(1 << 25, 1 << 23, 20);
    return tap_plan_done();
}
