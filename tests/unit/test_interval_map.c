/*
 * The map of intervals against a plain array with an entry for each address, through random
 * insertions and cuts: many small ones, so that rows fill, split and go, and large ones over them.
 */
#include "engine/data/interval_map.h"

#include "tests/support/random.h"
#include "tests/support/tap.h"

#define ADDRESSES 6000U
#define BASE      UINT64_C(0x7fff00000000)

static uint32_t expected[ADDRESSES];

/* Whether the map says of an address what the array says, and how far that goes. */
static bool agrees(const struct ft_interval_map *map, uint32_t at)
{
    struct ft_interval found = ft_interval_map_find(map, BASE + at);
    if (found.value != expected[at] || found.start > BASE + at || found.end <= BASE + at)
        return false;
    uint64_t first = found.start < BASE ? 0 : found.start - BASE;
    uint64_t end = found.end > BASE + ADDRESSES ? ADDRESSES : found.end - BASE;
    for (uint64_t i = first; i < end; i++)
        if (expected[i] != found.value)
            return false;
    /* a gap is told as a whole; an interval may touch another of the same value */
    bool whole = (first == 0 || expected[first - 1] != FT_NO_INTERVAL) &&
                 (end == ADDRESSES || expected[end] != FT_NO_INTERVAL);
    return found.value != FT_NO_INTERVAL || whole;
}

static bool change(struct ft_interval_map *map, uint64_t *state, unsigned step)
{
    uint32_t start = (uint32_t)(random_next(state) % ADDRESSES);
    uint32_t most = random_next(state) % 50 ? 4 : 1000;
    uint32_t end = start + 1 + (uint32_t)(random_next(state) % most);
    bool cuts = random_next(state) % (step % 8192 < 5000 ? 5 : 2) == 0;
    if (end > ADDRESSES)
        end = ADDRESSES;
    for (uint32_t i = start; i < end; i++)
        expected[i] = cuts ? FT_NO_INTERVAL : step;
    return (cuts ? ft_interval_map_cut(map, BASE + start, BASE + end, NULL)
                 : ft_interval_map_put(map, BASE + start, BASE + end, step, NULL)) == FT_OK;
}

int main(void)
{
    struct ft_interval_map map = {0};
    uint64_t state = 1;
    struct ft_interval nothing = ft_interval_map_find(&map, 5);
    tap_ok(nothing.value == FT_NO_INTERVAL && nothing.start == 0 && nothing.end == UINT64_MAX,
           "an empty map is one gap");
    for (uint32_t i = 0; i < ADDRESSES; i++)
        expected[i] = FT_NO_INTERVAL;
    bool same = true;
    size_t most_rows = 0;
    for (unsigned step = 0; step < 30000 && same; step++) {
        same = change(&map, &state, step);
        for (int i = 0; i < 5 && same; i++)
            same = agrees(&map, (uint32_t)(random_next(&state) % ADDRESSES));
        most_rows = map.row_count > most_rows ? map.row_count : most_rows;
    }
    tap_ok(same, "30000 insertions and cuts: found as in a plain array");
    tap_ok(most_rows > 8, "in %zu rows", most_rows);
    for (uint32_t i = 0; i < ADDRESSES && same; i++)
        same = agrees(&map, i);
    tap_ok(same, "every address");
    tap_ok(ft_interval_map_cut(&map, 0, UINT64_MAX, NULL) == FT_OK && map.row_count == 0,
           "a cut of all leaves nothing");
    ft_interval_map_fini(&map);
    return tap_plan_done();
}
