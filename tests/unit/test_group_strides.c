/*
 * Strides, streams and classes of loads of groups, of which some are forgotten.
 */
#include <stdlib.h>

#include "formats/model/group_strides.h"
#include "tests/support/tap.h"

enum { GROUPS = 4, SIZES = 2, STREAMS = 5 };

static const uint32_t streams[STREAMS] = {0, 1, 1, 3, 3};

/* Strides of group g start with 100 g, bases are 1000 times the stream. */
static struct ft_group_strides make(void)
{
    struct ft_group_strides strides;
    if (ft_group_strides_init(&strides, GROUPS, SIZES, NULL) != FT_OK)
        abort();
    strides.streams = calloc(STREAMS, sizeof *strides.streams);
    strides.bases = calloc((size_t)STREAMS * SIZES, sizeof *strides.bases);
    strides.load_classes = calloc(GROUPS, sizeof *strides.load_classes);
    if (!strides.streams || !strides.bases || !strides.load_classes)
        abort();
    strides.stream_count = STREAMS;
    for (size_t g = 0; g < GROUPS; g++) {
        strides.load_classes[g] = (uint8_t)g;
        for (size_t e = 0; e < SIZES; e++)
            *(ft_group_stride(&strides, g, 0) + e) = (int64_t)(100 * g + e);
    }
    for (size_t s = 0; s < STREAMS; s++) {
        strides.streams[s] = streams[s];
        for (size_t e = 0; e < SIZES; e++)
            strides.bases[s * SIZES + e] = 1000 * s + e;
    }
    return strides;
}

int main(void)
{
    struct ft_group_strides strides = make();
    size_t count, first;
    ft_group_strides_keep(&strides, (bool[]){false, true, false, true});
    tap_ok(strides.group_count == 2 && strides.stream_count == 4, "two groups stay, four streams");
    tap_ok(ft_group_stride(&strides, 0, 0)[1] == 101 && ft_group_stride(&strides, 1, 0)[0] == 300 &&
               ft_group_stride(&strides, 1, 1)[0] == FT_STRIDE_NONE &&
               !ft_group_stride(&strides, 2, 0),
           "with their strides");
    first = ft_group_streams(&strides, 0, &count);
    tap_ok(first == 0 && count == 2 && strides.bases[1 * SIZES] == 2000, "and streams");
    first = ft_group_streams(&strides, 1, &count);
    tap_ok(first == 2 && count == 2 && strides.bases[3 * SIZES + 1] == 4001, "of both");
    tap_ok(strides.load_classes[0] == 1 && strides.load_classes[1] == 3, "and classes of loads");
    ft_group_strides_fini(&strides);
    strides = (struct ft_group_strides){.group_count = GROUPS};
    ft_group_strides_keep(&strides, (bool[]){false, true, false, true});
    tap_ok(strides.group_count == 2, "of groups of which nothing is known, too");
    return tap_plan_done();
}
