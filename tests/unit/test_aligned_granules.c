/* Granules of a repeated string instruction are moved to where they begin; all else stays. */
#include "fit/skeletons/aligned_granules.h"
#include "formats/x86/unit.h"
#include "tests/support/tap.h"

enum { PART, WHOLE, VECTOR };

/* A string instruction's granules in part and whole, and a vector as long as one. */
static struct ft_reference references[] = {
    [PART] = {.pc = 0x10, .size_bytes = 1, .kind = FT_STORE},
    [WHOLE] = {.pc = 0x10, .size_bytes = FT_STRING_GRANULE_BYTES, .kind = FT_STORE},
    [VECTOR] = {.pc = 0x20, .size_bytes = FT_STRING_GRANULE_BYTES, .kind = FT_STORE}};
static const struct ft_skeleton skeleton = {.references = references, .reference_count = 3};
/* As malloc places blocks: by 16 bytes. */
static const struct ft_placed_block block = {.address = 0x1010, .bytes = 4096};
static const struct ft_places places = {.blocks = &block, .block_count = 1};

/* Of three iterations of a loop around two of a repetition: where the first of them begins. */
static uint64_t aligned(uint32_t reference, uint64_t offset, uint64_t inner_step,
                        uint64_t outer_step)
{
    struct ft_nest inner = {0}, outer = {0}, nest = {0};
    struct ft_diag diag;
    const uint64_t place = FT_PLACE_BLOCKS + offset, outer_steps[] = {0, outer_step, 0};
    if (!ft_nest_add_access(&inner, reference, place))
        return 0;
    struct ft_nest_span body = ft_nest_span(&inner);
    if (!ft_nest_add_repeat(&outer, &body, 2, &inner_step))
        return 0;
    body = ft_nest_span(&outer);
    if (!ft_nest_add_repeat(&nest, &body, 3, outer_steps) ||
        ft_granules_align(&skeleton, &places, &nest, &diag) != FT_OK)
        return 0;
    /* 3 times; 2 times, the place, its step; then how these change */
    const uint64_t at = nest.numbers[2] - place;
    bool stays = nest.number_count == 7 && nest.numbers[0] == 3 && nest.numbers[1] == 2 &&
                 nest.numbers[3] == inner_step && nest.numbers[5] == outer_step;
    tap_ok(stays, "counts and steps stay as they are");
    ft_nest_fini(&inner);
    ft_nest_fini(&outer);
    ft_nest_fini(&nest);
    return offset + at;
}

int main(void)
{
    tap_ok(aligned(WHOLE, 16, 32, 320) == 16, "where a granule begins it stays");
    tap_ok(aligned(WHOLE, 32, 32, 320) == 16, "in the middle it is moved to its start");
    tap_ok(aligned(WHOLE, 47, 32, 320) == 16, "from its last byte as well");
    tap_ok(aligned(WHOLE, 32, 32, 328) == 32, "not where iterations begin elsewhere in granules");
    tap_ok(aligned(WHOLE, 32, 8, 320) == 32, "nor where they are parts of a granule");
    tap_ok(aligned(PART, 32, 32, 320) == 32, "what is touched in part is where it is");
    tap_ok(aligned(VECTOR, 32, 32, 320) == 32, "so are vectors");
    return tap_plan_done();
}
