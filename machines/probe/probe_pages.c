/*
 * TLBs: a ring of one line a page. Lines that are pages apart fall into few sets of caches, so the
 * lines are scattered within the pages, and the same ring in large pages, where no TLB misses, is
 * the control: what both cost is no TLB's.
 */
#include <math.h>
#include <stdio.h>

#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

#define PAGE_BYTES   4096
#define PAGES_MIN    8
#define PAGES_MAX    16384
#define PER_DOUBLING 3

static int measure_curve(struct ft_probing *probing, const char *curve, bool large,
                         struct ft_diag *diag)
{
    struct ft_probe_memory memory;
    const double doublings = log2((double)PAGES_MAX / PAGES_MIN);
    const unsigned points = (unsigned)(doublings * (probing->plan->brief ? 0.5 : PER_DOUBLING));
    FT_TRY(ft_probe_memory_init(&memory, (uint64_t)PAGES_MAX * PAGE_BYTES, large, diag));
    int status = FT_OK;
    for (unsigned i = 0; status == FT_OK && i <= points; i++) {
        const uint64_t pages = (uint64_t)(PAGES_MIN * exp2(doublings * i / points) + 0.5);
        struct ft_probe_point point = {.size_bytes = pages * PAGE_BYTES, .count = (uint32_t)pages};
        snprintf(point.curve, sizeof point.curve, "%s", curve);
        if (ft_probing_is_settled(probing, &point))
            continue;
        void **place = ft_probe_ring(memory.start, pages, PAGE_BYTES, true, pages);
        if (!place) {
            status = ft_fail_memory(diag, "a ring");
            break;
        }
        place = ft_probe_follow(place, (pages * 2 + 15) / 16 * 16);
        status = ft_probing_measure(probing, ft_probe_follow_work, &place, 16, point, diag);
    }
    ft_probe_memory_fini(&memory);
    return status;
}

int ft_probe_pages(struct ft_probing *probing, struct ft_diag *diag)
{
    if (!ft_probe_has_large_pages()) /* nothing to compare with */
        return FT_OK;
    FT_TRY(measure_curve(probing, FT_CURVE_PAGES, false, diag));
    return measure_curve(probing, FT_CURVE_PAGE_CONTROL, true, diag);
}
